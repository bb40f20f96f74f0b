"""First in, first out: the group that has been ready longest (toy: the ready queue of DWS-01).

Engine code. Of two that became ready in the same cycle, one whose access hit was queued at the end
of the previous cycle, and goes first; then the lower warp.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..intrinsics import device

if TYPE_CHECKING:
    from ..causes import MEMORY
    from ..hooks import State
    from ..state import group, ready_at
    from .other_warp import after_others


@device
def rank(S: State, w: int, g: int, t: int) -> int:
    """Return the ready time of group g, then hits before completions, then lower warps."""
    grp = group(S, g)
    completed = 1 if grp.cause == MEMORY else 0
    order = (2 * ready_at(S, g).t + completed) * 64 + grp.warp - w * S.warps
    return after_others(S, w, g, order)
