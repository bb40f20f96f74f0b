"""Sparse loops: few lanes enter, and accesses are scattered, so that lanes run them one by one.

Vectors gain nothing in a loop after a divergent branch that lanes leave in different iterations and
whose accesses are indexed by loaded values: gathers cost what scalar loads cost, and the slowest
lane sets the number of iterations.
"""

from __future__ import annotations

from ....isa.types import RegClass, Segment
from ..order import Flow, Loop
from ..ssa import Op, Phi, Value
from ..uniformity import Shapes


def sparse_loops(shapes: Shapes) -> dict[int, Loop]:
    """Return header -> loop of the outermost loops that lanes run one after the other."""
    found: dict[int, Loop] = {}
    covered: set[int] = set()
    for loop in shapes.flow.loops:
        new = loop.header not in covered
        if new and can_run_alone(shapes, loop) and gains_alone(shapes, loop):
            found[loop.header] = loop
            covered |= loop.nodes
    return found


def ways_out(flow: Flow, loop: Loop) -> list[tuple[int, int]]:
    """Return (source, target) of the edges that leave a loop."""
    return [
        (number, successor)
        for number in sorted(loop.nodes)
        if flow.nodes[number].latch_of is None
        for successor in flow.nodes[number].successors
        if flow.route(number, successor) not in loop.nodes
    ]


def can_run_alone(shapes: Shapes, loop: Loop) -> bool:
    """Return whether lanes may run a loop one by one: each keeps its results in its own place."""
    flow, ssa = shapes.flow, shapes.ssa
    return (
        loop.number in shapes.divergent_loops
        and all(_runs_alone(op) for number in loop.nodes for op in ssa.ops.get(number, ()))
        and _has_one_entry(flow, loop)
        and all(
            shapes.piece_stride(phi) is None
            for _, successor in ways_out(flow, loop)
            for phi in ssa.phis.get(successor, ())
        )
    )


def gains_alone(shapes: Shapes, loop: Loop) -> bool:
    """Return whether running lanes one by one should be faster than vectors."""
    return _follows_a_branch(shapes, loop) and _is_scattered(shapes, loop)


def _runs_alone(op: Op) -> bool:
    """Return whether an instruction can be done for one lane of a warp."""
    row = op.ins.row
    if row.is_memory and (row.is_atomic or row.segment not in (Segment.GLOBAL, Segment.KERNARG)):
        return False
    return not row.is_identity


def _has_one_entry(flow: Flow, loop: Loop) -> bool:
    """Return whether lanes enter at the header only, and no barrier lies inside."""
    return all(
        (node == loop.header or loop.nodes.issuperset(flow.nodes[node].predecessors))
        and (last is None or not last.row.is_barrier)
        for node in loop.nodes
        for last in (flow.nodes[node].last,)
    )


def _follows_a_branch(shapes: Shapes, loop: Loop) -> bool:
    """Return whether a divergent branch outside may send some lanes past the loop."""
    uniform = shapes.uniform_branches()
    return any(
        branch not in loop.nodes
        and branch not in uniform
        and not shapes.passes(branch, loop.header)
        for branch in shapes.ssa.conditions
    )


def _is_scattered(shapes: Shapes, loop: Loop) -> bool:
    """Return whether all addresses depend on loads, and at least one on a load in the loop."""
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
    """Return the loads of global memory that a value is computed from, conditions aside."""
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
