"""Conv: the post-dominator stack of DWS-02, MAWS-01 and PPC-01; a warp waits for its slowest lane.

Engine code. A path ends when it comes to its re-convergence point.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...intrinsics import device

if TYPE_CHECKING:
    from ...hooks import State
    from ...stacks import diverge, follow_top, goes_one_way, top
    from ...state import group, stack


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
