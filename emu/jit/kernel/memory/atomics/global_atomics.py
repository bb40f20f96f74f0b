"""Atomics of global memory.

Where no other thread can change the buffer, and the places of all running lanes are inside, an
atomic is a load, an operation and a store for lane after lane. Otherwise a helper, one per
operation and type, takes the lanes in order, by atomic instructions of the host. The cells of its
arguments and results have 64 bits a lane. Group memory has a file of its own.
"""

from __future__ import annotations

from collections.abc import Callable

from ......isa.types import Segment, Type
from .....analysis.values.ssa import Op
from ....llvm.text import integer
from ....runtime.helpers import WIDE_ATOMIC, atomic_name
from ...lane_code import LaneCode
from ..addressing.addresses import Addresses
from ..addressing.windows import Place, Window
from ..cold import Cold
from ..local.checks import LocalChecks
from ..moves import Moves
from ..scattered import Scattered
from ..site import Site
from .each_lane import EachLane
from .group_atomics import GroupAtomics


class Atomics:
    """Emits the atomics of one kernel."""

    def __init__(
        self, lanes: LaneCode, checks: LocalChecks, cold: Cold, moves: Moves, addresses: Addresses
    ) -> None:
        self.lanes = lanes
        self.checks = checks
        self.cold = cold
        self.moves = moves
        self.addresses = addresses
        self._each = EachLane(lanes, cold)
        self._group_atomics = GroupAtomics(lanes, checks, cold, self._each)
        self._scattered = Scattered(lanes, moves, cold, addresses)
        self._is_alone = lanes.is_alone
        """Whether this is code for one lane of a warp."""

    def op(self, op: Op) -> None:
        """Emit one atomic."""
        type_ = op.element
        if op.address.segment is Segment.GROUP:
            self._group(op, type_)
            return
        olds = self._global(op, type_)
        if op.ins.dst is not None:
            self.lanes.define(op, "value", olds)

    def _group(self, op: Op, type_: Type) -> None:
        """Emit an atomic of group memory, with its checks."""
        extent = self.checks.extent(op)
        if extent.span() < 0:
            self.checks.always_faults(op)
        else:
            self.checks.guard(op, extent)
        self._group_atomics.op(op, type_)

    # --- global memory

    def _global(self, op: Op, type_: Type) -> list[str]:
        """Emit both sides of an atomic; return the old values."""
        assert op.base is not None
        window = self.addresses.window_of_atomic(op.base)
        if window is None:
            return self._by_helper(op, type_)
        if self.lanes.shapes.is_uniform(op.base):
            return self._at_one_place(op, type_, window)
        return self._at_places(op, type_, window)

    def _at_one_place(self, op: Op, type_: Type, window: Window) -> list[str]:
        """Emit an atomic of all lanes on one place."""
        each, place = self._each, self._place(op, type_, window)

        def fast() -> list[str]:
            host = place.host()
            if self._is_alone:
                return [each.alone(op, type_, host)]
            if each.is_reduced(op):
                each.reduced(op, type_, host)
                return []
            return each.each(op, type_, lambda _: host)

        return self._either(op, type_, place.inside, fast)

    def _place(self, op: Op, type_: Type, window: Window) -> Place:
        """Return the one place of all lanes."""
        addresses, code, size = self.addresses, self.lanes.code, type_.size
        assert op.base is not None
        offset, form = op.address.offset, addresses.form(op.base)
        if form is not None:
            form = form.plus_constant(offset)
            return addresses.place(form, window, size, size)
        start = code.let(f"add i64 {self.lanes.scalar(op.base)}, {offset}")
        return addresses.place_at(code.let(f"sub i64 {start}, {window.base}"), window, size, size)

    def _at_places(self, op: Op, type_: Type, window: Window) -> list[str]:
        """Emit an atomic of each lane on a place of its own."""
        lanes, code, cold = self.lanes, self.lanes.code, self.cold
        assert op.base is not None
        spots = self._scattered.spots(
            Site(op, type_, window, is_inside=False), self.addresses.form(op.base)
        )

        def fast() -> list[str]:
            host, offsets = spots.host(), cold.cells("places")
            cold.put(offsets, spots.chunks, spots.bits)

            def place(lane: str) -> str:
                t = f"i{spots.bits}"
                own = code.let(f"load {t}, ptr {code.let(_element(t, offsets, lane))}")
                wide = own if spots.bits == 64 else code.let(f"zext {t} {own} to i64")
                return code.let(f"getelementptr [{spots.unit} x i8], ptr {host}, i64 {wide}")

            return self._each.each(op, type_, place)

        beyond = lanes.any(lanes.combine("and", spots.outside, lanes.mask))
        return self._either(op, type_, code.let(f"xor i1 {beyond}, true"), fast)

    def _either(self, op: Op, type_: Type, good: str, fast: Callable[[], list[str]]) -> list[str]:
        """Emit both sides; without a destination they return nothing."""
        wanted = op.ins.dst is not None

        def old(found: list[str]) -> list[str]:
            return found if wanted else []

        return self.moves.either(
            good,
            lambda: old(fast()),
            lambda: old(self._by_helper(op, type_)),
            op.cls,
            0 if self._is_alone else self.lanes.n,
        )

    # --- the helper

    def _by_helper(self, op: Op, type_: Type) -> list[str]:
        """Call the helper of an atomic; return the old values."""
        cold, row = self.cold, op.ins.row
        addresses, old = cold.cells("addresses"), cold.cells("cells")
        self._put_addresses(op, addresses)
        cells = []
        for i, name in enumerate(("as", "bs")):
            cell = cold.cells(name)
            if i < len(row.srcs):
                self._put_operand(op, i, type_, cell)
            cells.append(cell)
        name = atomic_name(row)
        given = (f"ptr {c}" for c in (addresses, *cells, old))
        if self._is_alone:
            result = cold.call(name, "ptr %ctx", "i64 1", *given, "i32 0")
        else:
            seldom, through = False, WIDE_ATOMIC
            result = cold.call_for_lanes(name, *given, "i32 0", seldom=seldom, through=through)
        cold.check(result, op.pc)
        if op.ins.dst is None:
            return []
        if self._is_alone:
            return [self.lanes.code.let(f"load i{type_.bits}, ptr {old}")]
        return [self._narrow(c, type_) for c in cold.take(old, 64)]

    def _put_operand(self, op: Op, position: int, type_: Type, cells: str) -> None:
        lanes, arg = self.lanes, op.args[position]
        if self._is_alone:
            (operand,) = lanes.observed(arg, [lanes.scalar(arg)], 0)
            lanes.code.line(f"store i{type_.bits} {operand}, ptr {cells}")
            return
        chunks = lanes.observed(arg, lanes.vector(arg), lanes.n)
        self.cold.put(cells, [self._wide(c, type_) for c in chunks], 64)

    def _wide(self, chunk: str, type_: Type) -> str:
        if type_.bits == 64:
            return chunk
        n = self.lanes.n
        return self.lanes.code.let(f"zext {integer(type_.bits, n)} {chunk} to {integer(64, n)}")

    def _narrow(self, chunk: str, type_: Type) -> str:
        if type_.bits == 64:
            return chunk
        n = self.lanes.n
        return self.lanes.code.let(f"trunc {integer(64, n)} {chunk} to {integer(type_.bits, n)}")

    def _put_addresses(self, op: Op, cells: str) -> None:
        """Put the simulated addresses into cells; the helper looks them up."""
        lanes, code = self.lanes, self.lanes.code
        assert op.base is not None
        offset, t = op.address.offset, integer(64, lanes.n)
        if self._is_alone:
            code.line(
                f"store i64 {code.let(f'add i64 {lanes.scalar(op.base)}, {offset}')}, ptr {cells}"
            )
            return
        places = [code.let(f"add {t} {c}, splat (i64 {offset})") for c in lanes.vector(op.base)]
        self.cold.put(cells, places, 64)


def _element(type_: str, cells: str, lane: str) -> str:
    return f"getelementptr {type_}, ptr {cells}, i64 {lane}"
