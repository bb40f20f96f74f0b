"""Dynamic warp formation without a stack: warps split at branches and merge in the pool (LWM-17).

Engine code. A warp is a pack (packs.py) in which every lane has one part. A warp that leaves the
pipeline enters the *pool* of warps that can be fetched, and first merges with the youngest one at
the same PC there. Lanes that are free in that one move over; the others stay a warp of their own,
which is then the youngest. Warps in the pool never merge later, so that holes in older warps
remain. Warps that leave the pipeline between two fetches do so in order, before the second fetch
(`on_turn`).

At a barrier, threads rejoin the warps in which they began, and continue in these.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...intrinsics import device, popcount, record, table

if TYPE_CHECKING:
    from ....machines.machine import Machine
    from ...causes import BARRIER, CODE, IDLE, PIPELINE
    from ...groups import (
        count_groups,
        end_group,
        new_group,
        park,
        schedule,
        wake,
    )
    from ...hooks import State
    from ...state import RUNNING, due, group, ready_at, seg, slot, warp, wpu
    from ...workgroups import diverged, enter_barrier
    from .packs import charge_homes, charge_pipeline, end_pack, join_packs, part, part_chosen

POOL = record(
    lanes="i8",  # lanes of all its parts
    inside="i8",  # 1: in the pool, 0: in the pipeline or waiting
    entered="i8",  # number of its entry into the pool
    fetched="i8",  # number of its last fetch
    passed="i8",  # re-convergence points that it has passed (LWM-19)
    same_pc="i8",  # threads in the pool at its PC (LWM-18)
)
pool = table("pool", POOL)
"""A pack's record; index as its lead."""

BARRIER_WAIT = record(lanes="i8", seg="i8", first="i8")
barrier_wait = table("barrier_wait", BARRIER_WAIT)
"""Per warp context: its lanes that wait at a barrier, the segment of that, and their group."""


@device
def on_start(S: State, w: int, v: int, t: int) -> int:
    """Begin warp v whole."""
    g = new_group(S, v, warp(S, v).live, 0)
    part(S, g).next = -1
    barrier_wait(S, v).lanes = 0
    entry = pool(S, g)
    entry.lanes = warp(S, v).live
    entry.inside = 0
    entry.fetched = 0
    entry.passed = 0
    wake(S, g, t, IDLE)
    schedule(S, w, g)
    return 0


# --- the pool


@device
def on_turn(S: State, w: int, t: int) -> int:
    """Let warps that have left the pipeline, or got their data, enter the pool in order."""
    g = next_retired(S, w, t)
    while g >= 0:
        enter_pool(S, w, g)
        g = next_retired(S, w, t)
    return 0


@device
def next_retired(S: State, w: int, t: int) -> int:
    """Return the first of the warps that are ready by t and not in the pool; -1 for none."""
    first = -1
    for i in range(w * S.slots, w * S.slots + wpu(S, w).slots_used):
        ready = due(S, i).at
        if ready > t or pool(S, slot(S, i).group).inside == 1:
            continue
        g = slot(S, i).group
        if first >= 0:
            best = ready_at(S, first).t
            if ready > best:
                continue
            if ready == best:
                later = pool(S, g).fetched - pool(S, first).fetched
                if later > 0 or (later == 0 and group(S, g).seq > group(S, first).seq):
                    continue
        first = g
    return first


@device
def enter_pool(S: State, w: int, g: int) -> int:
    """Merge retired warp g with the youngest one at its PC; what remains of g enters the pool."""
    grp = group(S, g)
    charge_homes(S, w, g, ready_at(S, g).t)
    if grp.at_memory == 1:
        grp.at_memory = 0
        grp.done = 0
        grp.seg = seg(S, grp.seg).next
    same_pc = count_same_pc(S, w, grp.seg, popcount(pool(S, g).lanes))
    if grp.cause != CODE:
        pool(S, g).passed += seg(S, grp.seg).is_join
        g = merge_youngest(S, w, g)
    if g >= 0:
        S.entries += 1
        entry = pool(S, g)
        entry.entered = S.entries
        entry.inside = 1
        entry.same_pc = same_pc
    return 0


@device
def merge_youngest(S: State, w: int, g: int) -> int:
    """Move lanes of warp g to the youngest warp at its PC; return what remains, -1 for none."""
    s = group(S, g).seg
    youngest = -1
    for i in range(w * S.slots, w * S.slots + wpu(S, w).slots_used):
        h = slot(S, i).group
        if h >= 0 and pool(S, h).inside == 1 and group(S, h).seg == s:
            if youngest < 0 or pool(S, h).entered > pool(S, youngest).entered:
                youngest = h
    if youngest < 0:
        return g
    lanes = pool(S, g).lanes
    moving_lanes = lanes & ~pool(S, youngest).lanes
    if moving_lanes == 0:
        return g
    S.n_pc_merge += 1
    remainder = -1
    if group(S, g).mask & ~moving_lanes != 0:
        remainder = g
        g = split_pack(S, w, g, moving_lanes)
    elif moving_lanes != lanes:
        remainder = split_pack(S, w, g, lanes & ~moving_lanes)
    absorb(S, youngest, g)
    return remainder


@device
def count_same_pc(S: State, w: int, s: int, n: int) -> int:
    """Add n to the threads in the pool at segment s; return their number, n if there were none."""
    if S.by_passed == 1:
        return 0
    same_pc = n
    for i in range(w * S.slots, w * S.slots + wpu(S, w).slots_used):
        h = slot(S, i).group
        if h >= 0 and pool(S, h).inside == 1 and group(S, h).seg == s:
            pool(S, h).same_pc += n
            same_pc = pool(S, h).same_pc
    return same_pc


@device
def on_dispatch(S: State, w: int, g: int, t: int) -> int:
    """Take warp g, which is fetched, out of the pool."""
    charge_homes(S, w, g, t)
    S.fetches += 1
    entry = pool(S, g)
    entry.fetched = S.fetches
    entry.inside = 0
    count_same_pc(S, w, group(S, g).seg, -popcount(entry.lanes))
    return 0


# --- splitting and merging warps


@device
def split_pack(S: State, w: int, g: int, lanes: int) -> int:
    """Make `lanes` of warp g, not all of its lead, a warp of their own; return it."""
    h = g
    while h >= 0:
        part(S, h).chosen = group(S, h).mask & lanes
        h = part(S, h).next
    return part_warp(S, w, g, lanes)


@device
def part_warp(S: State, w: int, g: int, lanes: int) -> int:
    """Make the chosen lanes of warp g, which are `lanes`, a warp of their own; return it."""
    first = part_chosen(S, g)
    pool(S, g).lanes &= ~lanes
    entry = pool(S, first)
    entry.lanes = lanes
    entry.inside = 0
    entry.fetched = pool(S, g).fetched
    entry.passed = pool(S, g).passed
    schedule(S, w, first)
    return first


@device
def absorb(S: State, target: int, g: int) -> int:
    """Move all of warp g to warp `target`, where its lanes are free."""
    pool(S, target).lanes |= pool(S, g).lanes
    # The merged warp has passed only what both have passed.
    pool(S, target).passed = min(pool(S, target).passed, pool(S, g).passed)
    return join_packs(S, target, g, 0)


# --- control flow


@device
def on_branch(S: State, w: int, g: int, taken: int, t: int) -> int:
    """Split warp g where its lanes diverge: both warps leave the pipeline at t."""
    grp = group(S, g)
    row = seg(S, grp.seg)
    lanes = pool(S, g).lanes
    jumps = 0
    h = g
    while h >= 0:
        jumps |= part(S, h).taken
        h = part(S, h).next
    if jumps == lanes or row.target == row.next:
        grp.seg = row.target
        return 1
    if jumps == 0:
        grp.seg = row.next
        return 1
    S.n_branch_split += 1
    if grp.mask & ~jumps == 0:
        h = split_pack(S, w, g, lanes & ~jumps)
        grp.seg = row.target
        group(S, h).seg = row.next
    else:
        h = split_pack(S, w, g, jumps)
        grp.seg = row.next
        group(S, h).seg = row.target
    wake(S, h, t, PIPELINE)
    return 1


@device
def on_arrival(S: State, w: int, g: int, t: int) -> int:
    """Return 0: no lane waits for others at a re-convergence point."""
    return 0


@device
def on_exit(S: State, w: int, g: int, t: int) -> int:
    """End warp g; contexts whose last lanes it had are occupied until it leaves the pipeline."""
    s = group(S, g).seg
    end_pack(S, g)
    h = g
    while h >= 0 and S.status == RUNNING:
        v = group(S, h).warp
        barrier = barrier_wait(S, v)
        if warp(S, v).live == 0:
            charge_pipeline(S, w, v, s, t)
        elif barrier.lanes != 0 and S.exited_arrive == 0:
            diverged(S, barrier.first, barrier.seg)
        elif barrier.lanes == warp(S, v).live:
            barrier.lanes = 0
            enter_barrier(S, w, barrier.first, v, barrier.seg, t)
        h = part(S, h).next
    return 0


@device
def on_sync(S: State, w: int, g: int, t: int) -> int:
    """Let each part of warp g wait for the other threads of the warp in which they began."""
    s = group(S, g).seg
    h = g
    while h >= 0 and S.status == RUNNING:
        next_part = part(S, h).next
        if h != g:
            count_groups(S, group(S, h).warp, 1)
            pool(S, h).passed = pool(S, g).passed
            pool(S, h).fetched = pool(S, g).fetched
        pool(S, h).inside = 0
        part(S, h).next = -1
        group(S, h).lead = h
        join_barrier(S, w, h, s, t)
        h = next_part
    return 0


@device
def join_barrier(S: State, w: int, g: int, s: int, t: int) -> int:
    """Let group g, lanes of one warp context, wait at barrier s."""
    grp = group(S, g)
    v = grp.warp
    barrier = barrier_wait(S, v)
    if barrier.lanes == 0:
        barrier.first = g
        barrier.seg = s
        grp.seg = seg(S, s).next
        park(S, g, BARRIER)
    elif barrier.seg != s:
        return diverged(S, g, s)
    barrier.lanes |= grp.mask
    if g != barrier.first:
        end_group(S, g)
    group(S, barrier.first).mask = barrier.lanes
    pool(S, barrier.first).lanes = barrier.lanes
    if barrier.lanes == warp(S, v).live:
        barrier.lanes = 0
        enter_barrier(S, w, barrier.first, v, s, t)
    return 0


def setup(machine: Machine) -> dict[str, Any]:
    """Return the pool, and the ranking of its warps."""
    contexts = machine.wpus * machine.warps
    return {
        "pool": contexts * machine.width,
        "barrier_wait": contexts,
        "by_passed": machine.policy["priority"] == "pdom",
        "entries": 0,
        "fetches": 0,
        "n_branch_split": 0,
        "n_pc_merge": 0,
    }
