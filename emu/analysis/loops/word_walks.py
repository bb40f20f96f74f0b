"""Loops in which each lane walks along small elements, of which a word has several."""

from __future__ import annotations

from functools import partial

from ....asm.flow.graph import reachable
from ....isa.types import RegClass, Segment, mask_of
from ..flow.order import Flow, Loop
from ..ranges.stepping import increment_of, is_invariant
from ..values.ssa import Const, Op, Phi, Ssa, Value
from .growth import growth, is_of_header, of_iteration

WORD = 4
"""Bytes of a word."""

SHARED = frozenset({Segment.GLOBAL, Segment.GROUP})
"""The memory that lanes share."""

MOST_DEEP = 4
"""Additions of an address that are looked at."""


def walk_of(ssa: Ssa, op: Op) -> Loop | None:
    """Return the loop in each iteration of which all of its lanes load a small element by an op.

    The loop does not change that memory, which lanes share, so that elements may be loaded ahead.
    """
    row, flow = op.ins.row, ssa.flow
    if not row.is_load or row.segment is None or row.segment not in SHARED or row.type is None:
        return None
    number = flow.loop_of[op.node]
    if row.type.size >= WORD or op.base is None or number is None:
        return None
    loop = flow.loops[number]
    if growth(op.base, partial(of_iteration, loop)) != row.type.size:
        return None
    # Loops around it may have the same header: their lanes wait at latches until it is over.
    if flow.loop_of[loop.header] != number or not flow.has_one_entry(loop):
        return None
    return (
        loop
        if not _changes(ssa, loop, row.segment) and _is_always_run(flow, loop, op.node)
        else None
    )


def step_of(loop: Loop, value: Value, depth: int = MOST_DEEP) -> int | None:
    """Return what each iteration adds to an integer, modulo 2^bits; None if that may differ."""
    if is_invariant(value, loop):
        return 0
    bits = mask_of(64 if value.cls is RegClass.D else 32)
    if is_of_header(value, loop):
        terms = increment_of(loop, value)
        if terms is None or not all(isinstance(term, Const) for _, term in terms):
            return None
        return sum(sign * term.bits for sign, term in terms if isinstance(term, Const)) & bits
    if isinstance(value, Phi) or not isinstance(value, Op) or not depth:
        return None
    if value.ins.row.name not in ("add_u32", "add_s32", "add_u64", "add_s64"):
        return None
    steps = [step_of(loop, arg, depth - 1) for arg in value.args]
    return None if None in steps else sum(step or 0 for step in steps) & bits


def _changes(ssa: Ssa, loop: Loop, segment: Segment) -> bool:
    """Return whether a loop may change memory that lanes share, or waits for what does."""
    rows = [op.ins.row for number in loop.nodes for op in ssa.ops.get(number, ())]
    ends = [ssa.flow.nodes[number].last for number in loop.nodes]
    rows += [last.row for last in ends if last is not None]
    return any(
        row.is_atomic
        or row.is_barrier
        or row.stem == "memfence"
        or (row.is_memory and not row.is_load and row.segment is segment)
        for row in rows
    )


def _is_always_run(flow: Flow, loop: Loop, node: int) -> bool:
    """Return whether all ways from a loop's header back to it lead through a node."""
    ways = {n: flow.nodes[n].successors for n in loop.nodes}
    past = reachable(ways, [loop.header], loop.nodes, {node}) - {node}
    return not any(loop.header in ways[n] for n in past)


def walks_in(ssa: Ssa, loop: Loop) -> list[Op]:
    """Return the loads of which `walk_of` gives a loop."""
    return [op for n in sorted(loop.nodes) for op in ssa.ops.get(n, ()) if walk_of(ssa, op) is loop]
