"""Sparse loops: few lanes enter, and accesses are scattered, so that lanes run them one by one.

Vectors gain nothing in a loop after a divergent branch that lanes leave in different iterations and
whose accesses are at places that loaded values say: gathers cost what scalar loads cost, and the
slowest lane sets the number of iterations. Chains of loads are another matter: the time is that of
one load after the other, and vectors have many of them under way.
"""

from __future__ import annotations

from ....isa.types import Segment
from ..facts import OwnMemory
from ..flow.order import Flow, Loop
from ..loops.moved_runs import moved_run, moved_runs
from ..ranges.stepping import changed_parts, increment_of, is_invariant
from ..values.commuting import commute
from ..values.ssa import ADDRESS_ARITHMETIC, Const, Op, Phi, Ssa, Value, made_of, uses
from ..warps.uniformity import Shapes
from .one_way import times_in
from .only_counted import counter_alone
from .own_memory import has_divergent_branch, has_own_memory
from .own_rows import WORD, goes_along_rows, has_own_row, is_load, is_stretch, loads_of, parts_of
from .own_stores import store_apart
from .row_results import gathers_row

_SHARED = frozenset({Segment.GLOBAL, Segment.GROUP})


def sparse_loops(shapes: Shapes) -> dict[int, Loop]:
    """Return header -> loop of the outermost loops that lanes run one after the other."""
    found: dict[int, Loop] = {}
    covered: set[int] = set()
    gains = [
        loop
        for loop in shapes.flow.loops
        if can_run_alone(shapes, loop) and gains_alone(shapes, loop)
    ]
    for loop in gains:
        has_inner = any(other.nodes < loop.nodes for other in gains)
        if loop.header in covered or (has_inner and _is_left_together(shapes, loop)):
            continue
        found[loop.header] = loop
        covered |= loop.nodes
    return found


def sparse_runs(shapes: Shapes) -> dict[int, Loop]:
    """Return header -> loop of the sparse loops that do nothing but move a run of elements.

    Runs in private memory are not among them.
    """
    return {
        loop.header: loop
        for loop in shapes.flow.loops
        if (run := moved_run(shapes.ssa, loop)) is not None
        and run.is_shared
        and can_run_alone(shapes, loop)
        and gains_alone(shapes, loop)
    }


def sparse_counted(shapes: Shapes) -> dict[int, Loop]:
    """Return header -> loop of the sparse loops that code which counts runs lane by lane.

    All that is counted of them follows from the iterations of each lane.
    """
    ssa, found = shapes.ssa, sparse_loops(shapes)
    found = {h: loop for h, loop in found.items() if times_in(ssa, loop) is not None}
    covered = {number for loop in found.values() for number in loop.nodes}
    runs = sparse_runs(shapes)
    return found | {header: run for header, run in runs.items() if header not in covered}


def only_counted(shapes: Shapes) -> dict[int, Loop]:
    """Return header -> loop of the loops whose counts follow from where their counters begin."""
    return {
        loop.header: loop
        for loop in shapes.flow.loops
        if loop.number in shapes.divergent_loops
        and counter_alone(shapes.ssa, loop) is not None
        and can_run_alone(shapes, loop)
    }


def _is_left_together(shapes: Shapes, loop: Loop) -> bool:
    """Return whether nothing that is loaded decides when lanes leave a loop: they count alike.

    A loop over work-items of a stride is one. Few lanes run in the loops inside only.
    """
    if shapes.facts.own_memory is OwnMemory.ALONE:
        return False
    known = shapes.ssa.conditions
    sources = {source for source, _ in ways_out(shapes.flow, loop)}
    if not sources <= known.keys():
        return False  # a branch before these nodes decides
    conditions = [known[source] for source in sources]
    return not any(is_load(value) for value in made_of(conditions))


def ways_out(flow: Flow, loop: Loop) -> list[tuple[int, int]]:
    """Return (source, target) of the edges that leave a loop."""
    return [
        (number, successor)
        for number in sorted(loop.nodes)
        if flow.nodes[number].latch_of is None
        for successor in flow.nodes[number].successors
        if flow.route(number, successor) not in loop.nodes
    ]


def taken_in(ssa: Ssa, loop: Loop) -> set[Op | Phi]:
    """Return the values that a loop takes from outside, its header's phis among them."""
    found: set[Value] = set(ssa.phis.get(loop.header, ()))
    for number in loop.nodes:
        for op in ssa.ops.get(number, ()):
            found |= uses(op)
        if number in ssa.conditions:
            found.add(ssa.conditions[number])
        for target in ssa.flow.nodes[number].successors:
            phis = ssa.phis.get(target, ())
            found |= {phi.args[number] for phi in phis if number in phi.args}
    return {
        v
        for v in found
        if isinstance(v, (Op, Phi))
        and (v.node not in loop.nodes or (isinstance(v, Phi) and v.node == loop.header))
    }


def can_run_alone(shapes: Shapes, loop: Loop) -> bool:
    """Return whether lanes may run a loop one by one: each keeps its results in its own place."""
    flow, ssa = shapes.flow, shapes.ssa
    return (
        (
            loop.number in shapes.divergent_loops
            or has_divergent_branch(shapes, loop)
            or goes_along_rows(shapes, loop)
        )
        and not any(op.ins.row.is_identity for n in loop.nodes for op in ssa.ops.get(n, ()))
        and commute(_atomics_of(ssa, loop), ssa)
        and _has_one_entry(flow, loop)
        and all(_is_put(shapes, loop, phi) for phi in _results(ssa, loop))
    )


def _results(ssa: Ssa, loop: Loop) -> list[Phi]:
    """Return the phis that lanes set where they leave a loop."""
    return [phi for _, to in ways_out(ssa.flow, loop) for phi in ssa.phis.get(to, ())]


def _is_put(shapes: Shapes, loop: Loop, phi: Phi) -> bool:
    """Return whether each lane can put back a result: one of its own, or if all leave together."""
    if shapes.piece_stride(phi) is None:
        return True
    flow = shapes.flow
    ways = {flow.route(*edge) for edge in ways_out(flow, loop)}
    return (
        len(ways) == 1
        and shapes.stride(phi) is not None
        and loop.number not in shapes.divergent_loops
    )


def gains_alone(shapes: Shapes, loop: Loop) -> bool:
    """Return whether running lanes one by one should be faster than vectors, or is to be tried."""
    if shapes.facts.own_memory is OwnMemory.ALONE and has_own_memory(shapes, loop):
        return True
    if goes_along_rows(shapes, loop):
        return True
    return _follows_a_branch(shapes, loop) and _is_scattered(shapes, loop)


def writes_a_text(shapes: Shapes, loop: Loop) -> bool:
    """Return whether lanes run all of a loop, and store small elements, which may meet.

    So decoders and coders are written, a text a lane. Their branches are those of random data,
    which a lane alone mispredicts, and no lane waits for others: many are faster together. As
    order shows, native code must not find how many. Runs that a lane moves alone are another
    matter.
    """
    return (
        loop.number not in shapes.divergent_loops
        and any(
            _is_small_store(shapes, op)
            for number in loop.nodes
            for op in shapes.ssa.ops.get(number, ())
            if op.ins.row.segment in _SHARED
        )
        and order_shows(shapes, loop)
        and not moved_runs(shapes.ssa, loop)
    )


def order_shows(shapes: Shapes, loop: Loop) -> bool:
    """Return whether memory may depend on the order in which lanes run a loop's iterations.

    Not where they change nothing that lanes share, or change it by atomics that commute, and load
    nothing of it; nor where all they do is to store to places of their own. Code outside of the
    loop runs for all lanes in any case.
    """
    ops = [op for number in loop.nodes for op in shapes.ssa.ops.get(number, ())]
    ops = [op for op in ops if op.ins.row.segment in _SHARED]
    loads = any(op.ins.row.is_load for op in ops)
    if ops and all(op.ins.row.is_store for op in ops):
        return not store_apart(shapes, loop, ops)
    return any(op.ins.row.is_store or (op.ins.row.is_atomic and loads) for op in ops)


def _atomics_of(ssa: Ssa, loop: Loop) -> list[Op]:
    """Return the atomics of a loop. A lane alone does all of its own before the next lane's."""
    ops = (op for number in loop.nodes for op in ssa.ops.get(number, ()))
    return [op for op in ops if op.ins.row.is_atomic]


def _has_one_entry(flow: Flow, loop: Loop) -> bool:
    """Return whether lanes enter at the header only, and no barrier lies inside."""
    lasts = [flow.nodes[node].last for node in loop.nodes]
    return flow.has_one_entry(loop) and not any(
        last is not None and last.row.is_barrier for last in lasts
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
    """Return whether lanes access places of their own, which the data say, and need not wait for.

    Where native code finds how lanes run, they may also be where each lane walks by itself.
    Otherwise all addresses depend on loads. One depends on a load in the loop, or each lane steps
    through a stretch of words of its own; bytes are gathered by the words that hold them, unless a
    lane alone may take many at once. In a chain, where an iteration loads the next one's address,
    lanes should wait for memory together. So should they where half of the accesses are in order,
    as where the lanes of a piece share a row of a matrix: a vector has these at once. Loads of the
    same in all iterations do not count.
    """
    accesses = [
        (op, op.base)
        for number in loop.nodes
        for op in shapes.ssa.ops.get(number, ())
        if op.ins.row.segment in _SHARED and op.base is not None and not shapes.is_uniform(op.base)
        if not (op.ins.row.is_load and not changed_parts(op.base, loop))
    ]
    loaded = [(base, loads_of(base)) for _, base in accesses]
    if any(_is_small_store(shapes, op) for op, _ in accesses):
        return not any(_is_chain(base, loop) for base, _ in loaded)
    if not accesses:
        return False
    if shapes.facts.finds_limit and all(_is_walk(shapes, loop, op) for op, _ in accesses):
        return True
    if not all(loads for _, loads in loaded):
        return False
    if 2 * sum(_is_in_order(shapes, base) for base, _ in loaded) >= len(loaded):
        return False
    inside = [base for base, loads in loaded if _any_in(loop, loads)]
    if inside:
        return not any(_is_chain(base, loop) for base in inside)
    if not all(is_stretch(base, loop) for _, base in accesses):
        return False
    # A lane alone takes many bytes of its row at once.
    at_once = shapes.facts.finds_limit and gathers_row(shapes.ssa, loop)
    return at_once or all(_is_word(op) for op, _ in accesses)


def _is_walk(shapes: Shapes, loop: Loop, op: Op) -> bool:
    """Return whether a load is where a lane has got by steps of its own, and ends its walk.

    A lane alone has the loads of many steps under way, if no load decides where the next one is,
    and nothing but the way out is a branch. Vectors have so, too, where the way out needs no load.
    """
    inner = (loop.nodes & shapes.ssa.conditions.keys()) - shapes.uniform_branches()
    ends = {source for source, _ in ways_out(shapes.flow, loop)}
    if op.base is None or not op.ins.row.is_load or not inner <= ends:
        return False
    conditions = [shapes.ssa.conditions[number] for number in inner]
    if op not in made_of(conditions, lambda v: is_invariant(v, loop)):
        return False
    parts = made_of([op.base], lambda v: is_invariant(v, loop))
    if any(isinstance(v, Op) and v.ins.row.is_memory and not is_invariant(v, loop) for v in parts):
        return False
    phis = [v for v in parts if isinstance(v, Phi) and v.node == loop.header]
    if any(increment_of(loop, phi) is None for phi in phis):
        return True
    # In a loop that lanes leave apart, few are left, for few steps each.
    is_apart = loop.parent in shapes.divergent_loops
    return bool(phis) and not is_apart and _is_word(op) and has_own_row(shapes, op.base)


def _is_in_order(shapes: Shapes, base: Value) -> bool:
    """Return whether the lanes of a piece access one place or neighbours, if no index wraps."""
    if shapes.piece_stride(base) is not None:
        return True
    if not isinstance(base, Op) or base.ins.row.name not in ADDRESS_ARITHMETIC:
        return False
    return all(isinstance(arg, Const) or _is_in_order(shapes, arg) for arg in base.args)


def _is_small_store(shapes: Shapes, op: Op) -> bool:
    """Return whether lanes store bytes or 16-bit numbers in no known order: one after the other."""
    row = op.ins.row
    in_order = op.base is None or shapes.piece_stride(op.base) is not None
    return row.is_store and not _is_word(op) and not in_order


def _is_word(op: Op) -> bool:
    return op.ins.row.type is not None and op.ins.row.type.size >= WORD


def _any_in(loop: Loop, loads: set[Op]) -> bool:
    return any(load.node in loop.nodes for load in loads)


def _is_chain(base: Value, loop: Loop) -> bool:
    """Return whether an address depends on what was loaded in an earlier iteration."""
    return any(
        isinstance(value, Phi) and value.node == loop.header and _any_in(loop, loads_of(value))
        for value in parts_of(base)
    )
