"""How long instructions wait for each other, beside the vectors to compute meanwhile."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ....isa.table import Unit
from ....isa.types import RegClass
from ..flow.order import Loop
from ..lanes.lane_plan import LONG_UNITS
from ..values.ssa import Op, Phi, Value, operands_of
from ..warps.uniformity import Shapes
from .registers import REGISTER_BITS, is_vector, values_in

LATENCY = {Unit.FLOAT: 4, Unit.DIV: 24, Unit.COMPLEX: 24}
"""Cycles until a result is there, of vectors; others but products take one."""

PRODUCT = 10
"""The same of a product of integers."""

LOAD = 5
"""The same of a load from a first-level cache."""

FEW_LANES = 32
"""Lanes of a warp whose vectors are counted."""

LONG = 1.5
"""Times of all vectors from which on it hardly shows that values go through memory."""

MOSTLY = 0.75
"""Times of all vectors of 32 lanes, of which a host begins two at a time, from which on a loop has
twice the lanes in hardly more time, though not all of their values have registers."""

HALF_OF_FEW = 0.25
"""Times of all vectors of 32 lanes that are half of the time of those of 16."""

INTEGER, SIMULTANEOUS = 2, 4
"""Cycles of an integer operation, and vectors of such that begin at a time, on a host that computes
many in the time of few."""

MOST_BESIDE = 1.5
"""Times of a chain that an iteration's integer operations may take."""


def waits_for_iterations(shapes: Shapes, loop: Loop, part: float = 0.5) -> bool:
    """Return whether a chain from iteration to iteration takes half as long as all vectors.

    With `part`, that part of their time.
    """
    longest, count = _iteration(shapes, loop)
    return longest >= part * count


def vectors_computed(shapes: Shapes, loop: Loop) -> int:
    """Return the vectors that an iteration computes or compares in a warp of 32 lanes."""
    return _count(_vectors(shapes, values_in(shapes, loop)))


def waits_for_divisions(shapes: Shapes, loop: Loop) -> bool:
    """Return whether a loop waits in each iteration for a division or a root of the one before.

    The lines of far rows have time to come meanwhile.
    """
    return waits_for_iterations(shapes, loop, LONG) and any(
        isinstance(v, Op) and v.ins.row.unit in LONG_UNITS
        for v in _vectors(shapes, values_in(shapes, loop))
    )


def waits_for_integers(shapes: Shapes, loop: Loop, lanes: int) -> bool:
    """Return whether a loop on integers of 32 bits waits for them in warps of so many lanes.

    That is on a host that computes many vectors of integers in the time of few.
    """
    values = _vectors(shapes, values_in(shapes, loop))
    if any(v.cls is RegClass.D or (isinstance(v, Op) and _is_of_floats(v)) for v in values):
        return False
    longest, count = _iteration(shapes, loop)
    return MOST_BESIDE * INTEGER * longest >= count * lanes / FEW_LANES / SIMULTANEOUS


def _is_of_floats(op: Op) -> bool:
    return op.ins.row.type is not None and op.ins.row.type.is_float


def _iteration(shapes: Shapes, loop: Loop) -> tuple[int, int]:
    """Return the cycles of the longest chain from iteration to iteration, and of all vectors."""
    values = _vectors(shapes, values_in(shapes, loop))
    inside = [v for v in values if not (isinstance(v, Phi) and v.node == loop.header)]
    longest = 0
    for phi in shapes.ssa.phis.get(loop.header, ()):
        after = _cycles(inside, {phi: 0})
        longest = max(longest, *(after.get(a, 0) for n, a in phi.args.items() if n in loop.nodes))
    return longest, _count(values)


def waits_for_results(shapes: Shapes, part: float = 0.5) -> bool:
    """Return whether the longest chain of code without loops takes half as long as all vectors.

    With `part`, that part of their time.
    """
    values = _vectors(shapes, shapes.ssa.values())
    after = _cycles(values, dict.fromkeys(values, 0))
    return max(after.values(), default=0) >= part * _count(values)


def _vectors(shapes: Shapes, values: Iterable[Value]) -> list[Op | Phi]:
    return [v for v in values if isinstance(v, (Op, Phi)) and is_vector(shapes, v)]


def _count(values: list[Op | Phi]) -> int:
    """Return the vectors that ops compute or compare in a warp of `FEW_LANES`."""
    bits = [
        max((a.cls.bits for a in (v, *v.args) if a.cls is not RegClass.C), default=0)
        for v in values
        if isinstance(v, Op) and not v.ins.row.is_memory
    ]
    return sum(bits) * FEW_LANES // REGISTER_BITS


def _cycles(values: list[Op | Phi], start: Mapping[Value, int]) -> dict[Value, int]:
    """Return when values are there that are made of others, which are there at `start`."""
    after = dict(start)
    for value in values:
        waits = [after[a] for a in operands_of(value) if a in after]
        if waits:
            after[value] = max(waits) + _latency(value)
        elif value in after:
            after[value] = _latency(value)
    return after


def _latency(value: Op | Phi) -> int:
    if not isinstance(value, Op):
        return 0
    row = value.ins.row
    if row.is_load:
        return LOAD
    if row.stem in ("mul", "mad") and row.type is not None and not row.type.is_float:
        return PRODUCT
    return LATENCY.get(row.unit, 1)
