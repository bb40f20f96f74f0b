"""sin and cos of f32 values with integers only, and the arguments for which they are hardest."""

from __future__ import annotations

from fractions import Fraction

BITS = 400
ONE = 1 << BITS


def _atan_of_reciprocal(n: int) -> int:
    total, term, k = 0, ONE // n, 1
    while term:
        total += term // k if k % 4 == 1 else -(term // k)
        term //= n * n
        k += 2
    return total


PI = 4 * (4 * _atan_of_reciprocal(5) - _atan_of_reciprocal(239))
"""pi * 2^400, by Machin's formula; the last digits are not exact."""


def _sin(r: int) -> int:
    total, term, k = 0, r, 1
    while abs(term) > 1:
        total += term
        term = -(term * r // ONE * r // ONE) // ((k + 1) * (k + 2))
        k += 2
    return total


def sin(x: float) -> Fraction:
    """sin(x) to far more digits than an f32 can need."""
    fixed = Fraction(x) * ONE
    assert fixed.denominator == 1
    n, r = divmod(int(fixed) + PI // 2, PI)
    value = Fraction(_sin(r - PI // 2), ONE)
    return -value if n % 2 else value


def cos(x: float) -> Fraction:
    """cos(x) likewise, as a sine of what is left to the next odd multiple of pi/2."""
    fixed = int(Fraction(x) * ONE)
    n, r = divmod(fixed, PI)
    value = Fraction(_sin(r - PI // 2), ONE)
    return value if n % 2 else -value


def hardest(exponent: int) -> list[float]:
    """Values M * 2^exponent, M < 2^24, that are nearest to a multiple of pi/2.

    They are the denominators of the convergents of 2^exponent / (pi/2), and small multiples.
    """
    step = Fraction(2) ** (exponent + 1) * ONE / PI
    found = []
    before, here, rest = 0, 1, step
    while here < 1 << 24:
        found += [here * k for k in (1, 2, 3) if here * k < 1 << 24]
        fraction = rest - rest.numerator // rest.denominator
        if fraction == 0:
            break
        rest = 1 / fraction
        before, here = here, here * (rest.numerator // rest.denominator) + before
    return [float(m * Fraction(2) ** exponent) for m in found[-12:]]
