"""Two-level round-robin: only warps of one fetch group issue, until none of them can (LWM-13).

Engine code. A fetch group is `fetch_group` consecutive warps, or large warps if the machine has
them; each keeps its own round-robin pointer (Q-LWM-17). When the current one has no ready warp, the
next in order that has one becomes current in the same cycle (Q-LWM-15), and stays current
(Q-LWM-16).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..intrinsics import device, record, table

if TYPE_CHECKING:
    from ...machines.machine import Machine
    from ..hooks import State
    from ..state import group

FETCH_PLACE = record(number="i8", fetch_group="i8")
fetch_place = table("fetch_place", FETCH_PLACE)
"""Per warp context: its number on its WPU, and the number of its fetch group."""

FETCH_GROUP = record(last="i8", current="i8")
fetch_group_state = table("fetch_group_state", FETCH_GROUP)
"""`last`: the warp of the fetch group that was picked last. Index: WPU * warps + fetch group;
`current` of a WPU's first record is its current fetch group."""


@device
def rank(S: State, w: int, g: int, t: int) -> int:
    """Return the distance of g's fetch group from the current one, then g's turn in it."""
    grp = group(S, g)
    position = fetch_place(S, grp.warp)
    first = w * S.warps
    distance = position.fetch_group - fetch_group_state(S, first).current
    if distance < 0:
        distance += S.fetch_group_count
    turn = position.number - fetch_group_state(S, first + position.fetch_group).last - 1
    if turn < 0:
        turn += S.warps
    return (distance << 6 | turn) << 40 | (grp.seq & 0xFF_FFFF_FFFF)


@device
def on_pick(S: State, w: int, g: int, t: int) -> int:
    """Make group g's fetch group current, and move its pointer to g's warp."""
    position = fetch_place(S, group(S, g).warp)
    first = w * S.warps
    fetch_group_state(S, first).current = position.fetch_group
    fetch_group_state(S, first + position.fetch_group).last = position.number
    return 0


def setup(machine: Machine) -> dict[str, Any]:
    """Return fetch groups of equal size, each with its pointer before its first warp."""
    warps, size = machine.warps, machine.fetch_group * machine.rows
    numbers = np.arange(machine.wpus * warps) % warps
    places, pointers = (np.zeros(len(numbers), layout) for layout in (FETCH_PLACE, FETCH_GROUP))
    places["number"], places["fetch_group"] = numbers, numbers // size
    pointers["last"] = numbers * size - 1
    return {
        "fetch_place": places,
        "fetch_group_state": pointers,
        "fetch_group_count": -(-warps // size),
    }
