"""The event loop: the WPU with the earliest event is next.

An event is a dispatch, an issue or an access. Machines and policies decide everything else in
hooks. Engine code; docs/timing/engine.md, "Events".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .intrinsics import NEVER, call, device, word64

if TYPE_CHECKING:
    from .account import (
        EV_TURN,
        charge_bubbles,
        charge_wait,
        close_launch,
        count_access,
        count_branch,
    )
    from .causes import BANK, HIT, MEMORY, RECONVERGE
    from .groups import pick, set_due, wake
    from .hooks import (
        State,
        issue,
        on_access,
        on_branch,
        on_dispatch,
        on_event,
        on_interval,
        on_launch_end,
        on_memory_pc,
        on_miss,
        on_move,
        on_stall,
        on_turn,
        simd_access,
    )
    from .state import (
        ACCESS,
        DEADLOCK,
        DISPATCH,
        DONE,
        OVER_BUDGET,
        RUNNING,
        TRAPPED,
        group,
        next_event,
        seg,
        warp,
        wpu,
    )
    from .workgroups import begin_launch


@device
def run(S: State, events: int) -> int:
    """Run up to `events` events, or until all workgroups have returned or a fault stops the run.

    Return the status: RUNNING if events remain, or if the next one is not before `S.pause_at`.
    """
    S.status = RUNNING
    if S.starting == 1:
        S.starting = 0
        begin_launch(S, S.now)
    while events > 0:
        events -= 1
        w = 0
        t = next_event(S, 0).at
        for i in range(1, S.wpus):
            if next_event(S, i).at < t:
                w = i
                t = next_event(S, i).at
        if t == NEVER:
            S.status = DEADLOCK
            if S.running == 0:
                S.status = DONE
                S.now = S.ended + on_launch_end(S, S.ended)
            break
        if t >= S.pause_at:
            break
        S.now = t
        S.events += 1
        event = wpu(S, w).event
        if event == ACCESS:
            access(S, w, t)
        elif event == DISPATCH:
            dispatch(S, w, t)
        else:
            issue(S, w, wpu(S, w).current, t)
        on_event(S, EV_TURN, w, wpu(S, w).current, S.now)
        if S.status != RUNNING:
            break
    if S.status == DONE:
        close_launch(S)
    return S.status


@device
def dispatch(S: State, w: int, t: int) -> int:
    """Pick a group of WPU w at t and let it issue; if none is ready, sleep until one is due."""
    core = wpu(S, w)
    if t - core.checked >= S.interval:
        on_interval(S, w, t)
        core.checked = t
    on_turn(S, w, t)
    g = pick(S, w, t)
    if g < 0:
        next_event(S, w).at = S.next_due
        if S.running > 0 and on_stall(S, w, t) == 1:
            next_event(S, w).at = t
        return 0
    delay = on_dispatch(S, w, g, t)
    charge_wait(S, w, g, t)
    if delay > 0:
        charge_bubbles(S, w, g, RECONVERGE, delay)
        t += delay
    grp = group(S, g)
    set_due(S, grp.slot, NEVER)
    core.current = g
    core.last = grp.warp
    if grp.at_memory == 1:
        # Its data have arrived: the access ends.
        grp.at_memory = 0
        grp.done = 0
        grp.seg = seg(S, grp.seg).next
    return issue(S, w, g, t)


@device
def stop(S: State, w: int, t: int) -> int:
    """End the turn of WPU w's current group; the next group is picked at t."""
    core = wpu(S, w)
    core.current = -1
    core.event = DISPATCH
    next_event(S, w).at = t
    return 0


@device
def access(S: State, w: int, t: int) -> int:
    """Perform the memory instruction of WPU w's current group, in the cycle t after its issue."""
    core = wpu(S, w)
    g = core.current
    ready = touch(S, w, g, t)
    if S.status != RUNNING:
        return 0
    grp = group(S, g)
    wake(S, g, ready, HIT if grp.hits == grp.mask else MEMORY)
    report_misses(S, w, g, t, 0)
    if S.access_bubbles > 0:
        charge_bubbles(S, w, g, BANK, S.access_bubbles)
    return stop(S, w, t + 1 + S.access_bubbles)


@device
def report_misses(S: State, w: int, g: int, t: int, bubbles: int) -> int:
    """Call the policy's hooks if lanes of group g missed in its access, once its wait is known.

    `bubbles` delay when lanes that hit leave the pipeline (Q-LWM-8).
    """
    grp = group(S, g)
    if grp.hits != grp.mask:
        on_miss(S, w, g, t)
        if grp.hits != 0:
            on_access(S, w, g, t + bubbles)
    return 0


@device
def touch(S: State, w: int, g: int, t: int) -> int:
    """Request the lanes of group g's access from the memory system at t, and move their data.

    Return the cycle at which all lanes are served; set the group's boundaries and hit mask.
    """
    grp = group(S, g)
    grp.at_memory = 1
    on_memory_pc(S, w, g, t)
    lanes = grp.mask & ~grp.done
    if lanes == 0:
        # No lane is active: it takes its issue slot and makes no request.
        grp.hits = grp.mask
        S.access_hits = 0
        S.access_bubbles = 0
        return t + 1
    grp.done |= lanes
    # A load may overwrite its own addresses: the data move after the lookup.
    ready = simd_access(S, w, g, lanes, t)
    if move(S, w, g, lanes, t) == 0:
        return 0
    # Lanes that an earlier access served count as hits: they do not wait.
    grp.hits = S.access_hits | (grp.mask & ~lanes)
    grp.until_bank = S.access_until_bank
    grp.until_mshr = S.access_until_mshr
    grp.until_l2 = S.access_until_l2
    count_access(S, w, g, lanes)
    if is_buffered(S, g) == 1:
        return leave_to_buffer(S, g, lanes, t)
    return ready


@device
def is_buffered(S: State, g: int) -> int:
    """Return 1 if group g is at a store that goes to a store buffer (Q-DWS-5)."""
    row = seg(S, group(S, g).seg)
    return 1 if S.store_buffer == 1 and row.is_store == 1 and row.is_atomic == 0 else 0


@device
def leave_to_buffer(S: State, g: int, lanes: int, t: int) -> int:
    """Count a buffered store of `lanes` as served, and return t + 1 (Q-DWS-5).

    The store has claimed banks, ports and the bus as without a buffer.
    """
    grp = group(S, g)
    S.access_hits = lanes
    grp.hits = grp.mask
    grp.until_bank = 0
    grp.until_mshr = 0
    grp.until_l2 = 0
    return t + 1


@device
def move(S: State, w: int, g: int, lanes: int, t: int) -> int:
    """Move the data of `lanes` of group g's access; return 0 if a lane trapped, else 1."""
    on_move(S, w, g, lanes, t)
    refused = call(seg(S, group(S, g).seg).move, warp(S, group(S, g).warp).block, lanes)
    if refused != 0:
        trapped(S, w, g, refused)
        return 0
    return 1


@device
def branch(S: State, w: int, g: int, t: int) -> int:
    """Execute the branch that group g has issued and that ends at t; return 1 if g continues."""
    grp = group(S, g)
    taken = word64(warp(S, grp.warp).block + seg(S, grp.seg).cond_row, 0) & grp.mask
    count_branch(S, w, grp.seg, taken, grp.mask)
    spend(S, g)
    if S.status != RUNNING:
        return 0
    return on_branch(S, w, g, taken, t)


@device
def trapped(S: State, w: int, g: int, lanes: int) -> int:
    """Stop the run because `lanes` of group g trapped at its segment."""
    S.status = TRAPPED
    S.trap_w = w
    S.trap_g = g
    S.trap_seg = group(S, g).seg
    S.trap_lanes = lanes
    return 0


@device
def spend(S: State, g: int) -> int:
    """Stop the run if some work-item of group g's warp is certainly over its instruction budget.

    So it is once the warp has executed more than the budgets of all its work-items together.
    """
    owner = warp(S, group(S, g).warp)
    if owner.n_thread_instr > owner.limit:
        S.status = OVER_BUDGET
        S.trap_g = g
        S.trap_seg = group(S, g).seg
        S.trap_lanes = group(S, g).mask
    return 0
