"""Group memory: on chip, a cycle an access and one more for each further word in the same bank.

Engine code. decisions: 32 banks of 4 bytes; lanes that want the same word share it; the access
never subdivides a warp and never switches to another.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..intrinsics import bit, call, ctz, device, drop_lowest, word32

if TYPE_CHECKING:
    from ..account import charge_bubbles
    from ..causes import UNIT
    from ..engine import trapped
    from ..hooks import State
    from ..machine import Machine
    from ..state import group, seg, warp

WORD_SHIFT = 2


@device
def group_access(S: State, w: int, g: int, t: int) -> int:
    """Move the data; the cycle at which the group goes on (t: the cycle behind the access)."""
    it = group(S, g)
    row = seg(S, it.seg)
    extra = conflicts(S, w, g)  # first: a load may overwrite its own addresses
    refused = call(row.move, warp(S, it.warp).block, it.mask)
    if refused != 0:
        trapped(S, w, g, refused)
        return t
    if extra > 0:
        charge_bubbles(S, w, g, UNIT, extra)
    return t + extra


@device
def conflicts(S: State, w: int, g: int) -> int:
    """Words in the fullest bank beyond the first; atomics on one word take turns."""
    it = group(S, g)
    row = seg(S, it.seg)
    if row.addr_row < 0:
        return 0
    block = warp(S, it.warp).block
    worst = 0
    counted = 0  # lanes that take a turn at their bank: the first of each word
    rest = it.mask
    while rest != 0:
        lane = ctz(rest)
        rest = drop_lowest(rest)
        mine = (word32(block + row.addr_row, lane) + row.imm) >> WORD_SHIFT
        before = counted
        turn = 0
        shared = 0
        while before != 0:
            word = (word32(block + row.addr_row, ctz(before)) + row.imm) >> WORD_SHIFT
            before = drop_lowest(before)
            if word == mine and row.is_atomic == 0:
                shared = 1
            elif (word ^ mine) & (S.group_banks - 1) == 0:
                turn += 1
        if shared == 0:
            counted |= bit(lane)
            worst = max(worst, turn)
    return worst


def setup(machine: Machine) -> dict[str, Any]:
    """Banks, a power of two."""
    return {"group_banks": machine.group_banks}
