"""The priorities of dynamic warp formation (LWM-18, LWM-19).

Engine code. Majority: warps at the PC with the most threads in the pool. Post-dominators: warps
that have passed the fewest re-convergence points. In both the warp that came first goes first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..intrinsics import device

if TYPE_CHECKING:
    from ..hooks import State
    from ..policy.packs.dwf import pool

MOST_PASSED = (1 << 25) - 1


@device
def rank(S: State, w: int, g: int, t: int) -> int:
    """Priority, then the order in which warps entered the pool."""
    mine = pool(S, g)
    if S.by_passed == 1:
        return min(mine.passed, MOST_PASSED) << 36 | mine.entered
    return (S.warps * S.width - mine.crowd) << 44 | mine.entered
