"""Small tables: loads at indices that have a range, by permutations of registers.

Tables of digits, classes of characters, substitutions and transitions have few elements. Where the
range of the lanes' indices shows that they lie among the first ones of a table, all of these are
loaded, by one wide load to four, and each lane picks its own. That takes a few instructions for 64
bytes; a gather takes as long as it has elements.
"""

from __future__ import annotations

from collections.abc import Sequence

from ......isa.types import Type
from .....analysis.ranges.range_arithmetic import Range
from ....arithmetic.widths import extended
from ....llvm.parts import joined, part, with_zeros
from ....llvm.text import integer, integer_constant
from ....llvm.toolchain import host_has
from ...lane_code import LaneCode
from ..addressing.extent import Extent

REGISTER = 64
"""Bytes of a vector register."""

LEAST = 16
"""Bytes of the smallest load of a table."""

MOST_REGISTERS = 4
"""Registers of the largest table."""

_FEATURES = {1: "avx512vbmi", 2: "avx512bw", 4: "avx512f"}
"""What a CPU must have for permutations of elements, by their bytes."""

_ELEMENTS = {1: "qi", 2: "hi", 4: "si"}
_OF_TWO = {1: "qi", 2: "hi", 4: "d"}
"""LLVM's names of these elements, in permutations of one register and of two."""


def elements_for(highest: int, size: int) -> int | None:
    """Return how many elements of `size` bytes are loaded for indices up to a highest one.

    None if these are too many, or if the CPU has no such permutation.
    """
    if size not in _FEATURES or not host_has(_FEATURES[size]):
        return None
    bytes_ = (highest + 1) * size
    if bytes_ > MOST_REGISTERS * REGISTER:
        return None
    if bytes_ <= REGISTER:
        return max(LEAST, 1 << (bytes_ - 1).bit_length()) // size
    return -(-bytes_ // REGISTER) * REGISTER // size


def load(
    lanes: LaneCode, type_: Type, host: str, elements: int, indices: Sequence[str]
) -> list[str]:
    """Load `elements` of a table from an address on, and of these one for each lane, as registers.

    `indices` are chunks of i32; those of lanes that do not run may be any.
    """
    code, bits, n = lanes.code, type_.bits, lanes.n
    table = _Table(lanes, bits, host, elements)
    if bits < 32:
        cut = f"to {integer(bits, n)}"
        indices = [code.let(f"trunc {integer(32, n)} {index} {cut}") for index in indices]
    raw: list[str] = []
    if n > table.lanes:
        starts = range(0, n, table.lanes)
        for index in indices:
            pieces = [part(code, bits, n, index, start, table.lanes) for start in starts]
            found = joined(code, bits, table.lanes, [table.pick(piece) for piece in pieces])
            raw.append(part(code, bits, found[1], found[0], 0, n))
    else:
        together = table.lanes // n
        for first in range(0, len(indices), together):
            group = indices[first : first + together]
            whole, length = joined(code, bits, n, group)
            picked = table.pick(part(code, bits, length, whole, 0, table.lanes))
            raw += [part(code, bits, table.lanes, picked, j * n, n) for j in range(len(group))]
    return [extended(code, chunk, type_, n) for chunk in raw]


def elements_of(found: Range, extent: Extent) -> int | None:
    """Return how many elements from an offset on a segment's places lie among, if few.

    `found` is the range of the base. None if not all of them are in the segment.
    """
    if extent.offset < 0 or not found.is_aligned(extent.offset, extent.size):
        return None
    elements = elements_for(found.high // extent.size, extent.size)
    if elements is None or extent.offset + elements * extent.size > extent.total:
        return None
    return elements


def load_at_bytes(
    lanes: LaneCode, type_: Type, memory: str, extent: Extent, elements: int
) -> list[str]:
    """Load from a segment at `memory`, given `elements_of` an access, as registers."""
    code, v = lanes.code, integer(32, lanes.n)
    shift = f"splat (i32 {extent.size.bit_length() - 1})"
    indices = [code.let(f"lshr {v} {chunk}, {shift}") for chunk in lanes.vector(extent.base)]
    host = code.let(f"getelementptr i8, ptr {memory}, i64 {extent.offset}")
    return load(lanes, type_, host, elements, indices)


class _Table:
    """A table in registers."""

    def __init__(self, lanes: LaneCode, bits: int, host: str, elements: int) -> None:
        self._code, self._bits = lanes.code, bits
        self.lanes = 8 * REGISTER // bits
        """Elements of a register."""
        self._registers: list[str] = []
        for first in range(0, elements, self.lanes):
            count = min(elements, self.lanes)
            place = lanes.code.let(f"getelementptr i8, ptr {host}, i64 {first * bits // 8}")
            loaded = lanes.code.let(f"load {integer(bits, count)}, ptr {place}, align {bits // 8}")
            # Lanes that do not run may have any index. Were there poison, their conditions would be
            # poison as well, and with these the masks that are made of conditions.
            self._registers.append(with_zeros(lanes.code, bits, count, loaded, self.lanes))

    def pick(self, indices: str) -> str:
        """Return the elements at a register of indices."""
        code, t = self._code, integer(self._bits, self.lanes)
        halves = [
            self._of_registers(self._registers[first : first + 2], indices)
            for first in range(0, len(self._registers), 2)
        ]
        if len(halves) == 1:
            return halves[0]
        last = integer_constant(2 * self.lanes - 1, self._bits, self.lanes)
        upper = code.let(f"icmp ugt {t} {indices}, {last}")
        return code.let(f"select <{self.lanes} x i1> {upper}, {t} {halves[1]}, {t} {halves[0]}")

    def _of_registers(self, registers: Sequence[str], indices: str) -> str:
        """Return the elements of one register or two; indices count modulo these."""
        t, size = integer(self._bits, self.lanes), self._bits // 8
        if len(registers) == 1:
            name = f"llvm.x86.avx512.permvar.{_ELEMENTS[size]}.512"
            return self._code.call(t, name, f"{t} {registers[0]}", f"{t} {indices}")
        name = f"llvm.x86.avx512.vpermi2var.{_OF_TWO[size]}.512"
        given = (f"{t} {operand}" for operand in (registers[0], indices, registers[1]))
        return self._code.call(t, name, *given)
