"""Round-robin over groups: the one that was picked longest ago (MAWS-11, LWM-02).

Engine code. Splits take turns like warps; groups that have never been picked go first, in the order
of their age.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..intrinsics import device

if TYPE_CHECKING:
    from ..hooks import State
    from ..state import group
    from .other_warp import after_others


@device
def rank(S: State, w: int, g: int, t: int) -> int:
    """Return the turn of group g: the number of its last pick, then its age."""
    return after_others(S, w, g, group(S, g).turn)
