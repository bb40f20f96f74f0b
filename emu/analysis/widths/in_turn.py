"""Loops in which lanes wait for gathers or for the iteration before, and leave in turn.

Such a loop is as fast as its chain of instructions, of which vectors of 32 lanes have two under
way. Twice the lanes are twice the work in the same time, and half the mispredicted ends of loops.
That is lost where masks are many, and where registers do not suffice.
"""

from __future__ import annotations

from ....isa.types import RegClass, Segment
from ..flow.order import Loop
from ..lanes.lane_plan import LONG_UNITS
from ..loops.word_walks import walks_in
from ..ranges.stepping import Counter, counters_of
from ..values.ssa import Op, Value, made_of
from ..warps.uniformity import Shapes
from .chains import vectors_computed, waits_for_iterations
from .registers import (
    MOST_AT_A_TIME,
    carried_registers,
    lane_step,
    live_registers,
    long_loops,
    values_in,
)

MOST_HARD = 3
"""Gathers and other accesses of many places in an iteration: each has code for four vectors."""

MOST_BRANCHES = 3
"""Branches that diverge in an iteration, each with a mask for each vector."""

MOST_VECTORS = 32
"""Vectors of an iteration, in 32 lanes, that take longer than it waits for a gather."""

LEAST_MASKS = 4
"""Branches from which on masks of 32 lanes pay for the instructions that take them apart."""

MOST_REGISTERS = 24
"""Registers of what an iteration carries, and of what is live at a time, of 32."""

WORD = 4
"""Bytes of the smallest elements of a scatter."""


def gain_by_lanes(shapes: Shapes) -> bool:
    """Return whether a kernel's loops, some of which lanes leave in turn, gain by twice the lanes.

    They gather a little, or wait in each iteration for the one before, and have registers. Loops
    beside them, as over the steps of a tree, access neighbours or one place.
    """
    inside = {n for loop in shapes.flow.loops for n in loop.nodes}
    ops = [op for n in inside for op in shapes.ssa.ops.get(n, ())]
    if shapes.facts.piece or any(_goes_lane_by_lane(shapes, op) for op in ops):
        return False
    inner = long_loops(shapes)
    in_turn = [loop for loop in inner if loop.number in shapes.divergent_loops]
    others = {n for loop in inner if loop not in in_turn for n in loop.nodes}
    return (
        bool(in_turn)
        and all(_gains(shapes, loop) for loop in in_turn)
        and all(is_easy(shapes, op) for n in others for op in shapes.ssa.ops.get(n, ()))
    )


def have_many_masks(shapes: Shapes) -> bool:
    """Return whether inner loops decide much by small elements that lanes walk along.

    They access no other places of each lane's own. CPUs compute two masks in a cycle, and one of 32
    lanes takes as long as one of 16. What the loops compute in words is two vectors, whose masks
    are parts of the larger one.
    """
    if shapes.facts.piece:
        return False
    inner = long_loops(shapes)
    return bool(inner) and all(_has_many_masks(shapes, loop) for loop in inner)


def _has_many_masks(shapes: Shapes, loop: Loop) -> bool:
    branches = loop.nodes & shapes.ssa.conditions.keys() - shapes.uniform_branches()
    ops = [op for n in loop.nodes for op in shapes.ssa.ops.get(n, ())]
    hard = {op for op in ops if not is_easy(shapes, op)}
    return (
        len(branches) >= LEAST_MASKS
        and 0 < len(hard) == len(hard.intersection(walks_in(shapes.ssa, loop)))
        and not any(_is_computed(loop, counter) for counter in counters_of(shapes.ssa, loop))
    )


def _is_computed(loop: Loop, counter: Counter) -> bool:
    """Return whether a counter's bounds are of places, as `i * length` and `(i + 1) * length`.

    All lanes then have as many iterations, and load blocks of their rows (`row_blocks.py`).
    """
    first = [value for node, value in counter.phi.args.items() if node not in loop.nodes]
    parts = made_of([counter.end, *first])
    rows = [part.ins.row for part in parts if isinstance(part, Op)]
    return not any(row.is_memory and row.segment is not Segment.KERNARG for row in rows)


def wait_in_turn(shapes: Shapes, lanes: int) -> bool:
    """Return whether all loops wait as long as their vectors take, and have registers for `lanes`.

    These are loops on 32-bit numbers that access nothing, and that lanes leave in turn.
    """
    return all(
        loop.number in shapes.divergent_loops
        and all(_is_plain_word(value) for value in values_in(shapes, loop))
        and waits_for_iterations(shapes, loop, 1)
        and live_registers(shapes, loop, lanes, 32) <= MOST_AT_A_TIME
        for loop in long_loops(shapes)
    )


def _is_plain_word(value: Value) -> bool:
    """Return whether a value has 32 bits, or is a condition, and is not from memory.

    Divisions of integers, which are many instructions on 64 bits each, do not count.
    """
    if value.cls is RegClass.D or not isinstance(value, Op):
        return value.cls is not RegClass.D
    row = value.ins.row
    is_float = row.type is not None and row.type.is_float
    return not row.is_memory and (is_float or row.unit not in LONG_UNITS)


def _gains(shapes: Shapes, loop: Loop) -> bool:
    branches = loop.nodes & shapes.ssa.conditions.keys() - shapes.uniform_branches()
    if len(branches) > MOST_BRANCHES:
        return False
    ops = [op for n in loop.nodes for op in shapes.ssa.ops.get(n, ())]
    if not any(op.ins.row.is_memory for op in ops):
        are_words = not any(v.cls is RegClass.D for v in values_in(shapes, loop))
        return waits_for_iterations(shapes, loop) or (are_words and _has_registers(shapes, loop))
    hard = sum(not is_easy(shapes, op) for op in ops)
    return 0 < hard <= MOST_HARD and _has_registers(shapes, loop) and _waits(shapes, loop)


def _waits(shapes: Shapes, loop: Loop) -> bool:
    """Return whether a loop that gathers waits for that, or for the iteration before.

    Longer iterations have enough vectors to compute meanwhile. In twice the lanes they take twice
    the time, also while one lane runs.
    """
    few = vectors_computed(shapes, loop) <= MOST_VECTORS
    return few or waits_for_iterations(shapes, loop)


def _goes_lane_by_lane(shapes: Shapes, op: Op) -> bool:
    """Return whether an op stores small elements where lanes have no order, or is of their stacks.

    No instruction scatters bytes, and private memory of more lanes takes more of the cache.
    """
    row = op.ins.row
    if is_easy(shapes, op) or row.type is None:
        return False
    return row.segment is Segment.PRIVATE or (row.is_store and row.type.size < WORD)


def _has_registers(shapes: Shapes, loop: Loop) -> bool:
    lanes = shapes.facts.width
    return MOST_REGISTERS >= max(
        carried_registers(shapes, loop, lanes, 32), live_registers(shapes, loop, lanes, 32)
    )


def is_easy(shapes: Shapes, op: Op) -> bool:
    """Return whether an op accesses neighbouring places or one place for all lanes, or none."""
    row = op.ins.row
    if not row.is_memory or row.segment is Segment.KERNARG:
        return True
    if row.is_atomic or row.type is None:
        return False
    if row.segment is Segment.PRIVATE:
        return op.base is None or shapes.is_uniform(op.base)
    return op.base is None or lane_step(shapes, op.base) in (0, row.type.size)
