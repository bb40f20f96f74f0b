"""Who owns which cycle: charged when a group is dispatched, exact by construction.

Engine code. A wait is cut at the boundaries that the access gave: bank conflicts up to
`until_bank`, a full MSHR file up to `until_mshr`, crossbar and second level up to `until_l2`, and
the group's own cause up to `ready`; what is left is "ready, not chosen".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .intrinsics import ctz, device, drop_lowest, inlined, popcount

if TYPE_CHECKING:
    from .causes import BANK, IDLE, ISSUED, L2, MSHR, N_CAUSES, READY
    from .groups import home
    from .hooks import State, on_event
    from .state import (
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

# What `on_event` is told of.
EV_ISSUE = 0  # a group issues the segment at which it stands
EV_ACCESS = 1  # its access was answered, for the lanes S.accessed: group.hits
EV_DISPATCH = 2  # its wait is over: ready_at, group.cause


@device
def charge_warp(S: State, w: int, s: int, cause: int, cycles: int) -> int:
    """Give cycles of a warp of WPU w, which stands at segment s (-1: nowhere), an owner."""
    warp_cycles(S, w * N_CAUSES + cause).cycles += cycles
    if s >= 0:
        seg_cycles(S, s * N_CAUSES + cause).cycles += cycles
    return 0


@device
def own_warp(S: State, w: int, v: int, s: int, cause: int, until: int) -> int:
    """What warp v, which stands at segment s, has waited up to a cycle had a cause."""
    owner = warp(S, v)
    if until > owner.busy:
        charge_warp(S, w, s, cause, until - owner.busy)
        owner.busy = until
    return 0


@inlined
def own_wait(S: State, w: int, v: int, s: int, cause: int, until: int) -> int:
    """The same for the slots of its WPU too, and at a segment: without a branch."""
    owner = warp(S, v)
    waited = max(0, until - owner.busy)
    owner.busy += waited
    warp_cycles(S, w * N_CAUSES + cause).cycles += waited
    seg_cycles(S, s * N_CAUSES + cause).cycles += waited
    core = wpu(S, w)
    stalled = max(0, until - core.busy)
    core.busy += stalled
    slot_cycles(S, w * N_CAUSES + cause).cycles += stalled
    return 0


@device
def charge_wait(S: State, w: int, g: int, t: int) -> int:
    """A group is dispatched at t: own what its warp and its WPU have waited."""
    on_event(S, EV_DISPATCH, w, g, t)
    wait = group(S, g)
    v = wait.warp
    s = wait.seg
    if wait.until_bank | wait.until_mshr | wait.until_l2 != 0:
        own_wait(S, w, v, s, BANK, min(wait.until_bank, t))
        own_wait(S, w, v, s, MSHR, min(wait.until_mshr, t))
        own_wait(S, w, v, s, L2, min(wait.until_l2, t))
        wait.until_bank = 0
        wait.until_mshr = 0
        wait.until_l2 = 0
    own_wait(S, w, v, s, wait.cause, min(ready_at(S, g).t, t))
    own_wait(S, w, v, s, READY, t)
    wpu(S, w).n_dispatch += 1
    return 0


@device
def charge_context(S: State, w: int, g: int, v: int, t: int) -> int:
    """Own what warp v has waited up to t, for the reasons of group g."""
    wait = group(S, g)
    own_warp(S, w, v, wait.seg, BANK, min(wait.until_bank, t))
    own_warp(S, w, v, wait.seg, MSHR, min(wait.until_mshr, t))
    own_warp(S, w, v, wait.seg, L2, min(wait.until_l2, t))
    own_warp(S, w, v, wait.seg, wait.cause, min(ready_at(S, g).t, t))
    return own_warp(S, w, v, wait.seg, READY, t)


@device
def charge_issue(S: State, w: int, g: int, s: int, n: int, lanes: int, t: int) -> int:
    """n instructions of segment s issue from cycle t on, for so many lanes."""
    on_event(S, EV_ISSUE, w, g, t)
    charge_slots(S, w, g, s, n, lanes, t)
    return charge_lanes(S, w, group(S, g).warp, s, n, lanes, t)


@device
def charge_slots(S: State, w: int, g: int, s: int, n: int, lanes: int, t: int) -> int:
    """The WPU's side of an issue."""
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
    """A warp's side of an issue in which it has so many lanes."""
    owner = warp(S, v)
    owner.n_thread_instr += n * lanes
    warp_cycles(S, w * N_CAUSES + ISSUED).cycles += n
    seg_cycles(S, s * N_CAUSES + ISSUED).cycles += n
    owner.busy = t + n
    return 0


@device
def join_issue(S: State, w: int, g: int, more: int) -> int:
    """So many lanes join the instruction that the group has issued last, before it is over."""
    it = group(S, g)
    lanes = popcount(it.mask)
    wpu(S, w).n_thread_instr += more
    warp(S, it.warp).n_thread_instr += more
    seg_count(S, it.seg).lanes += more
    width_count(S, w * (S.width + 1) + lanes).cycles -= 1
    width_count(S, w * (S.width + 1) + lanes + more).cycles += 1
    return 0


@device
def count_branch(S: State, w: int, s: int, taken: int, lanes: int) -> int:
    """The branch of segment s was issued for some lanes, of which some take it.

    One that leads to the next instruction either way divides nobody.
    """
    core = wpu(S, w)
    core.n_branch += 1
    row = seg(S, s)
    if taken != 0 and taken != lanes and row.target != row.next:
        core.n_branch_div += 1
        seg_count(S, s).n_div += 1
    return 0


@device
def count_access(S: State, w: int, g: int, lanes: int) -> int:
    """Count an access of some lanes of a group; the first level serves `S.access_hits`."""
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
            at = home(S, g, lane) * S.width + lane
            lane_misses(S, at).n += 1
            lane_stalls(S, at).n += divergent
        return 0
    first = group(S, g).warp * S.width
    for lane in range(S.width):
        # Without a branch this is a few vector instructions.
        lane_misses(S, first + lane).n += (missed >> lane) & 1
    if divergent == 1:
        for lane in range(S.width):
            lane_stalls(S, first + lane).n += (missed >> lane) & 1
    return 0


@device
def charge_bubbles(S: State, w: int, g: int, cause: int, cycles: int) -> int:
    """Issue slots behind a group's last instruction that it takes without issuing."""
    slot_cycles(S, w * N_CAUSES + cause).cycles += cycles
    wpu(S, w).busy += cycles
    return charge_longer(S, w, group(S, g).warp, group(S, g).seg, cause, cycles)


@device
def charge_longer(S: State, w: int, v: int, s: int, cause: int, cycles: int) -> int:
    """A warp is kept at segment s for so many cycles more."""
    charge_warp(S, w, s, cause, cycles)
    warp(S, v).busy += cycles
    return 0


@device
def charge_idle(S: State, w: int, v: int, t: int) -> int:
    """A warp context was empty up to t."""
    owner = warp(S, v)
    if t > owner.busy:
        warp_cycles(S, w * N_CAUSES + IDLE).cycles += t - owner.busy
        owner.busy = t
    return 0


def setup(machine: object) -> dict[str, int]:
    """The lanes of the access at hand."""
    return {"accessed": 0}
