"""Lanes of a group that hit run ahead of those that miss: how they part (DWS-09).

Engine code. The run-ahead is the new group, the fall-behind keeps its parent's entry and slot
(Q-DWS-15).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..intrinsics import device, popcount

if TYPE_CHECKING:
    from ..hooks import State
    from ..state import group
    from .splits.local_stack import is_serial, local_level
    from .splits.splits import split


@device
def lanes_ahead(S: State, g: int) -> int:
    """How many lanes of a group that waits were served and could go on; 0 if it stays whole."""
    it = group(S, g)
    if it.at_memory == 0 or it.hits == it.mask or is_serial(S, g) == 1:
        return 0
    return popcount(it.hits)


@device
def ahead_at(S: State, g: int) -> int:
    """When the last of them is served, in the access that is at hand."""
    return S.access_hits_at


@device
def run_ahead(S: State, w: int, g: int) -> int:
    """The lanes of a group's hit mask become a split of their own, which nobody has woken."""
    h = split(S, w, g, group(S, g).hits)
    local_level(S, h).n = 0
    return h
