"""A group's segment up to its last instruction: arrival, code, the lanes' work.

Engine code, the same for every issue discipline; what the segment ends in is theirs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..intrinsics import call, device, put64

if TYPE_CHECKING:
    from ..causes import CODE
    from ..groups import wake
    from ..hooks import State, fetch, on_arrival
    from ..loop import stop, trapped
    from ..state import BLOCK_CLOCK, SEG_TRAP, group, seg, warp


@device
def execute(S: State, w: int, g: int, t: int) -> int:
    """Execute the segment of a group at cycle t for its lanes.

    Answers 0 if the group has stopped instead: parked on arrival, without its code, or trapped.
    """
    return compute(S, w, g, t) if arrive(S, w, g, t) == 1 else 0


@device
def arrive(S: State, w: int, g: int, t: int) -> int:
    """A group comes to its segment; 0 if it has stopped: parked, or without its code."""
    if on_arrival(S, w, g, t) == 1:
        return stop(S, w, t)
    there = fetch(S, w, group(S, g).seg, t)
    if there > t:
        wake(S, g, there, CODE)
        return stop(S, w, t)
    return 1


@device
def compute(S: State, w: int, g: int, t: int) -> int:
    """What the lanes of a group compute in its segment; 0 if some trap."""
    it = group(S, g)
    row = seg(S, it.seg)
    block = warp(S, it.warp).block
    if row.uses_clock == 1:
        put64(block, BLOCK_CLOCK, t)
    if row.kind == SEG_TRAP:
        return trapped(S, w, g, it.mask)
    if row.fn != 0:
        refused = call(row.fn, block, it.mask)
        if refused != 0:
            return trapped(S, w, g, refused)
    return 1
