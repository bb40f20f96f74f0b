"""Rows of the grid that follow each other and have the same interior warps.

What a row is asked for are sums that grow by the same amount from row to row. So where two rows
are within the limits, all rows between them are, too. A row that is asked asks for a far one as
well, and the rows up to that one are then asked for nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

from ...llvm.function_text import FunctionText
from ...runtime.context import Slot
from ..context_code import load_slot
from ..lane_code import POSITION
from ..workgroups.identity import GROUP
from .runs import RowSum


@dataclass(frozen=True)
class Stretches:
    """Stretches of rows in a call for workgroups in the order of their flat numbers.

    There are none where a row of the grid has several workgroups.
    """

    _code: FunctionText
    _end: str
    """Where the workgroup after the present stretch is kept, an i64."""
    _reach: str
    """Where is kept how far the next one may reach, an i64: -1 if there are none."""
    _last: str
    """The number of the last row of a plane of the grid, an i64."""

    @classmethod
    def of_call(cls, entry: FunctionText, code: FunctionText) -> Stretches:
        """Begin a call, at the end of `entry`; all else is appended to `code`."""
        end, reach = (entry.let("alloca i64") for _ in range(2))
        entry.line(f"store i64 0, ptr {end}")
        wide, high = (load_slot(entry, slot) for slot in (Slot.GROUPS_X, Slot.GROUPS_Y))
        is_one = entry.let(f"icmp ule i64 {wide}, 1")
        far = entry.let(f"select i1 {is_one}, i64 {1 << 32}, i64 -1")
        entry.line(f"store i64 {far}, ptr {reach}")
        return cls(code, end, reach, entry.let(f"sub i64 {high}, 1"))

    def have_row(self) -> str:
        """Return whether the present row is in a stretch, an i1."""
        end = self._code.let(f"load i64, ptr {self._end}")
        return self._code.let(f"icmp ult i64 {GROUP}, {end}")

    def extend(self, sums: list[RowSum]) -> None:
        """Begin a stretch with a row that is within its limits, and find where it ends.

        If the far row is not within them, the next row asks for one that is half as far.
        """
        code = self._code
        left = code.let(f"sub i64 {code.let('sub i64 %last, 1')}, {GROUP}")
        row = code.let(f"zext i32 {POSITION[1]} to i64")
        below = code.let(f"sub i64 {self._last}, {row}")
        reach = far = code.let(f"load i64, ptr {self._reach}")
        for most in (left, below):
            far = code.intrinsic("llvm.smin", "i64", f"i64 {far}", f"i64 {most}")
        tests = [test for total in sums for test in total.tests(code, far)]
        fits = code.all_of(code.let(f"icmp sge i64 {far}, 0"), *tests)
        end = code.let(f"add i64 {code.let(f'add i64 {GROUP}, {far}')}, 1")
        code.line(f"store i64 {code.let(f'select i1 {fits}, i64 {end}, i64 0')}, ptr {self._end}")
        double = code.let(f"or i64 {code.let(f'shl i64 {far}, 1')}, 1")
        further = code.intrinsic("llvm.smax", "i64", f"i64 {reach}", f"i64 {double}")
        half = code.let(f"ashr i64 {far}, 1")
        reach = code.let(f"select i1 {fits}, i64 {further}, i64 {half}")
        code.line(f"store i64 {reach}, ptr {self._reach}")
