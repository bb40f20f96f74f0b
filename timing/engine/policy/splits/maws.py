"""MLP-aware warp subdivision: splits that stay on the stack's path (MAWS-02..08).

Engine code. Accesses alone split a warp; its splits execute one path, that of the stack's top. They
wait for each other at re-convergence points and at conditional branches, which they execute as one
(MAWS-05), but for the branch of a loop that all of them are in: each passes it when it comes there
(MAWS-06, `loop_bypass.py`). Where they meet at an access they merge, and of those that are ready
the least advanced goes first (MAWS-04). The warp-split table has an entry per lane, never too few.
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
        follow_top,
        forget_lanes,
        goes_one_way,
        push,
        top,
    )
    from ...state import SEG_BRANCH, due, group, seg, stack, warp
    from ...workgroups import diverged
    from .loop_bypass import NO_WAY_OUT, leave_loop, way_out
    from .splits import gathering, go_on, is_root, meet_at_barrier, wait_for_others

LOOP_TESTS = ("branch", "rpc-only")


@device
def on_start(S: State, w: int, v: int, t: int) -> int:
    """A warp begins whole, with one entry of its table (Q-MAWS-5)."""
    mates = gathering(S, v)
    mates.waiting = 0
    mates.barrier = 0
    begin_root(S, w, v, t)
    return 0


@device
def stand_in(S: State, w: int, g: int, t: int) -> int:
    """Of the splits of a warp that are ready, the one that has issued least (MAWS-04, Q-MAWS-8)."""
    catch_up(S, w, t)
    v = group(S, g).warp
    rest = warp(S, v).groups
    while rest != 0:
        h = v * S.width + ctz(rest)
        rest = drop_lowest(rest)
        it = group(S, h)
        if it.slot >= 0 and due(S, it.slot).at <= t and it.count < group(S, g).count:
            g = h
    return g


@device
def passes(S: State, g: int) -> int:
    """Where lanes go that leave the loop of the branch at which a group stands, if it may pass."""
    return way_out(S, g, S.loop_by_rpc) if S.loop_bypass == 1 else NO_WAY_OUT


@device
def on_branch(S: State, w: int, g: int, taken: int, t: int) -> int:
    """A group passes the branch of its loop; or a whole warp executes it, and begins anew."""
    it = group(S, g)
    out = passes(S, g)
    if out != NO_WAY_OUT:
        return pass_branch(S, g, taken, out, t)
    it.count = 0
    if S.push_uniform == 1 and (taken == it.mask or taken == 0):
        push_one_way(S, g, taken)
    if goes_one_way(S, g, taken) == 1:
        return 1
    return diverge(S, g, taken)


@device
def pass_branch(S: State, g: int, taken: int, out: int, t: int) -> int:
    """Lanes of a group that leave the loop wait outside; the others go on in it (MAWS-06)."""
    it = group(S, g)
    row = seg(S, it.seg)
    leaving = taken if out == row.target else it.mask & ~taken
    S.n_loop_bypass += 1
    if leaving != 0:
        if gathering(S, it.warp).barrier != 0:
            # Others wait inside of the loop for lanes that will not come.
            return diverged(S, g, gathering(S, it.warp).barrier_seg)
        leave_loop(S, g, leaving, out)
    if it.mask == 0:
        if go_on(S, g, t) == 1:
            it.count = 0
            return 1
        end_group(S, g)
        return 0
    it.seg = row.next if out == row.target else row.target
    return 1


@device
def push_one_way(S: State, g: int, taken: int) -> int:
    """A branch that a whole warp takes one way is pushed, too: it may delimit a loop (Q-MAWS-10).

    Once for the paths that end at the same point, since a loop with two branches would push for
    ever; and not into the room that lanes which part from each other need.
    """
    it = group(S, g)
    row = seg(S, it.seg)
    v = it.warp
    goes, other = (row.next, row.target) if taken == 0 else (row.target, row.next)
    if goes == other or goes == row.rpc:
        return 0
    if warp(S, v).depth + 2 + 2 * S.width > S.stack_depth:
        return 0
    at = top(S, v)
    while at >= v * S.stack_depth and stack(S, at).rpc == row.rpc:
        if stack(S, at).branch == it.seg:
            return 0
        at -= 1
    stack(S, top(S, v)).seg = row.rpc
    push(S, v, other, row.rpc, 0, it.seg)
    return push(S, v, goes, row.rpc, it.mask, it.seg)


@device
def on_arrival(S: State, w: int, g: int, t: int) -> int:
    """Splits wait for each other at the top's re-convergence point, and where they may not pass."""
    it = group(S, g)
    entry = stack(S, top(S, it.warp))
    joins = it.seg == entry.rpc
    if not joins and (seg(S, it.seg).kind != SEG_BRANCH or passes(S, g) != NO_WAY_OUT):
        return 0
    if is_root(S, g) == 0 and wait_for_others(S, g) == 0:
        return 1
    if joins:
        entry.seg = it.seg
        it.count = 0
        follow_top(S, g)
    return 0


@device
def on_exit(S: State, w: int, g: int, t: int) -> int:
    """Returned lanes leave every entry; those that waited for nobody else go on."""
    it = group(S, g)
    forget_lanes(S, it.warp, it.mask)
    return go_on(S, g, t)


@device
def on_sync(S: State, w: int, g: int, t: int) -> int:
    """Splits join at a barrier, which their warp then enters as one."""
    return meet_at_barrier(S, g)


def setup(machine: Machine) -> dict[str, Any]:
    """What may be passed, and how."""
    bypass = machine.policy["loop-bypass"]
    return {
        "loop_bypass": bypass,
        "push_uniform": bypass and machine.policy["push-uniform"],
        "loop_by_rpc": LOOP_TESTS.index(str(machine.policy["loop-test"])),
        "n_loop_bypass": 0,
    }
