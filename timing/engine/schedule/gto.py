"""Greedy, then oldest: the warp picked last as long as it is ready, else the oldest group.

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
    """Age; the last warp is older than all."""
    it = group(S, g)
    return 0 if it.warp == wpu(S, w).last else 1 + it.seq
