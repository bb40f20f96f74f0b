"""Adaptive slip: lanes that hit go on, the others are left behind until these return (DWS-19, 20).

Engine code, on top of dws.py. At an access of which some lanes hit, the others are *held*, if no
more lanes of their warp are then left behind than its WPU allows (slip_control.py): they are groups
without a claim to a scheduler slot. They rejoin when a group of their warp comes to their access
again, before it accesses, and their data are there (pc_merge.py). Nothing else happens to them
while somebody might come; when everybody else waits for them or has returned, they go on by
themselves (Q-DWS-40).

With `S.limited` lanes that run ahead also wait at conditional branches. Those that delimit a loop
are passed where the lanes agree, or where the stack knows the way out (Q-DWS-41). Lanes of one warp
may then come to different branches. They wait at one place at a time: who comes to another branch
passes it, and nobody waits at a branch while others do at a re-convergence point or barrier.
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
    from .loop_bypass import NO_WAY_OUT, leave_loop, way_out
    from .slip_control import leash
    from .splits import detach_lanes, gathering


@device
def on_access(S: State, w: int, g: int, t: int) -> int:
    """Some lanes of a group are served at once, some later: these may be left behind."""
    it = group(S, g)
    left = it.mask & ~it.hits
    behind = popcount(left) + held_lanes(S, it.warp)
    if behind > leash(S, w).lanes or is_serial(S, g) == 1 or has_room(S, w, it.warp) == 0:
        return 0
    S.n_memory_split += 1
    h = detach_lanes(S, g, left)
    local_level(S, h).n = 0
    held = group(S, h)
    ready_at(S, h).t = ready_at(S, g).t
    held.cause = it.cause
    it.until_bank = 0
    it.until_mshr = 0
    it.until_l2 = 0
    return wake(S, g, max(S.access_hits_at, t + S.pipeline), HIT)


@device
def held_groups(S: State, v: int) -> int:
    """Which groups of a warp are held, as in its mask of groups: at an access, without a slot."""
    found = 0
    rest = warp(S, v).groups
    while rest != 0:
        number = ctz(rest)
        rest = drop_lowest(rest)
        it = group(S, v * S.width + number)
        if it.slot == NO_SLOT and it.at_memory == 1:
            found |= bit(number)
    return found


@device
def held_lanes(S: State, v: int) -> int:
    """How many lanes of a warp are held."""
    lanes = 0
    rest = held_groups(S, v)
    while rest != 0:
        lanes += popcount(group(S, v * S.width + ctz(rest)).mask)
        rest = drop_lowest(rest)
    return lanes


@device
def on_leave(S: State, g: int) -> int:
    """A group comes to a forced wait, or has returned: others of its warp may have to go on."""
    it = group(S, g)
    v = it.warp
    mates = gathering(S, v)
    if mates.waiting != 0 and mates.seg != it.seg and warp(S, v).live & it.mask != 0:
        # They wait at a branch to which this one will not come.
        h = new_group(S, v, mates.waiting, mates.seg)
        local_level(S, h).n = 0
        mates.waiting = 0
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
    """Whether a group goes on at a conditional branch without the others of its warp."""
    it = group(S, g)
    row = seg(S, it.seg)
    mates = gathering(S, it.warp)
    if mates.waiting != 0:
        return 0 if mates.seg == it.seg else 1
    if mates.barrier != 0 or (S.predicated == 1 and row.target > it.seg):
        return 1
    if row.loop == 0:
        return 0
    taken = word64(warp(S, it.warp).block + row.cond_row, 0) & it.mask
    return 1 if taken == 0 or taken == it.mask or way_out(S, g, 1) != NO_WAY_OUT else 0


@device
def on_bypass(S: State, g: int, taken: int) -> int:
    """Lanes leave their loop; or run both ways one after the other, on a stack of their own."""
    it = group(S, g)
    row = seg(S, it.seg)
    out = way_out(S, g, 1) if row.loop == 1 else NO_WAY_OUT
    if out == NO_WAY_OUT:
        return diverge_local(S, g, taken)
    leave_loop(S, g, taken if out == row.target else it.mask & ~taken, out)
    it.seg = row.next if out == row.target else row.target
    return 1


def setup(machine: Machine) -> dict[str, Any]:
    """Whether forward branches are as good as predicated."""
    return {"predicated": machine.policy["predicated"]}
