"""Packs: groups of several warps that issue together (LWM-06, LWM-17).

Engine code. Registers do not move: a pack is a list of groups, its *parts*, each with lanes of one
warp, its home. The first one is its *lead*, which the scheduler knows; segment, wait and scheduler
slot of the pack are the lead's, and `lead` of the others names it. Parts that want the same lane
issue one after the other, in sub-warps (issue/packed.py).
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
    next="i8",  # the next part of the pack, -1 for the last
    left="i8",  # lanes that are in no sub-warp yet: the copy of the mask (LWM-07)
    chosen="i8",  # lanes in the current sub-warp, or that are about to leave the pack
    taken="i8",  # lanes that take the branch: with the others, the two buffers of LWM-09
    over="i8",  # of a lead: the cycle at which all lanes are served that have accessed
    missed="i8",  # of a lead: 1 if a lane has missed
)
part = table("part", PART)
"""Index as the group."""


@device
def charge_homes(S: State, w: int, g: int, t: int) -> int:
    """Charge what the homes of pack g have waited up to t."""
    h = g
    while h >= 0:
        charge_context(S, w, g, group(S, h).warp, t)
        h = part(S, h).next
    return 0


@device
def charge_pipeline(S: State, w: int, v: int, s: int, t: int) -> int:
    """Charge warp v's time in the pipeline with segment s, up to t."""
    if t > warp(S, v).busy:
        charge_longer(S, w, v, s, PIPELINE, t - warp(S, v).busy)
    return 0


@device
def end_pack(S: State, g: int) -> int:
    """End pack g and all of its parts."""
    h = part(S, g).next
    end_group(S, g)
    while h >= 0:
        forget_group(S, h)
        h = part(S, h).next
    return 0


@device
def part_chosen(S: State, g: int) -> int:
    """Make the chosen lanes of pack g, not all of its lead, a pack of their own; return its lead.

    The new pack waits for what g waits for, and has no slot yet.
    """
    grp = group(S, g)
    new_lead = -1
    last_member = -1
    previous = -1
    h = g
    while h >= 0:
        next_part = part(S, h).next
        chosen = part(S, h).chosen
        member = h
        if chosen != 0 and chosen == group(S, h).mask:
            part(S, previous).next = next_part
        else:
            previous = h
            if chosen != 0:
                group(S, h).mask &= ~chosen
                member = make_group(S, group(S, h).warp, chosen, grp.seg)
        if chosen != 0:
            if new_lead < 0:
                new_lead = member
            else:
                part(S, last_member).next = member
            group(S, member).lead = new_lead
            last_member = member
        h = next_part
    part(S, last_member).next = -1
    child = group(S, new_lead)
    child.seg = grp.seg
    ready_at(S, new_lead).t = ready_at(S, g).t
    child.cause = grp.cause
    child.until_bank = grp.until_bank
    child.until_mshr = grp.until_mshr
    child.until_l2 = grp.until_l2
    child.at_memory = 0
    child.done = 0
    child.count = grp.count
    S.seq += 1
    child.seq = S.seq
    child.turn = turn_of(0, S.seq)
    count_groups(S, child.warp, 1)
    return new_lead


@device
def join_packs(S: State, target: int, g: int, by_warp: int) -> int:
    """Move all of pack g to pack `target`, which has none of its lanes.

    New parts follow the lead, in the order of their warps if `by_warp` is 1.
    """
    leave_slot(S, g)
    count_groups(S, group(S, g).warp, -1)
    h = g
    while h >= 0:
        next_part = part(S, h).next
        home_part = target
        while home_part >= 0 and group(S, home_part).warp != group(S, h).warp:
            home_part = part(S, home_part).next
        if home_part >= 0:
            group(S, home_part).mask |= group(S, h).mask
            forget_group(S, h)
        else:
            previous = target
            if by_warp == 1:
                previous = part_before(S, target, group(S, h).warp)
            link_part(S, target, previous, h)
        h = next_part
    return 0


@device
def part_before(S: State, g: int, v: int) -> int:
    """Return the part of pack g after which a part of warp v belongs, in the order of warps."""
    previous = g
    h = part(S, g).next
    while h >= 0 and group(S, h).warp < v:
        previous = h
        h = part(S, h).next
    return previous


@device
def link_part(S: State, g: int, previous: int, h: int) -> int:
    """Insert part h into pack g after part `before`; return h."""
    group(S, h).lead = g
    part(S, h).next = part(S, previous).next
    part(S, previous).next = h
    return h


def setup(machine: Machine) -> dict[str, Any]:
    """Return a record per group."""
    return {"part": machine.wpus * machine.warps * machine.width}
