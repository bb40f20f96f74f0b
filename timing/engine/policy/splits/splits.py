"""Warp-splits and the table that limits them (DWS-03, DWS-04).

Engine code. A split is a group as any other; a warp that is whole has one group, its *root*, and
needs no entry of the warp-split table (Q-DWS-13). Splits that wait for others of their warp, at a
re-convergence point, a branch or a barrier, end as groups: a *gathering* keeps their lanes, which
is one entry (Q-DWS-16).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...intrinsics import device, popcount, record, table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ....machines.machine import Machine
    from ...causes import READY
    from ...groups import change_entries, end_group, new_group, put_in_slot, schedule, wake
    from ...hooks import State, on_leave, on_merge, on_rejoin, on_split, on_wait
    from ...stacks import follow_top, forget_lanes, top
    from ...state import BAD_SPLIT, group, stack, warp, wpu
    from ...workgroups import arrive_at_barrier, diverged

GATHERING = record(waiting="i8", seg="i8", barrier="i8", barrier_seg="i8", entries="i8")
gathering = table("gathering", GATHERING)
"""Per warp: lanes that wait at a re-convergence point or branch and its segment; lanes that wait at
a barrier and its segment; the table's entries that have been counted for it."""


@device
def is_root(S: State, g: int) -> int:
    """Return 1 if group g is all that its warp has: the others have merged or returned."""
    grp = group(S, g)
    waits = gathering(S, grp.warp)
    alone = popcount(warp(S, grp.warp).groups) == 1
    return 1 if alone and waits.waiting == 0 and waits.barrier == 0 else 0


@device
def entries_of(S: State, v: int) -> int:
    """Return the warp-split table's entries that warp v takes: 0 if it is whole."""
    return gathering(S, v).entries


@device
def has_room(S: State, w: int, v: int) -> int:
    """Return 1 if the table has room for one more split of warp v: two entries for the first."""
    if fits(S, w, v) == 1:
        return 1
    S.n_wst_full += 1
    return 0


@device
def fits(S: State, w: int, v: int) -> int:
    """Return 1 if the table has room for one more split of warp v; a refusal is not counted."""
    if S.wst_entries == 0:
        return 1
    more = 1 if entries_of(S, v) > 0 else 2
    return 1 if wpu(S, w).entries + more <= S.wst_entries else 0


@device
def count_entries(S: State, v: int, leaving: int) -> int:
    """Count the table's entries of warp v from now on: none if the warp is whole.

    `leaving` is 1 if one of its groups is about to end. Called after every change of its groups and
    of the lanes that wait.
    """
    waits = gathering(S, v)
    n = popcount(warp(S, v).groups) - leaving
    n += (1 if waits.waiting != 0 else 0) + (1 if waits.barrier != 0 else 0)
    if n == 1:
        n = 0
    change = n - waits.entries
    if change != 0:
        waits.entries = n
        change_entries(S, v // S.warps, change)
    return 0


@device
def split(S: State, w: int, g: int, lanes: int) -> int:
    """Make `lanes` of group g a group at its segment, scheduled but not woken; return it."""
    h = detach_lanes(S, g, lanes)
    schedule(S, w, h)
    return h


@device
def detach_lanes(S: State, g: int, lanes: int) -> int:
    """Make `lanes` of group g a group without a claim to a scheduler slot; return it."""
    grp = group(S, g)
    if lanes == 0 or lanes & grp.mask != lanes or lanes == grp.mask:
        # A group without lanes never exits, and a warp has at most one group per lane.
        S.status = BAD_SPLIT
        S.trap_g = g
        S.trap_lanes = lanes
        return g
    h = new_group(S, grp.warp, lanes, grp.seg)
    child = group(S, h)
    child.at_memory = grp.at_memory
    child.done = grp.done & lanes
    child.count = grp.count
    grp.mask &= ~lanes
    grp.done &= ~lanes
    grp.hits &= ~lanes
    on_split(S, g, h)
    count_entries(S, grp.warp, 0)
    return h


@device
def merge(S: State, g: int, h: int) -> int:
    """Merge group h into group g of the same warp; keep a scheduler slot if one of them has it."""
    on_merge(S, g, h)
    grp = group(S, g)
    other = group(S, h)
    grp.mask |= other.mask
    grp.done |= other.done
    grp.hits |= other.hits
    grp.count = min(grp.count, other.count)
    i = other.slot
    if grp.slot < 0 and i >= 0:
        other.slot = grp.slot
        put_in_slot(S, g, i)
    end_group(S, h)
    return count_entries(S, grp.warp, 0)


@device
def gather(S: State, v: int, lanes: int, s: int) -> int:
    """Let `lanes` of warp v wait at segment s for the others of the stack's top."""
    waits = gathering(S, v)
    waits.waiting |= lanes
    waits.seg = s
    return 0


@device
def wait_for_others(S: State, g: int) -> int:
    """Let split g wait at its segment for the others of the stack's top.

    Return 1 if all have arrived: g is then the whole warp. Return 0 if g has ended.
    """
    grp = group(S, g)
    v = grp.warp
    on_leave(S, g)
    gather(S, v, grp.mask, grp.seg)
    if gathering(S, v).waiting != stack(S, top(S, v)).mask:
        on_wait(S, g)
        end_group(S, g)
        return count_entries(S, v, 0)
    return rejoin(S, g)


@device
def rejoin(S: State, g: int) -> int:
    """Make group g all the lanes that wait for the others of the stack's top; return 1."""
    grp = group(S, g)
    waits = gathering(S, grp.warp)
    grp.mask = waits.waiting
    grp.seg = waits.seg
    waits.waiting = 0
    S.n_stack_merge += 1
    on_rejoin(S, g)
    count_entries(S, grp.warp, 0)
    return 1


@device
def continue_with_others(S: State, g: int, t: int) -> int:
    """Continue group g, which has no lanes any more, with others; return 0 if all others run."""
    v = group(S, g).warp
    waits = gathering(S, v)
    on_leave(S, g)
    count_entries(S, v, 1)
    if popcount(warp(S, v).groups) > 1:
        return 0
    if waits.waiting != 0:
        return rejoin(S, g)
    if waits.barrier != 0 and warp(S, v).live & ~waits.barrier == 0:
        # Returned lanes count as arrived (`exited_arrive`), so that all are at the barrier.
        h = new_group(S, v, waits.barrier, waits.barrier_seg)
        return_to_stack(S, v, 0)
        waits.barrier = 0
        on_rejoin(S, h)
        count_entries(S, v, 1)
        arrive_at_barrier(S, v // S.warps, h, t)
        return 0
    return follow_top(S, g)


@device
def meet_at_barrier(S: State, g: int) -> int:
    """Join splits at a barrier that their warp enters as one (DWS-16); see `hooks.on_sync`.

    Lanes that wait at a barrier leave the warp's stack: lanes of other trips, which have merged
    with them, may come to the barrier from the paths below. If g is not the last, it ends, and the
    policy calls `run_others`.
    """
    grp = group(S, g)
    v = grp.warp
    live = warp(S, v).live
    if grp.mask == live:
        return 1
    waits = gathering(S, v)
    if waits.barrier != 0 and waits.barrier_seg != grp.seg:
        return diverged(S, g, grp.seg)
    on_leave(S, g)
    lanes = grp.mask
    waits.barrier |= lanes
    waits.barrier_seg = grp.seg
    if waits.barrier != live:
        forget_lanes(S, v, lanes)
        on_wait(S, g)
        end_group(S, g)
        return count_entries(S, v, 0)
    return_to_stack(S, v, lanes)
    grp.mask = live
    waits.barrier = 0
    S.n_stack_merge += 1
    on_rejoin(S, g)
    count_entries(S, v, 0)
    return 1


@device
def return_to_stack(S: State, v: int, lanes: int) -> int:
    """Put all live lanes of warp v, which meet at a barrier, on the paths of `lanes` of them.

    Those paths end at post-dominators of the barrier, which all lanes reach from it.
    """
    owner = warp(S, v)
    for level in range(owner.depth):
        entry = stack(S, v * S.stack_depth + level)
        entry.mask = owner.live if level == 0 or entry.mask & lanes != 0 else 0
    while stack(S, top(S, v)).mask == 0:
        owner.depth -= 1
    return 0


@device
def run_others(S: State, w: int, v: int, t: int) -> int:
    """Run the lanes of warp v that have not come to its barrier, if none of them runs.

    Return the group that is made for them, or -1.
    """
    waits = gathering(S, v)
    if warp(S, v).groups != 0:
        return -1
    h = new_group(S, v, 0, 0)
    if waits.waiting != 0:
        rejoin(S, h)
    else:
        follow_top(S, h)
    schedule(S, w, h)
    wake(S, h, t, READY)
    count_entries(S, v, 0)
    return h


def waiting_lanes(rows: Any, S: State, v: int) -> Iterator[tuple[int, int, bool]]:
    """Yield the lanes of warp v that wait for the others of its top entry, and at a barrier."""
    waits = rows["gathering"][v]
    yield waits["waiting"], waits["seg"], False
    yield waits["barrier"], waits["barrier_seg"], True


def setup(machine: Machine) -> dict[str, Any]:
    """Return the table's size, and counters of splits and merges by their cause."""
    return {
        "gathering": machine.wpus * machine.warps,
        "n_wst_full": 0,
        "n_branch_split": 0,
        "n_memory_split": 0,
        "n_revive": 0,
        "n_pc_merge": 0,
        "n_stack_merge": 0,
    }
