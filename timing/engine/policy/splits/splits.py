"""Warp-splits and the table that limits them (DWS-03, DWS-04).

Engine code. A split is a group as any other; a warp that is whole has one group, its *root*, and
needs no entry of the warp-split table (Q-DWS-13). Splits that wait for others of their warp, at a
re-convergence point, a branch or a barrier, are groups no more: a *gathering* keeps their lanes,
which is one entry (Q-DWS-16).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...intrinsics import device, popcount, record, table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ....machines.machine import Machine
    from ...groups import end_group, new_group, put_in_slot, schedule
    from ...hooks import State, on_leave, on_merge, on_rejoin, on_split, on_wait
    from ...stacks import follow_top, top
    from ...state import BAD_SPLIT, group, stack, warp
    from ...workgroups import arrive_at_barrier, diverged

GATHERING = record(waiting="i8", seg="i8", barrier="i8", barrier_seg="i8")
gathering = table("gathering", GATHERING)
"""Per warp: lanes that wait at a re-convergence point or branch and its segment; lanes that wait at
a barrier and its segment."""


@device
def is_root(S: State, g: int) -> int:
    """Whether a group is all that its warp has: whoever else there was has merged or returned."""
    it = group(S, g)
    mates = gathering(S, it.warp)
    alone = popcount(warp(S, it.warp).groups) == 1
    return 1 if alone and mates.waiting == 0 and mates.barrier == 0 else 0


@device
def entries_of(S: State, v: int) -> int:
    """Entries of the warp-split table that a warp takes: none where it is whole."""
    n = popcount(warp(S, v).groups)
    if gathering(S, v).waiting != 0:
        n += 1
    if gathering(S, v).barrier != 0:
        n += 1
    return n if n > 1 else 0


@device
def has_room(S: State, w: int, v: int) -> int:
    """Whether the table has the entries for one more split of a warp: two for the first."""
    if S.wst_entries == 0:
        return 1
    used = 0
    for i in range(w * S.warps, (w + 1) * S.warps):
        used += entries_of(S, i)
    used += 1 if entries_of(S, v) > 0 else 2
    if used <= S.wst_entries:
        return 1
    S.n_wst_full += 1
    return 0


@device
def split(S: State, w: int, g: int, lanes: int) -> int:
    """Make some lanes of a group a group of their own at its segment, which nothing has woken."""
    h = detach_lanes(S, g, lanes)
    schedule(S, w, h)
    return h


@device
def detach_lanes(S: State, g: int, lanes: int) -> int:
    """Make some lanes of a group a group of their own, without a claim to a scheduler slot."""
    it = group(S, g)
    if lanes == 0 or lanes & it.mask != lanes or lanes == it.mask:
        # A group without lanes never exits, and a warp has at most one group per lane.
        S.status = BAD_SPLIT
        S.trap_g = g
        S.trap_lanes = lanes
        return g
    h = new_group(S, it.warp, lanes, it.seg)
    made = group(S, h)
    made.at_memory = it.at_memory
    made.done = it.done & lanes
    made.count = it.count
    it.mask &= ~lanes
    it.done &= ~lanes
    it.hits &= ~lanes
    on_split(S, g, h)
    return h


@device
def merge(S: State, g: int, h: int) -> int:
    """Group h joins group g of the same warp; a scheduler slot that one of them has stays."""
    on_merge(S, g, h)
    it = group(S, g)
    other = group(S, h)
    it.mask |= other.mask
    it.done |= other.done
    it.hits |= other.hits
    it.count = min(it.count, other.count)
    i = other.slot
    if it.slot < 0 and i >= 0:
        other.slot = it.slot
        put_in_slot(S, g, i)
    end_group(S, h)
    return 0


@device
def gather(S: State, v: int, lanes: int, s: int) -> int:
    """Lanes wait for the others of their warp's top entry."""
    mates = gathering(S, v)
    mates.waiting |= lanes
    mates.seg = s
    return 0


@device
def wait_for_others(S: State, g: int) -> int:
    """A split waits where it stands for the others of the stack's top.

    Answers 1 if they are all there: the group is then the whole warp.
    """
    it = group(S, g)
    v = it.warp
    on_leave(S, g)
    gather(S, v, it.mask, it.seg)
    if gathering(S, v).waiting != stack(S, top(S, v)).mask:
        on_wait(S, g)
        end_group(S, g)
        return 0
    return rejoin(S, g)


@device
def rejoin(S: State, g: int) -> int:
    """Those who wait for the others of the stack's top are all: a group goes on as they."""
    it = group(S, g)
    mates = gathering(S, it.warp)
    it.mask = mates.waiting
    it.seg = mates.seg
    mates.waiting = 0
    S.n_stack_merge += 1
    on_rejoin(S, g)
    return 1


@device
def go_on(S: State, g: int, t: int) -> int:
    """A group has no lanes any more: it goes on with others, or 0 if all are on their own way."""
    v = group(S, g).warp
    mates = gathering(S, v)
    if mates.barrier != 0 and S.exited_arrive == 0:
        return diverged(S, g, mates.barrier_seg)
    on_leave(S, g)
    if popcount(warp(S, v).groups) > 1:
        return 0
    if mates.waiting != 0:
        return rejoin(S, g)
    if mates.barrier != 0:
        # With those who have returned all are at the barrier (`exited_arrive`).
        h = new_group(S, v, mates.barrier, mates.barrier_seg)
        mates.barrier = 0
        on_rejoin(S, h)
        arrive_at_barrier(S, v // S.warps, h, t)
        return 0
    return follow_top(S, g)


@device
def meet_at_barrier(S: State, g: int) -> int:
    """Splits join at a barrier, which their warp then enters as one (DWS-16): see `on_sync`."""
    it = group(S, g)
    v = it.warp
    live = warp(S, v).live
    if it.mask == live:
        return 1
    mates = gathering(S, v)
    if stack(S, top(S, v)).mask != live or (mates.barrier != 0 and mates.barrier_seg != it.seg):
        return diverged(S, g, it.seg)
    on_leave(S, g)
    mates.barrier |= it.mask
    mates.barrier_seg = it.seg
    if mates.barrier != live:
        on_wait(S, g)
        end_group(S, g)
        return 0
    it.mask = live
    mates.barrier = 0
    S.n_stack_merge += 1
    on_rejoin(S, g)
    return 1


def waiting_lanes(rows: Any, S: State, v: int) -> Iterator[tuple[int, int, bool]]:
    """Yield the lanes of warp v that wait for the others of its top entry, and at a barrier."""
    mates = rows["gathering"][v]
    yield mates["waiting"], mates["seg"], False
    yield mates["barrier"], mates["barrier_seg"], True


def setup(machine: Machine) -> dict[str, Any]:
    """The table's size, and counters of splits and merges by their cause."""
    return {
        "gathering": machine.wpus * machine.warps,
        "wst_entries": machine.wst_entries,
        "n_wst_full": 0,
        "n_branch_split": 0,
        "n_memory_split": 0,
        "n_revive": 0,
        "n_pc_merge": 0,
        "n_stack_merge": 0,
    }
