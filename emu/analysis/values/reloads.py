"""Loads of what has been loaded: `x[b[i]] - x[a[i]]` and `x[c[i]] - x[a[i]]` load `x[a[i]]` once.

Expressions that macros or other programs write out load the same element for each use. LLVM finds
that where loads are plain, but not through the test of an access and its cold side, nor for
gathers. In one node all lanes that load again have loaded before, in the same iteration, so they
would read the same unless a store of their own, an atomic or a fence is between.
"""

from __future__ import annotations

from collections import Counter

from ....isa.instruction import Instruction
from ....isa.types import Segment
from .numbering import Numbering, calculation_of, is_calculated
from .ssa import Const, Op, Ssa, Value, count_parts, remove_unused, same_value

SEGMENTS = frozenset({Segment.GLOBAL, Segment.GROUP})
"""Memory whose loads are tested or gathered; private memory is left to LLVM."""


def may_reload(code: tuple[Instruction, ...]) -> bool:
    """Return whether two loads are of one kind and at one offset, at a glance."""
    places = Counter(
        (ins.row.name, ins.address.offset)
        for ins in code
        if ins.address is not None and _is_tested_load(ins)
    )
    return max(places.values(), default=0) > 1


def reloads_of(ssa: Ssa) -> dict[Value, Op]:
    """Return the loads that load again, each with the first one of the same, in its node."""
    shared: Numbering = {}
    first: dict[object, Value] = {}
    found: dict[Value, Op] = {}
    for number in ssa.flow.order:
        shared |= {phi: phi for phi in ssa.phis.get(number, ())}
        loaded: dict[object, Op] = {}
        for op in ssa.ops.get(number, ()):
            shared[op] = op
            if is_calculated(op):
                shared[op] = first.setdefault(calculation_of(op, shared), op)
            elif _is_tested_load(op.ins):
                before = loaded.setdefault(calculation_of(op, shared), op)
                shared[op] = before
                if before is not op:
                    found[op] = before
            elif op.ins.dst is None or op.ins.row.is_memory:
                if not op.ins.row.is_load:
                    loaded = _left(loaded, op)
            shared |= {arg: same_value(arg) for arg in op.args if isinstance(arg, Const)}
    return found


def _is_tested_load(ins: Instruction) -> bool:
    return ins.row.is_load and ins.row.segment in SEGMENTS


def _left(loaded: dict[object, Op], op: Op) -> dict[object, Op]:
    """Return the loads that a store leaves as they were; an atomic or a fence leaves none."""
    if not op.ins.row.is_store:
        return {}
    return {k: load for k, load in loaded.items() if load.ins.row.segment is not op.ins.row.segment}


def remove_reloads(ssa: Ssa) -> None:
    """Let the first load of an element in a node take the place of the others."""
    found = reloads_of(ssa)
    for number, ops in ssa.ops.items():
        ssa.ops[number] = kept = [op for op in ops if op not in found]
        for op in kept:
            op.args = [found.get(arg, arg) for arg in op.args]
        for phi in ssa.phis.get(number, ()):
            phi.args = {before: found.get(arg, arg) for before, arg in phi.args.items()}
    ssa.conditions = {number: found.get(v, v) for number, v in ssa.conditions.items()}
    remove_unused(ssa)
    count_parts(ssa)
