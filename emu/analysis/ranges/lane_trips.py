"""Loops whose lanes leave in iterations that are known: strides of a workgroup through a tile.

In `for (i = x; i < 20; i += 16)` lanes leave in different iterations. If a workgroup is one warp,
the numbers of its work-items are constants, so the iterations of all lanes can be counted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod

import numpy as np
from numpy.typing import NDArray

from ....isa.types import Segment
from ..flow.order import Loop
from ..values.item_numbers import Numbers, calculated, is_arithmetic, of_constant, of_identity
from ..values.ssa import Const, Op, Phi, Value, made_of
from ..warps.uniformity import Shapes
from .trips import MOST_VALUES, only_exit

MOST_RETURNS = 7
"""The most iterations after the first one that are counted."""

MOST_APART = 1
"""How many iterations the lanes' last ones may be apart: the budget is charged for the least."""

Lanes = NDArray[np.bool_]


@dataclass(frozen=True)
class LaneTrips:
    """How often lanes go back to the header of a loop."""

    exit: int
    """The node whose branch all lanes leave the loop by."""
    least: int
    most: int
    phis: Mapping[Phi, Sequence[Numbers]] = field(default_factory=dict, compare=False)
    """Phis of the header -> what all lanes have in each iteration, as if none had left."""
    running: Sequence[Lanes] = field(default=(), compare=False)
    """The lanes that come to the header in each iteration, if all enter the loop."""
    is_scattered: bool = False
    """Whether no access of global memory in it has a stride: then none is made for all lanes."""

    def numbers(self, phi: Phi) -> Numbers:
        """Return what lanes have for a phi in some iteration; of scattered loops, that run it."""
        if not self.is_scattered:
            return np.concatenate(self.phis[phi])
        both = zip(self.phis[phi], self.running, strict=True)
        return np.concatenate([numbers[lanes] for numbers, lanes in both])


def lane_trips(
    shapes: Shapes, loop: Loop, dominates: Callable[[int, int], bool]
) -> LaneTrips | None:
    """Return the iterations of the lanes of a loop that is left by one edge; None if not known.

    Some of the lanes may enter it.
    """
    facts, ssa, flow = shapes.facts, shapes.ssa, shapes.flow
    if not (facts.one_warp and facts.whole and only_exit(flow, loop)):
        return None
    leaving = [
        (number, [flow.route(number, s) not in loop.nodes for s in flow.nodes[number].successors])
        for number in loop.nodes & ssa.conditions.keys()
        if flow.loop_of[number] == loop.number
    ]
    exits = [(number, out) for number, out in leaving if any(out)]
    sources = [source for (source, _), latch in flow.back.items() if latch == loop.latch]
    if len(exits) != 1 or not all(dominates(exits[0][0], source) for source in sources):
        return None
    number, out = exits[0]
    values = _Values(shapes, loop)
    condition = ssa.conditions[number]
    if out[0] == out[1] or not values.is_known(condition):
        return None
    running = np.ones(prod(facts.group_size), np.bool_)
    left: list[int] = []
    each: list[Lanes] = []
    for returns in range(MOST_RETURNS + 1):
        each.append(running)
        stays = values.of(condition).astype(bool) != out[1]
        if (running & ~stays).any():
            left.append(returns)
        running = running & stays
        if not running.any():
            apart = left[-1] - left[0]
            if apart > MOST_APART:
                return None
            phis = _phis(shapes, loop, left[-1])
            return LaneTrips(number, left[0], left[-1], phis, each, _is_scattered(shapes, loop))
        values.step()
    return None


def _is_scattered(shapes: Shapes, loop: Loop) -> bool:
    """Return whether places in global memory are the same for all lanes, or have no stride."""
    ops = [op for n in loop.nodes for op in shapes.ssa.ops.get(n, ()) if op.ins.row.is_memory]
    bases = [op.base for op in ops if op.ins.row.segment is Segment.GLOBAL]
    return all(
        base is not None
        and (
            shapes.is_uniform(base)
            or (shapes.stride(base) is None and shapes.piece_stride(base) is None)
        )
        for base in bases
    )


def _phis(shapes: Shapes, loop: Loop, most: int) -> dict[Phi, list[Numbers]]:
    """Return what all lanes have for a loop's phis in each iteration, for those that are known."""
    found = {}
    for phi in shapes.ssa.phis.get(loop.header, ()):
        values = _Values(shapes, loop)
        if values.is_known(phi):
            found[phi] = [values.of(phi)]
            for _ in range(most):
                values.step()
                found[phi].append(values.of(phi))
    return found


class _Values:
    """The values of all lanes in one iteration of a loop after the other."""

    def __init__(self, shapes: Shapes, loop: Loop) -> None:
        self._ssa, self._loop = shapes.ssa, loop
        self._facts = shapes.facts
        self._phis: dict[Phi, tuple[Value, Value]] = {}
        self._now: dict[Value, Numbers] = {}
        self._begun = False

    def is_known(self, value: Value) -> bool:
        """Return whether a value follows from constants and the numbers of work-items."""
        own = set(self._ssa.phis.get(self._loop.header, ()))
        work, seen = [value], {value}
        while work:
            value = work.pop()
            needed: list[Value] = []
            if isinstance(value, Phi):
                begin = {a for n, a in value.args.items() if n not in self._loop.nodes}
                following = {a for n, a in value.args.items() if n in self._loop.nodes}
                if value not in own or len(begin) != 1 or len(following) != 1:
                    return False
                self._phis[value] = next(iter(begin)), next(iter(following))
                needed = [*begin, *following]
            elif isinstance(value, Op):
                if of_identity(value, self._facts.group_size, whole=True) is None:
                    if not is_arithmetic(value):
                        return False
                    needed = value.args
            work += [a for a in needed if a not in seen]
            seen.update(needed)
            if len(seen) > MOST_VALUES:
                return False
        # What phis begin with must not depend on an iteration.
        return own.isdisjoint(made_of(begin for begin, _ in self._phis.values()))

    def of(self, value: Value) -> Numbers:
        """Return a known value in this iteration, one number a lane."""
        if not self._begun:
            self._begun = True
            self._now = {phi: self.of(begin) for phi, (begin, _) in self._phis.items()}
        if value not in self._now:
            self._now[value] = self._computed(value)
        return self._now[value]

    def step(self) -> None:
        """Go to the next iteration."""
        self._now = {phi: self.of(following) for phi, (_, following) in self._phis.items()}

    def _computed(self, value: Value) -> Numbers:
        if isinstance(value, Const):
            return of_constant(value, self._facts.group_size)
        assert isinstance(value, Op)
        found = calculated(value, self._facts.group_size, self.of, whole=True)
        assert found is not None
        return found
