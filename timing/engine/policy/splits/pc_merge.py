"""PC-based re-convergence: splits of a warp that are ready at one PC become one (DWS-08).

Engine code. Every group that resumes does so at a memory instruction, so that PCs need comparing
only there: when a running group comes to its access, before the access (Q-DWS-23), and when a group
is dispatched (Q-DWS-24). Lanes that were served keep it in mind (`done`), and access nothing twice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...intrinsics import WORD, bit, ctz, device, drop_lowest, popcount, words_up_to

if TYPE_CHECKING:
    from ....machines.machine import Machine
    from ...account import join_issue
    from ...groups import NO_SLOT
    from ...hooks import State
    from ...state import group, seg, warp
    from .local_stack import is_serial
    from .splits import merge


@device
def on_memory_pc(S: State, w: int, g: int, t: int) -> int:
    """Ready splits that stand at the access of the running group join it."""
    if has_mates(S, g) == 0:
        return 0
    # Who has not begun the segment stands at its access only where there is nothing else in it.
    return merge_ready(S, w, g, t, 1, 1 if seg(S, group(S, g).seg).n_instr == 1 else 0, 1)


@device
def on_dispatch(S: State, w: int, g: int, t: int) -> int:
    """Ready splits that stand where the group does go on with it."""
    if has_mates(S, g) == 0:
        return 0
    at = group(S, g).at_memory
    return merge_ready(S, w, g, t, at, 1 - at, 0)


@device
def has_mates(S: State, g: int) -> int:
    """Whether a group's warp has other splits, with which it may merge."""
    others = drop_lowest(warp(S, group(S, g).warp).groups)
    return 1 if others != 0 and S.pc_merge == 1 and is_serial(S, g) == 0 else 0


@device
def merge_ready(S: State, w: int, g: int, t: int, at_access: int, at_start: int, held: int) -> int:
    """Merge the splits at the group's segment: behind its access, in front of it, or held there."""
    it = group(S, g)
    first = it.warp * S.width
    rest = warp(S, it.warp).groups & ~bit(g - first)
    rest &= words_up_to(S.p_ready_at + WORD * first, S.width, t)
    while rest != 0:
        h = first + ctz(rest)
        rest = drop_lowest(rest)
        other = group(S, h)
        if other.seg == it.seg and is_serial(S, h) == 0:
            wanted = at_access if other.at_memory == 1 else at_start
            if other.slot == NO_SLOT:
                # Somebody has to come for it (DWS-19).
                wanted = held
            if wanted == 1:
                if at_access == 1 and other.at_memory == 0:
                    join_issue(S, w, g, popcount(other.mask))
                merge(S, g, h)
                S.n_pc_merge += 1
    return 0


def setup(machine: Machine) -> dict[str, Any]:
    """Whether PCs are compared at all."""
    return {"pc_merge": machine.policy["pc-merge"]}
