"""Shallowest warp first: the group that is predicted to miss soonest (MAWS-12).

Engine code, on the counts of `miss_free.py`. Groups that never missed are shallowest; of two that
are as deep the one goes first that was picked longer ago (Q-MAWS-19).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..intrinsics import device

if TYPE_CHECKING:
    from ..groups import SEQ_BITS
    from ..hooks import State
    from ..state import group
    from .miss_free import catch_up, count_up, spell


@device
def rank(S: State, w: int, g: int, t: int) -> int:
    """Predicted miss-free cycles that are left, then turns."""
    count_up(S, g)
    mine = spell(S, g)
    # The run before a miss that is over, and not yet taken into account, is the prediction.
    left = mine.free if mine.over <= t else mine.left
    return min(left, 0xF_FFFE) << 42 | group(S, g).turn >> SEQ_BITS


@device
def on_pick(S: State, w: int, g: int, t: int) -> int:
    """What has come about up to now counts from the next pick on."""
    return catch_up(S, w, t)
