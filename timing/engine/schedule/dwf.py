"""The priorities of dynamic warp formation (LWM-18, LWM-19).

Engine code. Majority: warps at the PC with the most threads in the pool go first. Post-dominator:
warps that have passed the fewest re-convergence points. In both, of equal warps the one that
entered the pool first goes first.
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
    """Return the priority of group g, then the order in which warps entered the pool."""
    entry = pool(S, g)
    if S.by_passed == 1:
        return min(entry.passed, MOST_PASSED) << 36 | entry.entered
    return (S.warps * S.width - entry.same_pc) << 44 | entry.entered
