"""Neighbours in group memory that begin anywhere in a line: aligned loads, shifted by permutations.

In a tile with a halo most loads cross two lines, which takes two accesses, and they wait for stores
to both that have been made just before. Aligned loads get what one store has written, and are the
same for all shifts, so LLVM makes one of those whose places it knows.
"""

from __future__ import annotations

from itertools import pairwise

from ....llvm.text import integer
from ....llvm.toolchain import host_has
from ...lane_code import LaneCode
from .shuffled import WORD

LEAST_CHUNKS = 2
"""Vectors of a warp. One alone would need two loads in place of one."""

LINE = 64
"""Bytes of a vector of words, and of a line of a cache."""


def can_shift(n: int, k: int, size: int) -> bool:
    """Return whether neighbours of `size` bytes can be loaded so, in k vectors of n lanes."""
    return size == WORD and n * WORD == LINE and k >= LEAST_CHUNKS and host_has("avx512f")


def load(lanes: LaneCode, memory: str, start: str, *, signed: bool = False) -> list[str]:
    """Load a word for each lane from an offset (an i32) into aligned memory on.

    The line after that of the last lane is read as well. The offset may be `signed`.
    """
    code, v = lanes.code, integer(32, lanes.n)
    line = code.let(f"and i32 {start}, {-LINE}")
    within = code.let(f"lshr i32 {code.let(f'and i32 {start}, {LINE - 1}')}, 2")
    numbers = ", ".join(f"i32 {i}" for i in range(lanes.n))
    elements = code.let(f"add {v} {lanes.chunk_of(32, within)}, <{numbers}>")
    extend = "sext" if signed else "zext"
    wide = code.let(f"{extend} i32 {line} to i64")
    host = code.let(f"getelementptr i8, ptr {memory}, i64 {wide}")
    loaded = []
    for j in range(lanes.k + 1):
        place = code.let(f"getelementptr i8, ptr {host}, i64 {j * LINE}")
        loaded.append(code.let(f"load {v}, ptr {place}, align {LINE}"))
    return [
        code.call(v, "llvm.x86.avx512.vpermi2var.d.512", *(f"{v} {x}" for x in (a, elements, b)))
        for a, b in pairwise(loaded)
    ]
