"""Loose round-robin: the next warp after the one picked last that has a ready group.

Engine code. Of several ready groups of one warp the oldest goes first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..intrinsics import device

if TYPE_CHECKING:
    from ..hooks import State
    from ..state import group, wpu


@device
def rank(S: State, w: int, g: int, t: int) -> int:
    """Return the distance of group g's warp from the one picked last, then g's age."""
    distance = (group(S, g).warp - wpu(S, w).last - 1) % S.warps
    return distance << 40 | (group(S, g).seq & 0xFF_FFFF_FFFF)
