"""The dual-path stack as published: both sides of the top entry run, up to the branch's join.

Engine code (PPC-04, Q-PPC-3). Both sides are groups, which hide each other's latency. A side that
reaches the re-convergence point of its entry waits there for the other; while one side is divided
further, the other one has to wait.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...intrinsics import device

if TYPE_CHECKING:
    from ...causes import READY
    from ...groups import end_group, new_group, schedule, wake
    from ...hooks import State
    from ...stacks import goes_one_way, takes_first
    from ...state import group, seg, warp
    from .dual_path import (
        NO_GROUP,
        close_entry,
        enter,
        forget_sides,
        open_entry,
        pair,
        side,
        side_of,
        top_entry,
    )


@device
def on_branch(S: State, w: int, g: int, taken: int, t: int) -> int:
    """Open an entry where lanes diverge: one side continues, the other can be picked."""
    if goes_one_way(S, g, taken) == 1:
        return 1
    grp = group(S, g)
    v = grp.warp
    row = seg(S, grp.seg)
    rest = grp.mask & ~taken
    entry = open_entry(S, g, row.target, taken, row.next, rest)
    pair(S, entry).rpc = row.rpc
    own_side = 2 * entry + takes_first(S, taken, rest, row.target, row.next)
    enter(S, g, own_side)
    other = side(S, own_side ^ 1)
    if other.seg != row.rpc:
        h = new_group(S, v, other.mask, other.seg)
        other.group = h
        wake(S, h, t, READY)
        schedule(S, w, h)
    return 1


@device
def on_arrival(S: State, w: int, g: int, t: int) -> int:
    """End the side of group g at its entry's re-convergence point; after both, the entry closes."""
    grp = group(S, g)
    while warp(S, grp.warp).depth > 0 and grp.seg == pair(S, top_entry(S, grp.warp)).rpc:
        own_side = side_of(S, g)
        other = side(S, own_side ^ 1)
        if other.group != NO_GROUP:
            side(S, own_side).group = NO_GROUP
            end_group(S, g)
            return 1
        grp.mask |= other.mask
        close_entry(S, w, g)
    return 0


@device
def on_exit(S: State, w: int, g: int, t: int) -> int:
    """Remove returned lanes from every mask; lanes that waited for them continue at the join."""
    grp = group(S, g)
    v = grp.warp
    forget_sides(S, v, grp.mask)
    while warp(S, v).depth > 0:
        own_side = side_of(S, g)
        side(S, own_side).group = NO_GROUP
        other = side(S, own_side ^ 1)
        if other.group != NO_GROUP:
            return 0
        grp.seg = pair(S, own_side // 2).rpc
        grp.mask = other.mask
        close_entry(S, w, g)
        if grp.mask != 0:
            return 1
    return 0
