"""Short loops along the row that lanes are neighbours in, which have copies for their iterations.

`for (k = 0; k < 3; k++) sum += a[i + k] * w[k]` loads nearly the same elements in each iteration.
In copies these are loads at constant distances in one node, which share a row of vectors
(jit/kernel/memory/shuffles/shared_rows.py).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from ....isa.types import Segment
from ..flow.order import Loop
from ..values.ssa import Const, Op, Phi, Ssa, Value
from .growth import growth, of_iteration

VECTORS, REGISTERS = 4, 32
"""Vectors of 64 lanes, and those that have registers: of a row one more, and what it is shifted to.
"""

_ROWS = frozenset({"workitemabsid", "workgroupid"})


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
        growth(base, partial(_of_iteration, loop)) == type_.size
        and growth(base, partial(_of_lane, ssa)) == type_.size
    )


def _of_iteration(loop: Loop, value: Value) -> int | None:
    """Return what an iteration adds to a value, as `of_iteration` does, and to a difference."""
    found = of_iteration(loop, value)
    return found if found is not None else _of_difference(value, partial(_of_iteration, loop))


def _of_difference(value: Value, known: Callable[[Value], int | None]) -> int | None:
    """Return what is added to a difference if nothing is added to what is subtracted."""
    if not isinstance(value, Op) or value.ins.row.stem != "sub":
        return None
    return growth(value.args[0], known) if growth(value.args[1], known) == 0 else None


def _of_lane(ssa: Ssa, value: Value) -> int | None:
    """Return what is added from lane to lane of a row of the grid, where it is known."""
    known = partial(_of_lane, ssa)
    if isinstance(value, Phi):
        loop = next((loop for loop in ssa.flow.loops if loop.header == value.node), None)
        before = {a for n, a in value.args.items() if loop is not None and n not in loop.nodes}
        return growth(before.pop(), known) if len(before) == 1 else None
    if isinstance(value, Const):
        return 0
    if not isinstance(value, Op):
        return None
    row = value.ins.row
    if value.args:
        return _of_difference(value, known)
    if row.stem in _ROWS:
        return int(row.stem == "workitemabsid" and not value.ins.literals[0])
    return 0 if row.segment is Segment.KERNARG else None
