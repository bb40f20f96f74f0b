"""Atomics of group memory, which one thread alone accesses: a load, an operation and a store.

The lanes are taken in ascending order. Where a chunk's lanes all run, their code has no branches,
unless a kernel has many atomics: it would take long to compile.
If all lanes change one place and do not want its old value, a chunk's operands are put together
first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .....isa.types import Type
from ....analysis.ssa import Const, Op
from ...llvm.text import integer
from ..lane_code import LaneCode
from .cold import Cold
from .local_memory import Extent, LocalMemory

_PLAIN = frozenset({"add", "sub", "and", "or", "xor"})
_REDUCED = {"add": "add", "sub": "add", "and": "and", "or": "or", "xor": "xor"}
"""Operation -> how the operands of several lanes are put together."""

MOST_WRITTEN_OUT = 8
"""Atomics of a kernel whose code for all lanes of a chunk has no branches."""


class GroupAtomics:
    """Emits the atomics of group memory of one kernel."""

    def __init__(self, lanes: LaneCode, local: LocalMemory, cold: Cold) -> None:
        self.lanes = lanes
        self.local = local
        self.cold = cold
        self._written_out = 0

    def op(self, op: Op, type_: Type) -> None:
        """Emit one atomic whose running lanes are inside the segment."""
        lanes = self.lanes
        extent = self.local.extent(op)
        memory = self.local.memory.group_place(lanes.entry)
        operation = op.ins.row.stem.removeprefix("atomic_")
        has_minimum = operation in ("min", "max")
        one_place = lanes.shapes.is_uniform(extent.base)
        if one_place and op.ins.dst is None and (operation in _REDUCED or has_minimum):
            self._reduced(op, type_, operation, self._place(memory, extent, None))
        else:
            self._each(op, type_, operation, memory, extent)

    # --- one place

    def _reduced(self, op: Op, type_: Type, operation: str, place: str) -> None:
        """Change one place by the operands of all running lanes at once."""
        lanes, code = self.lanes, self.lanes.code
        how = _REDUCED.get(operation) or self._minimum(type_, operation)
        bits = type_.bits
        neutral = {"and": -1, "umin": -1, "smax": 1 << (bits - 1), "smin": (1 << (bits - 1)) - 1}
        t, v = integer(bits, 0), integer(bits, lanes.n)
        nothing = f"splat ({t} {neutral.get(how, 0)})"
        total = ""
        for mask, chunk in zip(lanes.mask, self._operands(op, 0), strict=True):
            known = code.let(f"select {lanes.mask_type} {mask}, {v} {chunk}, {v} {nothing}")
            total = self._combined(how, v, total, known) if total else known
        name = f"llvm.vector.reduce.{how}.v{lanes.n}i{bits}"
        value = code.call(t, name, f"{v} {total}")
        old = code.let(f"load {t}, ptr {place}")
        new = self._combined("sub" if operation == "sub" else how, t, old, value)
        code.line(f"store {t} {new}, ptr {place}")

    def _combined(self, how: str, t: str, a: str, b: str) -> str:
        code = self.lanes.code
        if how in _PLAIN:
            return code.let(f"{how} {t} {a}, {b}")
        return code.intrinsic(f"llvm.{how}", t, f"{t} {a}", f"{t} {b}")

    # --- lane after lane

    def _each(self, op: Op, type_: Type, operation: str, memory: str, extent: Extent) -> None:
        """Change the place of each running lane in turn."""
        lanes, code, cold = self.lanes, self.lanes.code, self.cold
        bits, n = type_.bits, lanes.n
        offsets, masks, olds = cold.cells("offsets"), cold.cells("running"), cold.cells("olds")
        cold.put(offsets, lanes.vector(extent.base), 32)
        cells = []
        for i, name in zip(range(len(op.ins.row.srcs)), ("left", "right"), strict=False):
            if lanes.shapes.is_uniform(op.args[i]) or isinstance(op.args[i], Const):
                cells.append("")
            else:
                cells.append(cold.cells(name))
                cold.put(cells[i], self._operands(op, i), bits)
        scalars = [
            "" if cell else lanes.observed(op.args[i], [lanes.scalar(op.args[i])], 0)[0]
            for i, cell in enumerate(cells)
        ]
        for place, chunk in zip(lanes.chunk_places(masks, 64, 1), lanes.mask, strict=True):
            word = code.let(f"bitcast {lanes.mask_type} {chunk} to i{n}")
            wide = word if n == 64 else code.let(f"zext i{n} {word} to i64")
            code.line(f"store i64 {wide}, ptr {place}")

        def change(lane: str) -> None:
            t = f"i{bits}"
            operands = [
                code.let(f"load {t}, ptr {code.let(f'getelementptr {t}, ptr {cell}, i64 {lane}')}")
                if cell
                else scalar
                for cell, scalar in zip(cells, scalars, strict=True)
            ]
            offset = code.let(f"getelementptr i32, ptr {offsets}, i64 {lane}")
            place = self._place(memory, extent, code.let(f"load i32, ptr {offset}"))
            old = code.let(f"load {t}, ptr {place}")
            new = self._result(type_, operation, old, operands)
            code.line(f"store {t} {new}, ptr {place}")
            if op.ins.dst is not None:
                cell = code.let(f"getelementptr {t}, ptr {olds}, i64 {lane}")
                code.line(f"store {t} {old}, ptr {cell}")

        self._loop(masks, change)
        if op.ins.dst is not None:
            lanes.define(op, "value", cold.take(olds, bits))

    def _loop(self, masks: str, change: Callable[[str], None]) -> None:
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
        if self._written_out < MOST_WRITTEN_OUT:
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

    def _result(self, type_: Type, operation: str, old: str, operands: Sequence[str]) -> str:
        """Return what an operation leaves in memory."""
        code, t = self.lanes.code, f"i{type_.bits}"
        if operation == "exch":
            return operands[0]
        if operation == "cas":
            same = code.let(f"icmp eq {t} {old}, {operands[0]}")
            return code.let(f"select i1 {same}, {t} {operands[1]}, {t} {old}")
        how = operation if operation in _PLAIN else self._minimum(type_, operation)
        return self._combined(how, t, old, operands[0])

    def _minimum(self, type_: Type, operation: str) -> str:
        return f"{'s' if type_.is_signed else 'u'}{operation}"

    def _operands(self, op: Op, position: int) -> list[str]:
        lanes = self.lanes
        return lanes.observed(op.args[position], lanes.vector(op.args[position]), lanes.n)

    def _place(self, memory: str, extent: Extent, offset: str | None) -> str:
        """Return the host address of an offset; by default that of a uniform base."""
        code = self.lanes.code
        base = self.lanes.scalar(extent.base) if offset is None else offset
        wide = code.let(f"zext i32 {base} to i64")
        moved = code.let(f"add i64 {wide}, {extent.offset}")
        return code.let(f"getelementptr i8, ptr {memory}, i64 {moved}")
