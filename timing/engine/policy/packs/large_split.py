"""Large warps that split at accesses, up to where all their lanes must rejoin (DWS-13, MAWS-05).

Engine code, with large.py, memory_split.py and pack_split.py. The packs of a large warp share the
stacks of its rows. They run one path, that of the top entry, each on its own up to the next
conditional branch, the entry's re-convergence point, a barrier or the return: all reach the same
one. A pack that arrives before others ends; a mask of each row keeps its lanes. The last one
continues with all of them. Packs that are ready at one PC merge when one of them is fetched.

A pack that is not whole has parts only for rows in which it has lanes. The lead's part is the
first, the others follow in the order of rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...intrinsics import ctz, device, drop_lowest, record, table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ....machines.machine import Machine
    from ...account import charge_warp_until
    from ...causes import RECONVERGE
    from ...groups import change_entries, make_group, schedule
    from ...hooks import State
    from ...state import group, ready_at, seg, warp, wpu
    from .packs import (
        charge_homes,
        end_pack,
        join_packs,
        link_part,
        part,
        part_before,
        part_chosen,
    )

ROW = record(
    first="i8",  # the warp that is the first row
    next="i8",  # the warp that is the next row, -1 for the last
    waiting="i8",  # lanes that wait for the others of the top entry
    seg="i8",  # the segment before which they wait
    packs="i8",  # of the first row: packs of the large warp
    parted="i8",  # of the first row: 1 if it has been split since it was whole
    entries="i8",  # of the first row: the warp-split table's entries that have been counted for it
)
row_of = table("large_row", ROW)
"""Index as the warp."""


@device
def on_row(S: State, v: int, previous: int) -> int:
    """Make warp v a row; see `hooks.on_row`."""
    row = row_of(S, v)
    row.first = v
    row.next = -1
    row.waiting = 0
    row.packs = 1
    row.parted = 0
    row.entries = 0
    if previous >= 0:
        row.first = row_of(S, previous).first
        row_of(S, previous).next = v
    return 0


# --- the table


@device
def count_entries(S: State, w: int, v: int) -> int:
    """Count the table's entries of the large warp with the first row v from now on.

    None if it is whole, else one for each pack and one for the lanes that wait. Called after every
    change of its packs and of the lanes that wait.
    """
    waiting = 0
    h = v
    while h >= 0:
        waiting |= row_of(S, h).waiting
        h = row_of(S, h).next
    first_row = row_of(S, v)
    n = first_row.packs + (1 if waiting != 0 else 0)
    if n == 1:
        n = 0
    change = n - first_row.entries
    first_row.entries = n
    return change_entries(S, w, change)


@device
def has_room(S: State, w: int, v: int) -> int:
    """Return 1 if the table has room for one more pack of v's large warp: two for the first."""
    if S.wst_entries == 0:
        return 1
    more = 1 if row_of(S, row_of(S, v).first).entries > 0 else 2
    if wpu(S, w).entries + more <= S.wst_entries:
        return 1
    S.n_wst_full += 1
    return 0


# --- splitting and merging


@device
def split_chosen(S: State, w: int, g: int) -> int:
    """Make the chosen lanes of pack g a pack of their own; see `hooks.split_chosen`."""
    h = part_chosen(S, g)
    v = row_of(S, group(S, g).warp).first
    row_of(S, v).packs += 1
    row_of(S, v).parted = 1
    count_entries(S, w, v)
    schedule(S, w, h)
    return h


@device
def standing_at(S: State, g: int) -> int:
    """Return the segment that pack g issues next when its wait ends."""
    grp = group(S, g)
    return seg(S, grp.seg).next if grp.at_memory == 1 else grp.seg


@device
def on_resume(S: State, w: int, g: int, t: int) -> int:
    """Merge ready packs of the large warp that are at the PC of the fetched pack g into g."""
    first = row_of(S, group(S, g).warp).first
    first_row = row_of(S, first)
    if first_row.packs == 1 or S.pc_merge == 0:
        return 0
    v = first
    s = standing_at(S, g)
    while v >= 0:
        rest = warp(S, v).groups
        while rest != 0:
            h = v * S.width + ctz(rest)
            rest = drop_lowest(rest)
            if h != g and group(S, h).lead == h and ready_at(S, h).t <= t:
                if standing_at(S, h) == s:
                    charge_homes(S, w, h, t)
                    join_packs(S, g, h, 1)
                    first_row.packs -= 1
                    S.n_pc_merge += 1
        v = row_of(S, v).next
    return count_entries(S, w, first)


# --- where all lanes rejoin


@device
def gathers(S: State, w: int, g: int) -> int:
    """Let pack g wait as lanes of its rows while other packs exist; the last one becomes whole."""
    first = row_of(S, group(S, g).warp).first
    first_row = row_of(S, first)
    if first_row.packs == 1:
        if first_row.parted == 1:
            become_whole(S, w, g)
        return 0
    s = group(S, g).seg
    h = g
    while h >= 0:
        row = row_of(S, group(S, h).warp)
        row.waiting |= group(S, h).mask
        row.seg = s
        h = part(S, h).next
    first_row.packs -= 1
    count_entries(S, w, first)
    end_pack(S, g)
    return 1


@device
def become_whole(S: State, w: int, g: int) -> int:
    """Give the last pack of a large warp all of its rows, and the lanes that have waited for it."""
    first = row_of(S, group(S, g).warp).first
    row_of(S, first).parted = 0
    waited = 0
    v = first
    while v >= 0:
        h = part_of(S, g, v)
        waiting = row_of(S, v).waiting
        row_of(S, v).waiting = 0
        group(S, h).mask |= waiting
        waited |= waiting
        # Rows without lanes in any pack have waited for the others.
        charge_warp_until(S, w, v, group(S, g).seg, RECONVERGE, S.now)
        v = row_of(S, v).next
    if waited != 0:
        S.n_stack_merge += 1
    return count_entries(S, w, first)


@device
def part_of(S: State, g: int, v: int) -> int:
    """Return the part of pack g for the row of warp v; make one if it has none."""
    if group(S, g).warp == v:
        return g
    previous = part_before(S, g, v)
    h = part(S, previous).next
    if h >= 0 and group(S, h).warp == v:
        return h
    h = make_group(S, v, 0, group(S, g).seg)
    part(S, h).chosen = 0
    return link_part(S, g, previous, h)


@device
def leaves(S: State, w: int, g: int) -> int:
    """Count a pack that has returned; the last one of an entry continues with the entry below."""
    first = row_of(S, group(S, g).warp).first
    first_row = row_of(S, first)
    if first_row.packs > 1:
        first_row.packs -= 1
        count_entries(S, w, first)
        return 1
    if first_row.parted == 1:
        become_whole(S, w, g)
    return 0


def waiting_lanes(rows: Any, S: State, v: int) -> Iterator[tuple[int, int, bool]]:
    """Yield the lanes of row v that wait for the others of the top entry."""
    yield rows["large_row"]["waiting"][v], rows["large_row"]["seg"][v], False


def setup(machine: Machine) -> dict[str, Any]:
    """Return rows, whether PCs are compared, and counters of merges."""
    return {
        "large_row": machine.wpus * machine.warps,
        "pc_merge": machine.policy["pc-merge"],
        "n_pc_merge": 0,
        "n_stack_merge": 0,
    }
