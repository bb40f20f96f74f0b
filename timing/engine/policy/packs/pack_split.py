"""Lanes of a pack that hit run ahead of those that miss: how they part.

Engine code, for memory_split.py. A pack's lanes are served sub-warp by sub-warp; when the last one
has accessed, those that the first level has served may become a pack of their own. The lead goes
with its own lanes: if all of these were served, what is left behind is the new pack.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...intrinsics import device, popcount, record, table

if TYPE_CHECKING:
    from ....machines.machine import Machine
    from ...hooks import State, split_chosen
    from ...state import group
    from ..memory_split import suspended
    from .packs import part

SERVED = record(lanes="i8", at="i8")
served = table("served", SERVED)
"""Of a part: lanes that the first level has served in its last access; of a lead: when the last of
all its lanes is. Index as the group."""


@device
def on_served(S: State, w: int, g: int, t: int) -> int:
    """A sub-warp has accessed: keep who was served."""
    begins = part(S, g).over == 0
    if begins:
        served(S, g).at = 0
    if S.access_hits != 0:
        served(S, g).at = max(served(S, g).at, S.access_hits_at)
    h = g
    while h >= 0:
        before = 0 if begins else served(S, h).lanes
        served(S, h).lanes = before | (part(S, h).chosen & S.access_hits)
        h = part(S, h).next
    return 0


@device
def lanes_ahead(S: State, g: int) -> int:
    """How many lanes of a pack that waits were served and could go on; 0 if it stays whole."""
    if group(S, g).at_memory == 0 or part(S, g).missed == 0:
        return 0
    n = 0
    behind = 0
    h = g
    while h >= 0:
        n += popcount(group(S, h).mask & served(S, h).lanes)
        behind |= group(S, h).mask & ~served(S, h).lanes
        h = part(S, h).next
    return n if behind != 0 else 0


@device
def ahead_at(S: State, g: int) -> int:
    """When the last of them is served."""
    return served(S, g).at


@device
def run_ahead(S: State, w: int, g: int) -> int:
    """The served lanes of a pack become a pack of their own, which nobody has woken: its lead."""
    own = group(S, g).mask
    leads = own != 0 and own & ~served(S, g).lanes == 0
    h = g
    while h >= 0:
        lanes = served(S, h).lanes
        if leads:
            lanes = ~lanes
        part(S, h).chosen = group(S, h).mask & lanes
        h = part(S, h).next
    ahead = split_chosen(S, w, g)
    behind = g
    group(S, ahead).at_memory = 1
    if leads:
        behind = ahead
        ahead = g
        suspended(S, behind).order = suspended(S, ahead).order
    part(S, behind).missed = 1
    part(S, ahead).missed = 0
    it = group(S, ahead)
    it.until_bank = 0
    it.until_mshr = 0
    it.until_l2 = 0
    return ahead


def setup(machine: Machine) -> dict[str, Any]:
    """Who was served, the table's size, and counters of splits."""
    return {
        "served": machine.wpus * machine.warps * machine.width,
        "wst_entries": machine.wst_entries,
        "n_wst_full": 0,
        "n_memory_split": 0,
        "n_revive": 0,
    }
