"""Private memory of a warp, as rows: the elements that its lanes have at one offset.

An element has the size of the kernel's largest private access (`KernelMemory.private_element`), so
no access crosses two of them. Where all lanes use one offset, an access is one wide load or store.
The store has a mask if other lanes may load private memory later. Smaller types are a field of the
element: a store of one replaces it in the loaded row.

Where lanes run loops alone, each may have its memory in one piece (`KernelMemory.each_apart`).
"""

from __future__ import annotations

from collections.abc import Sequence

from ......isa.types import U8, U16, U32, U64, Type, mask_of
from .....analysis.values.ssa import Op, Value
from ....arithmetic.widths import extended
from ....llvm.text import integer, integer_constant
from ...lane_code import LANE, LaneCode
from ..kernel_memory import KernelMemory
from ..moves import Moves

OWN_MEMORY = "own private memory"
"""The variable that has the address of a lane's private memory, in code for one lane."""


class PrivateRows:
    """Emits accesses to private memory at offsets that were checked."""

    def __init__(self, lanes: LaneCode, moves: Moves, memory: KernelMemory) -> None:
        self.lanes = lanes
        self.moves = moves
        self.memory = memory
        self.element = memory.private_element

    def access(self, op: Op, type_: Type, base: str, offset: int) -> list[str]:
        """Access the lanes' elements at base (an i32) + offset; return what was loaded."""
        code = self.lanes.code
        at = self.sum(base, offset)
        if type_.size == self.element:
            host = self.row(at)
            if op.ins.row.is_load:
                return self.moves.load_wide(type_, host)
            self._store_row(op, self.moves.store_data(op, type_), host)
            return []
        inner = code.let(f"and i64 {at}, {self.element - 1}")
        host = self.row(code.let(f"sub i64 {at}, {inner}"))
        shift = code.let(f"shl i64 {inner}, 3")
        if op.ins.row.is_load:
            return self._load_field(type_, host, shift)
        self._store_field(op, type_, self.moves.store_data(op, type_), host, shift)
        return []

    def places(self, base: Value, offset: int) -> list[str]:
        """Return the host addresses of base + offset, a chunk of pointers each."""
        lanes, code, size = self.lanes, self.lanes.code, self.element
        v, place = integer(32, lanes.n), self._place()
        indices = []
        for j, chunk in enumerate(lanes.vector(base)):
            at = code.let(f"add {v} {chunk}, splat (i32 {offset & 0xFFFFFFFF})")
            if self.memory.each_apart:
                numbers = self._numbers(j, self.memory.private_bytes)
                indices.append(code.let(f"add {v} {at}, <{numbers}>"))
                continue
            inner = code.let(f"and {v} {at}, splat (i32 {size - 1})")
            start = code.let(f"sub {v} {at}, {inner}")
            row = code.let(f"mul {v} {start}, splat (i32 {lanes.facts.width})")
            own = code.let(f"add {v} {row}, <{self._numbers(j, size)}>")
            indices.append(code.let(f"add {v} {own}, {inner}"))
        return lanes.places(place, 1, indices)

    def begin_own(self) -> None:
        """Begin the turn of the lane that runs alone: find its memory."""
        lanes, code, memory = self.lanes, self.lanes.code, self.memory
        if memory.private_bytes:
            place = memory.private_place(lanes.entry, code, lanes.width)
            bytes_ = memory.private_bytes if memory.each_apart else self.element
            own = code.let(f"mul i64 {lanes.variables.word(LANE)}, {bytes_}")
            place = code.let(f"getelementptr i8, ptr {place}, i64 {own}")
            lanes.variables.store(OWN_MEMORY, ["ptr"], [place])

    def own_place(self, type_: Type, base: str, offset: int) -> str:
        """Return the host address of base (an i32) + offset of the lane that runs alone."""
        lanes, code, size = self.lanes, self.lanes.code, self.element
        if self.memory.each_apart:
            return self.own_byte(code.let(f"zext i32 {base} to i64"), offset)
        at = self.sum(base, offset)
        (place,) = lanes.variables.load(OWN_MEMORY, ["ptr"])
        inner = "0"
        if type_.size < size:
            inner = code.let(f"and i64 {at}, {size - 1}")
            at = code.let(f"sub i64 {at}, {inner}")
        distance = code.let(f"mul i64 {at}, {lanes.width}")
        moved = code.let(f"add i64 {distance}, {inner}")
        return code.let(f"getelementptr i8, ptr {place}, i64 {moved}")

    def own_byte(self, start: str, offset: int) -> str:
        """Return the host address of start (an i64) + offset in the lane's memory in one piece."""
        code, variables = self.lanes.code, self.lanes.variables
        at = code.let(f"add i64 {start}, {offset}")
        (place,) = variables.load(OWN_MEMORY, ["ptr"])
        return code.let(f"getelementptr i8, ptr {place}, i64 {at}")

    def _numbers(self, j: int, step: int) -> str:
        """Return the numbers of a chunk's lanes times a step, as the elements of a constant."""
        n = self.lanes.n
        return ", ".join(f"i32 {step * (j * n + i)}" for i in range(n))

    def _place(self) -> str:
        lanes = self.lanes
        return self.memory.private_place(lanes.entry, lanes.code, lanes.facts.width)

    def sum(self, base: str, offset: int) -> str:
        """Return base (an i32) + offset, an i64."""
        code = self.lanes.code
        return code.let(f"add i64 {code.let(f'zext i32 {base} to i64')}, {offset}")

    def row(self, start: str) -> str:
        """Return the host address of the row of elements at an offset, a multiple of their size."""
        code = self.lanes.code
        distance = code.let(f"mul i64 {start}, {self.lanes.facts.width}")
        return code.let(f"getelementptr i8, ptr {self._place()}, i64 {distance}")

    # --- fields of elements

    def _load_row(self, host: str) -> list[str]:
        lanes, t = self.lanes, integer(8 * self.element, self.lanes.n)
        return [
            lanes.code.let(f"load {t}, ptr {place}, align {self.element}")
            for place in lanes.chunk_places(host, 8 * self.element)
        ]

    def _spread(self, scalar: str) -> str:
        """Return a chunk with the low bits of an i64 in every element."""
        bits = 8 * self.element
        narrow = self.lanes.code.let(f"trunc i64 {scalar} to i{bits}") if bits < 64 else scalar
        return self.lanes.chunk_of(bits, narrow)

    def _load_field(self, type_: Type, host: str, shift: str) -> list[str]:
        lanes, code = self.lanes, self.lanes.code
        t, small = integer(8 * self.element, lanes.n), integer(type_.bits, lanes.n)
        amount = self._spread(shift)
        loaded = []
        for row in self._load_row(host):
            moved = code.let(f"lshr {t} {row}, {amount}")
            field = code.let(f"trunc {t} {moved} to {small}")
            loaded.append(extended(code, field, type_, lanes.n))
        return loaded

    def _store_row(self, op: Op, data: Sequence[str], host: str) -> None:
        """Store an element of each lane, or of the running lanes if others may load theirs."""
        lanes, code = self.lanes, self.lanes.code
        if op.node not in self.memory.last_readers:
            self.moves.store_wide(_UNSIGNED[self.element], data, host)
            return
        t = integer(8 * self.element, lanes.n)
        for chunk, place in zip(data, lanes.chunk_places(host, 8 * self.element), strict=True):
            code.line(f"store {t} {chunk}, ptr {place}, align {self.element}")

    def _store_field(self, op: Op, type_: Type, data: Sequence[str], host: str, shift: str) -> None:
        """Store a field of each running lane's element; the lanes' own memory, so none races."""
        lanes, code, bits = self.lanes, self.lanes.code, 8 * self.element
        t, small = integer(bits, lanes.n), integer(type_.bits, lanes.n)
        amount = self._spread(shift)
        field = integer_constant(mask_of(type_.bits), bits, lanes.n)
        hole = code.let(f"shl {t} {field}, {amount}")
        others = code.let(f"xor {t} {hole}, {integer_constant(-1, bits, lanes.n)}")
        new = []
        for row, chunk in zip(self._load_row(host), data, strict=True):
            wide = code.let(f"zext {small} {chunk} to {t}")
            moved = code.let(f"shl {t} {wide}, {amount}")
            kept = code.let(f"and {t} {row}, {others}")
            new.append(code.let(f"or {t} {kept}, {moved}"))
        self._store_row(op, new, host)


_UNSIGNED = {1: U8, 2: U16, 4: U32, 8: U64}
"""By bytes."""
