"""Shallowest warp first: the group that is predicted to miss soonest (MAWS-12).

Engine code, on the counts of `miss_free.py`. Groups that never missed are shallowest; of two
equally deep ones the one that was picked longer ago goes first (Q-MAWS-19).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..intrinsics import device

if TYPE_CHECKING:
    from ..groups import SEQ_BITS
    from ..hooks import State
    from ..state import group
    from .miss_free import catch_up, count_up, miss_free
    from .other_warp import after_others


@device
def rank(S: State, w: int, g: int, t: int) -> int:
    """Return the predicted miss-free cycles that group g has left, then its turn."""
    count_up(S, g)
    counts = miss_free(S, g)
    # The end of the last miss may not be noticed yet: then the run before it is the prediction.
    left = counts.free if counts.end <= t else counts.left
    return after_others(S, w, g, min(left, 0x7_FFFE) << 42 | group(S, g).turn >> SEQ_BITS)


@device
def on_pick(S: State, w: int, g: int, t: int) -> int:
    """Notice misses that have ended by t, so that they count from the next pick on."""
    return catch_up(S, w, t)
