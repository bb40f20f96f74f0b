"""Conv: the post-dominator stack of DWS-02, MAWS-01 and PPC-01; a warp waits for its slowest lane.

Engine code. A path ends when it reaches its re-convergence point.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...intrinsics import device

if TYPE_CHECKING:
    from ...hooks import State
    from ...stacks import diverge, goes_one_way, pop_at_join


@device
def on_branch(S: State, w: int, g: int, taken: int, t: int) -> int:
    """Push both paths if lanes of group g diverge, which then run one after the other."""
    if goes_one_way(S, g, taken) == 1:
        return 1
    return diverge(S, g, taken)


@device
def on_arrival(S: State, w: int, g: int, t: int) -> int:
    """Pop the top entry at its re-convergence point, and run the next one."""
    return pop_at_join(S, g)
