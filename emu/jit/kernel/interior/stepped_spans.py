"""Bounds of what loops step, in all of their iterations: counters, indices and pointers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from math import gcd
from typing import Protocol

from ....analysis.flow.order import Loop
from ....analysis.ranges.counted_up import CountedUp, counter_from_constant
from ....analysis.ranges.net_steps import net_steps
from ....analysis.ranges.stepping import counters_of
from ....analysis.ranges.trips import Trips
from ....analysis.values.ssa import Phi, Value
from ..lane_code import LaneCode
from .bounds import Bound
from .span_arithmetic import SMALL, Span, SpanArithmetic, between, constant

MOST_STEP = 1 << 16
"""The largest step of a counter that has bounds."""


class NumberOf(Protocol):
    """Returns the span of the numbers that an instruction reads a register as."""

    def __call__(self, value: Value, *, signed: bool) -> Span | None: ...


class SteppedSpans:
    """The spans of phis of loops whose iterations are counted, or counted up to an argument."""

    def __init__(
        self,
        lanes: LaneCode,
        trips: Mapping[int, Trips],
        arithmetic: SpanArithmetic,
        of: Callable[[Value], Span | None],
        number: NumberOf,
    ) -> None:
        self._shapes = lanes.shapes
        self._trips = trips
        self._arithmetic = arithmetic
        self._of = of
        self._number = number
        self.given: Mapping[Value, Span] = {}
        """Spans that some values have for the time being."""
        self.counts_to_arguments = False
        """Whether loops whose bound is an argument have spans as well."""

    def of(self, phi: Phi) -> Span | None:
        """Return the span of what a counted loop steps by one number, as a pointer."""
        ssa = self._shapes.ssa
        if self.counts_to_arguments and (counted := self._below_argument(phi)) is not None:
            return counted
        loop = next((loop for loop in ssa.flow.loops if loop.header == phi.node), None)
        returns = None if loop is None else self._returns(loop)
        if loop is None or returns is None:
            return None
        entering = {arg for before, arg in phi.args.items() if before not in loop.nodes}
        steps = net_steps(ssa, self._trips, loop, phi)
        found = self._of(entering.pop()) if len(entering) == 1 else None
        if steps is None or found is None:
            return None
        step, values = steps
        if returns.low.is_constant:
            low, high = sorted((0, step * returns.low.constant))
            way = between(low, high, step & -step or 1 << 32)
        else:
            way = self._way(constant(step), 1, returns)
        found = self._arithmetic.sum(found, way)
        for value, times in values.items():
            found = self._arithmetic.sum(found, self._way(self._of(value), times, returns))
        return found

    def _returns(self, loop: Loop) -> Span | None:
        """Return how often a loop goes back to its header, at most; None if that is not known.

        Of loops whose bound is an argument, those that test it at their end.
        """
        if loop.number in self._trips:
            return constant(self._trips[loop.number].returns)
        if not self.counts_to_arguments:
            return None
        counters = counters_of(self._shapes.ssa, loop)
        for phi in (counter.phi for counter in counters if not counter.header_tests):
            count = counter_from_constant(self._shapes, phi)
            if count is None or count.step != 1:
                continue
            if (given := self.given.get(phi)) is not None:
                last, before = replace(given, low=given.high), count.first
            else:
                last, before = self._end_of(count), count.first + 1
            return self._arithmetic.sum(last, constant(-before))
        return None

    def _way(self, number: Span | None, times: int, returns: Span) -> Span | None:
        """Return the span of so many times one number, from 0 to `returns` of these."""
        if number is None or not number.is_single:
            return None
        step = self._arithmetic.product(number, constant(times))
        way = self._arithmetic.product(step, returns)
        if step is None or way is None:
            return None
        extreme, none = self._arithmetic.bounds.extreme, Bound()
        return Span(
            extreme("llvm.smin", way.low, none),
            extreme("llvm.smax", way.low, none),
            min(way.least, 0),
            max(way.most, 0),
            step.multiple,
        )

    def _end_of(self, counter: CountedUp) -> Span | None:
        """Return the number that a counter is below, which is more than its first one."""
        end = self._number(counter.end, signed=counter.is_signed)
        if end is None or not end.is_single:
            return None
        # If the loop repeats at all, its counter is below the end in each iteration.
        return self._arithmetic.within(end, counter.first + 1, SMALL - 1)

    def _below_argument(self, phi: Phi) -> Span | None:
        """Return the span of what counts from a constant up to an argument, in the loop's body."""
        counter = counter_from_constant(self._shapes, phi)
        if counter is None:
            return None
        end, step = self._end_of(counter), counter.step
        if end is None or (step > 1 and not self._is_reached(counter, end)):
            return None
        low = Bound(constant=counter.first)
        multiple = gcd(counter.first & -counter.first or 1 << 32, step & -step)
        high = end.high.plus(Bound(constant=-step))
        return Span(low, high, counter.first, end.most - step, multiple)

    def _is_reached(self, counter: CountedUp, end: Span) -> bool:
        """Ask that the steps of a counter lead to its end exactly; return whether it can be asked.

        With steps of more than 1 the last iteration begins anywhere below the end otherwise.
        """
        if counter.step > MOST_STEP or end.low.warp or end.low.step:
            return False
        way = end.low.plus(Bound(constant=-counter.first))
        self._arithmetic.bounds.conditions.is_multiple(way, counter.step)
        return True
