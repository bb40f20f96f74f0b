"""The lowest workgroup that traps, where native code takes workgroups in strips.

A strip is some rows of workgroups, gone through column by column. When a workgroup traps, those in
the rows above it and the columns after it have not run, and their flat numbers are lower.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable

from .context import Slot

Function = Callable[[int, int, int], int]


def reporting_lowest(function: Function) -> Function:
    """Return native code that reports the trap of the lowest workgroup, as it does along rows."""

    def run(address: int, first: int, last: int) -> int:
        if not function(address, first, last):
            return 0
        context = (ctypes.c_int64 * Slot.PARAMS).from_address(address)
        columns = max(1, context[Slot.GROUPS_X])
        row, column = divmod(context[Slot.TRAP_GROUP], columns)
        trap = context[Slot.TRAP_KIND : Slot.TRAP_ADDRESS + 1]
        # Ranges that are no whole rows run along them.
        for above in range(context[Slot.STRIP_ROW], row):
            start = above * columns
            if column + 1 < columns and function(address, start + column + 1, start + columns):
                return 1
        context[Slot.TRAP_KIND : Slot.TRAP_ADDRESS + 1] = trap
        return 1

    return run
