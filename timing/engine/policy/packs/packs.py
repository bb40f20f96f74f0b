"""Packs: groups of several warps that issue together (LWM-06, LWM-17).

Engine code. Registers stay where they are: a pack is a list of groups, its *parts*, each with lanes
of one warp, its home. The first one is its *lead*, which the scheduler knows; segment, wait and
scheduler slot of the pack are the lead's, and `lead` of the others names it. Where parts want the
same lane they issue one after the other, in sub-warps (issue/packed.py).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...intrinsics import device, record, table

if TYPE_CHECKING:
    from ....machines.machine import Machine
    from ...account import charge_context, charge_longer
    from ...causes import PIPELINE
    from ...groups import count_groups, end_group, forget_group, leave_slot, make_group, turn_of
    from ...hooks import State
    from ...state import group, ready_at, warp

PART = record(
    next="i8",  # the next part of the pack, -1 behind the last
    left="i8",  # lanes that are in no sub-warp yet: the copy of the mask (LWM-07)
    chosen="i8",  # lanes in the sub-warp at hand, or that are about to leave the pack
    taken="i8",  # lanes that take the branch: with the others, the two buffers of LWM-09
    over="i8",  # of a lead: when all that have accessed up to now are served
    missed="i8",  # of a lead: whether somebody has missed
)
part = table("part", PART)
"""Index as the group."""


@device
def own_waits(S: State, w: int, g: int, t: int) -> int:
    """Own what the homes of a pack have waited up to t."""
    h = g
    while h >= 0:
        charge_context(S, w, g, group(S, h).warp, t)
        h = part(S, h).next
    return 0


@device
def keep_until(S: State, w: int, v: int, s: int, t: int) -> int:
    """A warp is in the pipeline up to t, with segment s."""
    if t > warp(S, v).busy:
        charge_longer(S, w, v, s, PIPELINE, t - warp(S, v).busy)
    return 0


@device
def end_pack(S: State, g: int) -> int:
    """A pack is no more."""
    h = part(S, g).next
    end_group(S, g)
    while h >= 0:
        forget_group(S, h)
        h = part(S, h).next
    return 0


@device
def part_chosen(S: State, g: int) -> int:
    """The chosen lanes of a pack, not all of its lead, are a pack of their own: its lead.

    It waits for what the pack waits for, and has no slot yet.
    """
    it = group(S, g)
    first = -1
    last = -1
    before = -1
    h = g
    while h >= 0:
        following = part(S, h).next
        mine = part(S, h).chosen
        moved = h
        if mine != 0 and mine == group(S, h).mask:
            part(S, before).next = following
        else:
            before = h
            if mine != 0:
                group(S, h).mask &= ~mine
                moved = make_group(S, group(S, h).warp, mine, it.seg)
        if mine != 0:
            if first < 0:
                first = moved
            else:
                part(S, last).next = moved
            group(S, moved).lead = first
            last = moved
        h = following
    part(S, last).next = -1
    made = group(S, first)
    made.seg = it.seg
    ready_at(S, first).t = ready_at(S, g).t
    made.cause = it.cause
    made.until_bank = it.until_bank
    made.until_mshr = it.until_mshr
    made.until_l2 = it.until_l2
    made.at_memory = 0
    made.done = 0
    made.count = it.count
    S.seq += 1
    made.seq = S.seq
    made.turn = turn_of(0, S.seq)
    count_groups(S, made.warp, 1)
    return first


@device
def join_packs(S: State, q: int, g: int, by_warp: int) -> int:
    """All of pack g moves to pack q, whose parts it has no lane of.

    Parts come behind the lead, in the order of their warps if asked.
    """
    leave_slot(S, g)
    count_groups(S, group(S, g).warp, -1)
    h = g
    while h >= 0:
        following = part(S, h).next
        mate = q
        while mate >= 0 and group(S, mate).warp != group(S, h).warp:
            mate = part(S, mate).next
        if mate >= 0:
            group(S, mate).mask |= group(S, h).mask
            forget_group(S, h)
        else:
            before = q
            if by_warp == 1:
                before = part_before(S, q, group(S, h).warp)
            link_part(S, q, before, h)
        h = following
    return 0


@device
def part_before(S: State, g: int, v: int) -> int:
    """The part of a pack behind which one of warp v has its place, in the order of warps."""
    before = g
    h = part(S, g).next
    while h >= 0 and group(S, h).warp < v:
        before = h
        h = part(S, h).next
    return before


@device
def link_part(S: State, g: int, before: int, h: int) -> int:
    """h is a part of pack g, behind another part."""
    group(S, h).lead = g
    part(S, h).next = part(S, before).next
    part(S, before).next = h
    return h


def setup(machine: Machine) -> dict[str, Any]:
    """A record per group."""
    return {"part": machine.wpus * machine.warps * machine.width}
