"""A shadow of every lane: its segment, the arrival of its data, and what hooks may do with it.

Engine code, in the composition of a checked engine only (checks.py), which the plain engine always
is. A lane executes its own instructions in order, whichever group it is in. So this file follows
each lane alone: the segment that it reaches next, the cycle from which it may issue, and whether it
has issued an access that has not moved its data. Groups, slots and dates must agree with that
whenever a hook has ended, and when lanes issue.

A function here that has the name of another file's function replaces it; the replaced one is called
`unchecked_` and its name. The first fault is kept, and stops the run (faults.py).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .intrinsics import (
    NEVER,
    WORD,
    ctz,
    device,
    drop_lowest,
    lanes_in_steps,
    low_bits,
    popcount,
    record,
    table,
    word64,
    words_up_to,
)

if TYPE_CHECKING:
    from ..compiler.checks import (
        HOOK_ON_START,
        HOOK_ON_SYNC,
        HOOK_RANK,
        HOOK_SIMD_ACCESS,
        IN_PACKS,
        OWN_SCHEDULER,
        unchecked_compute,
        unchecked_enter_barrier,
        unchecked_make_group,
        unchecked_move,
        unchecked_on_lanes_served,
        unchecked_on_start,
        unchecked_open_barrier,
        unchecked_pick,
        unchecked_simd_access,
        unchecked_wake,
    )
    from ..machines.machine import Machine
    from .causes import BARRIER
    from .faults import (
        ACCESSES_TWICE,
        BAD_SLOT,
        BOUNDARIES,
        DUE_EARLY,
        ELSEWHERE,
        HITS_LATE,
        HITS_OF_OTHERS,
        IN_THE_PAST,
        IN_TWO_GROUPS,
        ISSUES_EARLY,
        ISSUES_ELSEWHERE,
        NO_SUCH_GROUP,
        NO_SUCH_LEAD,
        NO_SUCH_SEGMENT,
        NOT_A_COUNT,
        NOT_AT_BARRIER,
        NOT_LIVE,
        OF_ANOTHER_WARP,
        OWES_ACCESS,
        TOO_MANY_GROUPS,
        WAKES_EARLY,
        blame,
        group_is_alive,
    )
    from .groups import home
    from .hooks import State
    from .loop import is_buffered
    from .memory.private import is_on_chip
    from .state import (
        RUNNING,
        SEG_ACCESS,
        SEG_BARRIER,
        SEG_BRANCH,
        SEG_EXIT,
        SEG_JUMP,
        due,
        group,
        ready_at,
        seg,
        slot,
        warp,
        workgroup,
    )

lane_next = table("lane_next", record(seg="i8"))
"""The segment that a lane issues next; RETURNED for none. Index: warp * S.width + lane."""
lane_ready = table("lane_ready", record(t="i8"))
"""The cycle from which a lane may issue; NEVER while it waits at a barrier. Index as above."""
lane_owes = table("lane_owes", record(mask="i8"))
"""The lanes of a warp that have issued an access and not moved its data."""

lane_served = table("lane_served", record(t="i8"))
"""The cycle at which the memory system serves a lane in the current access, 0 if it is unknown.
Index as above."""

RETURNED = -2


# --- what the state says


@device
def check_groups(S: State, w: int, g: int, leaving: int) -> int:
    """Compare the groups of g's warp with their lanes; of the whole WPU w for g = -1 and packs.

    `leaving` is a group that has returned and is about to end, or -1.
    """
    first = w * S.warps
    end = first + S.warps
    if g >= 0 and IN_PACKS == 0:
        first = g // S.width
        end = first + 1
    for v in range(first, end):
        if S.status == RUNNING:
            check_warp(S, w, v, leaving)
    return 0


@device
def check_warp(S: State, w: int, v: int, leaving: int) -> int:
    """Compare the groups of warp v, except `leaving`, with its lanes."""
    grouped = 0
    groups = warp(S, v).groups
    while groups != 0 and S.status == RUNNING:
        h = v * S.width + ctz(groups)
        groups = drop_lowest(groups)
        if h == leaving:
            continue
        mask = group(S, h).mask
        if mask & ~warp(S, v).live != 0:
            blame(S, NOT_LIVE, w, h, mask & ~warp(S, v).live, 0, 0)
        elif mask & grouped != 0:
            blame(S, IN_TWO_GROUPS, w, h, mask & grouped, 0, 0)
        elif group(S, h).warp != v:
            blame(S, OF_ANOTHER_WARP, w, h, mask, h, 0)
        else:
            check_group(S, w, v, h)
        grouped |= mask
    return 0


@device
def check_group(S: State, w: int, v: int, h: int) -> int:
    """Compare the segment and the date of group h with those of its lanes."""
    mask = group(S, h).mask
    g = group(S, h).lead
    if g < 0 or g >= S.wpus * S.warps * S.width or group_is_alive(S, g) == 0:
        return blame(S, NO_SUCH_LEAD, w, h, mask, g, 0)
    lead = group(S, g)
    s = lead.seg
    if s < 0 or s >= S.segments:
        return blame(S, NO_SUCH_SEGMENT, w, h, mask, s, 0)
    stray = mask & ~lanes_before(S, v, s)
    if stray != 0:
        # It may have issued the segment: an access whose data it waits for, or a barrier.
        waits = lead.cause == BARRIER and ready_at(S, g).t == NEVER
        if lead.at_memory == 1 or (waits and seg(S, s).kind == SEG_BARRIER):
            stray &= ~lanes_before(S, v, seg(S, s).next)
    if stray != 0:
        return blame(S, ELSEWHERE, w, h, stray, s, lane_next(S, v * S.width + ctz(stray)).seg)
    i = lead.slot
    if i < 0:
        return 0
    if i < w * S.slots or i >= (w + 1) * S.slots or slot(S, i).group != g:
        return blame(S, BAD_SLOT, w, h, mask, i, 0)
    # Other ready groups may have joined a group whose date has passed.
    at = max(due(S, i).at, S.now)
    unready = mask & ~lanes_ready(S, v, at) if at < NEVER else 0
    if unready != 0:
        return blame(S, DUE_EARLY, w, h, unready, at, lane_ready(S, v * S.width + ctz(unready)).t)
    return 0


@device
def lanes_before(S: State, v: int, s: int) -> int:
    """Return the lanes of warp v that issue segment s next."""
    return lanes_in_steps(S.p_lane_next + WORD * v * S.width, S.width, s, 0)


@device
def lanes_ready(S: State, v: int, t: int) -> int:
    """Return the lanes of warp v that may issue at t."""
    return words_up_to(S.p_lane_ready + WORD * v * S.width, S.width, t)


# --- what lanes do


@device
def on_start(S: State, w: int, v: int, t: int) -> int:
    """Put all lanes of a warp that begins before the first segment, and check its first groups."""
    send_lanes(S, v, warp(S, v).live, 0)
    hold_lanes(S, v, -1, 0)
    hold_lanes(S, v, warp(S, v).live, t)
    lane_owes(S, v).mask = 0
    outer = S.hook
    S.hook = HOOK_ON_START
    unchecked_on_start(S, w, v, t)
    if outer == 0 and S.status == RUNNING:
        check_warp(S, w, v, -1)
    S.hook = outer
    return 0


@device
def pick(S: State, w: int, t: int) -> int:
    """Pick a group, and compare all groups of WPU w with their lanes after a user's scheduler."""
    g = unchecked_pick(S, w, t)
    if OWN_SCHEDULER == 1 and S.status == RUNNING:
        S.hook = HOOK_RANK
        check_groups(S, w, -1, -1)
        S.hook = 0
    return g


@device
def compute(S: State, w: int, g: int, t: int) -> int:
    """Check that the lanes of group g are before its segment and ready at t, and execute it."""
    grp = group(S, g)
    v = grp.warp
    s = grp.seg
    mask = grp.mask
    stray = mask & ~lanes_before(S, v, s)
    unready = mask & ~lanes_ready(S, v, t)
    if S.status != RUNNING:
        return 0
    if stray != 0:
        return blame(
            S, ISSUES_ELSEWHERE, w, g, stray, s, lane_next(S, v * S.width + ctz(stray)).seg
        )
    if unready != 0:
        return blame(S, ISSUES_EARLY, w, g, unready, t, lane_ready(S, v * S.width + ctz(unready)).t)
    if mask & lane_owes(S, v).mask != 0:
        return blame(S, OWES_ACCESS, w, g, mask & lane_owes(S, v).mask, s, 0)
    if unchecked_compute(S, w, g, t) == 0:
        return 0
    row = seg(S, s)
    kind = row.kind
    hold_lanes(S, v, mask, t + row.n_instr - 1 + S.pipeline)
    if kind == SEG_BRANCH:
        taken = word64(warp(S, v).block + row.cond_row, 0) & mask
        send_lanes(S, v, taken, row.target)
        send_lanes(S, v, mask & ~taken, row.next)
    elif kind == SEG_JUMP:
        send_lanes(S, v, mask, row.target)
    elif kind == SEG_EXIT:
        send_lanes(S, v, mask, RETURNED)
    else:
        send_lanes(S, v, mask, row.next)
        if kind == SEG_BARRIER:
            hold_lanes(S, v, mask, NEVER)
        elif kind == SEG_ACCESS and is_on_chip(S, row.space) == 0:
            lane_owes(S, v).mask |= mask
    return 1


@device
def send_lanes(S: State, v: int, lanes: int, s: int) -> int:
    """Let `lanes` of warp v issue segment s next."""
    while lanes != 0:
        lane_next(S, v * S.width + ctz(lanes)).seg = s
        lanes = drop_lowest(lanes)
    return 0


@device
def hold_lanes(S: State, v: int, lanes: int, t: int) -> int:
    """Let `lanes` of warp v, -1 for all, issue from cycle t on."""
    lanes &= low_bits(S.width)
    while lanes != 0:
        lane_ready(S, v * S.width + ctz(lanes)).t = t
        lanes = drop_lowest(lanes)
    return 0


@device
def move(S: State, w: int, g: int, lanes: int, t: int) -> int:
    """Check that each of `lanes` accesses memory once for each time that it issues the access."""
    grp = group(S, g)
    v = grp.warp
    s = group(S, grp.lead).seg
    if is_on_chip(S, seg(S, s).space) == 0:
        # Lanes that join a group at an access that is a segment of its own have not issued it.
        twice = lanes & ~(lane_owes(S, v).mask | lanes_before(S, v, s))
        if twice != 0:
            return blame(S, ACCESSES_TWICE, w, g, twice, s, 0)
        lane_owes(S, v).mask &= ~lanes
        send_lanes(S, v, lanes, seg(S, s).next)
    return unchecked_move(S, w, g, lanes, t)


@device
def simd_access(S: State, w: int, g: int, lanes: int, t: int) -> int:
    """Check the memory system's reply, and let each lane issue once it is served."""
    outer = S.hook
    S.hook = HOOK_SIMD_ACCESS
    rest = lanes
    while rest != 0:
        lane_served(S, home(S, g, ctz(rest)) * S.width + ctz(rest)).t = 0
        rest = drop_lowest(rest)
    ready = unchecked_simd_access(S, w, g, lanes, t)
    if S.status == RUNNING:
        check_access(S, w, g, lanes, t, ready)
    S.hook = outer
    if S.status != RUNNING:
        return t + 1
    rest = lanes
    while rest != 0:
        lane = ctz(rest)
        rest = drop_lowest(rest)
        index = home(S, g, lane) * S.width + lane
        row = lane_ready(S, index)
        served_at = ready
        if S.access_hits != lanes and (S.access_hits >> lane) & 1 == 1:
            served_at = S.access_hits_at
        elif lane_served(S, index).t > 0:
            served_at = min(ready, lane_served(S, index).t)
        row.t = max(row.t, t + 1 if is_buffered(S, group(S, g).lead) == 1 else served_at)
    return ready


@device
def on_lanes_served(S: State, w: int, g: int, lanes: int, t: int) -> int:
    """Keep the cycle t at which the memory system serves `lanes` of group g."""
    rest = lanes
    while rest != 0:
        lane_served(S, home(S, g, ctz(rest)) * S.width + ctz(rest)).t = t
        rest = drop_lowest(rest)
    return unchecked_on_lanes_served(S, w, g, lanes, t)


@device
def check_access(S: State, w: int, g: int, lanes: int, t: int, ready: int) -> int:
    """Check that an access takes at least a cycle, and that its boundaries are in order."""
    if ready <= t:
        return blame(S, IN_THE_PAST, w, g, lanes, ready, t + 1)
    if S.access_hits & ~lanes != 0:
        return blame(S, HITS_OF_OTHERS, w, g, S.access_hits & ~lanes, S.access_hits, lanes)
    if S.access_hits_at < t or S.access_hits_at > ready:
        return blame(S, HITS_LATE, w, g, S.access_hits, S.access_hits_at, ready)
    if S.access_bubbles < 0:
        return blame(S, NOT_A_COUNT, w, g, lanes, S.access_bubbles, 0)
    until_mshr = max(S.access_until_mshr, 0)
    if S.access_until_bank > t:
        if (until_mshr > t and until_mshr < S.access_until_bank) or S.access_until_bank > ready:
            return blame(S, BOUNDARIES, w, g, lanes, S.access_until_bank, ready)
    if S.access_until_l2 > t:
        if max(until_mshr, S.access_until_bank) > S.access_until_l2 or S.access_until_l2 > ready:
            return blame(S, BOUNDARIES, w, g, lanes, S.access_until_l2, ready)
    if until_mshr > ready:
        return blame(S, BOUNDARIES, w, g, lanes, until_mshr, ready)
    return 0


@device
def enter_barrier(S: State, w: int, g: int, v: int, s: int, t: int) -> int:
    """Check that all live lanes of warp v have issued the barrier that it enters."""
    missing = warp(S, v).live & lanes_ready(S, v, NEVER - 1)
    if missing != 0 and S.status == RUNNING:
        S.hook = HOOK_ON_SYNC
        blame(S, NOT_AT_BARRIER, w, g, missing, s, 0)
        S.hook = 0
        return 0
    return unchecked_enter_barrier(S, w, g, v, s, t)


@device
def open_barrier(S: State, w: int, first: int, t: int) -> int:
    """Check that all live lanes of the workgroup have issued the barrier, and let them continue."""
    rest = workgroup(S, first).contexts
    while rest != 0:
        v = w * S.warps + ctz(rest)
        rest = drop_lowest(rest)
        missing = warp(S, v).live & lanes_ready(S, v, NEVER - 1)
        if missing != 0 and S.status == RUNNING:
            blame(S, NOT_AT_BARRIER, w, v * S.width, missing, workgroup(S, first).barrier, 0)
        hold_lanes(S, v, warp(S, v).live, t)
    if S.status != RUNNING:
        return 0
    return unchecked_open_barrier(S, w, first, t)


# --- what hooks call


@device
def wake(S: State, g: int, t: int, cause: int) -> int:
    """Check that group g exists and that it is not woken in the past."""
    S.wakes += 1
    if g < 0 or g >= S.wpus * S.warps * S.width:
        return blame(S, NO_SUCH_GROUP, 0, -1, 0, g, 0)
    if t < S.now:
        return blame(S, WAKES_EARLY, g // S.width // S.warps, g, group(S, g).mask, t, S.now)
    return unchecked_wake(S, g, t, cause)


@device
def make_group(S: State, v: int, mask: int, s: int) -> int:
    """Check that a warp has at most one group per lane."""
    S.wakes += 1
    if popcount(warp(S, v).groups) >= S.width:
        blame(S, TOO_MANY_GROUPS, v // S.warps, v * S.width, mask, S.width, 0)
        return v * S.width
    return unchecked_make_group(S, v, mask, s)


def setup(machine: Machine) -> dict[str, Any]:
    """Return a shadow of each lane, and the number of the kernel's segments."""
    warps = machine.wpus * machine.warps
    return {
        "segments": 0,
        "lane_next": warps * machine.width,
        "lane_ready": warps * machine.width,
        "lane_served": warps * machine.width,
        "lane_owes": warps,
    }
