"""Dynamic warp formation: no stack; warps part at branches and merge in the pool (LWM-17).

Engine code. A warp is a pack (packs.py) in which every lane has one part. One that leaves the
pipeline comes to the *pool* of warps that can be fetched, and merges on its way with the youngest
one there at the same PC: lanes that are free in that one move over, the others stay a warp of their
own, then the youngest. Nobody merges later, so that holes in older warps remain. What leaves the
pipeline between two fetches does so in order, before the second (`on_turn`).

Threads meet at a barrier in the warps that they began in, and go on in these.
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
    from .packs import end_pack, join_packs, keep_until, own_waits, part, part_chosen

POOL = record(
    lanes="i8",  # of all its parts
    inside="i8",  # 1: in the pool, 0: in the pipeline or waiting
    entered="i8",  # when it came there, as a number that grows
    fetched="i8",  # when it was fetched last, as a number that grows
    passed="i8",  # re-convergence points that it has passed (LWM-19)
    crowd="i8",  # threads in the pool at its PC (LWM-18)
)
pool = table("pool", POOL)
"""Of a pack; index as its lead."""

MEETING = record(lanes="i8", seg="i8", first="i8")
meeting = table("meeting", MEETING)
"""Lanes of a warp context that are at a barrier, its segment, and the group that they are."""


@device
def on_start(S: State, w: int, v: int, t: int) -> int:
    """A warp begins whole."""
    g = new_group(S, v, warp(S, v).live, 0)
    part(S, g).next = -1
    meeting(S, v).lanes = 0
    mine = pool(S, g)
    mine.lanes = warp(S, v).live
    mine.inside = 0
    mine.fetched = 0
    mine.passed = 0
    wake(S, g, t, IDLE)
    schedule(S, w, g)
    return 0


# --- the pool


@device
def on_turn(S: State, w: int, t: int) -> int:
    """Warps that have left the pipeline, or got their data, come to the pool in order."""
    g = next_retired(S, w, t)
    while g >= 0:
        enter_pool(S, w, g)
        g = next_retired(S, w, t)
    return 0


@device
def next_retired(S: State, w: int, t: int) -> int:
    """The first of those that are ready by t and not in the pool; -1 for none."""
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
    """A warp retires: merge it with the youngest at its PC; what is left of it enters the pool."""
    it = group(S, g)
    own_waits(S, w, g, ready_at(S, g).t)
    if it.at_memory == 1:
        it.at_memory = 0
        it.done = 0
        it.seg = seg(S, it.seg).next
    now = change_crowd(S, w, it.seg, popcount(pool(S, g).lanes))
    if it.cause != CODE:
        pool(S, g).passed += seg(S, it.seg).is_join
        g = merge_youngest(S, w, g)
    if g >= 0:
        S.entries += 1
        mine = pool(S, g)
        mine.entered = S.entries
        mine.inside = 1
        mine.crowd = now
    return 0


@device
def merge_youngest(S: State, w: int, g: int) -> int:
    """Lanes of a warp move to the youngest one at its PC; the warp that is left, -1 for none."""
    s = group(S, g).seg
    q = -1
    for i in range(w * S.slots, w * S.slots + wpu(S, w).slots_used):
        h = slot(S, i).group
        if h >= 0 and pool(S, h).inside == 1 and group(S, h).seg == s:
            if q < 0 or pool(S, h).entered > pool(S, q).entered:
                q = h
    if q < 0:
        return g
    lanes = pool(S, g).lanes
    moving = lanes & ~pool(S, q).lanes
    if moving == 0:
        return g
    S.n_pc_merge += 1
    left = -1
    if group(S, g).mask & ~moving != 0:
        left = g
        g = split_pack(S, w, g, moving)
    elif moving != lanes:
        left = split_pack(S, w, g, lanes & ~moving)
    absorb(S, q, g)
    return left


@device
def change_crowd(S: State, w: int, s: int, n: int) -> int:
    """So many threads more are in the pool at a PC: how many they are, or n if nobody was there."""
    if S.by_passed == 1:
        return 0
    now = n
    for i in range(w * S.slots, w * S.slots + wpu(S, w).slots_used):
        h = slot(S, i).group
        if h >= 0 and pool(S, h).inside == 1 and group(S, h).seg == s:
            pool(S, h).crowd += n
            now = pool(S, h).crowd
    return now


@device
def on_dispatch(S: State, w: int, g: int, t: int) -> int:
    """A warp is fetched: it leaves the pool."""
    own_waits(S, w, g, t)
    S.fetches += 1
    mine = pool(S, g)
    mine.fetched = S.fetches
    mine.inside = 0
    change_crowd(S, w, group(S, g).seg, -popcount(mine.lanes))
    return 0


# --- warps part and merge


@device
def split_pack(S: State, w: int, g: int, lanes: int) -> int:
    """Some lanes of a warp, not all of its lead, become a warp of their own."""
    h = g
    while h >= 0:
        part(S, h).chosen = group(S, h).mask & lanes
        h = part(S, h).next
    return part_warp(S, w, g, lanes)


@device
def part_warp(S: State, w: int, g: int, lanes: int) -> int:
    """The same for lanes that are chosen."""
    first = part_chosen(S, g)
    pool(S, g).lanes &= ~lanes
    mine = pool(S, first)
    mine.lanes = lanes
    mine.inside = 0
    mine.fetched = pool(S, g).fetched
    mine.passed = pool(S, g).passed
    schedule(S, w, first)
    return first


@device
def absorb(S: State, q: int, g: int) -> int:
    """All of warp g moves to warp q, where its lanes are free."""
    pool(S, q).lanes |= pool(S, g).lanes
    # Nobody gets ahead of others by merging.
    pool(S, q).passed = min(pool(S, q).passed, pool(S, g).passed)
    return join_packs(S, q, g, 0)


# --- control flow


@device
def on_branch(S: State, w: int, g: int, taken: int, t: int) -> int:
    """Lanes that do not agree leave the pipeline as two warps."""
    it = group(S, g)
    row = seg(S, it.seg)
    lanes = pool(S, g).lanes
    jumps = 0
    h = g
    while h >= 0:
        jumps |= part(S, h).taken
        h = part(S, h).next
    if jumps == lanes or row.target == row.next:
        it.seg = row.target
        return 1
    if jumps == 0:
        it.seg = row.next
        return 1
    S.n_branch_split += 1
    if it.mask & ~jumps == 0:
        h = split_pack(S, w, g, lanes & ~jumps)
        it.seg = row.target
        group(S, h).seg = row.next
    else:
        h = split_pack(S, w, g, jumps)
        it.seg = row.next
        group(S, h).seg = row.target
    wake(S, h, t, PIPELINE)
    return 1


@device
def on_arrival(S: State, w: int, g: int, t: int) -> int:
    """Nobody waits for others at a re-convergence point."""
    return 0


@device
def on_exit(S: State, w: int, g: int, t: int) -> int:
    """A warp is over; the contexts whose last lanes it had are there until it is out."""
    s = group(S, g).seg
    end_pack(S, g)
    h = g
    while h >= 0 and S.status == RUNNING:
        v = group(S, h).warp
        mine = meeting(S, v)
        if warp(S, v).live == 0:
            keep_until(S, w, v, s, t)
        elif mine.lanes != 0 and S.exited_arrive == 0:
            diverged(S, mine.first, mine.seg)
        elif mine.lanes == warp(S, v).live:
            mine.lanes = 0
            enter_barrier(S, w, mine.first, v, mine.seg, t)
        h = part(S, h).next
    return 0


@device
def on_sync(S: State, w: int, g: int, t: int) -> int:
    """Threads wait for the others of the warp that they began in, which then waits as one."""
    s = group(S, g).seg
    h = g
    while h >= 0 and S.status == RUNNING:
        following = part(S, h).next
        if h != g:
            count_groups(S, group(S, h).warp, 1)
            pool(S, h).passed = pool(S, g).passed
            pool(S, h).fetched = pool(S, g).fetched
        pool(S, h).inside = 0
        part(S, h).next = -1
        group(S, h).lead = h
        meet(S, w, h, s, t)
        h = following
    return 0


@device
def meet(S: State, w: int, g: int, s: int, t: int) -> int:
    """Lanes of one warp context are at barrier s."""
    it = group(S, g)
    v = it.warp
    mine = meeting(S, v)
    if mine.lanes == 0:
        mine.first = g
        mine.seg = s
        it.seg = seg(S, s).next
        park(S, g, BARRIER)
    elif mine.seg != s:
        return diverged(S, g, s)
    mine.lanes |= it.mask
    if g != mine.first:
        end_group(S, g)
    group(S, mine.first).mask = mine.lanes
    pool(S, mine.first).lanes = mine.lanes
    if mine.lanes == warp(S, v).live:
        mine.lanes = 0
        enter_barrier(S, w, mine.first, v, s, t)
    return 0


def setup(machine: Machine) -> dict[str, Any]:
    """The pool, and how its warps are ranked."""
    contexts = machine.wpus * machine.warps
    return {
        "pool": contexts * machine.width,
        "meeting": contexts,
        "by_passed": machine.policy["priority"] == "pdom",
        "entries": 0,
        "fetches": 0,
        "n_branch_split": 0,
        "n_pc_merge": 0,
    }
