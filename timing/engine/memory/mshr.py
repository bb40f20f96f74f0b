"""The MSHR files: the cycles from which their entries are free.

Engine code. A line in flight says itself that it is requested (lines.py), so that an entry is only
a time. All files lie in one table: those of the L1D in the order of WPUs, those of the L1I, that of
the L2. A file without entries has no limit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..intrinsics import WORD, device, first_least, record, table

if TYPE_CHECKING:
    from ...machines.machine import Machine
    from ..hooks import State

mshr = table("mshr", record(free="i8"))
"""The cycle from which an entry is free."""


@device
def first_free(S: State, first: int, n: int) -> int:
    """Return the entry of a file (n > 0) that is free first, the lowest of equal ones."""
    return first + first_least(S.p_mshr + WORD * first, n)


def setup(machine: Machine) -> dict[str, Any]:
    """Return all files, free."""
    wpus = machine.wpus
    l1d, l1i = wpus * machine.l1d.mshrs, wpus * machine.l1i.mshrs
    return {
        "mshr": l1d + l1i + machine.l2.mshrs,
        "l1d_mshrs": machine.l1d.mshrs,
        "l1i_mshrs": machine.l1i.mshrs,
        "l2_mshrs": machine.l2.mshrs,
        "l1i_mshr_first": l1d,
        "l2_mshr_first": l1d + l1i,
    }
