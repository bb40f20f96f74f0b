"""Float instructions: per stem a function from the format to the operation.

Operations take and give bit patterns. One rounding per operation: f64 arithmetic is Python's own;
f32 add, sub, mul, div and sqrt are computed in binary64 and rounded to binary32, which gives the
correctly rounded result although it rounds twice, because 53 bits are at least 2 * 24 + 2: an exact
result of these five that lies so near the middle of two binary32 numbers that binary64 takes it
for the middle, is the middle (Figueroa, "When is double rounding innocuous?", 1995). The same
holds where the result is subnormal: fewer bits are kept then, so the middles are coarser still.
A product plus addend has no such bound, so `fma` is computed exactly in integers.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from .formats import Format
from .integers import Operation

FloatStem = Callable[[Format], Operation]


def _quotient(x: float, y: float) -> float:
    """Divide as IEEE does: Python raises where the divisor is zero."""
    if y:
        return x / y
    if x == 0 or x != x:
        return math.nan
    return math.copysign(math.inf, x) * math.copysign(1.0, y)


def _root(x: float) -> float:
    """Return the IEEE square root: Python raises below zero; the root of -0 is -0."""
    return math.sqrt(x) if x >= 0 else math.nan


def add(f: Format) -> Operation:
    """Return the sum."""
    value, pattern = f.value, f.pattern
    return lambda a, b: pattern(value(a) + value(b))


def sub(f: Format) -> Operation:
    """Return the difference."""
    value, pattern = f.value, f.pattern
    return lambda a, b: pattern(value(a) - value(b))


def mul(f: Format) -> Operation:
    """Return the product."""
    value, pattern = f.value, f.pattern
    return lambda a, b: pattern(value(a) * value(b))


def div(f: Format) -> Operation:
    """Return the quotient; never traps."""
    value, pattern = f.value, f.pattern
    return lambda a, b: pattern(_quotient(value(a), value(b)))


def fma(f: Format) -> Operation:
    """Return the product plus the addend, rounded once."""

    def multiply_add(a: int, b: int, c: int) -> int:
        x, y, z = f.value(a), f.value(b), f.value(c)
        if not (math.isfinite(x) and math.isfinite(y)):
            return f.pattern(x * y + z)  # the product is infinite or NaN: no rounding is involved
        if not math.isfinite(z):
            return f.pattern(z)  # not x * y + z: that product may overflow, the exact one cannot
        (m, e), (n, g), (p, h) = f.split(a), f.split(b), f.split(c)
        last = min(e + g, h)
        total = (m * n << e + g - last) + (p << h - last)
        if total == 0:
            # A zero sum is negative only where both summands are.
            return (a ^ b) & c & f.sign
        return f.round(total, last)

    return multiply_add


def _pick(f: Format, choose: Callable[..., int]) -> Operation:
    """Return the min or max of two patterns: the number wins over NaN, -0 < +0."""
    sign = f.sign

    def order(pattern: int) -> int:
        """Return a number that orders patterns; -0 is -1 and +0 is 0."""
        return ~(pattern & ~sign) if pattern & sign else pattern

    def picked(a: int, b: int) -> int:
        if f.is_nan(a):
            return f.nan if f.is_nan(b) else b
        return a if f.is_nan(b) else choose(a, b, key=order)

    return picked


def minimum(f: Format) -> Operation:
    """Return the lesser."""
    return _pick(f, min)


def maximum(f: Format) -> Operation:
    """Return the greater."""
    return _pick(f, max)


def magnitude(f: Format) -> Operation:
    """Clear the sign bit, also of NaN; other bits stay."""
    rest = f.sign - 1
    return lambda a: a & rest


def negate(f: Format) -> Operation:
    """Change the sign bit, also of NaN; other bits stay."""
    sign = f.sign
    return lambda a: a ^ sign


def sqrt(f: Format) -> Operation:
    """Return the square root."""
    return lambda a: f.pattern(_root(f.value(a)))


def rsqrt(f: Format) -> Operation:
    """Return the square root, rounded, and then its reciprocal, rounded."""
    root, quotient, one = sqrt(f), div(f), f.pattern(1.0)
    return lambda a: quotient(one, root(a))


def _integral(f: Format, whole: Callable[[float], int]) -> Operation:
    """Return a rounding to an integral value; a result of zero keeps the argument's sign."""

    def rounded(a: int) -> int:
        x = f.value(a)
        if not math.isfinite(x):
            return f.pattern(x)
        return f.pattern(math.copysign(float(whole(x)), x))

    return rounded


def floor(f: Format) -> Operation:
    """Round towards minus infinity."""
    return _integral(f, math.floor)


def ceil(f: Format) -> Operation:
    """Round towards plus infinity."""
    return _integral(f, math.ceil)


def trunc(f: Format) -> Operation:
    """Round towards zero."""
    return _integral(f, math.trunc)


def rint(f: Format) -> Operation:
    """Round to nearest; Python's round takes ties to even."""
    return _integral(f, round)


FLOAT: dict[str, FloatStem] = {
    "add": add,
    "sub": sub,
    "mul": mul,
    "div": div,
    "fma": fma,
    "min": minimum,
    "max": maximum,
    "abs": magnitude,
    "neg": negate,
    "sqrt": sqrt,
    "rsqrt": rsqrt,
    "floor": floor,
    "ceil": ceil,
    "trunc": trunc,
    "rint": rint,
}
"""By stem; stems that are not here (mov, select) treat floats as bits."""
