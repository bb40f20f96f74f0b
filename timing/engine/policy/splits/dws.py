"""Dynamic warp subdivision: branches, re-convergence, barriers (DWS-05..07, DWS-13..16).

Engine code. `S.branch_split`: a whole warp splits at divergent branches marked `subdivide`. Once it
is split, its parts split at every divergent branch, marked or not, because the warp's stack cannot
describe the paths of a part. `S.limited`: splits wait for each other at conditional branches too,
which keeps the stack usable (BranchLimited); segments then end before branches.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...intrinsics import device

if TYPE_CHECKING:
    from ....machines.machine import Machine
    from ...causes import READY
    from ...groups import new_group, schedule, wake
    from ...hooks import State, has_room, may_pass, on_bypass, on_full_table
    from ...stacks import (
        begin_root,
        diverge,
        forget_lanes,
        goes_one_way,
        pop_at_join,
        takes_first,
        top,
    )
    from ...state import RUNNING, SEG_BRANCH, group, seg, stack, warp
    from ...workgroups import diverged
    from .local_stack import (
        arrive_local,
        diverge_local,
        forget_local,
        hand_over,
        is_serial,
        local_level,
    )
    from .splits import (
        continue_with_others,
        count_entries,
        gather,
        gathering,
        is_root,
        meet_at_barrier,
        run_others,
        split,
        wait_for_others,
    )


@device
def on_start(S: State, w: int, v: int, t: int) -> int:
    """Begin warp v whole."""
    waits = gathering(S, v)
    waits.waiting = 0
    waits.barrier = 0
    g = begin_root(S, w, v, t)
    local_level(S, g).n = 0
    return 0


@device
def on_branch(S: State, w: int, g: int, taken: int, t: int) -> int:
    """Split group g at a branch that diverges, or push both paths."""
    if goes_one_way(S, g, taken) == 1:
        return 1
    grp = group(S, g)
    if is_serial(S, g) == 1:
        return diverge_local(S, g, taken)
    root = is_root(S, g)
    if root == 1 and (S.branch_split == 0 or seg(S, grp.seg).subdivide == 0):
        return diverge(S, g, taken)
    if root == 0 and S.limited == 1:
        return on_bypass(S, g, taken)
    if has_room(S, w, grp.warp) == 1:
        return subdivide(S, w, g, taken, t)
    if root == 1:
        return diverge(S, g, taken)
    if S.wst_overflows == 1:
        S.n_wst_overflow += 1
        return subdivide(S, w, g, taken, t)
    if on_full_table(S, w, g, taken, t) == 1:
        return 0
    return diverge_local(S, g, taken)


@device
def subdivide(S: State, w: int, g: int, taken: int, t: int) -> int:
    """Make both paths splits, without the stack (DWS-05); return 1."""
    grp = group(S, g)
    row = seg(S, grp.seg)
    first = row.next
    second = row.target
    lanes = taken
    if takes_first(S, taken, grp.mask & ~taken, row.target, row.next) == 1:
        first = row.target
        second = row.next
        lanes = grp.mask & ~taken
    branch_off(S, w, g, lanes, second, t)
    grp.seg = first
    return 1


@device
def branch_off(S: State, w: int, g: int, lanes: int, s: int, t: int) -> int:
    """Send `lanes` of group g, which is at a branch, to segment s as a split of their own."""
    S.n_branch_split += 1
    grp = group(S, g)
    if s == stack(S, top(S, grp.warp)).rpc:
        # These lanes have nothing to do but to wait (Q-DWS-18).
        grp.mask &= ~lanes
        gather(S, grp.warp, lanes, s)
        return count_entries(S, grp.warp, 0)
    h = split(S, w, g, lanes)
    local_level(S, h).n = 0
    group(S, h).seg = s
    return wake(S, h, t, READY)


@device
def on_arrival(S: State, w: int, g: int, t: int) -> int:
    """Let splits wait at the top's re-convergence point, BranchLimited ones at branches too."""
    grp = group(S, g)
    if is_serial(S, g) == 1:
        arrive_local(S, g)
        if is_serial(S, g) == 1:
            return 0
    at_join = grp.seg == stack(S, top(S, grp.warp)).rpc
    must_wait = S.limited == 1 and seg(S, grp.seg).kind == SEG_BRANCH and may_pass(S, g) == 0
    if not at_join and not must_wait:
        return 0
    if is_root(S, g) == 0 and wait_for_others(S, g) == 0:
        return 1
    return pop_at_join(S, g)


@device
def on_exit(S: State, w: int, g: int, t: int) -> int:
    """Remove returned lanes from every entry; lanes that waited only for them continue."""
    grp = group(S, g)
    gone = grp.mask
    if gathering(S, grp.warp).barrier != 0 and S.exited_arrive == 0:
        return diverged(S, g, gathering(S, grp.warp).barrier_seg)
    forget_lanes(S, grp.warp, gone)
    if is_serial(S, g) == 1 and forget_local(S, g, gone) == 1:
        return 1
    return continue_with_others(S, g, t)


@device
def on_sync(S: State, w: int, g: int, t: int) -> int:
    """Join splits at a barrier; lanes that have not come to it yet run on."""
    grp = group(S, g)
    v = grp.warp
    if is_serial(S, g) == 1 and grp.mask != warp(S, v).live:
        run_rest(S, w, g, t)
    whole = meet_at_barrier(S, g)
    if whole == 0 and S.status == RUNNING:
        h = run_others(S, w, v, t)
        if h >= 0:
            local_level(S, h).n = 0
    return whole


@device
def run_rest(S: State, w: int, g: int, t: int) -> int:
    """Give the other lanes of group g's own stack to a group, which runs on; g waits without it."""
    grp = group(S, g)
    lanes = grp.mask
    s = grp.seg
    if forget_local(S, g, lanes) == 1:
        h = new_group(S, grp.warp, 0, 0)
        hand_over(S, g, h)
        schedule(S, w, h)
        wake(S, h, t, READY)
        grp.mask = lanes
        grp.seg = s
    local_level(S, g).n = 0
    return 0


def setup(machine: Machine) -> dict[str, Any]:
    """Return the settings of what splits a warp."""
    return {
        "branch_split": machine.policy["branch-split"],
        "limited": machine.policy["branch-limited"],
        "wst_overflows": machine.policy.get("wst-full", "own-stack") == "overflow",
        "n_wst_overflow": 0,
        "n_wst_stall": 0,
    }
