"""Predication: short forward branches issue both of their sides, whichever their lanes want.

Engine code: a baseline from compilers, which turn such branches into instructions with guards. A
branch is *short* if its code up to the join is at most `S.short_side` instructions of straight
code, accesses and forward branches. Both sides are entries of the stack, as in Conv, but empty ones
run too: their instructions take their issue slots, compute nothing and access nothing. The branch
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
    """Run both sides of a short branch, the fall-through first; treat others as in Conv."""
    grp = group(S, g)
    s = grp.seg
    row = seg(S, s)
    if is_short(S, s) == 0:
        return 1 if goes_one_way(S, g, taken) == 1 else diverge(S, g, taken)
    rest = grp.mask & ~taken
    stack(S, top(S, grp.warp)).seg = row.rpc
    push(S, grp.warp, row.target, row.rpc, taken, s)
    push(S, grp.warp, row.next, row.rpc, rest, s)
    return run_top(S, g)


@device
def is_short(S: State, s: int) -> int:
    """Return 1 if the branch that ends segment s is predicated."""
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
    """Return 1 if segment s may issue with a guard that is false for all lanes."""
    row = seg(S, s)
    if row.kind == SEG_JUMP or row.kind == SEG_BRANCH:
        return 1 if s < row.target <= join else 0
    return 1 if row.kind == SEG_FALL or (row.kind == SEG_ACCESS and row.is_atomic == 0) else 0


@device
def run_top(S: State, g: int) -> int:
    """Let group g run the topmost entry that has not ended, even if that is empty; return 1."""
    grp = group(S, g)
    while stack(S, top(S, grp.warp)).seg == stack(S, top(S, grp.warp)).rpc:
        warp(S, grp.warp).depth -= 1
    grp.mask = stack(S, top(S, grp.warp)).mask
    grp.seg = stack(S, top(S, grp.warp)).seg
    return 1


@device
def on_arrival(S: State, w: int, g: int, t: int) -> int:
    """Pop the top entry at its re-convergence point, and run the next one."""
    grp = group(S, g)
    if grp.seg == stack(S, top(S, grp.warp)).rpc:
        stack(S, top(S, grp.warp)).seg = grp.seg
        run_top(S, g)
    return 0


def setup(machine: Machine) -> dict[str, Any]:
    """Return up to how many instructions are worth a guard."""
    return {"short_side": machine.policy["predicate-up-to"]}
