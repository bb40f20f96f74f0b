"""MLP-aware warp subdivision: splits that stay on the stack's path (MAWS-02..08).

Engine code. Only accesses split a warp; its splits execute one path, that of the stack's top. They
wait for each other at re-convergence points and at conditional branches, which they execute as one
(MAWS-05). The branch of a loop that all of them are in is an exception: each passes it on its own
(MAWS-06, `loop_bypass.py`). Splits at the same access merge, and of those that are ready the least
advanced goes first (MAWS-04). The warp-split table has an entry per lane, never too few.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...intrinsics import ctz, device, drop_lowest

if TYPE_CHECKING:
    from ....machines.machine import Machine
    from ...groups import end_group
    from ...hooks import State
    from ...schedule.miss_free import catch_up
    from ...stacks import (
        begin_root,
        diverge,
        forget_lanes,
        goes_one_way,
        pop_at_join,
        push,
        top,
    )
    from ...state import RUNNING, SEG_BRANCH, due, group, seg, stack, warp
    from ...workgroups import diverged
    from .loop_bypass import NO_LOOP_EXIT, leave_loop, loop_exit
    from .splits import (
        continue_with_others,
        gathering,
        is_root,
        meet_at_barrier,
        run_others,
        wait_for_others,
    )

LOOP_TESTS = ("branch", "rpc-only")
LAGGARDS = ("in-turn", "first")


@device
def on_start(S: State, w: int, v: int, t: int) -> int:
    """Begin warp v whole, with one entry of its table (Q-MAWS-5)."""
    waits = gathering(S, v)
    waits.waiting = 0
    waits.barrier = 0
    begin_root(S, w, v, t)
    return 0


@device
def stand_in(S: State, w: int, g: int, t: int) -> int:
    """Return the ready split of g's warp that has issued least (MAWS-04, Q-MAWS-8)."""
    catch_up(S, w, t)
    v = group(S, g).warp
    rest = warp(S, v).groups
    while rest != 0:
        h = v * S.width + ctz(rest)
        rest = drop_lowest(rest)
        grp = group(S, h)
        if grp.slot >= 0 and due(S, grp.slot).at <= t and grp.count < group(S, g).count:
            g = h
    return g


@device
def is_urgent(S: State, w: int, g: int) -> int:
    """Return 1 if g has issued least of its split warp, and such splits go first (MAWS-04)."""
    if S.laggard_first == 0:
        return 0
    grp = group(S, g)
    waits = gathering(S, grp.warp)
    is_behind = 1 if waits.waiting != 0 or waits.barrier != 0 else 0
    rest = warp(S, grp.warp).groups
    while rest != 0:
        other = group(S, grp.warp * S.width + ctz(rest))
        rest = drop_lowest(rest)
        if other.count < grp.count:
            return 0
        if other.count > grp.count:
            is_behind = 1
    return is_behind


@device
def bypass_exit(S: State, g: int) -> int:
    """Return the segment of lanes that leave the loop at group g's branch, if g may pass it."""
    return loop_exit(S, g, S.loop_by_rpc) if S.loop_bypass == 1 else NO_LOOP_EXIT


@device
def on_branch(S: State, w: int, g: int, taken: int, t: int) -> int:
    """Let group g pass the branch of its loop; or a whole warp execute the branch."""
    grp = group(S, g)
    exit_seg = bypass_exit(S, g)
    if exit_seg != NO_LOOP_EXIT:
        return pass_branch(S, g, taken, exit_seg, t)
    grp.count = 0
    if S.push_uniform == 1 and (taken == grp.mask or taken == 0):
        push_one_way(S, g, taken)
    if goes_one_way(S, g, taken) == 1:
        return 1
    return diverge(S, g, taken)


@device
def pass_branch(S: State, g: int, taken: int, exit_seg: int, t: int) -> int:
    """Let lanes of group g that leave the loop wait outside; the others stay in it (MAWS-06)."""
    grp = group(S, g)
    row = seg(S, grp.seg)
    leaving = taken if exit_seg == row.target else grp.mask & ~taken
    S.n_loop_bypass += 1
    if leaving != 0:
        leave_loop(S, g, leaving, exit_seg)
    if grp.mask == 0:
        if continue_with_others(S, g, t) == 1:
            grp.count = 0
            return 1
        end_group(S, g)
        return 0
    grp.seg = row.next if exit_seg == row.target else row.target
    return 1


@device
def push_one_way(S: State, g: int, taken: int) -> int:
    """Push a branch that a whole warp takes one way, since it may delimit a loop (Q-MAWS-10).

    It is pushed once for the paths that end at the same point, since a loop with two branches would
    push for ever; and not into the room that diverging lanes need.
    """
    grp = group(S, g)
    row = seg(S, grp.seg)
    v = grp.warp
    way, other = (row.next, row.target) if taken == 0 else (row.target, row.next)
    if way == other or way == row.rpc:
        return 0
    if warp(S, v).depth + 2 + 2 * S.width > S.stack_depth:
        return 0
    index = top(S, v)
    while index >= v * S.stack_depth and stack(S, index).rpc == row.rpc:
        if stack(S, index).branch == grp.seg:
            return 0
        index -= 1
    stack(S, top(S, v)).seg = row.rpc
    push(S, v, other, row.rpc, 0, grp.seg)
    return push(S, v, way, row.rpc, grp.mask, grp.seg)


@device
def on_arrival(S: State, w: int, g: int, t: int) -> int:
    """Let splits wait for each other at the top's re-convergence point and where none may pass."""
    grp = group(S, g)
    at_join = grp.seg == stack(S, top(S, grp.warp)).rpc
    if not at_join and (seg(S, grp.seg).kind != SEG_BRANCH or bypass_exit(S, g) != NO_LOOP_EXIT):
        return 0
    if is_root(S, g) == 0 and wait_for_others(S, g) == 0:
        return 1
    if at_join:
        grp.count = 0
    return pop_at_join(S, g)


@device
def on_exit(S: State, w: int, g: int, t: int) -> int:
    """Remove returned lanes from every entry; lanes that waited only for them continue."""
    grp = group(S, g)
    waits = gathering(S, grp.warp)
    if waits.barrier != 0 and S.exited_arrive == 0:
        return diverged(S, g, waits.barrier_seg)
    forget_lanes(S, grp.warp, grp.mask)
    return continue_with_others(S, g, t)


@device
def on_sync(S: State, w: int, g: int, t: int) -> int:
    """Join splits at a barrier; lanes that have not come to it yet run on."""
    v = group(S, g).warp
    whole = meet_at_barrier(S, g)
    if whole == 0 and S.status == RUNNING:
        h = run_others(S, w, v, t)
        if h >= 0:
            group(S, h).count = 0
    return whole


def setup(machine: Machine) -> dict[str, Any]:
    """Return which branches may be passed, and how."""
    bypass = machine.policy["loop-bypass"]
    return {
        "loop_bypass": bypass,
        "push_uniform": bypass and machine.policy["push-uniform"],
        "laggard_first": LAGGARDS.index(str(machine.policy["laggard"])),
        "loop_by_rpc": LOOP_TESTS.index(str(machine.policy["loop-test"])),
        "n_loop_bypass": 0,
    }
