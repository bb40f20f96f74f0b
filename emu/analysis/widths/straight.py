"""Code without loops: what its branches, live values and chains say of the best width."""

from __future__ import annotations

from ....isa.types import B1, RegClass
from ..lanes.lane_plan import LONG_UNITS
from ..values.ssa import Op, Phi, Value
from ..warps.agreed import with_neighbours
from ..warps.uniformity import Shapes
from .chains import LONG, waits_for_results
from .registers import is_vector, lane_step, live_values

LONG_ROW = 256
"""Work-items of a row with edges, in warps of 64: in fewer warps, half of the lanes or more are in
those at edges."""

SHORT_ROW = 128
"""The same where many vectors are computed in the time of few: edges cost less there."""

MOST_LIVE = 8
"""Values in vectors at a time, in 64 lanes without a loop: each takes four registers of 32."""

MOST_SPILLED = 16
"""The same where the code waits for results: half of the values, of four registers, have none."""

MOST_BY_TWO = 20
"""The same in 32 lanes, above which 16 are faster: some operands may be in memory."""

MOST_BY_ONE = 44
"""The same in 16 lanes: a quarter has no registers then, and of two vectors each two thirds."""

MOST_PARTS = 64
"""Comparisons of one condition that are looked at."""

MOST_STRAIGHT = 300
"""Instructions without a loop from which on compile time, twice as long, counts more."""

MOST_WAITING = 600
"""The same where the code waits longer than its vectors take."""

MOST_BESIDE_CHAIN = 24
"""Values in vectors at a time in such code."""


def waits_long(shapes: Shapes) -> bool:
    """Return whether code without loops waits so long that values may go through memory.

    Masks at the edges of short rows are a small part of long code only. Numbers of 64 bits are
    four vectors in 32 lanes already.
    """
    values = [v for v in shapes.ssa.values() if isinstance(v, (Op, Phi))]
    length = len(values)
    return (
        (MOST_STRAIGHT if is_short_row(shapes) else 0) < length <= MOST_WAITING
        and not shapes.facts.piece
        and live_values(shapes) <= MOST_BESIDE_CHAIN
        and not any(v.cls is RegClass.D and is_vector(shapes, v) for v in values)
        and waits_for_results(shapes, LONG)
    )


def gains_by_few(shapes: Shapes) -> bool:
    """Return whether code without loops has registers at one vector a value, not at two.

    Divisions, roots and lists of instructions take longer than values that go through memory.
    """
    return MOST_BY_TWO < live_values(shapes) <= MOST_BY_ONE and not any(
        isinstance(v, Op) and v.ins.row.unit in LONG_UNITS and is_vector(shapes, v)
        for v in shapes.ssa.values()
    )


def accesses_by_list(shapes: Shapes) -> bool:
    """Return whether accesses are by numbers of a list that may be neighbours in all of a warp.

    They come in runs, as the zones of a row. Fewer warps of few lanes are at the end of one.
    """
    return any(
        with_neighbours(shapes, op, ops[at + 1 :]) is not None
        for ops in shapes.ssa.ops.values()
        for at, op in enumerate(ops)
        if op.ins.row.is_load
    )


def is_light(shapes: Shapes) -> bool:
    """Return whether code without loops is short, and has few branches and live values."""
    if len(shapes.ssa.values()) > MOST_STRAIGHT or _divergent_branches(shapes) > 1:
        return False
    # Values that do not stay in registers cost little beside a long chain.
    live = live_values(shapes)
    return live <= MOST_LIVE or (live <= MOST_SPILLED and waits_for_results(shapes))


def _divergent_branches(shapes: Shapes) -> int:
    """Return how many branches may diverge; in long rows, without those at the edges of a grid.

    Interior warps, which are most of a long row, have no masks for these.
    """
    branches = shapes.ssa.conditions.keys() - shapes.uniform_branches()
    if not is_row_of(shapes, LONG_ROW):
        return len(branches)
    return sum(not _is_of_places(shapes, shapes.ssa.conditions[n]) for n in branches)


def _is_of_places(shapes: Shapes, condition: Value) -> bool:
    """Return whether a condition compares places in the grid with what is the same for all."""
    work, seen = [condition], 0
    while work:
        value = work.pop()
        seen += 1
        if shapes.is_uniform(value):
            continue
        if not isinstance(value, Op) or seen > MOST_PARTS:
            return False
        if value.ins.row.type is B1:
            work += value.args
        elif not compares_scalars(shapes, value):
            return False
    return True


def is_short_row(shapes: Shapes) -> bool:
    """Return whether workgroups are rows of few warps, and the first and last are at edges."""
    if shapes.facts.group_size[1:] != (1, 1) or is_row_of(shapes, LONG_ROW):
        return False
    return bool(shapes.ssa.conditions.keys() - shapes.uniform_branches())


def is_row_of(shapes: Shapes, least: int) -> bool:
    """Return whether workgroups are rows of at least so many work-items."""
    size = shapes.facts.group_size
    return size[1:] == (1, 1) and size[0] >= least


def compares_scalars(shapes: Shapes, op: Op) -> bool:
    """Return whether an op compares work-item ids with a bound, or the like."""
    return op.cls is RegClass.C and all(lane_step(shapes, a) is not None for a in op.args)
