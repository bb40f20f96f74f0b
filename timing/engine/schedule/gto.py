"""Greedy, then oldest: the warp that was picked last while it is ready, else the oldest group.

Engine code.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..intrinsics import device

if TYPE_CHECKING:
    from ..hooks import State
    from ..state import group, wpu


@device
def rank(S: State, w: int, g: int, t: int) -> int:
    """Return the order of creation of group g, 0 for the warp that was picked last."""
    grp = group(S, g)
    return 0 if grp.warp == wpu(S, w).last else 1 + grp.seq
