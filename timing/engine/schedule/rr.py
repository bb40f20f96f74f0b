"""Round-robin over groups: the one that was picked longest ago (MAWS-11, LWM-02).

Engine code. Splits take their turns like warps; one that has never been picked goes first, the
older of two before the younger.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..intrinsics import device

if TYPE_CHECKING:
    from ..hooks import State
    from ..state import group


@device
def rank(S: State, w: int, g: int, t: int) -> int:
    """The number of its last pick, then age."""
    return group(S, g).turn
