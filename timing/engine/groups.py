"""Groups and the scheduler's slots: making, parking, waking and ending them.

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
    first_least,
    low_bits,
    words_up_to,
)

if TYPE_CHECKING:
    from .causes import SLOTLESS
    from .hooks import State, on_pick, rank, stand_in
    from .state import due, group, lane_home, ready_at, slot, warp, wpu

NO_SLOT = -2
WAITS_FOR_SLOT = -1

SEQ_BITS = 20
"""Of a turn: an order of groups that have not been picked, few of which are alive at once."""


@device
def new_group(S: State, v: int, mask: int, s: int) -> int:
    """A group of warp v at segment s; it has no slot yet."""
    count_groups(S, v, 1)
    return make_group(S, v, mask, s)


@device
def make_group(S: State, v: int, mask: int, s: int) -> int:
    """The record of a group, which is not counted as one: a part of another (policy/packs.py)."""
    owner = warp(S, v)
    number = ctz(~owner.groups)
    owner.groups |= bit(number)
    g = v * S.width + number
    made = group(S, g)
    made.mask = mask
    made.seg = s
    made.done = 0
    made.at_memory = 0
    made.hits = 0
    ready_at(S, g).t = NEVER
    made.cause = 0
    made.until_bank = 0
    made.until_mshr = 0
    made.until_l2 = 0
    made.warp = v
    made.slot = NO_SLOT
    made.lead = g
    S.seq += 1
    made.seq = S.seq
    made.turn = turn_of(0, S.seq)
    made.count = 0
    made.issued = 0
    return g


@device
def schedule(S: State, w: int, g: int) -> int:
    """Give a group the first free slot of its WPU; without one it waits for one (DWS-17)."""
    for i in range(w * S.slots, (w + 1) * S.slots):
        if slot(S, i).group < 0:
            return put_in_slot(S, g, i)
    group(S, g).slot = WAITS_FOR_SLOT
    wpu(S, w).n_slotless += 1
    return 0


@device
def put_in_slot(S: State, g: int, i: int) -> int:
    """A group has a slot and can be picked when it is ready."""
    it = group(S, g)
    w = it.warp // S.warps
    wpu(S, w).slots_used = max(wpu(S, w).slots_used, i - w * S.slots + 1)
    it.slot = i
    slot(S, i).group = g
    due(S, i).at = ready_at(S, g).t
    return 1


@device
def leave_slot(S: State, g: int) -> int:
    """A group needs no slot any more; the oldest that waits for one gets it (Q-DWS-36)."""
    it = group(S, g)
    at = it.slot
    it.slot = NO_SLOT
    w = it.warp // S.warps
    if at == WAITS_FOR_SLOT:
        wpu(S, w).n_slotless -= 1
    elif at >= 0:
        slot(S, at).group = -1
        due(S, at).at = NEVER
        if wpu(S, w).n_slotless > 0:
            next_one = oldest_slotless(S, w)
            wpu(S, w).n_slotless -= 1
            if ready_at(S, next_one).t < S.now:
                ready_at(S, next_one).t = S.now
                group(S, next_one).cause = SLOTLESS
            put_in_slot(S, next_one, at)
        core = wpu(S, w)
        while core.slots_used > 0 and slot(S, w * S.slots + core.slots_used - 1).group < 0:
            core.slots_used -= 1
    return 0


@device
def oldest_slotless(S: State, w: int) -> int:
    """The group of a WPU that has waited longest for a slot; there must be one."""
    oldest = -1
    for v in range(w * S.warps, (w + 1) * S.warps):
        mine = warp(S, v).groups
        while mine != 0:
            g = v * S.width + ctz(mine)
            mine = drop_lowest(mine)
            if group(S, g).slot == WAITS_FOR_SLOT and (
                oldest < 0 or group(S, g).seq < group(S, oldest).seq
            ):
                oldest = g
    return oldest


@device
def wake(S: State, g: int, t: int, cause: int) -> int:
    """A group can be picked from cycle t on; the wait up to there has a cause."""
    it = group(S, g)
    ready_at(S, g).t = t
    it.cause = cause
    if it.slot >= 0:
        due(S, it.slot).at = t
    return 0


@device
def park(S: State, g: int, cause: int) -> int:
    """A group cannot be picked until somebody wakes it."""
    return wake(S, g, NEVER, cause)


@device
def end_group(S: State, g: int) -> int:
    """A group is no more: merged, returned, or its warp has waited it together."""
    leave_slot(S, g)
    count_groups(S, group(S, g).warp, -1)
    return forget_group(S, g)


@device
def forget_group(S: State, g: int) -> int:
    """The record of a group is free again."""
    v = group(S, g).warp
    warp(S, v).groups &= ~bit(g - v * S.width)
    group(S, g).mask = 0
    return 0


@device
def home(S: State, g: int, lane: int) -> int:
    """The warp whose registers a lane uses in the access at which its group stands."""
    if S.access_is_packed == 1:
        return lane_home(S, lane).warp
    return group(S, g).warp


@device
def count_groups(S: State, v: int, change: int) -> int:
    """A WPU has one group more or less from now on."""
    core = wpu(S, v // S.warps)
    core.group_cycles += core.groups * (S.now - core.groups_at)
    core.groups_at = S.now
    core.groups += change
    core.most_groups = max(core.most_groups, core.groups)
    return 0


@device
def due_slots(S: State, at: int, end: int, limit: int) -> int:
    """Those of the slots from `at` up to `end`, the first 64, that are due by a cycle: a mask."""
    return words_up_to(S.p_due + WORD * at, min(end - at, 64), limit)


@device
def turn_of(picks: int, seq: int) -> int:
    """The turn of the group `seq` that was picked as number `picks`, 0 for not yet.

    Turns order groups by their last pick, and those that never were by their age (MAWS-11, LWM-02).
    """
    return picks << SEQ_BITS | (seq & low_bits(SEQ_BITS))


@device
def pick(S: State, w: int, t: int) -> int:
    """The group that is ready at t and comes first; -1, and S.next_due, where nobody is."""
    first = w * S.slots
    end = first + wpu(S, w).slots_used
    best = -1
    at = first
    while at < end:
        ready = due_slots(S, at, end, t)
        if ready != 0:
            best = first_of(S, w, at, ready, best, t)
        at += 64
    if best < 0:
        S.next_due = NEVER
        if end > first:
            S.next_due = due(S, first + first_least(S.p_due + WORD * first, end - first)).at
        return -1
    best = stand_in(S, w, best, t)
    S.picks += 1
    group(S, best).turn = turn_of(S.picks, group(S, best).seq)
    on_pick(S, w, best, t)
    return best


@device
def first_of(S: State, w: int, at: int, ready: int, best: int, t: int) -> int:
    """Who comes first of the groups in the slots of a mask, from slot `at` on, and `best`.

    One that is alone needs no rank.
    """
    if best < 0 and drop_lowest(ready) == 0:
        return slot(S, at + ctz(ready)).group
    least = NEVER
    if best >= 0:
        least = rank(S, w, best, t)
    while ready != 0:
        g = slot(S, at + ctz(ready)).group
        ready = drop_lowest(ready)
        order = rank(S, w, g, t)
        if order < least:
            least = order
            best = g
    return best


def setup(machine: object) -> dict[str, int]:
    """The cycle of the next group that is due, which `pick` answers where none is ready."""
    return {"next_due": 0}
