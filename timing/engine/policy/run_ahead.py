"""The division of a group at an access: lanes that hit run ahead of those that miss (DWS-09).

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
    """Return how many served lanes of waiting group g could continue; 0 to keep it whole."""
    grp = group(S, g)
    if grp.at_memory == 0 or grp.hits == grp.mask or is_serial(S, g) == 1:
        return 0
    return popcount(grp.hits)


@device
def ahead_at(S: State, g: int) -> int:
    """Return the cycle at which the last of them is served in the current access."""
    return S.access_hits_at


@device
def run_ahead(S: State, w: int, g: int) -> int:
    """Make the lanes of group g's hit mask a split of their own; see `hooks.run_ahead`."""
    h = split(S, w, g, group(S, g).hits)
    local_level(S, h).n = 0
    return h
