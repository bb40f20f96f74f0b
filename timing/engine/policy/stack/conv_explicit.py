"""Conv with explicit re-convergence: a path ends where it issues a `reconverge` (PPC-02).

Engine code. The finalizer has put one at the join of every branch that may diverge; each path
issues it, and the joined lanes go on behind it. Entries have the segment behind the instruction
for their re-convergence point, so that whatever stands there is over, as in Conv; but a path that
jumps there is not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...intrinsics import device

if TYPE_CHECKING:
    from ...hooks import State
    from ...stacks import NOWHERE, diverge_until, follow_top, goes_one_way, top
    from ...state import group, seg, stack


@device
def on_branch(S: State, w: int, g: int, taken: int, t: int) -> int:
    """Lanes that do not agree go one path after the other, up to behind the instruction."""
    if goes_one_way(S, g, taken) == 1:
        return 1
    join = seg(S, group(S, g).seg).rpc
    return diverge_until(S, g, taken, NOWHERE if join == NOWHERE else seg(S, join).next)


@device
def on_arrival(S: State, w: int, g: int, t: int) -> int:
    """Nobody looks at the PC."""
    return 0


@device
def on_reconverge(S: State, w: int, g: int, t: int) -> int:
    """The instruction of the top entry pops it; any other one does nothing."""
    it = group(S, g)
    entry = stack(S, top(S, it.warp))
    if it.seg == entry.rpc:
        entry.seg = it.seg
        follow_top(S, g)
    return 0
