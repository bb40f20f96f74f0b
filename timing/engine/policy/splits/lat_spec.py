"""Latency speculation: whether a split at an access is expected to pay (MAWS-09).

Engine code.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...intrinsics import device

if TYPE_CHECKING:
    from ....machines.machine import Machine
    from ...hooks import State
    from ...schedule.miss_free import catch_up, count_up, miss_free, wpu_forecast


@device
def speculate(S: State, w: int, g: int, t: int) -> int:
    """Return 1 if the hits would miss again before the rest returns (MAWS-09), 0 otherwise.

    That is, if all that is left to issue, and as much again as the group has issued since its last
    miss, takes less time than that miss took. With `count_split` the share of the
    run-ahead is added to what is left when it is split (Q-MAWS-18).
    """
    catch_up(S, w, t)
    count_up(S, g)
    counts = miss_free(S, g)
    if wpu_forecast(S, w).sum + counts.free >= counts.latency:
        S.n_unsplit += 1
        return 0
    if S.count_split == 1:
        wpu_forecast(S, w).sum += counts.free
    return 1


def setup(machine: Machine) -> dict[str, Any]:
    """Declare `count_split` and the counter of accesses left whole."""
    return {"count_split": machine.policy["count-split"], "n_unsplit": 0}
