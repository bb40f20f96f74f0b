"""The memory of one warp as segments see it: a header of 64-bit words, then rows of lanes.

    header        16 words (Header)
    local ids     three rows of u32, workitemid, if the kernel asks for one of them
    $s            a row of u32 for each register that the kernel uses
    $d            a row of u64 for each
    $c            a word for each, bit l = lane l

A row holds whole vectors: the width rounded up to `Layout.lanes`. Lanes above the width have no
meaning. Blocks are multiples of 64 bytes and follow each other in one buffer whose address is a
multiple of 64, so that every row begins at a cache line.

The private memory of a warp is interleaved by 8 bytes: byte b of lane l is at
`(b / 8 * width + l) * 8 + b % 8`, and equal offsets of a warp are neighbours.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from ....isa.instruction import Reg
from ....isa.program import Kernel, align
from ....isa.types import RegClass
from ..llvm.vectors import CHUNK
from ..runtime.aligned import LINE, aligned_bytes


class Header(IntEnum):
    """Index of a header word.

    The maker of the block sets the last four, `Segments.start` the others.
    """

    GROUP = 0
    """Flat number of the workgroup."""
    GROUP_X = 1
    GROUP_Y = 2
    GROUP_Z = 3
    SIZE_X = 4
    """Actual size of the workgroup (currentworkgroupsize)."""
    SIZE_Y = 5
    SIZE_Z = 6
    WARP = 7
    """Number of the warp in its workgroup: lane 0 has the flat local id `WARP * width`."""
    CLOCK = 8
    """What `clock` reads."""
    GROUP_MEMORY = 9
    """Host address of the workgroup's group memory, a multiple of 8."""
    PRIVATE_MEMORY = 10
    """Host address of the warp's private memory, a multiple of 8."""
    CONTEXT = 11
    """Host address of the launch's context block."""
    BRIEF = 12
    """Host address of the rows that warps share, if there are such."""


HEADER_BYTES = 16 * 8


@dataclass(frozen=True)
class Layout:
    """The places in a block, in bytes from its start."""

    width: int
    vector: int
    """Lanes of one vector."""
    vectors: int
    """Vectors of a row."""
    local_ids: int
    """The first row of workitemid, -1 if the kernel does not ask for it."""
    dimensions: int
    """Rows of workitemid: up to the last dimension that the kernel asks for."""
    rows: Mapping[Reg, int]
    """The row (`$c`: the word) of each register."""
    total: int
    """Bytes of the block: an odd number of lines, so that the same row of different warps lies in
    different sets of the host's cache."""
    brief: Mapping[Reg, int]
    """The rows of registers that have no place in the block, in memory that all warps share."""
    brief_bytes: int
    """Bytes of that memory."""
    private_bytes: int
    """Bytes of private memory that a warp needs."""
    group_bytes: int
    """Bytes of group memory that a workgroup needs."""

    @property
    def lanes(self) -> int:
        """Lanes of a row, those that do not exist included."""
        return self.vector * self.vectors

    def local_id(self, dim: int) -> int:
        """Return the row of workitemid in one dimension."""
        assert self.local_ids >= 0
        return self.local_ids + dim * align(4 * self.lanes, LINE)

    def view(self, block: np.ndarray, reg: Reg) -> np.ndarray:
        """Return a register in a block (uint8): uint32 or uint64 of shape (width,), not a copy.

        For `$c` it is one uint64, shape (1,).
        """
        at = self.rows[reg]
        if reg.cls is RegClass.C:
            return block[at : at + 8].view(np.uint64)
        size = reg.cls.bits // 8
        return block[at : at + size * self.width].view(f"uint{8 * size}")

    def header(self, block: np.ndarray) -> np.ndarray:
        """Return the header of a block: int64, indexed by `Header`, not a copy."""
        return block[:HEADER_BYTES].view(np.int64)


def vectors_of(width: int) -> tuple[int, int]:
    """Return (lanes of a vector, vectors of a row) for warps of a width."""
    vector = CHUNK if width > 8 else CHUNK // 2
    return vector, -(-width // vector)


def layout_of(kernel: Kernel, width: int, brief: frozenset[Reg] = frozenset()) -> Layout:
    """Return the layout of a warp of `width` lanes (1 to 64) that runs a kernel.

    The registers `brief` have no value when another warp runs.
    """
    vector, vectors = vectors_of(width)
    end = HEADER_BYTES

    def row(at: int, lane_bytes: int) -> int:
        return align(at + lane_bytes * vector * vectors, LINE)

    local_ids, dimensions = -1, _dimensions(kernel)
    if dimensions:
        local_ids = end
        for _ in range(dimensions):
            end = row(end, 4)
    used = {r for ins in kernel.instructions for r in (*ins.reads(), *ins.writes())}
    rows: dict[Reg, int] = {}
    brief_rows: dict[Reg, int] = {}
    brief_end = 0
    for cls in (RegClass.S, RegClass.D):
        for reg in sorted((r for r in used if r.cls is cls), key=lambda r: r.index):
            if reg in brief:
                brief_rows[reg] = brief_end
                brief_end = row(brief_end, cls.bits // 8)
            else:
                rows[reg] = end
                end = row(end, cls.bits // 8)
    for reg in sorted((r for r in used if r.cls is RegClass.C), key=lambda r: r.index):
        rows[reg] = end
        end += 8
    return Layout(
        width,
        vector,
        vectors,
        local_ids,
        dimensions,
        rows,
        align(end, LINE) | LINE,
        brief_rows,
        brief_end,
        kernel.private_size * width,
        kernel.group_size,
    )


def _dimensions(kernel: Kernel) -> int:
    """Return up to which dimension a kernel asks for workitemid: 0 for none."""
    asked = [0]
    for ins in kernel.instructions:
        if ins.row.stem == "workitemflatabsid":
            asked.append(3)
        elif ins.row.stem in ("workitemid", "workitemabsid"):
            asked.append(1 + (ins.literals[0] if ins.literals else 0))
    return max(asked)


def blocks_of(layout: Layout, count: int) -> np.ndarray:
    """Return the blocks of `count` warps: uint8 of shape (count, total), one aligned buffer."""
    return aligned_bytes(layout.total * count).reshape(count, layout.total)
