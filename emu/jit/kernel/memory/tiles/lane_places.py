"""Where single lanes access a buffer, as integers: what places of a tile are counted from."""

from __future__ import annotations

from collections.abc import Sequence

from .....analysis.values.ssa import Op, Value
from ...lane_code import LaneCode
from ..addressing.addresses import Addresses
from .runs import Runs


class LanePlaces:
    """Emits the places of some lanes of a load that is inside its buffer in all lanes."""

    def __init__(self, lanes: LaneCode, addresses: Addresses, runs: Runs) -> None:
        self._lanes, self._addresses, self._runs = lanes, addresses, runs

    def hosts_of(self, op: Op, lanes: Sequence[int]) -> list[str]:
        """Return the host addresses that some lanes access, each an i64."""
        code, addresses, base = self._lanes.code, self._addresses, op.base
        assert base is not None
        form = addresses.form(base)
        window = addresses.window(base, form, False)
        assert window is not None
        if form is None:
            moved = code.let(f"sub i64 {op.address.offset}, {window.base}")
            offsets = [code.let(f"add i64 {moved}, {n}") for n in self._numbers(op, base, lanes)]
        else:
            form = form.plus_constant(op.address.offset)
            distance = addresses.distance(form, window)
            if form.index is None:
                offsets = [distance] * len(lanes)
            else:
                how = "sext" if form.signed else "zext"
                numbers = self._numbers(op, form.index, lanes)
                wide = [code.let(f"{how} i32 {number} to i64") for number in numbers]
                offsets = [addresses.plus_scaled(distance, n, form.scale) for n in wide]
        return [code.let(f"add i64 {window.address}, {offset}") for offset in offsets]

    def _numbers(self, op: Op, value: Value, lanes: Sequence[int]) -> list[str]:
        """Return the integers that some lanes have of an index or address of an op."""
        code, n, t = self._lanes.code, self._lanes.pieces.n, f"i{value.cls.bits}"
        step = self._lanes.shapes.piece_stride(value)
        if step is None:
            numbers = self._runs.numbers(op, value, lanes)
            if numbers is not None:
                return numbers
            n, vectors = self._lanes.n, self._lanes.vector(value)
            whole = f"<{n} x {t}>"
            return [
                code.let(f"extractelement {whole} {vectors[lane // n]}, i32 {lane % n}")
                for lane in lanes
            ]
        firsts = self._lanes.firsts(value)
        return [
            code.let(f"add {t} {firsts[lane // n]}, {step * (lane % n)}")
            if step * (lane % n)
            else firsts[lane // n]
            for lane in lanes
        ]
