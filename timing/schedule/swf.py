"""Shallowest warp first: the group with the fewest miss-free cycles left (MAWS-12).

Engine code. A group's *miss-free cycles* are those in which it issues between two misses; the
prediction for its next run is the length of its last one, and what has been issued of it since is
taken off. Groups that never missed are shallowest (Q-MAWS-19); ties take turns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..intrinsics import device, record, table

if TYPE_CHECKING:
    from ..hooks import State
    from ..machine import Machine
    from ..state import group

DEPTH = record(group="i8", predicted="i8", since="i8", picked="i8")
depth = table("depth", DEPTH)
"""`predicted`: instructions of the last miss-free run; `since`: the group's count when this one
began; `picked`: number of the last pick. Index as the group; `group` is its seq."""


@device
def rank(S: State, w: int, g: int, t: int) -> int:
    """Predicted miss-free cycles that are left, then turns."""
    mine = depth(S, g)
    if mine.group != group(S, g).seq:
        return group(S, g).seq & 0xFFFF_FFFF
    left = max(0, mine.predicted - (group(S, g).count - mine.since))
    return left << 32 | (mine.picked & 0xFFFF_FFFF)


@device
def on_pick(S: State, w: int, g: int, t: int) -> int:
    """A miss is over when its group is picked: its run up to there predicts the next one."""
    S.picks += 1
    mine = depth(S, g)
    it = group(S, g)
    if mine.group != it.seq:
        mine.group = it.seq
        mine.predicted = 0
        mine.since = 0
    if it.at_memory == 1 and it.hits != it.done:
        mine.predicted = it.count - mine.since
        mine.since = it.count
    mine.picked = S.picks
    return 0


def setup(machine: Machine) -> dict[str, Any]:
    """A record per group."""
    return {"depth": machine.wpus * machine.warps * machine.width, "picks": 0}
