"""The re-convergence stack of a warp, as DWS-02 has it: the top entry is the one that runs.

Engine code. Policies decide when to push and pop; the entries are the same for all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .intrinsics import device, popcount

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .causes import IDLE
    from .groups import new_group, schedule, wake
    from .hooks import State
    from .state import STACK_OVERFLOW, group, seg, stack, warp

NOWHERE = -1
"""The segment of no re-convergence point."""

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


@device
def begin_root(S: State, w: int, v: int, t: int) -> int:
    """A warp begins: one group with all its lanes at the first segment, and the stack's bottom."""
    g = new_group(S, v, warp(S, v).live, 0)
    push(S, v, 0, NOWHERE, warp(S, v).live, NOWHERE)
    wake(S, g, t, IDLE)
    schedule(S, w, g)
    return g


@device
def follow_top(S: State, g: int) -> int:
    """A group runs the stack's top entry; 0 if there is none."""
    it = group(S, g)
    if settle(S, it.warp) == 0:
        return 0
    entry = stack(S, top(S, it.warp))
    it.mask = entry.mask
    it.seg = entry.seg
    return 1


@device
def diverge(S: State, g: int, taken: int) -> int:
    """A branch that diverged pushes both paths; the top becomes the join (DWS-02)."""
    return diverge_until(S, g, taken, seg(S, group(S, g).seg).rpc)


@device
def diverge_until(S: State, g: int, taken: int, rpc: int) -> int:
    """The same, with another re-convergence point."""
    it = group(S, g)
    row = seg(S, it.seg)
    v = it.warp
    rest = it.mask & ~taken
    stack(S, top(S, v)).seg = rpc
    if takes_first(S, taken, rest, row.target, row.next) == 1:
        push(S, v, row.next, rpc, rest, it.seg)
        push(S, v, row.target, rpc, taken, it.seg)
    else:
        push(S, v, row.target, rpc, taken, it.seg)
        push(S, v, row.next, rpc, rest, it.seg)
    return follow_top(S, g)


@device
def goes_one_way(S: State, g: int, taken: int) -> int:
    """Whether all lanes of a group go the same way at its branch; it is sent there if so."""
    it = group(S, g)
    row = seg(S, it.seg)
    if taken == it.mask or row.target == row.next:
        it.seg = row.target
        return 1
    if taken == 0:
        it.seg = row.next
        return 1
    return 0


def waiting_lanes(rows: Any, S: State, v: int) -> Iterator[tuple[int, int, bool]]:
    """Yield the entries of warp v's stack from the top."""
    first = v * S.stack_depth
    for entry in rows["stack"][first : first + int(rows["warp"]["depth"][v])][::-1]:
        yield entry["mask"], entry["seg"], False
