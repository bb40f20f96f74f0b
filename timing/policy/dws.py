"""Dynamic warp subdivision: branches, re-convergence, barriers (DWS-05..07, DWS-13..16).

Engine code. `S.branch_split`: branches that are marked `subdivide` split a whole warp; a warp that
is split already splits at every branch that diverges, whatever its mark, because its stack cannot
take it. `S.limited`: splits wait for each other at conditional branches too, which keeps the stack
usable (BranchLimited); segments then end in front of branches.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..intrinsics import device, popcount

if TYPE_CHECKING:
    from ..causes import READY
    from ..groups import end_group, wake
    from ..hooks import State
    from ..launch import diverged
    from ..machine import Machine
    from ..stacks import (
        begin_root,
        diverge,
        follow_top,
        forget_lanes,
        goes_one_way,
        takes_first,
        top,
    )
    from ..state import SEG_BRANCH, group, seg, stack, warp
    from .local_stack import arrive_local, diverge_local, forget_local, is_serial, local_level
    from .splits import gathering, has_room, is_root, split


@device
def on_start(S: State, w: int, v: int, t: int) -> int:
    """A warp begins whole."""
    mates = gathering(S, v)
    mates.waiting = 0
    mates.barrier = 0
    g = begin_root(S, w, v, t)
    local_level(S, g).n = 0
    return 0


@device
def on_branch(S: State, w: int, g: int, taken: int, t: int) -> int:
    """A branch that diverges splits the group, or pushes."""
    if goes_one_way(S, g, taken) == 1:
        return 1
    it = group(S, g)
    if is_serial(S, g) == 1:
        return diverge_local(S, g, taken)
    root = is_root(S, g)
    if root == 1 and (S.branch_split == 0 or seg(S, it.seg).subdivide == 0):
        return diverge(S, g, taken)
    if has_room(S, w, it.warp) == 1:
        return subdivide(S, w, g, taken, t)
    if root == 1:
        return diverge(S, g, taken)
    return diverge_local(S, g, taken)


@device
def subdivide(S: State, w: int, g: int, taken: int, t: int) -> int:
    """Both paths become splits; the stack learns nothing of it (DWS-05)."""
    it = group(S, g)
    row = seg(S, it.seg)
    first = row.next
    second = row.target
    lanes = taken
    if takes_first(S, taken, it.mask & ~taken, row.target, row.next) == 1:
        first = row.target
        second = row.next
        lanes = it.mask & ~taken
    S.n_branch_split += 1
    if second == stack(S, top(S, it.warp)).rpc:
        # Nothing is left to do for them but to wait (Q-DWS-18).
        gather(S, it.warp, lanes, second)
        it.mask &= ~lanes
    else:
        h = split(S, w, g, lanes)
        local_level(S, h).n = 0
        group(S, h).seg = second
        wake(S, h, t, READY)
    it.seg = first
    return 1


@device
def gather(S: State, v: int, lanes: int, s: int) -> int:
    """Lanes wait for the others of their warp's top entry."""
    mates = gathering(S, v)
    mates.waiting |= lanes
    mates.seg = s
    return 0


@device
def on_arrival(S: State, w: int, g: int, t: int) -> int:
    """Splits wait at the top's re-convergence point, BranchLimited ones at branches too."""
    it = group(S, g)
    if is_serial(S, g) == 1:
        arrive_local(S, g)
        if is_serial(S, g) == 1:
            return 0
    entry = stack(S, top(S, it.warp))
    joins = it.seg == entry.rpc
    if not joins and not (S.limited == 1 and seg(S, it.seg).kind == SEG_BRANCH):
        return 0
    if is_root(S, g) == 0:
        gather(S, it.warp, it.mask, it.seg)
        mates = gathering(S, it.warp)
        if mates.waiting != entry.mask:
            end_group(S, g)
            return 1
        it.mask = mates.waiting
        mates.waiting = 0
        S.n_stack_merge += 1
    if joins:
        entry.seg = it.seg
        follow_top(S, g)
    return 0


@device
def on_exit(S: State, w: int, g: int, t: int) -> int:
    """Returned lanes leave every entry; those that waited for nobody else go on."""
    it = group(S, g)
    v = it.warp
    gone = it.mask
    forget_lanes(S, v, gone)
    if is_serial(S, g) == 1 and forget_local(S, g, gone) == 1:
        return 1
    mates = gathering(S, v)
    if mates.barrier != 0 and S.exited_arrive == 0:
        return diverged(S, g, mates.barrier_seg)
    if popcount(warp(S, v).groups) > 1:
        return 0
    if mates.waiting != 0:
        # The others are all there.
        it.mask = mates.waiting
        it.seg = mates.seg
        mates.waiting = 0
        S.n_stack_merge += 1
        return 1
    return follow_top(S, g)


@device
def on_sync(S: State, w: int, g: int, t: int) -> int:
    """Splits join at a barrier, which their warp then enters as one (DWS-16)."""
    it = group(S, g)
    v = it.warp
    live = warp(S, v).live
    if it.mask == live:
        return 1
    if is_serial(S, g) == 1 or stack(S, top(S, v)).mask != live:
        return diverged(S, g, it.seg)
    mates = gathering(S, v)
    if mates.barrier != 0 and mates.barrier_seg != it.seg:
        return diverged(S, g, it.seg)
    mates.barrier |= it.mask
    mates.barrier_seg = it.seg
    if mates.barrier != live:
        end_group(S, g)
        return 0
    it.mask = live
    mates.barrier = 0
    S.n_stack_merge += 1
    return 1


def setup(machine: Machine) -> dict[str, Any]:
    """What splits a warp."""
    return {
        "branch_split": machine.policy["branch-split"],
        "limited": machine.policy["branch-limited"],
    }
