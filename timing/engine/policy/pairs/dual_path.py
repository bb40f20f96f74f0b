"""The dual-path stack: an entry per branch that diverged, with the PCs and masks of both sides.

Engine code (PPC-04). Only the sides of the top entry run. Of an entry below, one side is divided by
the entries above it, its *current* side; the other one waits. A side is a PC and a mask, unless a
*group* represents it. A side needs a group if it may issue, or wait for memory, while the other one
does. A warp without entries is one group, whose PC is the warp's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...intrinsics import NEVER, device, record, table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ....machines.machine import Machine
    from ...causes import IDLE, READY
    from ...groups import NO_SLOT, leave_slot, new_group, park, schedule, wake
    from ...hooks import State
    from ...state import STACK_OVERFLOW, group, ready_at, seg, warp
    from ...workgroups import diverged

NO_GROUP = -1
"""In place of a group: the side is only a PC and a mask."""

PAIR = record(current="i8", rpc="i8", by_miss="i8")
pair = table("pair", PAIR)
"""`current`: 1 for the taken side; `by_miss`: an access opened it, not a branch. Index: warp *
S.entries + level; each entry divides the lanes of a side below, so at most width - 1 are needed."""

SIDE = record(seg="i8", mask="i8", group="i8")
side = table("side", SIDE)
"""Index: 2 * entry, + 1 for the taken side. `seg` is the segment of a side without a group; it is
stale in a side that entries above divide (Q-PPC-8)."""


@device
def on_start(S: State, w: int, v: int, t: int) -> int:
    """Begin warp v with all its lanes at the first segment."""
    g = new_group(S, v, warp(S, v).live, 0)
    wake(S, g, t, IDLE)
    schedule(S, w, g)
    return 0


@device
def on_sync(S: State, w: int, g: int, t: int) -> int:
    """Return 1 for a whole warp; a barrier in one side of a branch is an error (Q-PPC-13)."""
    grp = group(S, g)
    if grp.mask != warp(S, grp.warp).live:
        return diverged(S, g, grp.seg)
    return 1


@device
def top_entry(S: State, v: int) -> int:
    """Return the index of warp v's top entry, which must exist."""
    return v * S.entries + warp(S, v).depth - 1


@device
def side_of(S: State, g: int) -> int:
    """Return the index of the side of the top entry that group g represents."""
    first = 2 * top_entry(S, group(S, g).warp)
    return first if side(S, first).group == g else first + 1


@device
def open_entry(S: State, g: int, target: int, taken: int, fall: int, rest: int) -> int:
    """Push an entry with both ways of g's lanes, the not-taken one current; return its index.

    Neither side has a group yet. A group of the other side below keeps the time at which its data
    arrive, but it cannot be picked until it is on top again.
    """
    v = group(S, g).warp
    depth = warp(S, v).depth
    if depth >= S.entries:
        S.status = STACK_OVERFLOW
        return 0
    if depth > 0:
        own_side = side_of(S, g)
        side(S, own_side).group = NO_GROUP
        pair(S, own_side // 2).current = own_side & 1
        if side(S, own_side ^ 1).group != NO_GROUP:
            leave_slot(S, side(S, own_side ^ 1).group)
    warp(S, v).depth = depth + 1
    S.max_depth = max(S.max_depth, depth + 1)
    entry = top_entry(S, v)
    pair(S, entry).current = 0
    pair(S, entry).by_miss = 0
    put_side(S, 2 * entry, fall, rest)
    put_side(S, 2 * entry + 1, target, taken)
    return entry


@device
def put_side(S: State, i: int, s: int, mask: int) -> int:
    """Let side i begin at segment s with lanes `mask`, without a group."""
    path = side(S, i)
    path.seg = s
    path.mask = mask
    path.group = NO_GROUP
    return 0


@device
def enter(S: State, g: int, i: int) -> int:
    """Let group g continue as side i of the top entry."""
    grp = group(S, g)
    grp.seg = side(S, i).seg
    grp.mask = side(S, i).mask
    side(S, i).group = g
    pair(S, i // 2).current = i & 1
    return 0


@device
def close_entry(S: State, w: int, g: int) -> int:
    """Delete the top entry; group g has all of its lanes and becomes the current side below.

    The other side below can be picked again when its data have arrived.
    """
    v = group(S, g).warp
    warp(S, v).depth -= 1
    if warp(S, v).depth == 0:
        return 0
    entry = top_entry(S, v)
    own_side = 2 * entry + pair(S, entry).current
    side(S, own_side).group = g
    other = side(S, own_side ^ 1).group
    if other != NO_GROUP and ready_at(S, other).t != NEVER:
        offer(S, w, other)
    return 0


@device
def side_pc(S: State, i: int) -> int:
    """Return the segment of side i; after an issued access, the next one (PPC-06)."""
    if side(S, i).group == NO_GROUP:
        return side(S, i).seg
    grp = group(S, side(S, i).group)
    return seg(S, grp.seg).next if grp.at_memory == 1 else grp.seg


@device
def offer(S: State, w: int, g: int) -> int:
    """Let group g be picked as soon as it is ready."""
    if group(S, g).slot == NO_SLOT:
        schedule(S, w, g)
    return 0


@device
def resume(S: State, w: int, g: int, t: int) -> int:
    """Let group g, which has been set aside, be picked from t on, or when its data arrive."""
    if ready_at(S, g).t == NEVER:
        wake(S, g, t, READY)
    return offer(S, w, g)


@device
def set_aside(S: State, g: int) -> int:
    """Stop group g until the other side lets it continue; it gives up its scheduler slot."""
    park(S, g, READY)
    return leave_slot(S, g)


@device
def forget_sides(S: State, v: int, gone: int) -> int:
    """Remove the returned lanes `gone` from every mask of warp v (Q-PPC-12)."""
    for i in range(2 * v * S.entries, 2 * (v * S.entries + warp(S, v).depth)):
        side(S, i).mask &= ~gone
    return 0


def waiting_lanes(rows: Any, S: State, v: int) -> Iterator[tuple[int, int, bool]]:
    """Yield the sides of warp v's entries that have no group, from the top."""
    first = 2 * v * S.entries
    for entry in rows["side"][first : first + 2 * int(rows["warp"]["depth"][v])][::-1]:
        yield entry["mask"], entry["seg"], False


def setup(machine: Machine) -> dict[str, Any]:
    """Return enough entries for every lane to diverge from the others."""
    entries = max(1, machine.width - 1)
    total = machine.wpus * machine.warps * entries
    return {"entries": entries, "pair": total, "side": 2 * total}
