"""Group memory on chip: a cycle per access, and one more for each further word in the same bank.

Engine code. There are 32 banks of 4 bytes; lanes that want the same word share it; the access never
subdivides a warp and never switches to another.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..intrinsics import call, ctz, device, drop_lowest, popcount, record, table, word32

if TYPE_CHECKING:
    from ...machines.machine import Machine
    from ..account import charge_bubbles
    from ..causes import UNIT
    from ..groups import home
    from ..hooks import State
    from ..loop import trapped
    from ..state import group, seg, warp

WORD_SHIFT = 2

bank_turns = table("bank_turns", record(n="i8", access="i8"))
"""Per bank: the turns that the access with number `access` takes there; other counts are void."""

bank_words = table("bank_words", record(word="i8"))
"""Words of a bank; index: bank * S.width + turn."""


@device
def group_access(S: State, w: int, g: int, t: int) -> int:
    """Move the data of group g's access; return the cycle from which g continues.

    t is the cycle after the access.
    """
    grp = group(S, g)
    row = seg(S, grp.seg)
    extra = conflicts(S, w, g, grp.mask)  # before the move: a load may overwrite its addresses
    refused = call(row.move, warp(S, grp.warp).block, grp.mask)
    if refused != 0:
        trapped(S, w, g, refused)
        return t
    if extra > 0:
        charge_bubbles(S, w, g, UNIT, extra)
    return t + extra


@device
def conflicts(S: State, w: int, g: int, lanes: int) -> int:
    """Return the words in the fullest bank beyond the first; atomics on one word take turns.

    0 if `lanes` is empty. `bank_words` holds, bank by bank, the words that some lane wants already.
    """
    if lanes == 0:
        return 0
    row = seg(S, group(S, g).seg)
    if row.addr_row < 0:
        return (popcount(lanes) - 1) * row.is_atomic
    S.group_access += 1
    worst = 0
    rest = lanes
    while rest != 0:
        block = warp(S, home(S, g, ctz(rest))).block
        word = (word32(block + row.addr_row, ctz(rest)) + row.imm) >> WORD_SHIFT
        rest = drop_lowest(rest)
        entry = bank_turns(S, word & (S.group_banks - 1))
        if entry.access != S.group_access:
            entry.access = S.group_access
            entry.n = 0
        first = (word & (S.group_banks - 1)) * S.width
        shared = 0
        if row.is_atomic == 0:
            for i in range(first, first + entry.n):
                if bank_words(S, i).word == word:
                    shared = 1
        if shared == 0:
            bank_words(S, first + entry.n).word = word
            entry.n += 1
            worst = max(worst, entry.n)
    return worst - 1


def setup(machine: Machine) -> dict[str, Any]:
    """Return the number of banks, a power of two, and their tables."""
    return {
        "group_banks": machine.group_banks,
        "group_access": 0,
        "bank_turns": machine.group_banks,
        "bank_words": machine.group_banks * machine.width,
    }
