"""The loop: the WPU with the earliest event runs it; dispatch, issue, access.

Engine code; docs/timing/engine.md, "Events". Everything that machines and policies decide is behind
the hooks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .intrinsics import NEVER, call, device, word64

if TYPE_CHECKING:
    from .account import charge_bubbles, charge_wait, count_access, count_branch
    from .causes import BANK, HIT, MEMORY
    from .groups import pick, wake
    from .hooks import (
        State,
        issue,
        on_access,
        on_branch,
        on_dispatch,
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
        due,
        group,
        next_event,
        seg,
        warp,
        wpu,
    )
    from .workgroups import distribute


@device
def run(S: State, events: int) -> int:
    """Run until everything has returned, something stops the run, or so many events are over.

    Answers the status: RUNNING if there is more to do, or the next event is not before S.pause_at.
    """
    S.status = RUNNING
    if S.starting == 1:
        S.starting = 0
        distribute(S, S.now)
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
        if S.status != RUNNING:
            break
    return S.status


@device
def dispatch(S: State, w: int, t: int) -> int:
    """Pick a group and let it issue; or sleep."""
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
    on_dispatch(S, w, g, t)
    charge_wait(S, w, g, t)
    it = group(S, g)
    due(S, it.slot).at = NEVER
    core.current = g
    core.last = it.warp
    if it.at_memory == 1:
        # Its data are there: the access is over.
        it.at_memory = 0
        it.done = 0
        it.seg = seg(S, it.seg).next
    return issue(S, w, g, t)


@device
def stop(S: State, w: int, t: int) -> int:
    """The current group has stopped: the next one is picked at t."""
    core = wpu(S, w)
    core.current = -1
    core.event = DISPATCH
    next_event(S, w).at = t
    return 0


@device
def access(S: State, w: int, t: int) -> int:
    """The memory instruction of the current group, in its own cycle."""
    core = wpu(S, w)
    g = core.current
    it = group(S, g)
    it.at_memory = 1
    on_memory_pc(S, w, g, t)
    lanes = it.mask & ~it.done
    ready = touch(S, w, g, lanes, t)
    if S.status != RUNNING:
        return 0
    wake(S, g, ready, HIT if S.access_hits == lanes else MEMORY)
    tell_of_misses(S, w, g, t)
    if S.access_bubbles > 0:
        charge_bubbles(S, w, g, BANK, S.access_bubbles)
    return stop(S, w, t + 1 + S.access_bubbles)


@device
def tell_of_misses(S: State, w: int, g: int, t: int) -> int:
    """The policy hears of an access that some lanes missed, once its group's wait is known."""
    it = group(S, g)
    if it.hits != it.mask:
        on_miss(S, w, g, t)
        if it.hits != 0:
            on_access(S, w, g, t)
    return 0


@device
def touch(S: State, w: int, g: int, lanes: int, t: int) -> int:
    """Ask the memory system when an access is over, and move its data.

    Answers the cycle at which all lanes are served; the group's boundaries and hit mask are set.
    """
    it = group(S, g)
    if lanes == 0:
        # Predicated off for all: it takes its slot, and nobody asks for anything.
        it.hits = 0
        S.access_hits = 0
        S.access_bubbles = 0
        return t + 1
    it.done |= lanes
    # A load may overwrite its own addresses: the data move when they have been looked at.
    ready = simd_access(S, w, g, lanes, t)
    if move(S, w, g, lanes, t) == 0:
        return 0
    # Lanes that were served before count as hits: they need not wait either.
    it.hits = S.access_hits | (it.mask & ~lanes)
    it.until_bank = S.access_until_bank
    it.until_mshr = S.access_until_mshr
    it.until_l2 = S.access_until_l2
    count_access(S, w, g, lanes)
    if is_buffered(S, g) == 1:
        return leave_to_buffer(S, g, lanes, t)
    return ready


@device
def is_buffered(S: State, g: int) -> int:
    """Whether a group stands at a store that nobody waits for (Q-DWS-5)."""
    row = seg(S, group(S, g).seg)
    return 1 if S.store_buffer == 1 and row.is_store == 1 and row.is_atomic == 0 else 0


@device
def leave_to_buffer(S: State, g: int, lanes: int, t: int) -> int:
    """A store claims its way as ever, and nobody waits for it (Q-DWS-5)."""
    it = group(S, g)
    S.access_hits = lanes
    it.hits = it.mask
    it.until_bank = 0
    it.until_mshr = 0
    it.until_l2 = 0
    return t + 1


@device
def move(S: State, w: int, g: int, lanes: int, t: int) -> int:
    """Move the data of an access; 0 if it trapped."""
    on_move(S, w, g, lanes, t)
    refused = call(seg(S, group(S, g).seg).move, warp(S, group(S, g).warp).block, lanes)
    if refused != 0:
        trapped(S, w, g, refused)
        return 0
    return 1


@device
def branch(S: State, w: int, g: int, t: int) -> int:
    """A group has issued the branch at which it stands, at t it is over: 1 if the group goes on."""
    it = group(S, g)
    taken = word64(warp(S, it.warp).block + seg(S, it.seg).cond_row, 0) & it.mask
    count_branch(S, w, it.seg, taken, it.mask)
    spend(S, g)
    if S.status != RUNNING:
        return 0
    return on_branch(S, w, g, taken, t)


@device
def trapped(S: State, w: int, g: int, lanes: int) -> int:
    """Some lanes of a group trapped at its segment: stop the run."""
    S.status = TRAPPED
    S.trap_w = w
    S.trap_g = g
    S.trap_seg = group(S, g).seg
    S.trap_lanes = lanes
    return 0


@device
def spend(S: State, g: int) -> int:
    """Stop the run if a work-item must have used up its budget of instructions."""
    owner = warp(S, group(S, g).warp)
    if owner.n_thread_instr > owner.limit:
        S.status = OVER_BUDGET
        S.trap_g = g
        S.trap_seg = group(S, g).seg
        S.trap_lanes = group(S, g).mask
    return 0
