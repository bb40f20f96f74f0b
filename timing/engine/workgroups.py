"""Workgroups come to WPUs, warps begin and end, barriers open.

Engine code. A workgroup stays on one WPU and takes free warp contexts in ascending order. A launch
begins with one to each WPU in turn; the others queue for the first WPU with enough free contexts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .intrinsics import NEVER, bit, call3, ctz, device, drop_lowest, popcount, put64

if TYPE_CHECKING:
    from .account import charge_idle
    from .causes import BARRIER
    from .groups import end_group, leave_slot, park, schedule, wake
    from .hooks import State, on_barrier_open, on_exit, on_start, on_sync
    from .state import (
        BLOCK_GROUP_MEMORY,
        DISPATCH,
        DIVERGENT_BARRIER,
        group,
        next_event,
        ready_at,
        seg,
        team,
        warp,
        wpu,
    )


@device
def admit(S: State, w: int, t: int) -> int:
    """Give a WPU workgroups as long as there are some and they fit; how many began."""
    begun = 0
    while S.next_team < S.teams and popcount(wpu(S, w).free) >= S.team_warps:
        begin_team(S, w, t)
        begun += 1
    return begun


@device
def distribute(S: State, t: int) -> int:
    """A launch begins: one workgroup to each WPU in turn, as long as they fit."""
    begun = 1
    while begun > 0:
        begun = 0
        for w in range(S.wpus):
            if S.next_team < S.teams and popcount(wpu(S, w).free) >= S.team_warps:
                begin_team(S, w, t)
                begun += 1
    return 0


@device
def begin_team(S: State, w: int, t: int) -> int:
    """The next workgroup begins on free contexts of a WPU."""
    core = wpu(S, w)
    number = S.next_team
    S.next_team += 1
    S.running += 1
    first = w * S.warps + ctz(core.free)
    mates = team(S, first)
    mates.id = number
    mates.live = 0
    mates.arrived = 0
    mates.warps = 0
    memory = S.group_memory + first * S.group_bytes
    for i in range(S.team_warps):
        context = ctz(core.free)
        v = w * S.warps + context
        owner = warp(S, v)
        charge_idle(S, w, v, t)
        put64(owner.block, BLOCK_GROUP_MEMORY, memory)
        lanes = call3(S.start_fn, owner.block, number, i)
        if lanes == 0:
            break
        core.free &= ~bit(context)
        mates.live += 1
        mates.warps |= bit(context)
        owner.live = lanes
        owner.all = lanes
        owner.groups = 0
        owner.depth = 0
        owner.team = first
        owner.n_thread_instr = 0
        owner.limit = S.budget * popcount(lanes)
        on_start(S, w, v, t)
    if core.current < 0 and core.event == DISPATCH and next_event(S, w).at > t:
        next_event(S, w).at = t
    return 0


@device
def retire(S: State, w: int, g: int, t: int) -> int:
    """All lanes of a group have returned at t; answers 1 if it goes on with others."""
    it = group(S, g)
    warp(S, it.warp).live &= ~it.mask
    if on_exit(S, w, g, t) == 1:
        return 1
    end_group(S, g)
    return leave_team(S, w, it.warp, t)


@device
def leave_team(S: State, w: int, v: int, t: int) -> int:
    """Lanes of a warp have returned at t: it may be over, and its workgroup with it."""
    owner = warp(S, v)
    first = owner.team
    mates = team(S, first)
    if mates.arrived > 0 and S.exited_arrive == 0:
        return diverged(S, mates.first, mates.barrier)
    if owner.live == 0:
        core = wpu(S, w)
        mates.live -= 1
        # Its contexts are free together: a workgroup is admitted as a whole.
        if mates.live == 0:
            core.free |= mates.warps
            S.running -= 1
            S.ended = max(S.ended, t)
            admit(S, w, t)
        elif mates.arrived > 0 and mates.arrived == mates.live:
            open_barrier(S, w, first, t)
    return 0


@device
def diverged(S: State, g: int, s: int) -> int:
    """Not all work-items of a workgroup come to the barrier s, at which g is: stop."""
    S.status = DIVERGENT_BARRIER
    S.trap_g = g
    S.trap_seg = s
    S.trap_lanes = group(S, g).mask
    return 0


@device
def arrive_at_barrier(S: State, w: int, g: int, t: int) -> int:
    """A group has issued the barrier at which it stands; it was over at t."""
    it = group(S, g)
    s = it.seg
    wpu(S, w).n_barrier += 1
    park(S, g, BARRIER)
    leave_slot(S, g)
    whole = on_sync(S, w, g, t)
    it.seg = seg(S, s).next
    return enter_barrier(S, w, g, it.warp, s, t) if whole == 1 else 0


@device
def enter_barrier(S: State, w: int, g: int, v: int, s: int, t: int) -> int:
    """All live lanes of warp v are at the barrier s, the last of them with group g."""
    owner = warp(S, v)
    first = owner.team
    mates = team(S, first)
    returned = owner.live != owner.all or mates.live != popcount(mates.warps)
    if returned and S.exited_arrive == 0:
        return diverged(S, g, s)
    if mates.arrived == 0:
        mates.barrier = s
        mates.first = g
    elif mates.barrier != s:
        return diverged(S, g, s)
    mates.arrived += 1
    if mates.arrived == mates.live:
        open_barrier(S, w, first, t)
    return 0


@device
def open_barrier(S: State, w: int, first: int, t: int) -> int:
    """Everybody goes on behind the barrier."""
    mates = team(S, first)
    mates.arrived = 0
    until = t + on_barrier_open(S, w, t)
    rest = mates.warps
    while rest != 0:
        v = w * S.warps + ctz(rest)
        rest = drop_lowest(rest)
        mine = warp(S, v).groups
        while mine != 0:
            g = v * S.width + ctz(mine)
            mine = drop_lowest(mine)
            if group(S, g).cause == BARRIER and ready_at(S, g).t == NEVER:
                wake(S, g, until, BARRIER)
                schedule(S, w, g)
    return 0
