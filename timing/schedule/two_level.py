"""Two-level round-robin: only warps of one fetch group issue, until none of them can (LWM-13).

Engine code. Fetch groups are `S.fetch_group` consecutive contexts; each keeps its own round-robin
pointer (Q-LWM-17). When the current one has nobody ready the next in order that has becomes
current, in the same cycle (Q-LWM-15), and stays so (Q-LWM-16).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..intrinsics import device, record, table

if TYPE_CHECKING:
    from ..hooks import State
    from ..machine import Machine
    from ..state import group

FETCH_GROUP = record(last="i8", current="i8")
fetch_groups = table("fetch_groups", FETCH_GROUP)
"""`last`: the warp of the fetch group that was picked last. Index: WPU * warps + fetch group;
`current` of a WPU's first record is its current fetch group."""


@device
def rank(S: State, w: int, g: int, t: int) -> int:
    """Fetch groups from the current one on; in them, warps behind the last one."""
    it = group(S, g)
    number = it.warp - w * S.warps
    mine = number // S.fetch_group
    count = (S.warps + S.fetch_group - 1) // S.fetch_group
    first = w * S.warps
    distance = (mine - fetch_groups(S, first).current) % count
    turn = (number - fetch_groups(S, first + mine).last - 1) % S.warps
    return (distance << 6 | turn) << 40 | (it.seq & 0xFF_FFFF_FFFF)


@device
def on_pick(S: State, w: int, g: int, t: int) -> int:
    """Move the pointers."""
    number = group(S, g).warp - w * S.warps
    mine = number // S.fetch_group
    first = w * S.warps
    fetch_groups(S, first).current = mine
    fetch_groups(S, first + mine).last = number
    return 0


def setup(machine: Machine) -> dict[str, Any]:
    """At most as many fetch groups as warps; each begins before its first warp."""
    import numpy as np

    table = np.zeros(machine.wpus * machine.warps, FETCH_GROUP)
    for i in range(len(table)):
        table["last"][i] = i % machine.warps * machine.fetch_group * machine.rows - 1
    return {"fetch_groups": table}
