"""Warps of few lanes, where the iterations of a loop grow from work-item to work-item.

In `for (j = item + 1; j < 64; j++)` each work-item of a workgroup has an iteration less than the
one before, as where pairs are compared. A warp runs as long as its first lane. Warps of the whole
workgroup run twice as many vectors as lanes need, narrow ones few more.
"""

from __future__ import annotations

from dataclasses import replace
from math import prod

import numpy as np
from numpy.typing import NDArray

from ....isa.program import Kernel
from ...geometry import Dim3
from ..analysis import analyse
from ..facts import Facts
from ..flow.order import Loop
from ..ranges.stepping import Counter, counters_of
from ..values.item_numbers import Numbers, calculated, of_constant
from ..values.ssa import Const, Op, Value
from ..warps.uniformity import Shapes
from .registers import inner_loops
from .width import FEW, WIDE

LEAST_SAVED = 1.5
"""Vectors in warps of `WIDE` lanes, by those in narrow ones, from which on these are chosen."""

MOST_DEEP = 16
"""Instructions that are followed, one after the other, from a bound to the work-item's number."""


def triangle_facts(kernel: Kernel, facts: Facts) -> Facts | None:
    """Return the facts of warps of few lanes for kernels with such loops; None for others.

    They have barriers, and no inner loop without a barrier that is not of this kind. What narrow
    warps save there must be more than all else has: it takes longer in warps that take turns.
    """
    lanes = prod(facts.group_size)
    flow = analyse(kernel).ssa.flow
    waits = {n.number for n in flow.nodes if n.last is not None and n.last.row.is_barrier}
    if lanes % FEW or lanes <= FEW or not waits or not flow.loops:
        return None
    shapes = analyse(kernel).shapes(facts)
    loops = [loop for loop in inner_loops(shapes) if not loop.nodes & waits]
    if not loops or not all(loop.number in shapes.divergent_loops for loop in loops):
        return None
    saved, inside = 0, 0
    for loop in loops:
        iterations = _iterations(shapes, loop)
        if iterations is None:
            return None
        wide, few = (_vectors(iterations, width) for width in (min(lanes, WIDE), FEW))
        if wide < LEAST_SAVED * few:
            return None
        size = sum(len(shapes.ssa.ops.get(n, ())) for n in loop.nodes)
        saved += (wide - few) * size
        inside += size
    others = (len(kernel.instructions) - inside) * lanes // FEW
    return replace(facts, width=FEW, chunk=FEW) if saved >= others else None


def _vectors(iterations: NDArray[np.int64], width: int) -> int:
    """Return the vectors of `FEW` lanes that all warps of a workgroup run."""
    return sum(
        int(iterations[first : first + width].max()) * (width // FEW)
        for first in range(0, iterations.size, width)
    )


def _iterations(shapes: Shapes, loop: Loop) -> NDArray[np.int64] | None:
    """Return how often each work-item of a workgroup repeats a loop; None if it is not known.

    The loop may have other ways out, which are as likely for all.
    """
    found = [_counted(shapes, loop, counter) for counter in counters_of(shapes.ssa, loop)]
    known = [iterations for iterations in found if iterations is not None]
    return known[0] if known else None


def _counted(shapes: Shapes, loop: Loop, counter: Counter) -> NDArray[np.int64] | None:
    size = shapes.facts.group_size
    first = {arg for node, arg in counter.phi.args.items() if node not in loop.nodes}
    if len(first) != 1 or counter.relation == "ne":
        return None
    begin, end = (_numbers(value, size) for value in (*first, counter.end))
    if begin is None or end is None:
        return None
    type_ = np.int32 if counter.is_signed else np.uint32
    distance = end.view(type_).astype(np.int64) - begin.view(type_)
    if counter.relation in ("le", "ge"):
        return (distance // counter.step + 1).clip(0)
    return (-(-distance // counter.step)).clip(0)


def _numbers(value: Value, size: Dim3) -> Numbers | None:
    """Return what all work-items have for a value that follows from their numbers alone."""
    known: dict[Value, Numbers | None] = {}

    def of(value: Value, depth: int) -> Numbers | None:
        if isinstance(value, Const):
            return of_constant(value, size)
        if value not in known:
            known[value] = None
            if isinstance(value, Op) and depth:
                known[value] = calculated(value, size, lambda a: of(a, depth - 1), whole=True)
        return known[value]

    return of(value, MOST_DEEP)
