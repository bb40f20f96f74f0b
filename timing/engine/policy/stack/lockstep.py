"""A warp that is one group on a stack: how it begins, returns, and comes to barriers.

Engine code. The group's mask and segment are those of the stack's top.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...intrinsics import device

if TYPE_CHECKING:
    from ...hooks import State
    from ...stacks import begin_root, follow_top, forget_lanes
    from ...state import group, warp
    from ...workgroups import diverged


@device
def on_start(S: State, w: int, v: int, t: int) -> int:
    """A warp begins with all its lanes at the first segment."""
    begin_root(S, w, v, t)
    return 0


@device
def on_exit(S: State, w: int, g: int, t: int) -> int:
    """Returned lanes leave every entry (Q-DWS-22); the group goes on with what is left."""
    it = group(S, g)
    forget_lanes(S, it.warp, it.mask)
    return follow_top(S, g)


@device
def on_sync(S: State, w: int, g: int, t: int) -> int:
    """A barrier in one path of a branch that diverged is an error (Q-DWS-35)."""
    it = group(S, g)
    if it.mask != warp(S, it.warp).live:
        return diverged(S, g, it.seg)
    return 1
