"""The accounting of cycles: every cycle has one owner, charged when a group is dispatched.

Engine code. A wait is cut at the boundaries that the access gave. Bank conflicts last up to
`until_bank`, a full MSHR file up to `until_mshr`, crossbar and second level up to `until_l2`. The
group's own cause lasts up to `ready_at`. The rest of the wait is "ready, not chosen".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .intrinsics import WORD, add_parts, count_lanes, ctz, device, drop_lowest, popcount

if TYPE_CHECKING:
    from .causes import BANK, BARRIER, IDLE, ISSUED, L2, MSHR, N_CAUSES, READY
    from .groups import home
    from .hooks import State, on_event
    from .state import (
        GROUP_BYTES,
        GROUP_UNTIL,
        degree_count,
        group,
        lane_misses,
        lane_stalls,
        ready_at,
        seg,
        seg_count,
        seg_cycles,
        slot_cycles,
        warp,
        warp_cycles,
        width_count,
        wpu,
    )

# The kinds of events that `on_event` records.
EV_ISSUE = 0  # a group issues its segment
EV_ACCESS = 1  # the memory system has replied for the lanes S.accessed: group.hits
EV_DISPATCH = 2  # a group's wait ends: ready_at, group.cause
EV_BRANCH = 3  # a group has issued a branch, whose outcome is in its condition register
EV_JOIN = 4  # a group is about to merge, and issues the other's last instruction with it
EV_TURN = 5  # an event of the loop has ended; the group is the one that continues, or -1


@device
def charge_warp(S: State, w: int, s: int, cause: int, cycles: int) -> int:
    """Charge `cycles` of a warp of WPU w that is at segment s (-1: none) to `cause`."""
    warp_cycles(S, w * N_CAUSES + cause).cycles += cycles
    if s >= 0:
        seg_cycles(S, s * N_CAUSES + cause).cycles += cycles
    return 0


@device
def charge_warp_until(S: State, w: int, v: int, s: int, cause: int, until: int) -> int:
    """Charge warp v's wait at segment s up to cycle `until` to `cause`."""
    owner = warp(S, v)
    if until > owner.busy:
        charge_warp(S, w, s, cause, until - owner.busy)
        owner.busy = until
    return 0


@device
def charge_wait(S: State, w: int, g: int, t: int) -> int:
    """Charge what group g's warp and WPU w have waited until g is dispatched at t."""
    on_event(S, EV_DISPATCH, w, g, t)
    grp = group(S, g)
    owner = warp(S, grp.warp)
    core = wpu(S, w)
    core.n_dispatch += 1
    causes = WORD * N_CAUSES
    add_parts(
        S.p_group + GROUP_BYTES * g + GROUP_UNTIL,
        ready_at(S, g).t,
        t,
        grp.cause,
        owner.busy,
        S.p_warp_cycles + causes * w,
        S.p_seg_cycles + causes * grp.seg,
        core.busy,
        S.p_slot_cycles + causes * w,
    )
    owner.busy = max(owner.busy, t)
    core.busy = max(core.busy, t)
    grp.until_bank = 0
    grp.until_mshr = 0
    grp.until_l2 = 0
    return 0


@device
def charge_context(S: State, w: int, g: int, v: int, t: int) -> int:
    """Charge what warp v has waited up to t, cut at the boundaries of group g's wait."""
    grp = group(S, g)
    charge_warp_until(S, w, v, grp.seg, BANK, min(grp.until_bank, t))
    charge_warp_until(S, w, v, grp.seg, MSHR, min(grp.until_mshr, t))
    charge_warp_until(S, w, v, grp.seg, L2, min(grp.until_l2, t))
    charge_warp_until(S, w, v, grp.seg, grp.cause, min(ready_at(S, g).t, t))
    return charge_warp_until(S, w, v, grp.seg, READY, t)


@device
def charge_issue(S: State, w: int, g: int, s: int, n: int, lanes: int, t: int) -> int:
    """Charge n instructions of segment s, which group g issues at t with `lanes` lanes."""
    on_event(S, EV_ISSUE, w, g, t)
    charge_slots(S, w, g, s, n, lanes, t)
    return charge_lanes(S, w, group(S, g).warp, s, n, lanes, t)


@device
def charge_slots(S: State, w: int, g: int, s: int, n: int, lanes: int, t: int) -> int:
    """Charge an issue to WPU w: slots, instructions, and the counts of segment s."""
    core = wpu(S, w)
    core.n_warp_instr += n
    core.n_thread_instr += n * lanes
    group(S, g).count += n
    group(S, g).issued += n
    width_count(S, w * (S.width + 1) + lanes).cycles += n
    slot_cycles(S, w * N_CAUSES + ISSUED).cycles += n
    counts = seg_count(S, s)
    counts.runs += 1
    counts.lanes += lanes
    core.busy = t + n
    return 0


@device
def charge_lanes(S: State, w: int, v: int, s: int, n: int, lanes: int, t: int) -> int:
    """Charge an issue to warp v, which has `lanes` lanes in it."""
    owner = warp(S, v)
    owner.n_thread_instr += n * lanes
    warp_cycles(S, w * N_CAUSES + ISSUED).cycles += n
    seg_cycles(S, s * N_CAUSES + ISSUED).cycles += n
    owner.busy = t + n
    return 0


@device
def join_issue(S: State, w: int, g: int, n_joining: int) -> int:
    """Add `n_joining` lanes to the access that group g issued last, while it issues.

    Lanes of g that have made the access already do not issue it.
    """
    grp = group(S, g)
    lanes = popcount(grp.mask & ~grp.done)
    wpu(S, w).n_thread_instr += n_joining
    warp(S, grp.warp).n_thread_instr += n_joining
    seg_count(S, grp.seg).lanes += n_joining
    width_count(S, w * (S.width + 1) + lanes).cycles -= 1
    width_count(S, w * (S.width + 1) + lanes + n_joining).cycles += 1
    return 0


@device
def count_branch(S: State, w: int, s: int, taken: int, lanes: int) -> int:
    """Count the branch of segment s, which `lanes` issue and `taken` take.

    It is divergent only if its two ways lead to different segments.
    """
    core = wpu(S, w)
    on_event(S, EV_BRANCH, w, core.current, S.now)
    core.n_branch += 1
    row = seg(S, s)
    if taken != 0 and taken != lanes and row.target != row.next:
        core.n_branch_div += 1
        seg_count(S, s).n_div += 1
    return 0


@device
def count_access(S: State, w: int, g: int, lanes: int) -> int:
    """Count an access of `lanes` of group g, of which the first level serves `S.access_hits`."""
    S.accessed = lanes
    on_event(S, EV_ACCESS, w, g, S.now)
    core = wpu(S, w)
    core.n_access += 1
    missed = lanes & ~S.access_hits
    if missed == 0:
        return 0
    divergent = 1 if S.access_hits & lanes != 0 else 0
    degree = popcount(missed)
    core.n_miss += 1
    counts = seg_count(S, group(S, g).seg)
    counts.n_miss += 1
    counts.miss_lanes += degree
    if divergent == 1:
        core.n_miss_div += 1
        counts.n_miss_div += 1
        degree_count(S, w * (S.width + 1) + degree).cycles += 1
    if S.access_is_packed == 1:
        while missed != 0:
            lane = ctz(missed)
            missed = drop_lowest(missed)
            index = home(S, g, lane) * S.width + lane
            lane_misses(S, index).n += 1
            lane_stalls(S, index).n += divergent
        return 0
    first = group(S, g).warp * S.width
    count_lanes(S.p_lane_misses + WORD * first, S.width, missed)
    if divergent == 1:
        count_lanes(S.p_lane_stalls + WORD * first, S.width, missed)
    return 0


@device
def charge_bubbles(S: State, w: int, g: int, cause: int, cycles: int) -> int:
    """Charge issue slots after group g's last instruction in which nothing issues to `cause`."""
    slot_cycles(S, w * N_CAUSES + cause).cycles += cycles
    wpu(S, w).busy += cycles
    return charge_longer(S, w, group(S, g).warp, group(S, g).seg, cause, cycles)


@device
def charge_longer(S: State, w: int, v: int, s: int, cause: int, cycles: int) -> int:
    """Charge `cycles` more that warp v is kept at segment s to `cause`."""
    charge_warp(S, w, s, cause, cycles)
    warp(S, v).busy += cycles
    return 0


@device
def charge_idle(S: State, w: int, v: int, t: int) -> int:
    """Charge the cycles in which context v had no warp, up to t, to IDLE."""
    owner = warp(S, v)
    if t > owner.busy:
        warp_cycles(S, w * N_CAUSES + IDLE).cycles += t - owner.busy
        owner.busy = t
    return 0


@device
def close_launch(S: State) -> int:
    """Charge what remains after a launch: idle up to its end, then the barrier between launches."""
    for w in range(S.wpus):
        core = wpu(S, w)
        slots = w * N_CAUSES
        slot_cycles(S, slots + IDLE).cycles += S.ended - min(core.busy, S.ended)
        slot_cycles(S, slots + BARRIER).cycles += S.now - max(core.busy, S.ended)
        core.busy = S.now
        for v in range(w * S.warps, (w + 1) * S.warps):
            owner = warp(S, v)
            warp_cycles(S, slots + IDLE).cycles += S.ended - min(owner.busy, S.ended)
            warp_cycles(S, slots + BARRIER).cycles += S.now - max(owner.busy, S.ended)
            owner.busy = S.now
    return 0


def setup(machine: object) -> dict[str, int]:
    """Return the word for the lanes of the current access."""
    return {"accessed": 0}
