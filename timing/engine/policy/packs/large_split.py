"""Large warps that part at accesses, up to where all their lanes have to meet (DWS-13, MAWS-05).

Engine code, with large.py, memory_split.py and pack_split.py. The packs of a large warp share the
stacks of its rows. They run one path, that of the top entry, each on its own up to the next
conditional branch, the entry's re-convergence point, a barrier or the return: all come to the same
one. Who comes there before others is a pack no more; a mask of each row keeps its lanes. The last
one goes on with all of them. Packs that are ready at one PC merge when one of them is fetched.

A pack that is not whole has parts for rows with lanes of it only. The lead's part is the first,
the others follow in the order of rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...intrinsics import ctz, device, drop_lowest, record, table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ....machines.machine import Machine
    from ...account import own_warp
    from ...causes import RECONVERGE
    from ...groups import make_group, schedule
    from ...hooks import State
    from ...state import group, ready_at, seg, warp
    from .packs import (
        end_pack,
        join_packs,
        link_part,
        own_waits,
        part,
        part_before,
        part_chosen,
    )

ROW = record(
    first="i8",  # the warp that is the first row
    next="i8",  # the one that is the next row, -1 behind the last
    waiting="i8",  # lanes that wait for the others of the top entry
    seg="i8",  # and the segment in front of which they do
    packs="i8",  # of the first row: packs of the large warp
    parted="i8",  # of the first row: whether there were more since it was whole
)
row_of = table("large_row", ROW)
"""Index as the warp."""


@device
def on_row(S: State, v: int, before: int) -> int:
    """A warp becomes a row."""
    it = row_of(S, v)
    it.first = v
    it.next = -1
    it.waiting = 0
    it.packs = 1
    it.parted = 0
    if before >= 0:
        it.first = row_of(S, before).first
        row_of(S, before).next = v
    return 0


# --- the table


@device
def entries_of(S: State, v: int) -> int:
    """Entries of the warp-split table that the large warp with the first row v takes.

    None where it is whole, one for the lanes that wait; other rows take none.
    """
    mine = row_of(S, v)
    if mine.first != v or mine.parted == 0:
        return 0
    live = 0
    waiting = 0
    h = v
    while h >= 0:
        live |= warp(S, h).live
        waiting |= row_of(S, h).waiting
        h = row_of(S, h).next
    if live == 0:
        return 0
    n = mine.packs + (1 if waiting != 0 else 0)
    return n if n > 1 else 0


@device
def has_room(S: State, w: int, v: int) -> int:
    """Whether there are entries for one more pack of v's large warp: two for the first split."""
    if S.wst_entries == 0:
        return 1
    used = 0
    for i in range(w * S.warps, (w + 1) * S.warps):
        used += entries_of(S, i)
    used += 1 if entries_of(S, row_of(S, v).first) > 0 else 2
    if used <= S.wst_entries:
        return 1
    S.n_wst_full += 1
    return 0


# --- parting and merging


@device
def split_chosen(S: State, w: int, g: int) -> int:
    """The chosen lanes of a pack become a pack of their own."""
    h = part_chosen(S, g)
    mine = row_of(S, row_of(S, group(S, g).warp).first)
    mine.packs += 1
    mine.parted = 1
    schedule(S, w, h)
    return h


@device
def standing_at(S: State, g: int) -> int:
    """The segment that a pack issues next when its wait is over."""
    it = group(S, g)
    return seg(S, it.seg).next if it.at_memory == 1 else it.seg


@device
def on_resume(S: State, w: int, g: int, t: int) -> int:
    """Packs of the large warp that are ready at the PC of the one that is fetched go on with it."""
    v = row_of(S, group(S, g).warp).first
    mine = row_of(S, v)
    if mine.packs == 1 or S.pc_merge == 0:
        return 0
    s = standing_at(S, g)
    while v >= 0:
        rest = warp(S, v).groups
        while rest != 0:
            h = v * S.width + ctz(rest)
            rest = drop_lowest(rest)
            if h != g and group(S, h).lead == h and ready_at(S, h).t <= t:
                if standing_at(S, h) == s:
                    own_waits(S, w, h, t)
                    join_packs(S, g, h, 1)
                    mine.packs -= 1
                    S.n_pc_merge += 1
        v = row_of(S, v).next
    return 0


# --- where all lanes meet


@device
def gathers(S: State, w: int, g: int) -> int:
    """A pack waits as lanes of its rows while there are others; the last one is the large warp."""
    mine = row_of(S, row_of(S, group(S, g).warp).first)
    if mine.packs == 1:
        if mine.parted == 1:
            become_whole(S, w, g)
        return 0
    s = group(S, g).seg
    h = g
    while h >= 0:
        place = row_of(S, group(S, h).warp)
        place.waiting |= group(S, h).mask
        place.seg = s
        h = part(S, h).next
    mine.packs -= 1
    end_pack(S, g)
    return 1


@device
def become_whole(S: State, w: int, g: int) -> int:
    """The last pack of a large warp has all of its rows, with those who have waited for it."""
    v = row_of(S, group(S, g).warp).first
    row_of(S, v).parted = 0
    waited = 0
    while v >= 0:
        h = part_of(S, g, v)
        waiting = row_of(S, v).waiting
        row_of(S, v).waiting = 0
        group(S, h).mask |= waiting
        waited |= waiting
        # Rows that no pack had lanes of have waited for the others.
        own_warp(S, w, v, group(S, g).seg, RECONVERGE, S.now)
        v = row_of(S, v).next
    if waited != 0:
        S.n_stack_merge += 1
    return 0


@device
def part_of(S: State, g: int, v: int) -> int:
    """The part of a pack for the row of warp v; a new one if it has none."""
    if group(S, g).warp == v:
        return g
    before = part_before(S, g, v)
    h = part(S, before).next
    if h >= 0 and group(S, h).warp == v:
        return h
    h = make_group(S, v, 0, group(S, g).seg)
    part(S, h).chosen = 0
    return link_part(S, g, before, h)


@device
def leaves(S: State, w: int, g: int) -> int:
    """A pack has returned; the last one of an entry goes on with what is below."""
    mine = row_of(S, row_of(S, group(S, g).warp).first)
    if mine.packs > 1:
        mine.packs -= 1
        return 1
    if mine.parted == 1:
        become_whole(S, w, g)
    return 0


def waiting_lanes(rows: Any, S: State, v: int) -> Iterator[tuple[int, int, bool]]:
    """Yield the lanes of row v that wait for the others of the top entry."""
    yield rows["large_row"]["waiting"][v], rows["large_row"]["seg"][v], False


def setup(machine: Machine) -> dict[str, Any]:
    """Rows, whether PCs are compared, and counters of merges."""
    return {
        "large_row": machine.wpus * machine.warps,
        "pc_merge": machine.policy["pc-merge"],
        "n_pc_merge": 0,
        "n_stack_merge": 0,
    }
