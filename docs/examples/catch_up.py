"""Catch up: dws.revive-split, but the ready split of a warp that has executed least goes first.

MAWS lets the split issue that has executed least, so that others wait for it less; DWS does not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simtlab.timing.engine.intrinsics import ctz, device, drop_lowest

if TYPE_CHECKING:
    from simtlab.timing.engine.hooks import State
    from simtlab.timing.engine.state import due, group, warp

EXTENDS = (
    "policy/splits",
    "policy/local_stack",
    "policy/dws",
    "policy/pc_merge",
    "policy/memory_split",
    "policy/run_ahead",
)
SETTINGS = {
    "branch-split": True,
    "memory-split": "revive",
    "pc-merge": True,
    "branch-limited": False,
}


@device
def stand_in(S: State, w: int, g: int, t: int) -> int:
    """Return the group of the same warp that is ready and has issued least."""
    first = group(S, g).warp * S.width
    rest = warp(S, group(S, g).warp).groups
    while rest != 0:
        h = first + ctz(rest)
        rest = drop_lowest(rest)
        other = group(S, h)
        if other.slot >= 0 and due(S, other.slot).at <= t and other.count < group(S, g).count:
            g = h
    return g
