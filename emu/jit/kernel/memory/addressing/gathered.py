"""Elements of rows at indices that a vector of iterations has."""

from __future__ import annotations

from ...lane_code import LaneCode
from .windows import Place, Row

_INDICES = 1 << 31
"""Indices that a gather takes in 32 bits."""


def place_of_vector(lanes: LaneCode, row: Row, index: str) -> Place:
    """Return the place of an index, an i64 that was an unsigned number of 32 bits.

    Comparisons and gathers of 64-bit indices would take twice as many instructions. Larger indices
    do not pass the test, though there may be such elements.
    """
    code, entry = lanes.code, lanes.entry
    most = entry.intrinsic("llvm.umin", "i64", f"i64 {row.count}", f"i64 {_INDICES}")
    # LLVM would take away that indices have a sign, if it knew that it is not set.
    cell = entry.let("alloca i32")
    entry.line(f"store volatile i32 {entry.let(f'trunc i64 {most} to i32')}, ptr {cell}")
    count = entry.let(f"load volatile i32, ptr {cell}")
    number = code.let(f"trunc i64 {index} to i32")
    inside = code.let(f"icmp ult i32 {number}, {count}")

    def host() -> str:
        wide = code.let(f"sext i32 {number} to i64")
        return code.let(f"getelementptr [{row.step} x i8], ptr {row.host}, i64 {wide}")

    def offset() -> str:
        return code.let(f"add i64 {row.offset}, {code.let(f'mul i64 {index}, {row.step}')}")

    return Place(inside, host, offset)
