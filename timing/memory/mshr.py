"""MSHR files: when their entries are free.

Engine code. Which line an entry holds is written in the line itself (lines.py), so that a file is
no more than times. All files lie in one table: those of the L1D in the order of WPUs, of the L1I,
of the L2. A file without entries has no limit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..intrinsics import device, record, table

if TYPE_CHECKING:
    from ..hooks import State
    from ..machine import Machine

ENTRY = record(key="i8")
mshr = table("mshr", ENTRY)
"""`key` is the cycle from which on an entry is free, above its number: the least of a file says
both, and is found by a loop without branches."""

NUMBER_BITS = 10


@device
def first_free(S: State, first: int, n: int) -> int:
    """The entry of a file (n > 0) that is free first, the lowest of several."""
    least = mshr(S, first).key
    for i in range(first + 1, first + n):
        least = min(least, mshr(S, i).key)
    return first + (least & ((1 << NUMBER_BITS) - 1))


@device
def free_at(S: State, entry: int) -> int:
    """The cycle from which on an entry is free."""
    return mshr(S, entry).key >> NUMBER_BITS


@device
def take_until(S: State, entry: int, t: int) -> int:
    """An entry is taken until t."""
    number = mshr(S, entry).key & ((1 << NUMBER_BITS) - 1)
    mshr(S, entry).key = t << NUMBER_BITS | number
    return 0


def setup(machine: Machine) -> dict[str, Any]:
    """All files, free."""
    wpus = machine.wpus
    l1d, l1i = wpus * machine.l1d.mshrs, wpus * machine.l1i.mshrs
    files = (*[machine.l1d.mshrs] * wpus, *[machine.l1i.mshrs] * wpus, machine.l2.mshrs)
    rows = np.zeros(sum(files), ENTRY)
    rows["key"] = np.concatenate([np.arange(n) for n in files])
    return {
        "mshr": rows,
        "l1d_mshrs": machine.l1d.mshrs,
        "l1i_mshrs": machine.l1i.mshrs,
        "l2_mshrs": machine.l2.mshrs,
        "l1i_mshr_first": l1d,
        "l2_mshr_first": l1d + l1i,
    }
