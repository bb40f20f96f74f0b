"""Loops in which each lane walks along a row of its own, or around a place of its own.

The lines that the lanes access are as far apart as the rows. Where that is a power of two, as it
often is, they lie in a few sets of the first-level cache, and those of 32 lanes evict each other
before the next element is due.
"""

from __future__ import annotations

from ....isa.types import Segment
from ..flow.order import Loop
from ..ranges.stepping import increment_of, is_invariant
from ..values.ssa import Const, Op, Phi, Value
from ..warps.uniformity import Shapes
from .registers import lane_step

LARGE_STEP = 2048
"""Bytes between rows at whose multiples 32 lines lie in two sets of a first-level cache."""

WORD = 4
"""Bytes of elements from which on a line of a row is loaded as a block, so that it is needed once.

Lines of smaller elements have several blocks.
"""

_PLACES = frozenset({"add", "sub", "mad", "mul", "shl", "cvt", "abs", "min", "max", "select"})
"""Stems that make a place of others: sums, and what keeps them inside of an array."""


def stores_rows(shapes: Shapes) -> bool:
    """Return whether lanes store to rows of their own in a loop that they leave together."""
    return _has_rows(shapes, is_load=False)


def loads_rows(shapes: Shapes) -> bool:
    """Return whether lanes load words of their own rows in such a loop."""
    return _has_rows(shapes, is_load=True)


def _has_rows(shapes: Shapes, *, is_load: bool) -> bool:
    outer = {loop.parent for loop in shapes.flow.loops} | shapes.divergent_loops
    return any(
        op.ins.row.is_load == is_load and _is_in_row(shapes, loop, op)
        for loop in shapes.flow.loops
        if loop.number not in outer
        for number in loop.nodes
        for op in shapes.ssa.ops.get(number, ())
    )


def _is_in_row(shapes: Shapes, loop: Loop, op: Op) -> bool:
    """Return whether an access walks along rows that may be a power of two apart."""
    row, base = op.ins.row, op.base
    if not row.is_memory or row.is_atomic or row.segment is not Segment.GLOBAL or base is None:
        return False
    if row.is_load and (row.type is None or row.type.size < WORD):
        return False
    step = lane_step(shapes, base)
    return (step is None or (step != 0 and step % LARGE_STEP == 0)) and _is_row(shapes, loop, base)


def _is_row(shapes: Shapes, loop: Loop, base: Value) -> bool:
    """Return whether an address is what a loop does not change, plus what it changes for all."""
    work, seen, moves = [base], {base}, False
    while work:
        value = work.pop()
        if is_invariant(value, loop):
            continue
        if isinstance(value, Op) and value.ins.row.stem in _PLACES:
            # The condition of a choice is not part of the place.
            summed = value.args[value.ins.row.stem == "select" :]
            work += [a for a in summed if a not in seen]
            seen.update(summed)
        elif lane_step(shapes, value) is not None or _steps_together(loop, value):
            moves = True
        else:
            return False
    return moves


def _steps_together(loop: Loop, value: Value) -> bool:
    """Return whether each iteration adds the same constants to a value in all lanes.

    What an argument says, as the size of a plane, leads out of a row.
    """
    terms = increment_of(loop, value) if isinstance(value, Phi) else None
    return terms is not None and all(isinstance(term, Const) for _, term in terms)
