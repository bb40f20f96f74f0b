"""The dual-path stack: an entry per branch that diverged, with the PCs and masks of both sides.

Engine code (PPC-04). Only the sides of the top entry run. Of an entry below, one side is what the
entries above it are parts of, its *current* side; the other one waits. A side is a PC and a mask
unless a *group* stands for it, which every side needs that may issue, or wait for memory, while
the other one does. A warp without entries is one group, whose PC is the warp's.
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

NOBODY = -1
"""In place of a group: the side is only a PC and a mask."""

PAIR = record(current="i8", rpc="i8", by_miss="i8")
pair = table("pair", PAIR)
"""`current`: 1 for the taken side; `by_miss`: an access opened it, not a branch. Index: warp *
S.entries + level; each entry shares out the lanes of a side below, so there are width - 1."""

SIDE = record(seg="i8", mask="i8", group="i8")
side = table("side", SIDE)
"""Index: 2 * entry, + 1 for the taken side. `seg` is where a side stands for which no group does;
of one that entries above refine it is stale (Q-PPC-8)."""


@device
def on_start(S: State, w: int, v: int, t: int) -> int:
    """A warp begins with all its lanes at the first segment."""
    g = new_group(S, v, warp(S, v).live, 0)
    wake(S, g, t, IDLE)
    schedule(S, w, g)
    return 0


@device
def on_sync(S: State, w: int, g: int, t: int) -> int:
    """A barrier in one side of a branch is an error (Q-PPC-13)."""
    it = group(S, g)
    if it.mask != warp(S, it.warp).live:
        return diverged(S, g, it.seg)
    return 1


@device
def top_entry(S: State, v: int) -> int:
    """The index of a warp's top entry, which there must be."""
    return v * S.entries + warp(S, v).depth - 1


@device
def side_of(S: State, g: int) -> int:
    """The index of the side of the top entry for which a group stands."""
    first = 2 * top_entry(S, group(S, g).warp)
    return first if side(S, first).group == g else first + 1


@device
def open_entry(S: State, g: int, target: int, taken: int, fall: int, rest: int) -> int:
    """Both ways of a group that parts become the top entry, its current side the not-taken one.

    No group stands for either side yet. A group of the other side below keeps the time at which
    its data come, but it cannot be picked until it is on top again.
    """
    v = group(S, g).warp
    depth = warp(S, v).depth
    if depth >= S.entries:
        S.status = STACK_OVERFLOW
        return 0
    if depth > 0:
        mine = side_of(S, g)
        side(S, mine).group = NOBODY
        pair(S, mine // 2).current = mine & 1
        if side(S, mine ^ 1).group != NOBODY:
            leave_slot(S, side(S, mine ^ 1).group)
    warp(S, v).depth = depth + 1
    S.max_depth = max(S.max_depth, depth + 1)
    e = top_entry(S, v)
    pair(S, e).current = 0
    pair(S, e).by_miss = 0
    put_side(S, 2 * e, fall, rest)
    put_side(S, 2 * e + 1, target, taken)
    return e


@device
def put_side(S: State, i: int, s: int, mask: int) -> int:
    """A side begins at a segment."""
    it = side(S, i)
    it.seg = s
    it.mask = mask
    it.group = NOBODY
    return 0


@device
def enter(S: State, g: int, i: int) -> int:
    """A group goes on as a side of the top entry."""
    it = group(S, g)
    it.seg = side(S, i).seg
    it.mask = side(S, i).mask
    side(S, i).group = g
    pair(S, i // 2).current = i & 1
    return 0


@device
def close_entry(S: State, w: int, g: int) -> int:
    """The top entry is deleted; a group with all of its lanes is the current side below.

    The other side below can be picked again, when its data are there.
    """
    v = group(S, g).warp
    warp(S, v).depth -= 1
    if warp(S, v).depth == 0:
        return 0
    e = top_entry(S, v)
    mine = 2 * e + pair(S, e).current
    side(S, mine).group = g
    other = side(S, mine ^ 1).group
    if other != NOBODY and ready_at(S, other).t != NEVER:
        offer(S, w, other)
    return 0


@device
def side_pc(S: State, i: int) -> int:
    """The segment at which a side stands: with an access issued, the one behind it (PPC-06)."""
    if side(S, i).group == NOBODY:
        return side(S, i).seg
    it = group(S, side(S, i).group)
    return seg(S, it.seg).next if it.at_memory == 1 else it.seg


@device
def offer(S: State, w: int, g: int) -> int:
    """A group can be picked as soon as it is ready."""
    if group(S, g).slot == NO_SLOT:
        schedule(S, w, g)
    return 0


@device
def rouse(S: State, w: int, g: int, t: int) -> int:
    """A side that has been set aside can be picked from t on, or when its data are there."""
    if ready_at(S, g).t == NEVER:
        wake(S, g, t, READY)
    return offer(S, w, g)


@device
def set_aside(S: State, g: int) -> int:
    """A group waits until the other side lets it go on; it needs no scheduler slot for that."""
    park(S, g, READY)
    return leave_slot(S, g)


@device
def forget_sides(S: State, v: int, gone: int) -> int:
    """Lanes have returned: they leave every mask (Q-PPC-12)."""
    for i in range(2 * v * S.entries, 2 * (v * S.entries + warp(S, v).depth)):
        side(S, i).mask &= ~gone
    return 0


def waiting_lanes(rows: Any, S: State, v: int) -> Iterator[tuple[int, int, bool]]:
    """Yield the sides of warp v's entries for which no group stands, from the top."""
    first = 2 * v * S.entries
    for entry in rows["side"][first : first + 2 * int(rows["warp"]["depth"][v])][::-1]:
        yield entry["mask"], entry["seg"], False


def setup(machine: Machine) -> dict[str, Any]:
    """Entries for every lane to part from the others."""
    entries = max(1, machine.width - 1)
    total = machine.wpus * machine.warps * entries
    return {"entries": entries, "pair": total, "side": 2 * total}
