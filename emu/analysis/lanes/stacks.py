"""Loops over a stack of each lane's own, in private memory.

Lanes push and pop in different iterations, so each access gathers or scatters, and a branch is
taken by few lanes. One lane alone has loads and stores that the first-level cache serves. Where an
address in global memory depends on what the loop loads, lanes should wait for memory together.
"""

from __future__ import annotations

from ....isa.types import Segment, sign_extend
from ..flow.order import Loop
from ..values.ssa import Const, Op, Phi, Value, made_of
from ..warps.uniformity import Shapes


def has_stack(shapes: Shapes, loop: Loop) -> bool:
    """Return whether lanes of a loop push to and pop from stacks that differ in their heights.

    A loop with others inside gained nothing: there, lanes also spend time together.
    """
    if any(other.parent == loop.number for other in shapes.flow.loops):
        return False
    ops = [op for number in loop.nodes for op in shapes.ssa.ops.get(number, ())]
    accesses = [(op, op.base) for op in ops if op.ins.row.is_memory and op.base is not None]
    pointers = _stack_pointers(shapes, loop)
    return any(
        op.ins.row.segment is Segment.PRIVATE and not pointers.isdisjoint(made_of([base], _ends))
        for op, base in accesses
    ) and not any(
        op.ins.row.segment is Segment.GLOBAL and _depends_on_load(base, loop)
        for op, base in accesses
    )


def _stack_pointers(shapes: Shapes, loop: Loop) -> set[Value]:
    """Return values of a loop to which it adds constants on one way, and subtracts on another.

    Phis of the header begin such values; uniform ones are the same for all lanes.
    """
    found: set[Value] = set()
    for phi in shapes.ssa.phis.get(loop.header, ()):
        if not shapes.is_uniform(phi):
            passed, steps = _steps(phi, loop)
            if min(steps, default=0) < 0 < max(steps, default=0):
                found |= passed
    return found


def _steps(phi: Phi, loop: Loop) -> tuple[set[Value], set[int]]:
    """Return a phi of the header with its values within an iteration, and the constants added.

    There are no constants if anything else is done to it.
    """
    passed: set[Value] = {phi}
    steps: set[int] = set()
    work = [value for before, value in phi.args.items() if before in loop.nodes]
    while work:
        value = work.pop()
        if value in passed:
            continue
        passed.add(value)
        if isinstance(value, Phi) and value.node in loop.nodes:
            work += value.args.values()
        elif isinstance(value, Op) and value.ins.row.stem in ("add", "sub"):
            first, second = value.args
            if not isinstance(second, Const):
                return passed, set()
            step = sign_extend(second.bits, value.cls.bits)
            steps.add(step if value.ins.row.stem == "add" else -step)
            work.append(first)
        else:
            return passed, set()
    return passed, steps


def _ends(value: Value) -> bool:
    return isinstance(value, Phi) or (isinstance(value, Op) and value.ins.row.is_load)


def _depends_on_load(base: Value, loop: Loop) -> bool:
    """Return whether an address is computed from what the loop loads, phis aside."""
    return any(
        isinstance(value, Op) and value.ins.row.is_load and value.node in loop.nodes
        for value in made_of([base], _ends)
    )
