"""Loops in which each lane writes a row of its own, element by element.

The lines that the lanes write are as far apart as the rows. Where that is a power of two, as it
often is, they lie in a few sets of the first-level cache, and those of 32 lanes evict each other
before the next element is due.
"""

from __future__ import annotations

from ....isa.types import Segment
from ..flow.order import Loop
from ..ranges.stepping import increment_of, is_invariant
from ..values.ssa import Op, Phi, Value
from ..warps.uniformity import Shapes
from .registers import lane_step

LARGE_STEP = 2048
"""Bytes between rows at whose multiples 32 lines lie in two sets of a first-level cache."""

_SUMS = frozenset({"add", "sub", "mad", "mul", "shl", "cvt"})


def stores_rows(shapes: Shapes, loop: Loop) -> bool:
    """Return whether each lane of an innermost loop stores to a row of its own."""
    if any(other.parent == loop.number for other in shapes.flow.loops):
        return False
    return any(
        _is_stored_row(shapes, loop, op) for n in loop.nodes for op in shapes.ssa.ops.get(n, ())
    )


def _is_stored_row(shapes: Shapes, loop: Loop, op: Op) -> bool:
    row, base = op.ins.row, op.base
    if not row.is_memory or row.is_load or row.is_atomic or row.segment is not Segment.GLOBAL:
        return False
    if base is None:
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
        if isinstance(value, Op) and value.ins.row.stem in _SUMS:
            work += [a for a in value.args if a not in seen]
            seen.update(value.args)
        elif lane_step(shapes, value) is not None or _steps_together(shapes, loop, value):
            moves = True
        else:
            return False
    return moves


def _steps_together(shapes: Shapes, loop: Loop, value: Value) -> bool:
    """Return whether each iteration adds the same to a value in all lanes."""
    terms = increment_of(loop, value) if isinstance(value, Phi) else None
    return terms is not None and all(lane_step(shapes, term) == 0 for _, term in terms)
