"""The division of a pack at an access: lanes that hit run ahead of those that miss.

Engine code, for memory_split.py. A pack's lanes are served sub-warp by sub-warp; when the last one
has accessed, those that the first level has served may become a pack of their own. The lead keeps
its own lanes: if all of these were served, the new pack is the one that waits.
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
"""Of a part: the lanes that the first level has served in its last access. Of a lead: the cycle at
which the last of the pack's lanes is served. Index as the group."""


@device
def on_served(S: State, w: int, g: int, t: int) -> int:
    """Keep the lanes that a sub-warp's access has served; see `hooks.on_served`."""
    is_first = part(S, g).over == 0
    if is_first:
        served(S, g).at = 0
    if S.access_hits != 0:
        served(S, g).at = max(served(S, g).at, S.access_hits_at)
    h = g
    while h >= 0:
        before = 0 if is_first else served(S, h).lanes
        served(S, h).lanes = before | (part(S, h).chosen & S.access_hits)
        h = part(S, h).next
    return 0


@device
def lanes_ahead(S: State, g: int) -> int:
    """Return how many served lanes of waiting pack g could continue; 0 to keep it whole."""
    if group(S, g).at_memory == 0 or part(S, g).missed == 0:
        return 0
    n = 0
    missing = 0
    h = g
    while h >= 0:
        n += popcount(group(S, h).mask & served(S, h).lanes)
        missing |= group(S, h).mask & ~served(S, h).lanes
        h = part(S, h).next
    return n if missing != 0 else 0


@device
def ahead_at(S: State, g: int) -> int:
    """Return the cycle at which the last of them is served."""
    return served(S, g).at


@device
def run_ahead(S: State, w: int, g: int) -> int:
    """Make the served lanes of pack g a pack; return its lead. See `hooks.run_ahead`."""
    lead_lanes = group(S, g).mask
    lead_is_served = lead_lanes != 0 and lead_lanes & ~served(S, g).lanes == 0
    h = g
    while h >= 0:
        lanes = served(S, h).lanes
        if lead_is_served:
            lanes = ~lanes
        part(S, h).chosen = group(S, h).mask & lanes
        h = part(S, h).next
    running_pack = split_chosen(S, w, g)
    waiting_pack = g
    group(S, running_pack).at_memory = 1
    if lead_is_served:
        waiting_pack = running_pack
        running_pack = g
        suspended(S, waiting_pack).order = suspended(S, running_pack).order
    part(S, waiting_pack).missed = 1
    part(S, running_pack).missed = 0
    h = waiting_pack
    while h >= 0:
        served(S, h).lanes = 0
        h = part(S, h).next
    grp = group(S, running_pack)
    grp.until_bank = 0
    grp.until_mshr = 0
    grp.until_l2 = 0
    return running_pack


def setup(machine: Machine) -> dict[str, Any]:
    """Return the served lanes, and counters of splits."""
    return {
        "served": machine.wpus * machine.warps * machine.width,
        "n_wst_full": 0,
        "n_memory_split": 0,
        "n_revive": 0,
    }
