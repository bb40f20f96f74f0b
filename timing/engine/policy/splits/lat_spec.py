"""Latency speculation: whether it will pay to let the lanes that hit run ahead (MAWS-09).

Engine code.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...intrinsics import device

if TYPE_CHECKING:
    from ....machines.machine import Machine
    from ...hooks import State
    from ...schedule.miss_free import catch_up, count_up, outlook, spell


@device
def speculate(S: State, w: int, g: int, t: int) -> int:
    """Split if the hits would miss again before the rest is back (MAWS-09).

    That is, if all that is left to issue, and as much again as the group has issued since its last
    miss, takes less time than that miss took. Only the RA's own share may be added to what is left
    when it is split, too (Q-MAWS-18).
    """
    catch_up(S, w, t)
    count_up(S, g)
    mine = spell(S, g)
    if outlook(S, w).sum + mine.free >= mine.latency:
        S.n_unsplit += 1
        return 0
    if S.count_split == 1:
        outlook(S, w).sum += mine.free
    return 1


def setup(machine: Machine) -> dict[str, Any]:
    """Whether an RA's share counts at once; how often nobody was split."""
    return {"count_split": machine.policy["count-split"], "n_unsplit": 0}
