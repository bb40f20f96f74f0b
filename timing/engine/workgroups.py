"""Workgroups on WPUs: their admission, the start and end of their warps, and barriers.

Engine code. A workgroup stays on one WPU and takes free warp contexts in ascending order. At launch
each WPU in turn gets one workgroup; the others queue for the first WPU with enough free contexts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .intrinsics import NEVER, bit, call3, ctz, device, drop_lowest, low_bits, popcount, put64

if TYPE_CHECKING:
    from .account import charge_idle
    from .causes import BARRIER
    from .groups import end_group, leave_slot, park, schedule, wake
    from .hooks import State, on_barrier_open, on_exit, on_start, on_sync
    from .state import (
        BLOCK_GROUP_MEMORY,
        DISPATCH,
        DIVERGENT_BARRIER,
        due,
        group,
        next_event,
        ready_at,
        seg,
        slot,
        warp,
        workgroup,
        wpu,
    )


@device
def admit(S: State, w: int, t: int) -> int:
    """Start queued workgroups on WPU w at t while they fit; return how many were started."""
    n_begun = 0
    while S.next_workgroup < S.workgroups and popcount(wpu(S, w).free) >= S.workgroup_warps:
        begin_workgroup(S, w, t)
        n_begun += 1
    return n_begun


@device
def begin_launch(S: State, t: int) -> int:
    """Empty all WPUs and start a launch on them at t."""
    for w in range(S.wpus):
        core = wpu(S, w)
        core.free = low_bits(S.warps)
        core.event = DISPATCH
        core.current = -1
        core.slots_used = 0
        next_event(S, w).at = NEVER
    for i in range(S.wpus * S.slots):
        slot(S, i).group = -1
        due(S, i).at = NEVER
    return distribute(S, t)


@device
def distribute(S: State, t: int) -> int:
    """Start a launch at t: one workgroup to each WPU in turn while they fit."""
    n_begun = 1
    while n_begun > 0:
        n_begun = 0
        for w in range(S.wpus):
            if S.next_workgroup < S.workgroups and popcount(wpu(S, w).free) >= S.workgroup_warps:
                begin_workgroup(S, w, t)
                n_begun += 1
    return 0


@device
def begin_workgroup(S: State, w: int, t: int) -> int:
    """Start the next workgroup on free contexts of WPU w at t."""
    core = wpu(S, w)
    number = S.next_workgroup
    S.next_workgroup += 1
    S.running += 1
    first = w * S.warps + ctz(core.free)
    wg = workgroup(S, first)
    wg.id = number
    wg.live = 0
    wg.arrived = 0
    wg.contexts = 0
    memory = S.group_memory + first * S.group_bytes
    for i in range(S.workgroup_warps):
        context = ctz(core.free)
        v = w * S.warps + context
        owner = warp(S, v)
        charge_idle(S, w, v, t)
        put64(owner.block, BLOCK_GROUP_MEMORY, memory)
        lanes = call3(S.start_fn, owner.block, number, i)
        if lanes == 0:
            break
        core.free &= ~bit(context)
        wg.live += 1
        wg.contexts |= bit(context)
        owner.live = lanes
        owner.all = lanes
        owner.groups = 0
        owner.depth = 0
        owner.workgroup = first
        owner.n_thread_instr = 0
        owner.limit = S.budget * popcount(lanes)
        on_start(S, w, v, t)
    if core.current < 0 and core.event == DISPATCH and next_event(S, w).at > t:
        next_event(S, w).at = t
    return 0


@device
def retire(S: State, w: int, g: int, t: int) -> int:
    """Retire group g, whose lanes have all returned at t; return 1 if it continues with others."""
    grp = group(S, g)
    warp(S, grp.warp).live &= ~grp.mask
    if on_exit(S, w, g, t) == 1:
        return 1
    end_group(S, g)
    return leave_workgroup(S, w, grp.warp, t)


@device
def leave_workgroup(S: State, w: int, v: int, t: int) -> int:
    """End warp v if all of its lanes have returned at t, and its workgroup with the last warp."""
    owner = warp(S, v)
    first = owner.workgroup
    wg = workgroup(S, first)
    if wg.arrived > 0 and S.exited_arrive == 0:
        return diverged(S, wg.first, wg.barrier)
    if owner.live == 0:
        core = wpu(S, w)
        wg.live -= 1
        # Its contexts become free together: a workgroup is admitted as a whole.
        if wg.live == 0:
            core.free |= wg.contexts
            S.running -= 1
            S.ended = max(S.ended, t)
            admit(S, w, t)
        elif wg.arrived > 0 and wg.arrived == wg.live:
            open_barrier(S, w, first, t)
    return 0


@device
def diverged(S: State, g: int, s: int) -> int:
    """Stop the run: not all work-items of a workgroup reach barrier s, at which group g is."""
    S.status = DIVERGENT_BARRIER
    S.trap_g = g
    S.trap_seg = s
    S.trap_lanes = group(S, g).mask
    return 0


@device
def arrive_at_barrier(S: State, w: int, g: int, t: int) -> int:
    """Let group g wait at the barrier that it has issued; the instruction ended at t."""
    grp = group(S, g)
    s = grp.seg
    wpu(S, w).n_barrier += 1
    park(S, g, BARRIER)
    leave_slot(S, g)
    whole = on_sync(S, w, g, t)
    if ready_at(S, g).t == NEVER:  # else others run on, and one of them has taken g's place
        grp.seg = seg(S, s).next
    return enter_barrier(S, w, g, grp.warp, s, t) if whole == 1 else 0


@device
def enter_barrier(S: State, w: int, g: int, v: int, s: int, t: int) -> int:
    """Count warp v as arrived at barrier s at t; group g had the last of its live lanes."""
    owner = warp(S, v)
    first = owner.workgroup
    wg = workgroup(S, first)
    returned = owner.live != owner.all or wg.live != popcount(wg.contexts)
    if returned and S.exited_arrive == 0:
        return diverged(S, g, s)
    if wg.arrived == 0:
        wg.barrier = s
        wg.first = g
    elif wg.barrier != s:
        return diverged(S, g, s)
    wg.arrived += 1
    if wg.arrived == wg.live:
        open_barrier(S, w, first, t)
    return 0


@device
def open_barrier(S: State, w: int, first: int, t: int) -> int:
    """Open the barrier of the workgroup in context `first` at t: wake all of its groups."""
    wg = workgroup(S, first)
    wg.arrived = 0
    until = t + on_barrier_open(S, w, t)
    rest = wg.contexts
    while rest != 0:
        v = w * S.warps + ctz(rest)
        rest = drop_lowest(rest)
        groups = warp(S, v).groups
        while groups != 0:
            g = v * S.width + ctz(groups)
            groups = drop_lowest(groups)
            if group(S, g).cause == BARRIER and ready_at(S, g).t == NEVER:
                wake(S, g, until, BARRIER)
                schedule(S, w, g)
    return 0
