"""PC-based re-convergence: splits of a warp that are ready at one PC become one (DWS-08).

Engine code. Every group that resumes does so at a memory instruction, so that PCs need comparing
only there. They are compared before a running group accesses memory (Q-DWS-23), and when a group is
dispatched (Q-DWS-24). Lanes that were served are kept in `done`, and access nothing twice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...intrinsics import WORD, bit, ctz, device, drop_lowest, popcount, words_up_to

if TYPE_CHECKING:
    from ....machines.machine import Machine
    from ...account import EV_JOIN, join_issue
    from ...groups import NO_SLOT
    from ...hooks import State, on_event
    from ...state import group, seg, warp
    from .local_stack import is_serial
    from .splits import merge


@device
def on_memory_pc(S: State, w: int, g: int, t: int) -> int:
    """Merge ready splits that are at the access of running group g into g."""
    if may_merge(S, g) == 0:
        return 0
    # A split that has not begun the segment is at its access only if that is all of the segment.
    return merge_ready(S, w, g, t, 1, 1 if seg(S, group(S, g).seg).n_instr == 1 else 0, 1)


@device
def on_dispatch(S: State, w: int, g: int, t: int) -> int:
    """Merge ready splits that are at the place of dispatched group g into g."""
    if may_merge(S, g) == 0:
        return 0
    at_access = group(S, g).at_memory
    return merge_ready(S, w, g, t, at_access, 1 - at_access, 0)


@device
def may_merge(S: State, g: int) -> int:
    """Return 1 if group g's warp has other splits, with which g may merge."""
    others = drop_lowest(warp(S, group(S, g).warp).groups)
    return 1 if others != 0 and S.pc_merge == 1 and is_serial(S, g) == 0 else 0


@device
def merge_ready(S: State, w: int, g: int, t: int, at_access: int, at_start: int, held: int) -> int:
    """Merge into g the ready splits at its segment: after its access, before it, or held there.

    Each kind merges if `at_access`, `at_start` or `held` is 1.
    """
    grp = group(S, g)
    first = grp.warp * S.width
    rest = warp(S, grp.warp).groups & ~bit(g - first)
    rest &= words_up_to(S.p_ready_at + WORD * first, S.width, t)
    while rest != 0:
        h = first + ctz(rest)
        rest = drop_lowest(rest)
        other = group(S, h)
        if other.seg == grp.seg and is_serial(S, h) == 0:
            merges = at_access if other.at_memory == 1 else at_start
            if other.slot == NO_SLOT:
                # A held split rejoins only a group that reaches its access (DWS-19).
                merges = held
            if merges == 1:
                if at_access == 1 and other.at_memory == 0:
                    on_event(S, EV_JOIN, w, h, S.now)
                    join_issue(S, w, g, popcount(other.mask))
                merge(S, g, h)
                S.n_pc_merge += 1
    return 0


def setup(machine: Machine) -> dict[str, Any]:
    """Return whether PCs are compared at all."""
    return {"pc_merge": machine.policy["pc-merge"]}
