"""Atomics on memory that one thread alone accesses: a load, an operation and a store.

The lanes are taken in ascending order. Where a chunk's lanes all run, their code has no branches,
unless a kernel has many atomics: it would take long to compile. So it is beside loops.
If all lanes change one place and do not want its old value, a chunk's operands are put together
first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ......isa.types import Type
from .....analysis.values.ssa import Const, Op
from ....arithmetic import atomics
from ....llvm.text import integer
from ...lane_code import LaneCode
from ..cold import Cold

_REDUCED = {"add": "add", "sub": "add", "and": "and", "or": "or", "xor": "xor"}
"""Operation -> how the operands of several lanes are put together."""

MOST_WRITTEN_OUT = 8
"""Atomics of a kernel whose code for all lanes of a chunk has no branches."""


class EachLane:
    """Emits the operations of atomics, in code for a warp or for one lane."""

    def __init__(self, lanes: LaneCode, cold: Cold) -> None:
        self.lanes = lanes
        self.cold = cold
        self._written_out = 0

    # --- one place

    def is_reduced(self, op: Op) -> bool:
        """Return whether all lanes may change one place at once: none wants the old value."""
        operation = operation_of(op)
        return op.ins.dst is None and (operation in _REDUCED or operation in ("min", "max"))

    def reduced(self, op: Op, type_: Type, place: str) -> None:
        """Change one place by the operands of all running lanes at once."""
        lanes, code, operation = self.lanes, self.lanes.code, operation_of(op)
        how = _REDUCED.get(operation) or atomics.minimum(type_, operation)
        bits = type_.bits
        neutral = {"and": -1, "umin": -1, "smax": 1 << (bits - 1), "smin": (1 << (bits - 1)) - 1}
        t, v = integer(bits, 0), integer(bits, lanes.n)
        nothing = f"splat ({t} {neutral.get(how, 0)})"
        total = ""
        for mask, chunk in zip(lanes.mask, self._operands(op, 0), strict=True):
            known = code.let(f"select {lanes.mask_type} {mask}, {v} {chunk}, {v} {nothing}")
            total = atomics.combined(code, how, v, total, known) if total else known
        name = f"llvm.vector.reduce.{how}.v{lanes.n}i{bits}"
        value = code.call(t, name, f"{v} {total}")
        old = code.let(f"load {t}, ptr {place}")
        new = atomics.combined(code, "sub" if operation == "sub" else how, t, old, value)
        code.line(f"store {t} {new}, ptr {place}")

    def alone(self, op: Op, type_: Type, place: str) -> str:
        """Change a place in code for one lane; return the old value."""
        lanes = self.lanes
        operands = [
            lanes.observed(arg, [lanes.scalar(arg)], 0)[0] for arg in op.args[: len(op.ins.srcs)]
        ]
        return self._changed(op, type_, place, operands)

    # --- lane after lane

    def each(
        self,
        op: Op,
        type_: Type,
        place: Callable[[str], str],
        cells_of: Callable[[str], str] | None = None,
    ) -> list[str]:
        """Change the place of each running lane in turn; return the old values if they are wanted.

        `place` returns the host address of a lane's place, a ptr. `cells_of` returns cells by the
        name of their use; without it, they are those of cold sides.
        """
        lanes, code, cold = self.lanes, self.lanes.code, self.cold
        bits, n = type_.bits, lanes.n
        cells_of = cells_of or cold.cells
        masks, olds = cells_of("running"), cells_of("olds")
        cells = []
        for i, name in zip(range(len(op.ins.row.srcs)), ("left", "right"), strict=False):
            if lanes.shapes.is_uniform(op.args[i]) or isinstance(op.args[i], Const):
                cells.append("")
            else:
                cells.append(cells_of(name))
                cold.put(cells[i], self._operands(op, i), bits)
        scalars = [
            "" if cell else lanes.observed(op.args[i], [lanes.scalar(op.args[i])], 0)[0]
            for i, cell in enumerate(cells)
        ]
        for cell, chunk in zip(lanes.chunk_places(masks, 64, 1), lanes.mask, strict=True):
            word = code.let(f"bitcast {lanes.mask_type} {chunk} to i{n}")
            wide = word if n == 64 else code.let(f"zext i{n} {word} to i64")
            code.line(f"store i64 {wide}, ptr {cell}")

        def change(lane: str) -> None:
            t = f"i{bits}"
            operands = [
                code.let(f"load {t}, ptr {code.let(f'getelementptr {t}, ptr {cell}, i64 {lane}')}")
                if cell
                else scalar
                for cell, scalar in zip(cells, scalars, strict=True)
            ]
            old = self._changed(op, type_, place(lane), operands)
            if op.ins.dst is not None:
                cell = code.let(f"getelementptr {t}, ptr {olds}, i64 {lane}")
                code.line(f"store {t} {old}, ptr {cell}")

        self._loop(masks, change, often=self._runs_often(op))
        return [] if op.ins.dst is None else cold.take(olds, bits)

    def _runs_often(self, op: Op) -> bool:
        """Return whether an atomic is in a loop, if a kernel has any.

        Beside a loop, code of what runs once takes registers from it: a histogram took twice as
        long for the sums at its end.
        """
        loops = self.lanes.flow.loops
        return not loops or any(op.node in loop.nodes for loop in loops)

    def _loop(self, masks: str, change: Callable[[str], None], *, often: bool) -> None:
        """Emit a loop over chunks that calls `change` for each running lane (an i64)."""
        lanes, code = self.lanes, self.lanes.code
        n, most = lanes.n, (1 << lanes.n) - 1
        head, body, whole, some, one, after, over = (code.fresh_label("a") for _ in range(7))
        before = code.current_block
        code.jump(head)
        code.block(head)
        number, following = code.fresh_name(), code.fresh_name()
        code.phi("i64", (0, before), (following, after), name=number)
        code.branch(code.let(f"icmp ult i64 {number}, {lanes.k}"), body, over)
        code.block(body)
        place = code.let(f"getelementptr i64, ptr {masks}, i64 {number}")
        word = code.let(f"load i64, ptr {place}")
        first = code.let(f"mul i64 {number}, {n}")
        if often and self._written_out < MOST_WRITTEN_OUT:
            self._written_out += 1
            code.branch(code.let(f"icmp eq i64 {word}, {most}"), whole, some)
            code.block(whole)
            for lane in range(n):
                change(code.let(f"add i64 {first}, {lane}"))
            code.jump(after)
            code.block(some)
        else:
            code.jump(some)
            code.block(some)
        left, rest = code.fresh_name(), code.fresh_name()
        code.phi("i64", (word, body), (rest, one), name=left)
        code.branch(code.let(f"icmp eq i64 {left}, 0"), after, one)
        code.block(one)
        bit = code.call("i64", "llvm.cttz.i64", f"i64 {left}", "i1 false")
        change(code.let(f"add i64 {first}, {bit}"))
        code.let(f"and i64 {left}, {code.let(f'sub i64 {left}, 1')}", rest)
        code.jump(some)
        code.block(after)
        code.let(f"add i64 {number}, 1", following)
        code.jump(head)
        code.block(over)

    def _changed(self, op: Op, type_: Type, place: str, operands: Sequence[str]) -> str:
        """Change a place; return what was there."""
        code, t = self.lanes.code, f"i{type_.bits}"
        old = code.let(f"load {t}, ptr {place}")
        new = atomics.result_of(code, op.ins.row, type_, old, operands)
        code.line(f"store {t} {new}, ptr {place}")
        return old

    def _operands(self, op: Op, position: int) -> list[str]:
        lanes = self.lanes
        return lanes.observed(op.args[position], lanes.vector(op.args[position]), lanes.n)


def operation_of(op: Op) -> str:
    """Return the operation of an atomic, such as `add`."""
    return atomics.operation_of(op.ins.row)
