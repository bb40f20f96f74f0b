"""Round-robin over groups: the one that was picked longest ago (MAWS-11, LWM-02).

Engine code, on the turns of `turns.py`. Splits take their turns like warps; one that has never been
picked goes first, the older of two before the younger.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..intrinsics import device

if TYPE_CHECKING:
    from ..hooks import State
    from ..state import group
    from .turns import last_turn, take_turn


@device
def rank(S: State, w: int, g: int, t: int) -> int:
    """The number of its last pick, then age."""
    return last_turn(S, g) << 20 | (group(S, g).seq & 0xFFFFF)


@device
def on_pick(S: State, w: int, g: int, t: int) -> int:
    """It goes to the end."""
    return take_turn(S, g)
