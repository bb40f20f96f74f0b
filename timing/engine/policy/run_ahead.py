"""The division of a group at an access: lanes that hit run ahead of those that miss (DWS-09).

Engine code. The run-ahead is the new group, the fall-behind keeps its parent's entry (Q-DWS-15).
With `S.revive_served` lanes whose data have arrived since the access may run ahead too, when a
stalled WPU looks for a group to divide (Q-DWS-30).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..intrinsics import bit, ctz, device, drop_lowest, popcount, record, table

if TYPE_CHECKING:
    from ...machines.machine import Machine
    from ..groups import SEQ_BITS
    from ..hooks import State
    from ..state import group
    from .memory_split import suspended
    from .splits.local_stack import is_serial, local_level
    from .splits.splits import split

MASKS = ("access", "served-now")

LANE_DATE = record(at="i8", pick="i8")
lane_date = table("lane_date", LANE_DATE)
"""The cycle at which a lane is served in its access, and the number of the pick in which its group
has made the access. Index: warp * S.width + lane."""


@device
def lanes_ahead(S: State, g: int) -> int:
    """Return how many served lanes of waiting group g could continue; 0 to keep it whole."""
    grp = group(S, g)
    if grp.at_memory == 0 or grp.hits == grp.mask or is_serial(S, g) == 1:
        return 0
    return popcount(grp.hits)


@device
def ahead_at(S: State, g: int) -> int:
    """Return the cycle at which the last of them is served in the current access."""
    return S.access_hits_at


@device
def run_ahead(S: State, w: int, g: int) -> int:
    """Make the lanes of group g's hit mask a split of their own; see `hooks.run_ahead`."""
    h = split(S, w, g, group(S, g).hits)
    local_level(S, h).n = 0
    return h


@device
def on_lanes_served(S: State, w: int, g: int, lanes: int, t: int) -> int:
    """Keep the cycle t at which `lanes` of group g are served in the current access."""
    if S.revive_served == 0:
        return 0
    S.suspensions += 1
    suspended(S, g).order = S.suspensions
    # In a barrel they continue when they have left the pipeline; `on_access` knows of hits.
    suspended(S, g).until = S.now + S.pipeline
    grp = group(S, g)
    while lanes != 0:
        date = lane_date(S, grp.warp * S.width + ctz(lanes))
        date.at = t
        date.pick = grp.turn >> SEQ_BITS
        lanes = drop_lowest(lanes)
    return 0


@device
def on_revival(S: State, g: int, t: int) -> int:
    """Count the lanes of waiting group g that have been served by t as hits (Q-DWS-30)."""
    grp = group(S, g)
    pick = grp.turn >> SEQ_BITS
    if S.revive_served == 0 or grp.at_memory == 0 or pick == 0:
        return 0
    rest = grp.mask & ~grp.hits
    while rest != 0:
        lane = ctz(rest)
        rest = drop_lowest(rest)
        date = lane_date(S, grp.warp * S.width + lane)
        if date.pick == pick and date.at <= t:
            grp.hits |= bit(lane)
    return 0


def setup(machine: Machine) -> dict[str, Any]:
    """Return which lanes a revival takes, and a date for each lane."""
    return {
        "revive_served": MASKS.index(str(machine.policy.get("revive-mask", "access"))),
        "lane_date": machine.wpus * machine.warps * machine.width,
    }
