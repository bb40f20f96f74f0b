"""Loops that few lanes enter and that jump about in memory: each lane had better run them alone.

A loop behind a divergent branch that lanes leave in different trips, whose accesses are indexed by
what was loaded, gains nothing from vectors: gathers cost what scalar loads cost, and trips are
those of the slowest lane.
"""

from __future__ import annotations

from ...isa.types import RegClass, Segment
from .order import Flow, Loop
from .ssa import Op, Phi, Value
from .uniformity import Shapes


def sparse_loops(shapes: Shapes) -> dict[int, Loop]:
    """Header -> loop of the outermost loops that lanes run one after the other."""
    found: dict[int, Loop] = {}
    covered: set[int] = set()
    for loop in shapes.flow.loops:
        new = loop.header not in covered
        if new and can_run_alone(shapes, loop) and gains_alone(shapes, loop):
            found[loop.header] = loop
            covered |= loop.nodes
    return found


def ways_out(flow: Flow, loop: Loop) -> list[tuple[int, int]]:
    """(source, target) of the edges that leave a loop."""
    return [
        (number, there)
        for number in sorted(loop.nodes)
        if flow.nodes[number].latch_of is None
        for there in flow.nodes[number].successors
        if flow.route(number, there) not in loop.nodes
    ]


def can_run_alone(shapes: Shapes, loop: Loop) -> bool:
    """Whether lanes may run a loop one after the other: what they leave behind has a place each."""
    flow, ssa = shapes.flow, shapes.ssa
    return (
        loop.number in shapes.divergent_loops
        and all(_runs_alone(op) for number in loop.nodes for op in ssa.ops.get(number, ()))
        and _has_one_entry(flow, loop)
        and all(
            shapes.stride(phi) is None
            for _, there in ways_out(flow, loop)
            for phi in ssa.phis.get(there, ())
        )
    )


def gains_alone(shapes: Shapes, loop: Loop) -> bool:
    """Whether that should be faster than vectors are."""
    return _is_behind_a_branch(shapes, loop) and _jumps_about(shapes, loop)


def _runs_alone(op: Op) -> bool:
    """Whether an instruction can be done for one lane of a warp."""
    row = op.ins.row
    if row.is_memory and (row.is_atomic or row.segment not in (Segment.GLOBAL, Segment.KERNARG)):
        return False
    return not row.is_identity


def _has_one_entry(flow: Flow, loop: Loop) -> bool:
    """Whether lanes enter at the header only, and none waits inside for others (a barrier)."""
    return all(
        (node == loop.header or loop.nodes.issuperset(flow.nodes[node].predecessors))
        and (last is None or not last.row.is_barrier)
        for node in loop.nodes
        for last in (flow.nodes[node].last,)
    )


def _is_behind_a_branch(shapes: Shapes, loop: Loop) -> bool:
    """Whether a divergent branch outside may send some lanes past the loop."""
    uniform = shapes.uniform_branches()
    return any(
        branch not in loop.nodes
        and branch not in uniform
        and not shapes.passes(branch, loop.header)
        for branch in shapes.ssa.conditions
    )


def _jumps_about(shapes: Shapes, loop: Loop) -> bool:
    """Whether all addresses are made of loaded values, and one of what is loaded in the loop."""
    bases = [
        op.base
        for number in loop.nodes
        for op in shapes.ssa.ops.get(number, ())
        if op.ins.row.segment is Segment.GLOBAL
        and op.base is not None
        and not shapes.is_uniform(op.base)
    ]
    loaded = [_loads_of(base) for base in bases]
    return all(loaded) and any(load.node in loop.nodes for loads in loaded for load in loads)


def _loads_of(value: Value) -> set[Op]:
    """The loads of global memory that a value is computed from, conditions aside."""
    found: set[Op] = set()
    seen: set[Value] = set()
    work = [value]
    while work:
        value = work.pop()
        if value in seen or value.cls is RegClass.C:
            continue
        seen.add(value)
        if isinstance(value, Phi):
            work += value.args.values()
        elif isinstance(value, Op):
            if value.ins.row.is_load and value.ins.row.segment is Segment.GLOBAL:
                found.add(value)
            else:
                work += value.args
    return found
