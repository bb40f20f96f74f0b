"""Kernels of a matrix product without tiles: loops that load what all rows of the grid share.

In `c[i][j] += a[i][k] * b[k][j]`, with a work-item for each (i, j), `b[k][j]` is the same in all
rows. A warp of four rows loads it once for four products, where a warp in one row has a load for
each: the second-level cache, or the units that load, would be the limit. `c[i][j]` may be summed
in memory.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import replace
from math import prod

from ....isa.program import Kernel
from ....isa.types import Segment
from ...recent import Recent
from ..analysis import analyse
from ..facts import Facts
from ..flow.order import Loop
from ..values.ssa import Op, Phi, Value, operands_of
from ..warps.uniformity import Shapes
from .registers import inner_loops, lane_step, loops_fit

ROWS_OF_COLUMNS = (32, 4, 1)
"""Workgroups that are such a warp: vectors of two pieces in each of four rows."""

MOST_SHARING = 64
"""Instructions of such a kernel: each is written for eight vectors."""

_SHARES: Recent[tuple[object, ...], bool] = Recent()


def sharing_facts(kernel: Kernel, facts: Facts) -> Facts | None:
    """Return the facts of one warp a workgroup for kernels whose loops share columns.

    Workgroups are `ROWS_OF_COLUMNS`. Returns None for other kernels.
    """
    if (
        not facts.whole
        or facts.group_size != ROWS_OF_COLUMNS
        or len(kernel.instructions) > MOST_SHARING
        or kernel.private_size
        or any(ins.row.is_barrier for ins in kernel.instructions)
    ):
        return None
    wide = replace(facts, width=prod(ROWS_OF_COLUMNS))
    key = kernel.key, facts.few_groups
    found = _SHARES.find(key)
    if found is None:
        found = _SHARES.keep(key, _shares(analyse(kernel).shapes(wide)))
    return wide if found else None


def _shares(shapes: Shapes) -> bool:
    """Return whether loops that all lanes leave together load as much by columns as by places."""
    if shapes.divergent_loops or not loops_fit(shapes, shapes.facts.width, 32):
        return False
    by_x, by_y = (_made_of(shapes, dimensions) for dimensions in ((0,), (1, 2)))
    columns = places = 0
    for loop in inner_loops(shapes):
        changing = _made_by(shapes, set(shapes.ssa.phis.get(loop.header, ())))
        sums = _sums(shapes, loop, changing)
        for op in (op for n in loop.nodes for op in shapes.ssa.ops.get(n, ())):
            row = op.ins.row
            if not row.has_address or row.segment is Segment.KERNARG:
                continue
            if op in sums:
                continue
            if not row.is_load or row.segment is not Segment.GLOBAL or op.base is None:
                return False
            if lane_step(shapes, op.base) not in (0, op.element.size):
                return False
            if op.base in by_x:
                shared = op.base not in by_y and op.base in changing
                columns, places = columns + shared, places + (not shared)
    return columns > 0 and columns >= places


def _sums(shapes: Shapes, loop: Loop, changing: Set[Value]) -> set[Op]:
    """Return the loads and stores of sums in memory, which stay in registers in a loop.

    The warp's lanes have neighbours there, the same in all iterations.
    """
    ops = [op for n in loop.nodes for op in shapes.ssa.ops.get(n, ()) if op.ins.row.is_memory]
    used = [op for op in ops if op.ins.row.segment is Segment.GLOBAL]
    found: set[Op] = set()
    for store in used:
        row, base = store.ins.row, store.base
        if row.is_load or row.is_atomic or row.type is None or base is None or base in changing:
            continue
        here = [op for op in used if op.base is base]
        if len(here) == 2 and here[0].ins.row.is_load and lane_step(shapes, base) == row.type.size:
            found |= set(here)
    return found


def _made_of(shapes: Shapes, dimensions: tuple[int, ...]) -> set[Value]:
    """Return the values that follow from the places of work-items in some dimensions."""
    places: set[Value] = {
        op
        for ops in shapes.ssa.ops.values()
        for op in ops
        if op.ins.row.stem in ("workitemabsid", "workitemid") and op.ins.literals[0] in dimensions
    }
    return _made_by(shapes, places)


def _made_by(shapes: Shapes, sources: set[Value]) -> set[Value]:
    """Return values, and those that are computed from them."""
    found, values = set(sources), shapes.ssa.values()
    more = True
    while more:
        new = {
            v
            for v in values
            if isinstance(v, (Op, Phi)) and v not in found and not found.isdisjoint(operands_of(v))
        }
        more = bool(new)
        found |= new
    return found
