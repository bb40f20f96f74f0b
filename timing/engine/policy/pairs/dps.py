"""The dual-path stack as published: both sides of the top entry run, up to the branch's join.

Engine code (PPC-04, Q-PPC-3). Both sides are groups, which hide each other's latency. One that
comes to the re-convergence point of its entry waits there for the other; while one is divided
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
        NOBODY,
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
    """Lanes that do not agree open an entry; one side goes on, the other can be picked."""
    if goes_one_way(S, g, taken) == 1:
        return 1
    it = group(S, g)
    v = it.warp
    row = seg(S, it.seg)
    rest = it.mask & ~taken
    e = open_entry(S, g, row.target, taken, row.next, rest)
    pair(S, e).rpc = row.rpc
    mine = 2 * e + takes_first(S, taken, rest, row.target, row.next)
    enter(S, g, mine)
    other = side(S, mine ^ 1)
    if other.seg != row.rpc:
        h = new_group(S, v, other.mask, other.seg)
        other.group = h
        wake(S, h, t, READY)
        schedule(S, w, h)
    return 1


@device
def on_arrival(S: State, w: int, g: int, t: int) -> int:
    """At the re-convergence point of its entry a side is over; with both, the entry is."""
    it = group(S, g)
    while warp(S, it.warp).depth > 0 and it.seg == pair(S, top_entry(S, it.warp)).rpc:
        mine = side_of(S, g)
        other = side(S, mine ^ 1)
        if other.group != NOBODY:
            side(S, mine).group = NOBODY
            end_group(S, g)
            return 1
        it.mask |= other.mask
        close_entry(S, w, g)
    return 0


@device
def on_exit(S: State, w: int, g: int, t: int) -> int:
    """Returned lanes leave every mask; who waited for them at the join goes on from there."""
    it = group(S, g)
    v = it.warp
    forget_sides(S, v, it.mask)
    while warp(S, v).depth > 0:
        mine = side_of(S, g)
        side(S, mine).group = NOBODY
        other = side(S, mine ^ 1)
        if other.group != NOBODY:
            return 0
        it.seg = pair(S, mine // 2).rpc
        it.mask = other.mask
        close_entry(S, w, g)
        if it.mask != 0:
            return 1
    return 0
