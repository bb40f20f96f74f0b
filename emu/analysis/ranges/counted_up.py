"""Counters from a constant up to a bound by constants, as in `for (o = 0; o < m; o++)`."""

from __future__ import annotations

from typing import NamedTuple

from ..flow.order import Loop
from ..values.ssa import Const, Op, Phi, Ssa, Value, operands_of
from ..warps.uniformity import LaneShapes
from .stepping import counters_of

MOST_FIRST = 1 << 31
"""Where a counter begins, at most."""


class CountedUp(NamedTuple):
    """A counter that the body of its loop finds from `first` on and below `end`."""

    first: int
    end: Value
    is_signed: bool
    step: int = 1


def counter_from_constant(shapes: LaneShapes, phi: Phi) -> CountedUp | None:
    """Return what a phi counts, the same in all lanes; None if it is not of this kind.

    If the loop's header tests it, it is the bound itself in the last test: nothing but that test
    and the body may read it.
    """
    ssa = shapes.ssa
    loop = next((loop for loop in ssa.flow.loops if loop.header == phi.node), None)
    counters = [] if loop is None else counters_of(ssa, loop)
    counter = next((c for c in counters if c.phi is phi), None)
    if loop is None or counter is None or counter.relation != "lt" or counter.by is not None:
        return None
    tests = [ssa.conditions[number] for number, _ in counter.tests]
    if not all(map(shapes.is_uniform, (phi, *tests))):
        return None
    entering = {arg for before, arg in phi.args.items() if before not in loop.nodes}
    first = entering.pop()
    if entering or not isinstance(first, Const) or first.bits >= MOST_FIRST:
        return None
    if counter.header_tests and not _is_of_body(ssa, loop, phi):
        return None
    return CountedUp(first.bits, counter.end, counter.is_signed, counter.step)


def _is_of_body(ssa: Ssa, loop: Loop, phi: Phi) -> bool:
    """Return whether only the header's test and the body read a counter."""
    test = ssa.conditions.get(loop.header)
    return all(
        value is test or (value.node in loop.nodes and value.node != loop.header)
        for value in ssa.values()
        if isinstance(value, (Op, Phi)) and any(arg is phi for arg in operands_of(value))
    )
