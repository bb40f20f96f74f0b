"""Whose turn was when: what round-robin goes by, and other schedulers where they see no difference.

Engine code.
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
def last_turn(S: State, g: int) -> int:
    """The number of a group's last pick; 0 for none."""
    mine = turn(S, g)
    return mine.picked if mine.group == group(S, g).seq else 0


@device
def take_turn(S: State, g: int) -> int:
    """A group was picked: it goes to the end."""
    S.picks += 1
    mine = turn(S, g)
    mine.group = group(S, g).seq
    mine.picked = S.picks
    return 0


def setup(machine: Machine) -> dict[str, Any]:
    """A turn per group."""
    return {"turn": machine.wpus * machine.warps * machine.width, "picks": 0}
