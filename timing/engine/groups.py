"""Scheduler slots and group lifetime: groups are made, parked, woken, picked and ended here.

Engine code.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .intrinsics import (
    NEVER,
    WORD,
    bit,
    ctz,
    device,
    drop_lowest,
    least,
    low_bits,
    put_in_chunk,
    words_up_to,
)

if TYPE_CHECKING:
    from .causes import SLOTLESS
    from .hooks import State, is_urgent, on_group_count, on_pick, rank, stand_in
    from .state import due, group, lane_home, ready_at, slot, warp, wpu

NO_SLOT = -2
WAITS_FOR_SLOT = -1

URGENT = 1 << 62
"""Puts a group before all that are not urgent."""

SEQ_BITS = 20
"""Low bits of a turn: the sequence number, which orders groups that were never picked."""


@device
def new_group(S: State, v: int, mask: int, s: int) -> int:
    """Make a group of warp v with lanes `mask` at segment s, in no slot; count and return it."""
    count_groups(S, v, 1)
    return make_group(S, v, mask, s)


@device
def make_group(S: State, v: int, mask: int, s: int) -> int:
    """Make the record of a group without counting it, as for a part of a pack; return its index."""
    owner = warp(S, v)
    number = ctz(~owner.groups)
    owner.groups |= bit(number)
    g = v * S.width + number
    grp = group(S, g)
    grp.mask = mask
    grp.seg = s
    grp.done = 0
    grp.at_memory = 0
    grp.hits = 0
    ready_at(S, g).t = NEVER
    grp.cause = 0
    grp.until_bank = 0
    grp.until_mshr = 0
    grp.until_l2 = 0
    grp.warp = v
    grp.slot = NO_SLOT
    grp.lead = g
    S.seq += 1
    grp.seq = S.seq
    grp.turn = turn_of(0, S.seq)
    grp.count = 0
    grp.issued = 0
    return g


@device
def schedule(S: State, w: int, g: int) -> int:
    """Give group g the first free slot of WPU w; if there is none, g waits for one (DWS-17).

    Return 1 if g has a slot.
    """
    first = w * S.slots
    while first < (w + 1) * S.slots:
        free = words_up_to(S.p_slot + WORD * first, min((w + 1) * S.slots - first, 64), -1)
        if free != 0:
            count_scheduled(S, w, 1)
            return put_in_slot(S, g, first + ctz(free))
        first += 64
    group(S, g).slot = WAITS_FOR_SLOT
    wpu(S, w).n_slotless += 1
    return 0


@device
def put_in_slot(S: State, g: int, i: int) -> int:
    """Put group g into slot i, so that it can be picked when it is ready."""
    grp = group(S, g)
    w = grp.warp // S.warps
    wpu(S, w).slots_used = max(wpu(S, w).slots_used, i - w * S.slots + 1)
    grp.slot = i
    slot(S, i).group = g
    set_due(S, i, ready_at(S, g).t)
    return 1


@device
def hand_slot(S: State, g: int, h: int) -> int:
    """Give the slot of group g to group h, which waits for one; g waits in its place (DWS-17)."""
    i = group(S, g).slot
    if i >= 0 and group(S, h).slot == WAITS_FOR_SLOT:
        group(S, g).slot = WAITS_FOR_SLOT
        put_in_slot(S, h, i)
    return 0


@device
def leave_slot(S: State, g: int) -> int:
    """Free the slot of group g, and give it to the oldest group that waits for one (Q-DWS-36)."""
    grp = group(S, g)
    freed = grp.slot
    grp.slot = NO_SLOT
    w = grp.warp // S.warps
    if freed == WAITS_FOR_SLOT:
        wpu(S, w).n_slotless -= 1
    elif freed >= 0:
        slot(S, freed).group = -1
        set_due(S, freed, NEVER)
        if wpu(S, w).n_slotless > 0:
            next_group = oldest_slotless(S, w)
            wpu(S, w).n_slotless -= 1
            if ready_at(S, next_group).t < S.now:
                ready_at(S, next_group).t = S.now
                group(S, next_group).cause = SLOTLESS
            put_in_slot(S, next_group, freed)
        else:
            count_scheduled(S, w, -1)
        core = wpu(S, w)
        while core.slots_used > 0 and slot(S, w * S.slots + core.slots_used - 1).group < 0:
            core.slots_used -= 1
    return 0


@device
def oldest_slotless(S: State, w: int) -> int:
    """Return the oldest group of WPU w that waits for a slot; at least one must wait."""
    oldest = -1
    for v in range(w * S.warps, (w + 1) * S.warps):
        groups = warp(S, v).groups
        while groups != 0:
            g = v * S.width + ctz(groups)
            groups = drop_lowest(groups)
            if group(S, g).slot == WAITS_FOR_SLOT and (
                oldest < 0 or group(S, g).seq < group(S, oldest).seq
            ):
                oldest = g
    return oldest


@device
def wake(S: State, g: int, t: int, cause: int) -> int:
    """Let group g be picked from cycle t on, and charge its wait up to then to `cause`."""
    grp = group(S, g)
    ready_at(S, g).t = t
    grp.cause = cause
    if grp.slot >= 0:
        set_due(S, grp.slot, t)
    return 0


@device
def park(S: State, g: int, cause: int) -> int:
    """Keep group g from being picked until `wake` is called; charge the wait to `cause`."""
    return wake(S, g, NEVER, cause)


@device
def end_group(S: State, g: int) -> int:
    """End group g, whose lanes have exited or joined another group: free its slot and record."""
    leave_slot(S, g)
    count_groups(S, group(S, g).warp, -1)
    return forget_group(S, g)


@device
def forget_group(S: State, g: int) -> int:
    """Free the record of group g."""
    v = group(S, g).warp
    warp(S, v).groups &= ~bit(g - v * S.width)
    group(S, g).mask = 0
    return 0


@device
def home(S: State, g: int, lane: int) -> int:
    """Return the warp whose registers `lane` uses in the current access of group g."""
    if S.access_is_packed == 1:
        return lane_home(S, lane).warp
    return group(S, g).warp


@device
def count_groups(S: State, v: int, change: int) -> int:
    """Add `change` to the number of groups of context v's WPU, from now on."""
    core = wpu(S, v // S.warps)
    core.group_cycles += core.groups * (S.now - core.groups_at)
    core.groups_at = S.now
    core.groups += change
    core.most_groups = max(core.most_groups, core.groups)
    return on_group_count(S, v // S.warps)


@device
def count_scheduled(S: State, w: int, change: int) -> int:
    """Add `change` to the number of groups that have a slot of WPU w (DWS-25)."""
    core = wpu(S, w)
    cycles = wpu_clock(S, w) - core.scheduled_at
    core.scheduled_at += cycles
    core.scheduled_cycles += core.scheduled * cycles
    if core.scheduled == S.slots:
        core.slots_full += cycles
    core.scheduled += change
    core.most_scheduled = max(core.most_scheduled, core.scheduled)
    return 0


@device
def change_entries(S: State, w: int, change: int) -> int:
    """Add `change` to the entries of WPU w's warp-split table that are in use (DWS-25)."""
    core = wpu(S, w)
    cycles = wpu_clock(S, w) - core.entries_at
    if cycles > 0:
        core.entries_at += cycles
        core.entry_cycles += core.entries * cycles
        core.most_entries = max(core.most_entries, core.entries)
        if core.entries >= S.wst_entries and S.wst_entries > 0:
            core.entries_full += cycles
    core.entries += change
    return 0


@device
def wpu_clock(S: State, w: int) -> int:
    """Return the cycle after the last one in which WPU w has issued or waited in this event."""
    return max(S.now, wpu(S, w).busy)


@device
def set_due(S: State, i: int, t: int) -> int:
    """Let the group of slot i be picked from cycle t on; soon all of the WPU's times are read."""
    due(S, i)  # plain code checks that there is such a slot
    put_in_chunk(S.p_due, i, t)
    return 0


@device
def end_of_slots(S: State, w: int) -> int:
    """Return the number of the slot after the last one of WPU w that has a group."""
    # The limit is never reached, but it lets LLVM see how many slots there can be.
    return w * S.slots + min(wpu(S, w).slots_used, S.slots)


@device
def due_slots(S: State, first: int, end: int, limit: int) -> int:
    """Return as a mask which of the first 64 slots in `first`..`end` are due by cycle `limit`."""
    return words_up_to(S.p_due + WORD * first, min(end - first, 64), limit)


@device
def turn_of(picks: int, seq: int) -> int:
    """Return the turn of the group numbered `seq` whose last pick was number `picks` (0: none).

    Turns order groups by their last pick, and those never picked by their age (MAWS-11, LWM-02).
    """
    return picks << SEQ_BITS | (seq & low_bits(SEQ_BITS))


@device
def pick(S: State, w: int, t: int) -> int:
    """Pick and return the ready group of WPU w that ranks first at t, -1 if none is ready.

    `S.next_due` is then the cycle from which the next one is ready.
    """
    lowest = w * S.slots
    end = end_of_slots(S, w)
    best = -1
    first = lowest
    while first < end:
        ready = due_slots(S, first, end, t)
        if ready != 0:
            best = first_of(S, w, first, ready, best, t)
        first += 64
    if best < 0:
        S.next_due = NEVER
        if end > lowest:
            S.next_due = least(S.p_due + WORD * lowest, end - lowest)
        return -1
    best = stand_in(S, w, best, t)
    S.picks += 1
    group(S, best).turn = turn_of(S.picks, group(S, best).seq)
    on_pick(S, w, best, t)
    return best


@device
def first_of(S: State, w: int, first: int, ready: int, best: int, t: int) -> int:
    """Return the group that ranks first at t among `best` and those in the slots `ready`.

    `ready` is a mask of slots from `first` on, `best` a group or -1. A single group is not ranked.
    """
    if best < 0 and drop_lowest(ready) == 0:
        return slot(S, first + ctz(ready)).group
    least = NEVER
    if best >= 0:
        least = order_of(S, w, best, t)
    while ready != 0:
        g = slot(S, first + ctz(ready)).group
        ready = drop_lowest(ready)
        order = order_of(S, w, g, t)
        # Without a branch: hosts cannot predict which group is first.
        best ^= (best ^ g) & -(order < least)
        least = min(least, order)
    return best


@device
def order_of(S: State, w: int, g: int, t: int) -> int:
    """Return the place of ready group g by the scheduler, before all others if it is urgent."""
    order = rank(S, w, g, t)
    return order - URGENT if is_urgent(S, w, g) == 1 else order


def setup(machine: object) -> dict[str, int]:
    """Return the word in which `pick` leaves the cycle of the next group that is due."""
    return {"next_due": 0}
