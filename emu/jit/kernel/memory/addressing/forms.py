"""Addresses as sums of uniform values, an index and a constant, modulo 2^64."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from ......isa.types import sign_extend
from .....analysis.values.ssa import Value

LARGEST_SCALE = 1 << 32
"""The largest scale of a form: no window has room for two larger steps."""

MOST_TERMS = 8
"""Uniform terms of a form; each is computed again at every access."""


@dataclass(frozen=True)
class Form:
    """An address as a sum: uniform values times constants, one index times a scale, a constant.

    The sum is modulo 2^64; factors and the constant are kept as signed numbers of 64 bits.
    """

    uniform: tuple[tuple[Value, int], ...] = ()
    index: Value | None = None
    scale: int = 0
    signed: bool = False
    constant: int = 0

    def plus_constant(self, constant: int) -> Form:
        """Return the sum with a constant."""
        return replace(self, constant=sign_extend(self.constant + constant, 64))

    def times(self, factor: int) -> Form | None:
        """Return the form times a constant; None if the index would count back or too far."""
        scale = self.scale * factor
        if self.index is not None and not 0 < scale <= LARGEST_SCALE:
            return None
        return Form(
            _sum_of((v, f * factor) for v, f in self.uniform),
            self.index,
            scale,
            self.signed,
            sign_extend(self.constant * factor, 64),
        )

    def plus(self, other: Form) -> Form | None:
        """Return the sum of two forms; None if both have an index or it has too many terms."""
        if self.index is not None and other.index is not None:
            return None
        uniform = _sum_of((*self.uniform, *other.uniform))
        if len(uniform) > MOST_TERMS:
            return None
        index = self if self.index is not None else other
        return Form(
            uniform,
            index.index,
            index.scale,
            index.signed,
            sign_extend(self.constant + other.constant, 64),
        )


def _sum_of(terms: Iterable[tuple[Value, int]]) -> tuple[tuple[Value, int], ...]:
    """Return terms with each value once."""
    factors: dict[Value, int] = {}
    for value, factor in terms:
        factors[value] = sign_extend(factors.get(value, 0) + factor, 64)
    return tuple((value, factor) for value, factor in factors.items() if factor)


def times(form: Form | None, factor: int) -> Form | None:
    """Return a form times a constant; None without one, or if the result is not a form."""
    return None if form is None else form.times(factor)


def plus(a: Form | None, b: Form | None) -> Form | None:
    """Return the sum of two forms; None without both, or if the result is not a form."""
    return None if a is None or b is None else a.plus(b)
