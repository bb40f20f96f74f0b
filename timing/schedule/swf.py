"""Shallowest warp first: the group that is predicted to miss soonest (MAWS-12).

Engine code, on the counts of `miss_free.py` and the turns of `turns.py`. Groups that never missed
are shallowest; of two that are as deep the one goes first that was picked longer ago (Q-MAWS-19).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..intrinsics import device

if TYPE_CHECKING:
    from ..hooks import State
    from .miss_free import catch_up, count_up, spell
    from .turns import last_turn, take_turn


@device
def rank(S: State, w: int, g: int, t: int) -> int:
    """Predicted miss-free cycles that are left, then turns."""
    count_up(S, g)
    mine = spell(S, g)
    # The run before a miss that is over, and not yet taken into account, is the prediction.
    left = mine.free if mine.over <= t else mine.left
    return min(left, 0xF_FFFE) << 42 | last_turn(S, g)


@device
def on_pick(S: State, w: int, g: int, t: int) -> int:
    """It goes behind those that are as deep."""
    catch_up(S, w, t)
    return take_turn(S, g)
