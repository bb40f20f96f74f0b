"""Conv: the post-dominator stack of DWS-02, MAWS-01 and PPC-01; a warp waits for its slowest lane.

Engine code. A warp has one group, whose mask and segment are those of the stack's top.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..intrinsics import device

if TYPE_CHECKING:
    from ..groups import new_group, take_slot, wake
    from ..hooks import State
    from ..launch import diverged
    from ..stacks import forget_lanes, push, settle, takes_first, top
    from ..state import group, seg, stack, warp

NOWHERE = -1


@device
def on_start(S: State, w: int, v: int, t: int) -> int:
    """A warp begins with all its lanes at the first segment."""
    g = new_group(S, v, warp(S, v).live, 0)
    push(S, v, 0, NOWHERE, warp(S, v).live, NOWHERE)
    take_slot(S, w, g)
    return wake(S, g, t, 0)


@device
def follow_top(S: State, g: int) -> int:
    """The group runs the stack's top entry; 0 if there is none."""
    it = group(S, g)
    if settle(S, it.warp) == 0:
        return 0
    entry = stack(S, top(S, it.warp))
    it.mask = entry.mask
    it.seg = entry.seg
    return 1


@device
def on_branch(S: State, w: int, g: int, taken: int, t: int) -> int:
    """A divergent branch pushes both paths; the top becomes the join (DWS-02)."""
    it = group(S, g)
    row = seg(S, it.seg)
    rest = it.mask & ~taken
    if rest == 0 or row.target == row.next:
        it.seg = row.target
        return 1
    if taken == 0:
        it.seg = row.next
        return 1
    v = it.warp
    stack(S, top(S, v)).seg = row.rpc
    if takes_first(S, taken, rest, row.target, row.next) == 1:
        push(S, v, row.next, row.rpc, rest, it.seg)
        push(S, v, row.target, row.rpc, taken, it.seg)
    else:
        push(S, v, row.target, row.rpc, taken, it.seg)
        push(S, v, row.next, row.rpc, rest, it.seg)
    return follow_top(S, g)


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
