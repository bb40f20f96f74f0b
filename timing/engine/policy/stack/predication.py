"""Predication: short forward branches issue both of their sides, whoever wants them.

Engine code: a baseline from compilers, which turn such branches into instructions with guards. A
branch is *short* if all up to its join is at most `S.short_side` instructions of straight code,
accesses and branches forwards. Both sides are entries of the stack, as in Conv, but empty ones run
too: their instructions take their issue slots, compute nothing and access nothing. The branch
itself, and the jump over the other side, count as the instructions that make the guards.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...intrinsics import device

if TYPE_CHECKING:
    from ....machines.machine import Machine
    from ...hooks import State
    from ...stacks import diverge, goes_one_way, push, top
    from ...state import SEG_ACCESS, SEG_BRANCH, SEG_FALL, SEG_JUMP, group, seg, stack, warp


@device
def on_branch(S: State, w: int, g: int, taken: int, t: int) -> int:
    """Both sides of a short branch run, the fall-through first; others are as in Conv."""
    it = group(S, g)
    s = it.seg
    row = seg(S, s)
    if is_short(S, s) == 0:
        return 1 if goes_one_way(S, g, taken) == 1 else diverge(S, g, taken)
    rest = it.mask & ~taken
    stack(S, top(S, it.warp)).seg = row.rpc
    push(S, it.warp, row.target, row.rpc, taken, s)
    push(S, it.warp, row.next, row.rpc, rest, s)
    return run_top(S, g)


@device
def is_short(S: State, s: int) -> int:
    """Whether the branch that ends a segment is predicated."""
    join = seg(S, s).rpc
    if not s < seg(S, s).target <= join:
        return 0
    n = 0
    for i in range(s + 1, join):
        row = seg(S, i)
        n += row.n_instr
        if n > S.short_side or is_guardable(S, i, join) == 0:
            return 0
    return 1


@device
def is_guardable(S: State, s: int, join: int) -> int:
    """Whether a segment may issue with a guard that is false for all lanes."""
    row = seg(S, s)
    if row.kind == SEG_JUMP or row.kind == SEG_BRANCH:
        return 1 if s < row.target <= join else 0
    return 1 if row.kind == SEG_FALL or (row.kind == SEG_ACCESS and row.is_atomic == 0) else 0


@device
def run_top(S: State, g: int) -> int:
    """A group runs the top entry that is not over, be it empty."""
    it = group(S, g)
    while stack(S, top(S, it.warp)).seg == stack(S, top(S, it.warp)).rpc:
        warp(S, it.warp).depth -= 1
    it.mask = stack(S, top(S, it.warp)).mask
    it.seg = stack(S, top(S, it.warp)).seg
    return 1


@device
def on_arrival(S: State, w: int, g: int, t: int) -> int:
    """At the top's re-convergence point the entry is popped, and the next one runs."""
    it = group(S, g)
    if it.seg == stack(S, top(S, it.warp)).rpc:
        stack(S, top(S, it.warp)).seg = it.seg
        run_top(S, g)
    return 0


def setup(machine: Machine) -> dict[str, Any]:
    """Up to how many instructions are worth a guard."""
    return {"short_side": machine.policy["predicate-up-to"]}
