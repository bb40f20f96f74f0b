"""The MSHR files: the cycles from which their entries are free.

Engine code. A line in flight says itself that it is requested (lines.py), so that an entry is only
a time. All files lie in one table: those of the L1D in the order of WPUs, those of the L1I, that of
the L2. A file without entries has no limit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..intrinsics import WORD, device, first_least, inlined, record, table

if TYPE_CHECKING:
    from ...machines.machine import Machine
    from ..hooks import State

mshr = table("mshr", record(free="i8"))
"""The cycle from which an entry is free."""

mshr_taken = table("mshr_taken", record(next="i8"))
"""The number of the entry after the one that a WPU's L1D has taken last."""


@device
def first_free(S: State, first: int, n: int) -> int:
    """Return the entry of a file (n > 0) that is free first, the lowest of equal ones."""
    return first + first_least(S.p_mshr + WORD * first, n)


@device
def free_entry(S: State, w: int, t: int) -> int:
    """Return an entry of WPU w's L1D file that is free at t, else the one that is free first.

    Requests of a WPU have ascending cycles, so an entry that is free at one of them is as good as
    any other. The one after the last that was taken mostly is.
    """
    return next_entry(S, w, w * S.l1d_mshrs, S.l1d_mshrs, t)


@inlined
def next_entry(S: State, file: int, first: int, n: int, t: int) -> int:
    """Return an entry of a file that is free at t, else the one that is free first.

    No later request claims an entry before t.
    """
    taken = mshr_taken(S, file)
    entry = first + taken.next
    if mshr(S, entry).free > t:
        entry = first_free(S, first, n)
    taken.next = 0 if entry == first + n - 1 else entry - first + 1
    return entry


def setup(machine: Machine) -> dict[str, Any]:
    """Return all files, free."""
    wpus = machine.wpus
    l1d, l1i = wpus * machine.l1d.mshrs, wpus * machine.l1i.mshrs
    return {
        "mshr": l1d + l1i + machine.l2.mshrs,
        "mshr_taken": 2 * wpus + 1,
        "l1d_mshrs": machine.l1d.mshrs,
        "l1i_mshrs": machine.l1i.mshrs,
        "l2_mshrs": machine.l2.mshrs,
        "l1i_mshr_first": l1d,
        "l2_mshr_first": l1d + l1i,
    }
