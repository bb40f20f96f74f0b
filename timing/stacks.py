"""The re-convergence stack of a warp, as DWS-02 has it: the top entry is the one that runs.

Engine code. Policies decide when to push and pop; the entries are the same for all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .intrinsics import device, popcount

if TYPE_CHECKING:
    from .hooks import State
    from .state import STACK_OVERFLOW, stack, warp

FIRST_FALLTHROUGH = 0
FIRST_TAKEN = 1
FIRST_MAJORITY = 2
FIRST_MIN_PC = 3


@device
def push(S: State, v: int, s: int, rpc: int, mask: int, branch: int) -> int:
    """A new top entry."""
    depth = warp(S, v).depth
    if depth >= S.stack_depth:
        S.status = STACK_OVERFLOW
        return 0
    entry = stack(S, v * S.stack_depth + depth)
    entry.seg = s
    entry.rpc = rpc
    entry.mask = mask
    entry.branch = branch
    warp(S, v).depth = depth + 1
    S.max_depth = max(S.max_depth, depth + 1)
    return 0


@device
def top(S: State, v: int) -> int:
    """The index of the top entry in the table."""
    return v * S.stack_depth + warp(S, v).depth - 1


@device
def settle(S: State, v: int) -> int:
    """Pop entries that are empty or at their re-convergence point already (Q-DWS-12, Q-DWS-22).

    Answers 1 if an entry is left that runs.
    """
    while warp(S, v).depth > 0:
        entry = stack(S, top(S, v))
        if entry.mask != 0 and entry.seg != entry.rpc:
            return 1
        warp(S, v).depth -= 1
    return 0


@device
def forget_lanes(S: State, v: int, gone: int) -> int:
    """Lanes have returned: no entry waits for them."""
    for level in range(warp(S, v).depth):
        stack(S, v * S.stack_depth + level).mask &= ~gone
    return 0


@device
def takes_first(S: State, taken: int, rest: int, target: int, fall: int) -> int:
    """Whether the taken path runs first (Q-DWS-11: the fall-through unless told)."""
    if S.first_path == FIRST_TAKEN:
        return 1
    if S.first_path == FIRST_MAJORITY:
        return 1 if popcount(taken) > popcount(rest) else 0
    if S.first_path == FIRST_MIN_PC:
        return 1 if target < fall else 0
    return 0
