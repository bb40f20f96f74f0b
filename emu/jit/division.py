"""Integer division and remainder as LLVM IR.

No CPU divides integers in vectors, so LLVM would take vectors apart. Floats divide in vectors:
32-bit operands are exact in f64, and for 64-bit ones f64 gives an estimate to correct.
"""

from __future__ import annotations

from .operation import Operation
from .text import float_constant, floating


def divide(op: Operation) -> str:
    """The quotient, truncated; INT_MIN / -1 is INT_MIN."""
    if _has_instruction(op):
        if not op.type.is_signed:
            return op.let(f"udiv {op.integer} {op.sources[0]}, {op.sources[1]}")
        minus, divisor = _without_minus_one(op)
        quotient = op.let(f"sdiv {op.integer} {op.sources[0]}, {divisor}")
        return _negated_where(op, minus, quotient)
    return _quotient32(op) if op.bits == 32 else _wide(op)[0]


def remainder(op: Operation) -> str:
    """The remainder, with the dividend's sign; INT_MIN rem -1 is 0."""
    a, b = op.sources
    if _has_instruction(op):
        if not op.type.is_signed:
            return op.let(f"urem {op.integer} {a}, {b}")
        return op.let(f"srem {op.integer} {a}, {_without_minus_one(op)[1]}")  # 0 by 1 as by -1
    if op.bits == 64:
        return _wide(op)[1]
    product = op.let(f"mul {op.integer} {_quotient32(op)}, {b}")
    return op.let(f"sub {op.integer} {a}, {product}")


def _has_instruction(op: Operation) -> bool:
    """Whether LLVM does well: scalars, and constants that it turns into products or shifts."""
    if op.n <= 1:
        return True
    divisor = op.known(1)
    return divisor is not None and (op.bits == 32 or divisor & (divisor - 1) == 0)


def _without_minus_one(op: Operation) -> tuple[str, str]:
    """Where a signed divisor is -1, and the divisor with 1 there: INT_MIN / -1 is undefined."""
    divisor = op.sources[1]
    minus = op.let(f"icmp eq {op.integer} {divisor}, {op.constant(-1)}")
    return minus, op.select(minus, op.integer, op.constant(1), divisor)


def _negated_where(op: Operation, condition: str, value: str) -> str:
    negative = op.let(f"sub {op.integer} {op.constant(0)}, {value}")
    return op.select(condition, op.integer, negative, value)


def _quotient32(op: Operation) -> str:
    """32-bit operands are exact in f64, and so is the truncated quotient.

    A quotient that is no integer is off the nearest one by 2^-32 of itself or more, and rounding
    moves it by 2^-53.
    """
    double = floating(64, op.n)
    a, b = op.sources
    sign = "s" if op.type.is_signed else "u"
    minus = ""
    if op.type.is_signed:
        minus, b = _without_minus_one(op)
    fa, fb = (op.cast(f"{sign}itofp", x, op.integer, double) for x in (a, b))
    ratio = op.let(f"fdiv {double} {fa}, {fb}")
    quotient = op.cast(f"fpto{sign}i", ratio, double, op.integer)
    return _negated_where(op, minus, quotient) if minus else quotient


def _wide(op: Operation) -> tuple[str, str]:
    """Quotient and remainder of 64-bit lanes."""
    a, b = op.sources
    if not op.type.is_signed:
        return _wide_unsigned(op, a, b)
    # Magnitudes read as unsigned hold that of INT_MIN too.
    t = op.integer
    ua, ub = (op.code.intrinsic("llvm.abs", t, f"{t} {x}", "i1 false") for x in (a, b))
    quotient, rest = _wide_unsigned(op, ua, ub)
    return (
        _with_sign(op, quotient, op.let(f"xor {t} {a}, {b}")),
        _with_sign(op, rest, a),
    )


def _with_sign(op: Operation, magnitude: str, sign: str) -> str:
    """Negate where the sign bit is set."""
    ones = op.let(f"ashr {op.integer} {sign}, {op.constant(63)}")
    flipped = op.let(f"xor {op.integer} {magnitude}, {ones}")
    return op.let(f"sub {op.integer} {flipped}, {ones}")


def _wide_unsigned(op: Operation, a: str, b: str) -> tuple[str, str]:
    """Two estimates from below by the divisor's reciprocal, then one correction by 1.

    The factor 1 - 2^-50 outweighs the five roundings of an estimate, so a quotient is never too
    large and a remainder never negative. The first remainder is below b + 2^15, which makes the
    second quotient short of the true one by 1 at most.
    """
    t, double = op.integer, floating(64, op.n)

    def as_double(x: str) -> str:
        return op.cast("uitofp", x, t, double)

    one = float_constant(1.0, 64, op.n)
    shy = float_constant(1.0 - 2.0**-50, 64, op.n)
    reciprocal = op.let(f"fdiv {double} {one}, {as_double(b)}")
    reciprocal = op.let(f"fmul {double} {reciprocal}, {shy}")

    def step(dividend: str) -> tuple[str, str]:
        estimate = op.let(f"fmul {double} {as_double(dividend)}, {reciprocal}")
        quotient = op.cast("fptoui", estimate, double, t)
        product = op.let(f"mul {t} {quotient}, {b}")
        return quotient, op.let(f"sub {t} {dividend}, {product}")

    first, rest = step(a)
    second, rest = step(rest)
    quotient = op.let(f"add {t} {first}, {second}")
    short = op.let(f"icmp uge {t} {rest}, {b}")
    more = op.let(f"add {t} {quotient}, {op.constant(1)}")
    less = op.let(f"sub {t} {rest}, {b}")
    return op.select(short, t, more, quotient), op.select(short, t, less, rest)
