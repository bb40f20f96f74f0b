"""Conv: the post-dominator stack of DWS-02, MAWS-01 and PPC-01; a warp waits for its slowest lane.

Engine code. A warp has one group, whose mask and segment are those of the stack's top.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..intrinsics import device

if TYPE_CHECKING:
    from ..hooks import State
    from ..launch import diverged
    from ..stacks import begin_root, diverge, follow_top, forget_lanes, goes_one_way, top
    from ..state import group, stack, warp


@device
def on_start(S: State, w: int, v: int, t: int) -> int:
    """A warp begins with all its lanes at the first segment."""
    begin_root(S, w, v, t)
    return 0


@device
def on_branch(S: State, w: int, g: int, taken: int, t: int) -> int:
    """Lanes that do not agree go one path after the other."""
    if goes_one_way(S, g, taken) == 1:
        return 1
    return diverge(S, g, taken)


@device
def on_arrival(S: State, w: int, g: int, t: int) -> int:
    """At the top's re-convergence point the entry is popped, and the next one runs."""
    it = group(S, g)
    entry = stack(S, top(S, it.warp))
    if it.seg == entry.rpc:
        entry.seg = it.seg
        follow_top(S, g)
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
