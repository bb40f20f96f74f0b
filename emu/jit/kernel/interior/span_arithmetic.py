"""The numbers of a value in a warp, and sums and products of these."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import gcd

from .bound_arithmetic import BoundArithmetic
from .bounds import Bound, Conditions

LARGEST = (1 << 62) + (1 << 40)
"""The largest number of a span: sums of two do not overflow 64 bits."""

SMALL = 1 << 31
"""Factors and identities are below it."""

LARGEST_FACTOR = 1 << 20
"""The largest constant factor: larger ones mix bits, and such numbers have no useful bounds."""

LARGEST_SCALED = 1 << 40
"""The largest number that is asked for where its multiple, or a sum with it, would be too large."""


@dataclass(frozen=True)
class Span:
    """The numbers of a value: bounds of the warp, and constants that bound them in any warp.

    `param`: the position of the pointer parameter from which an address is counted; the bounds are
    distances from it. All numbers are multiples of `multiple`, a power of two.
    """

    low: Bound
    high: Bound
    least: int
    most: int
    multiple: int = 1
    param: int | None = None

    @property
    def is_single(self) -> bool:
        """Whether it is one number."""
        return self.low == self.high


def constant(number: int) -> Span | None:
    """Return the span of a constant; None if it is too large."""
    if abs(number) > LARGEST:
        return None
    bound = Bound(constant=number)
    return Span(bound, bound, number, number, number & -number or 1 << 32)


def between(low: int, high: int, multiple: int = 1) -> Span:
    """Return the span of what lies between constants."""
    return Span(Bound(constant=low), Bound(constant=high), low, high, multiple)


class SpanArithmetic:
    """What operations make of spans; asks for numbers that are small enough."""

    def __init__(self, conditions: Conditions) -> None:
        self._conditions = conditions
        self.bounds = BoundArithmetic(conditions)

    def within(self, span: Span, least: int, most: int) -> Span:
        """Ask that a span lies between constants; return it with what is known then."""
        most = min(most, LARGEST)
        if span.least < least:
            self._conditions.at_most(span.low.times(-1), -least)
        if span.most > most:
            self._conditions.at_most(span.high, most)
        return replace(span, least=max(span.least, least), most=min(span.most, most))

    def sum(self, a: Span | None, b: Span | None, sign: int = 1) -> Span | None:
        """Return the span of a sum, or of a difference if `sign` is -1."""
        if a is None or b is None or (b.param is not None and (sign < 0 or a.param is not None)):
            return None
        if sum(max(-s.least, s.most) for s in (a, b)) > LARGEST:
            a, b = (self.within(s, -LARGEST_SCALED, LARGEST_SCALED) for s in (a, b))
        low, high, least, most = b.low, b.high, b.least, b.most
        if sign < 0:
            low, high = high.times(-1), low.times(-1)
            least, most = -most, -least
        param = a.param if b.param is None else b.param
        return Span(
            a.low.plus(low),
            a.high.plus(high),
            a.least + least,
            a.most + most,
            gcd(a.multiple, b.multiple),
            param,
        )

    def product(self, a: Span | None, b: Span | None) -> Span | None:
        """Return the span of a product; one factor must be a single number."""
        if a is None or b is None or a.param is not None or b.param is not None:
            return None
        if a.is_single and a.low.is_constant:
            a, b = b, a
        multiple = min(a.multiple * b.multiple, 1 << 32)
        if b.is_single and b.low.is_constant:
            factor = b.low.constant
            if not factor:
                return constant(0)
            if abs(factor) > LARGEST_FACTOR:
                return None
            if max(abs(a.least), abs(a.most)) * abs(factor) > LARGEST:
                a = self.within(a, -LARGEST_SCALED, LARGEST_SCALED)
            low, high, ends = a.low, a.high, (a.least * factor, a.most * factor)
            if factor < 0:
                low, high = high, low
            return Span(low.times(factor), high.times(factor), min(ends), max(ends), multiple)
        if not b.is_single:
            a, b = b, a
        if not b.is_single:
            return None
        a, b = self.within(a, 1 - SMALL, SMALL - 1), self.within(b, 0, SMALL - 1)
        ends = [x * y for x in (a.least, a.most) for y in (b.least, b.most)]
        return Span(
            self.bounds.times(a.low, b.low),
            self.bounds.times(a.high, b.low),
            min(ends),
            max(ends),
            multiple,
        )
