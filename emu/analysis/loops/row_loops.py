"""Short loops along the row that lanes are neighbours in, which have copies for their iterations.

`for (k = 0; k < 3; k++) sum += a[i + k] * w[k]` loads nearly the same elements in each iteration.
In copies these are loads at constant distances in one node, which share a row of vectors
(jit/kernel/memory/shuffles/shared_rows.py).
"""

from __future__ import annotations

from functools import partial

from ....isa.types import Segment
from ..flow.order import Loop
from ..values.ssa import Op, Ssa
from .growth import growth, of_iteration, of_lane

VECTORS, REGISTERS = 4, 32
"""Vectors of 64 lanes, and those that have registers: of a row one more, and what it is shifted to.
"""


def loads_neighbours(ssa: Ssa, loop: Loop) -> bool:
    """Return whether an inner loop loads elements that follow each other, from lanes as in turn.

    It stores nothing, and its sums and the rows have registers.
    """
    ops = [op for number in loop.nodes for op in ssa.ops.get(number, ()) if op.ins.row.is_memory]
    if not all(op.ins.row.is_load for op in ops):
        return False
    rows = sum(_is_neighbour(ssa, op, loop) for op in ops)
    sums = len(ssa.phis.get(loop.header, ())) - 1
    return rows > 0 and sums * VECTORS + rows * (2 * VECTORS + 1) <= REGISTERS


def _is_neighbour(ssa: Ssa, op: Op, loop: Loop) -> bool:
    type_, base = op.ins.row.type, op.base
    if base is None or type_ is None or op.ins.row.segment is not Segment.GLOBAL:
        return False
    return (
        growth(base, partial(of_iteration, loop)) == type_.size
        and growth(base, partial(of_lane, ssa)) == type_.size
    )
