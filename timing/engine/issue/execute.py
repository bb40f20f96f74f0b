"""A segment of a group: arrival, code, the lanes' work, and the end of its last instruction.

Engine code, the same for every issue discipline. The discipline decides when a segment ends, and
when the group can issue again; packs end instructions for all of their parts (packed.py).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..intrinsics import call, device, inlined, put64

if TYPE_CHECKING:
    from ..causes import CODE
    from ..groups import wake
    from ..hooks import State, fetch, on_arrival, on_reconverge
    from ..loop import branch, spend, stop, trapped
    from ..state import (
        BLOCK_CLOCK,
        SEG_BARRIER,
        SEG_BRANCH,
        SEG_EXIT,
        SEG_JUMP,
        SEG_RECONVERGE,
        SEG_TRAP,
        group,
        seg,
        warp,
    )
    from ..workgroups import arrive_at_barrier, retire


@device
def execute(S: State, w: int, g: int, t: int) -> int:
    """Execute the segment of group g at cycle t for its lanes.

    Return 0 if the group has stopped instead: parked on arrival, without its code, or trapped.
    """
    return compute(S, w, g, t) if arrive(S, w, g, t) == 1 else 0


@device
def arrive(S: State, w: int, g: int, t: int) -> int:
    """Let group g arrive at its segment at t; return 0 if it stops: parked, or without its code."""
    if on_arrival(S, w, g, t) == 1:
        return stop(S, w, t)
    arrival = fetch(S, w, group(S, g).seg, t)
    if arrival > t:
        wake(S, g, arrival, CODE)
        return stop(S, w, t)
    return 1


@device
def compute(S: State, w: int, g: int, t: int) -> int:
    """Compute group g's segment for its lanes at t; return 0 if some trap."""
    grp = group(S, g)
    row = seg(S, grp.seg)
    block = warp(S, grp.warp).block
    if row.uses_clock == 1:
        put64(block, BLOCK_CLOCK, t)
    if row.kind == SEG_TRAP:
        return trapped(S, w, g, grp.mask)
    if row.fn != 0:
        refused = call(row.fn, block, grp.mask)
        if refused != 0:
            return trapped(S, w, g, refused)
    return 1


@inlined
def finish(S: State, w: int, g: int, t: int) -> int:
    """End group g's segment at cycle t, unless it accesses caches; return 1 if g continues."""
    grp = group(S, g)
    row = seg(S, grp.seg)
    kind = row.kind
    if kind == SEG_BRANCH:
        return branch(S, w, g, t)
    if kind == SEG_BARRIER:
        arrive_at_barrier(S, w, g, t)
        return 0
    if kind == SEG_EXIT:
        return retire(S, w, g, t)
    if kind == SEG_JUMP:
        grp.seg = row.target
        spend(S, g)
        return 1
    grp.seg = row.next
    if kind == SEG_RECONVERGE:
        on_reconverge(S, w, g, t)
    return 1
