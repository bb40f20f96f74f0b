"""A warp that is one group on a stack: its start, exit and barriers.

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
    """Begin warp v with all its lanes at the first segment."""
    begin_root(S, w, v, t)
    return 0


@device
def on_exit(S: State, w: int, g: int, t: int) -> int:
    """Remove returned lanes from every entry (Q-DWS-22); group g continues with the others."""
    grp = group(S, g)
    forget_lanes(S, grp.warp, grp.mask)
    return follow_top(S, g)


@device
def on_sync(S: State, w: int, g: int, t: int) -> int:
    """Return 1 for a whole warp; a barrier in one path of a branch is an error (Q-DWS-35)."""
    grp = group(S, g)
    if grp.mask != warp(S, grp.warp).live:
        return diverged(S, g, grp.seg)
    return 1
