"""Adaptive slip: lanes that hit continue, the others are held until these return (DWS-19, DWS-20).

Engine code, on top of dws.py. At an access in which some lanes hit, the others are *held*: they are
groups without a claim to a scheduler slot. A group stays whole if more lanes of its warp would then
be held than its WPU allows (slip_control.py). Held lanes rejoin when a group of their warp reaches
their access again, before it accesses, and their data have arrived (pc_merge.py). Nothing else
happens to them while some group might arrive. When all others wait for them or have returned, they
continue by themselves (Q-DWS-40).

With `S.limited` lanes that run ahead also wait at conditional branches. A group passes the branch
of a loop if its lanes agree, or if the stack has the way out (Q-DWS-41). Lanes of one warp may then
reach different branches. They wait at one place at a time: a group that reaches another branch
passes it, and none waits at a branch while others wait at a re-convergence point or barrier.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...intrinsics import bit, ctz, device, drop_lowest, popcount, word64

if TYPE_CHECKING:
    from ....machines.machine import Machine
    from ...causes import HIT, RECONVERGE
    from ...groups import NO_SLOT, new_group, schedule, wake
    from ...hooks import State, has_room
    from ...state import group, ready_at, seg, warp
    from .local_stack import diverge_local, is_serial, local_level
    from .loop_bypass import NO_LOOP_EXIT, leave_loop, loop_exit
    from .slip_control import held_limit
    from .splits import detach_lanes, gathering


@device
def on_access(S: State, w: int, g: int, t: int) -> int:
    """Hold lanes of group g that missed if few are left behind; see `hooks.on_access`."""
    grp = group(S, g)
    missing = grp.mask & ~grp.hits
    n_behind = popcount(missing) + held_lanes(S, grp.warp)
    if n_behind > held_limit(S, w).lanes or is_serial(S, g) == 1 or has_room(S, w, grp.warp) == 0:
        return 0
    S.n_memory_split += 1
    h = detach_lanes(S, g, missing)
    local_level(S, h).n = 0
    held = group(S, h)
    ready_at(S, h).t = ready_at(S, g).t
    held.cause = grp.cause
    grp.until_bank = 0
    grp.until_mshr = 0
    grp.until_l2 = 0
    return wake(S, g, max(S.access_hits_at, t + S.pipeline), HIT)


@device
def held_groups(S: State, v: int) -> int:
    """Return which groups of warp v are held, at an access without a slot, as a mask of groups."""
    found = 0
    rest = warp(S, v).groups
    while rest != 0:
        number = ctz(rest)
        rest = drop_lowest(rest)
        grp = group(S, v * S.width + number)
        if grp.slot == NO_SLOT and grp.at_memory == 1:
            found |= bit(number)
    return found


@device
def held_lanes(S: State, v: int) -> int:
    """Return how many lanes of warp v are held."""
    lanes = 0
    rest = held_groups(S, v)
    while rest != 0:
        lanes += popcount(group(S, v * S.width + ctz(rest)).mask)
        rest = drop_lowest(rest)
    return lanes


@device
def on_leave(S: State, g: int) -> int:
    """Let lanes that depended on group g continue, which starts to wait or has returned."""
    grp = group(S, g)
    v = grp.warp
    waits = gathering(S, v)
    if waits.waiting != 0 and waits.seg != grp.seg and warp(S, v).live & grp.mask != 0:
        # They wait at a branch that this group will not reach.
        h = new_group(S, v, waits.waiting, waits.seg)
        local_level(S, h).n = 0
        waits.waiting = 0
        wake(S, h, S.now, RECONVERGE)
        schedule(S, v // S.warps, h)
    held = held_groups(S, v)
    if warp(S, v).groups & ~held != bit(g - v * S.width):
        return 0
    while held != 0:
        schedule(S, v // S.warps, v * S.width + ctz(held))
        held = drop_lowest(held)
    return 0


@device
def may_pass(S: State, g: int) -> int:
    """Return 1 if group g passes a conditional branch without the others of its warp."""
    grp = group(S, g)
    row = seg(S, grp.seg)
    waits = gathering(S, grp.warp)
    if waits.waiting != 0:
        return 0 if waits.seg == grp.seg else 1
    if waits.barrier != 0 or (S.predicated == 1 and row.target > grp.seg):
        return 1
    if row.loop == 0:
        return 0
    taken = word64(warp(S, grp.warp).block + row.cond_row, 0) & grp.mask
    return 1 if taken == 0 or taken == grp.mask or loop_exit(S, g, 1) != NO_LOOP_EXIT else 0


@device
def on_bypass(S: State, g: int, taken: int) -> int:
    """Let lanes leave their loop, or run both paths in turn on a stack of their own."""
    grp = group(S, g)
    row = seg(S, grp.seg)
    exit_seg = loop_exit(S, g, 1) if row.loop == 1 else NO_LOOP_EXIT
    if exit_seg == NO_LOOP_EXIT:
        return diverge_local(S, g, taken)
    leave_loop(S, g, taken if exit_seg == row.target else grp.mask & ~taken, exit_seg)
    grp.seg = row.next if exit_seg == row.target else row.target
    return 1


def setup(machine: Machine) -> dict[str, Any]:
    """Return whether forward branches count as predicated."""
    return {"predicated": machine.policy["predicated"]}
