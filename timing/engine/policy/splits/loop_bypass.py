"""Loop bypass: a split passes the branch of its loop without waiting for the others (MAWS-06).

Engine code. The branch that made the stack's top is one that all lanes of the top have taken the
same way. When it is reached again, the warp is in a loop that the branch delimits. Lanes that take
the same way again are where the stack has them, in whatever order they arrive; lanes that take the
other way wait in the entry below. So a group can pass the branch alone, and nothing is pushed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...intrinsics import device

if TYPE_CHECKING:
    from ...hooks import State
    from ...stacks import top
    from ...state import group, seg, stack, warp

NO_LOOP_EXIT = -1
"""In place of a segment: no group may pass the branch."""


@device
def loop_exit(S: State, g: int, by_rpc: int) -> int:
    """Return the segment of lanes that leave the loop at group g's branch.

    NO_LOOP_EXIT if the branch does not delimit the loop of the stack's top. By the letter (`by_rpc`
    1) an equal re-convergence point is enough. But another branch with the same one has its own two
    ways: it can be passed only if one of them leads to that point (Q-MAWS-12).
    """
    grp = group(S, g)
    row = seg(S, grp.seg)
    index = top(S, grp.warp)
    inside = stack(S, index)
    if warp(S, grp.warp).depth < 2 or row.rpc != inside.rpc:
        return NO_LOOP_EXIT
    if inside.branch == grp.seg:
        exit_seg = stack(S, index - 1).seg
        # The other path may have run already, and been popped.
        return exit_seg if exit_seg == row.target or exit_seg == row.next else NO_LOOP_EXIT
    if by_rpc == 1 and (row.rpc == row.target or row.rpc == row.next):
        return row.rpc
    return NO_LOOP_EXIT


@device
def leave_loop(S: State, g: int, lanes: int, exit_seg: int) -> int:
    """Move `lanes` of group g out of its loop to `exit_seg`, in the next-to-top entry."""
    grp = group(S, g)
    index = top(S, grp.warp)
    stack(S, index).mask &= ~lanes
    # Lanes that leave to the join are in its entry already, which may be below another path's.
    if stack(S, index - 1).seg == exit_seg:
        stack(S, index - 1).mask |= lanes
    grp.mask &= ~lanes
    return 0
