"""Explicit paired-path comparison: only where a `reconverge` instruction was issued (PPC-09).

Engine code. Between a branch and the instruction at its join nothing is compared: the side with the
smaller PC runs up to there, then the other one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...intrinsics import device

if TYPE_CHECKING:
    from ...hooks import State
    from ...state import group, warp
    from .ppc import compare


@device
def on_arrival(S: State, w: int, g: int, t: int) -> int:
    """Return 0: PCs are not compared on arrival."""
    return 0


@device
def on_reconverge(S: State, w: int, g: int, t: int) -> int:
    """Compare the PCs when group g is at the segment after the instruction (Q-PPC-11)."""
    if warp(S, group(S, g).warp).depth > 0:
        S.n_pc_comparison += 1
    return compare(S, w, g, t)
