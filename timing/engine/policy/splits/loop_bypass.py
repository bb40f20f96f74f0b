"""Loop bypass: a split passes the branch of its loop without waiting for the others (MAWS-06).

Engine code. The branch that made the stack's top is one that all lanes of the top have taken the
same way. Where it comes again the warp is in a loop that the branch delimits: lanes that take the
same way are where the stack says they are, whoever comes first, and lanes that take the other one
wait below. So a group can pass it alone, and nothing is pushed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...intrinsics import device

if TYPE_CHECKING:
    from ...hooks import State
    from ...stacks import top
    from ...state import group, seg, stack, warp

NO_WAY_OUT = -1
"""No way out: the branch is none that a group may pass."""


@device
def way_out(S: State, g: int, by_rpc: int) -> int:
    """The segment of lanes that leave the loop at the branch at which a group stands.

    NO_WAY_OUT where the branch does not delimit the loop that the stack's top is in. By the letter
    (`by_rpc` 1) an equal re-convergence point is enough; but another branch with the same one has
    its own two ways, so that only one that leads there can be passed (Q-MAWS-12).
    """
    it = group(S, g)
    row = seg(S, it.seg)
    at = top(S, it.warp)
    inside = stack(S, at)
    if warp(S, it.warp).depth < 2 or row.rpc != inside.rpc:
        return NO_WAY_OUT
    if inside.branch == it.seg:
        out = stack(S, at - 1).seg
        # The other path may have run before, and be popped.
        return out if out == row.target or out == row.next else NO_WAY_OUT
    if by_rpc == 1 and (row.rpc == row.target or row.rpc == row.next):
        return row.rpc
    return NO_WAY_OUT


@device
def leave_loop(S: State, g: int, lanes: int, out: int) -> int:
    """Lanes of a group leave its loop: they wait in the stack's next-to-top entry."""
    it = group(S, g)
    at = top(S, it.warp)
    stack(S, at).mask &= ~lanes
    # Who leaves to the join is in its entry already, which may lie below another path's.
    if stack(S, at - 1).seg == out:
        stack(S, at - 1).mask |= lanes
    it.mask &= ~lanes
    return 0
