"""Smaller side first: conv, but the side of a branch with fewer lanes runs first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simtlab.timing.engine.intrinsics import device, popcount

if TYPE_CHECKING:
    from simtlab.timing.engine.hooks import State
    from simtlab.timing.engine.stacks import follow_top, goes_one_way, pop_at_join, push, top
    from simtlab.timing.engine.state import group, seg, stack

EXTENDS = ("policy/lockstep",)


@device
def on_branch(S: State, w: int, g: int, taken: int, t: int) -> int:
    """Push both sides of a divergent branch, the smaller one last, and run the stack's top."""
    if goes_one_way(S, g, taken) == 1:
        return 1
    grp = group(S, g)
    branch = seg(S, grp.seg)
    other = grp.mask & ~taken
    stack(S, top(S, grp.warp)).seg = branch.rpc
    if popcount(taken) < popcount(other):
        push(S, grp.warp, branch.next, branch.rpc, other, grp.seg)
        push(S, grp.warp, branch.target, branch.rpc, taken, grp.seg)
    else:
        push(S, grp.warp, branch.target, branch.rpc, taken, grp.seg)
        push(S, grp.warp, branch.next, branch.rpc, other, grp.seg)
    return follow_top(S, g)


@device
def on_arrival(S: State, w: int, g: int, t: int) -> int:
    """Pop the stack's top at its re-convergence point, and run the entry below."""
    return pop_at_join(S, g)
