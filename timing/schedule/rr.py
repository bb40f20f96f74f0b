"""Round-robin over groups: the one that was picked longest ago (MAWS-11, LWM-02).

Engine code. Splits take their turns like warps; one that has never been picked goes first, the
older of two before the younger.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..intrinsics import device, record, table

if TYPE_CHECKING:
    from ..hooks import State
    from ..machine import Machine
    from ..state import group

TURN = record(group="i8", picked="i8")
turn = table("turn", TURN)
"""When a group was picked last, in picks; index as the group. `group` is its seq, since ids are
used again."""


@device
def rank(S: State, w: int, g: int, t: int) -> int:
    """The number of its last pick, then age."""
    mine = turn(S, g)
    seq = group(S, g).seq
    picked = mine.picked if mine.group == seq else 0
    return picked << 20 | (seq & 0xFFFFF)


@device
def on_pick(S: State, w: int, g: int, t: int) -> int:
    """It goes to the end."""
    S.picks += 1
    mine = turn(S, g)
    mine.group = group(S, g).seq
    mine.picked = S.picks
    return 0


def setup(machine: Machine) -> dict[str, Any]:
    """A turn per group."""
    return {"turn": machine.wpus * machine.warps * machine.width, "picks": 0}
