"""Conv with explicit re-convergence: a path ends where it issues a `reconverge` (PPC-02).

Engine code. The finalizer has put one at the join of every branch that may diverge; each path
issues it, and the joined lanes continue after it. The re-convergence point of an entry is the
segment after the instruction, so that a path there has ended, as in Conv; but a path that jumps
there has not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...intrinsics import device

if TYPE_CHECKING:
    from ...hooks import State
    from ...stacks import NOWHERE, diverge_until, goes_one_way, pop_at_join
    from ...state import group, seg


@device
def on_branch(S: State, w: int, g: int, taken: int, t: int) -> int:
    """Push both paths if lanes of group g diverge, each up to the segment after the instruction."""
    if goes_one_way(S, g, taken) == 1:
        return 1
    join = seg(S, group(S, g).seg).rpc
    return diverge_until(S, g, taken, NOWHERE if join == NOWHERE else seg(S, join).next)


@device
def on_arrival(S: State, w: int, g: int, t: int) -> int:
    """Return 0: the PC is not compared on arrival."""
    return 0


@device
def on_reconverge(S: State, w: int, g: int, t: int) -> int:
    """Pop the top entry if the instruction is its own; any other one does nothing."""
    return pop_at_join(S, g)
