"""The re-convergence stack of a warp as in DWS-02: the top entry is the path that runs.

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
"""In place of a segment: the path has no re-convergence point."""

FIRST_FALLTHROUGH = 0
FIRST_TAKEN = 1
FIRST_MAJORITY = 2
FIRST_MIN_PC = 3


@device
def push(S: State, v: int, s: int, rpc: int, mask: int, branch_seg: int) -> int:
    """Push an entry on warp v's stack: lanes `mask` at segment s, up to `rpc`.

    `branch_seg` is the segment of the branch that diverged.
    """
    depth = warp(S, v).depth
    if depth >= S.stack_depth:
        S.status = STACK_OVERFLOW
        return 0
    entry = stack(S, v * S.stack_depth + depth)
    entry.seg = s
    entry.rpc = rpc
    entry.mask = mask
    entry.branch = branch_seg
    warp(S, v).depth = depth + 1
    S.max_depth = max(S.max_depth, depth + 1)
    return 0


@device
def top(S: State, v: int) -> int:
    """Return the index of the top entry of warp v in `stack`."""
    return v * S.stack_depth + warp(S, v).depth - 1


@device
def settle(S: State, v: int) -> int:
    """Pop entries that are empty or already at their re-convergence point (Q-DWS-12, Q-DWS-22).

    Return 1 if an entry remains, which then is the top, else 0.
    """
    while warp(S, v).depth > 0:
        entry = stack(S, top(S, v))
        if entry.mask != 0 and entry.seg != entry.rpc:
            return 1
        warp(S, v).depth -= 1
    return 0


@device
def forget_lanes(S: State, v: int, gone: int) -> int:
    """Remove the returned lanes `gone` from all entries of warp v's stack."""
    for level in range(warp(S, v).depth):
        stack(S, v * S.stack_depth + level).mask &= ~gone
    return 0


@device
def takes_first(S: State, taken: int, rest: int, target: int, fall: int) -> int:
    """Return 1 if the taken path runs before the fall-through (Q-DWS-11: not by default)."""
    if S.first_path == FIRST_TAKEN:
        return 1
    if S.first_path == FIRST_MAJORITY:
        return 1 if popcount(taken) > popcount(rest) else 0
    if S.first_path == FIRST_MIN_PC:
        return 1 if target < fall else 0
    return 0


@device
def begin_root(S: State, w: int, v: int, t: int) -> int:
    """Begin warp v: make and schedule one group of all lanes, and the stack's bottom entry."""
    g = new_group(S, v, warp(S, v).live, 0)
    push(S, v, 0, NOWHERE, warp(S, v).live, NOWHERE)
    wake(S, g, t, IDLE)
    schedule(S, w, g)
    return g


@device
def follow_top(S: State, g: int) -> int:
    """Give group g the segment and mask of the stack's top entry; return 0 if no entry remains."""
    grp = group(S, g)
    if settle(S, grp.warp) == 0:
        return 0
    entry = stack(S, top(S, grp.warp))
    grp.mask = entry.mask
    grp.seg = entry.seg
    return 1


@device
def pop_at_join(S: State, g: int) -> int:
    """Pop the top entry if group g is at its re-convergence point, and follow the next one."""
    grp = group(S, g)
    entry = stack(S, top(S, grp.warp))
    if grp.seg == entry.rpc:
        entry.seg = grp.seg
        follow_top(S, g)
    return 0


@device
def diverge(S: State, g: int, taken: int) -> int:
    """Push both paths of group g's branch above its join (DWS-02), and follow the top."""
    return diverge_until(S, g, taken, seg(S, group(S, g).seg).rpc)


@device
def diverge_until(S: State, g: int, taken: int, rpc: int) -> int:
    """Push both paths of group g's branch with re-convergence point `rpc`; see `diverge`."""
    grp = group(S, g)
    row = seg(S, grp.seg)
    v = grp.warp
    rest = grp.mask & ~taken
    stack(S, top(S, v)).seg = rpc
    if takes_first(S, taken, rest, row.target, row.next) == 1:
        push(S, v, row.next, rpc, rest, grp.seg)
        push(S, v, row.target, rpc, taken, grp.seg)
    else:
        push(S, v, row.target, rpc, taken, grp.seg)
        push(S, v, row.next, rpc, rest, grp.seg)
    return follow_top(S, g)


@device
def goes_one_way(S: State, g: int, taken: int) -> int:
    """Return 1, and send group g on, if all of its lanes leave the branch for the same segment."""
    grp = group(S, g)
    row = seg(S, grp.seg)
    if taken == grp.mask or row.target == row.next:
        grp.seg = row.target
        return 1
    if taken == 0:
        grp.seg = row.next
        return 1
    return 0


def waiting_lanes(rows: Any, S: State, v: int) -> Iterator[tuple[int, int, bool]]:
    """Yield the entries of warp v's stack from the top."""
    first = v * S.stack_depth
    for entry in rows["stack"][first : first + int(rows["warp"]["depth"][v])][::-1]:
        yield entry["mask"], entry["seg"], False
