"""Integer division and remainder as LLVM IR.

No CPU divides integers in vectors, so LLVM would take vectors apart. Floats divide in vectors:
a float of the integer's width gives an estimate, and integer products correct it. (32-bit
operands would be exact in f64, but its division takes longer than the corrections.)
"""

from __future__ import annotations

from collections.abc import Sequence

from ....isa.types import RegClass
from ..llvm.function_text import FunctionText
from ..llvm.text import constant, integer, register_type
from .operation import Operation


def divide(op: Operation) -> str:
    """Return the quotient, truncated; INT_MIN / -1 is INT_MIN."""
    if _has_instruction(op):
        if not op.type.is_signed:
            return op.let(f"udiv {op.integer} {op.sources[0]}, {op.sources[1]}")
        minus, divisor = _without_minus_one(op)
        quotient = op.let(f"sdiv {op.integer} {op.sources[0]}, {divisor}")
        return _negated_where(op, minus, quotient)
    return _by_estimate(op)[0]


def remainder(op: Operation) -> str:
    """Return the remainder, with the dividend's sign; INT_MIN rem -1 is 0."""
    if _has_instruction(op):
        a, b = op.sources
        if not op.type.is_signed:
            return op.let(f"urem {op.integer} {a}, {b}")
        return op.let(f"srem {op.integer} {a}, {_without_minus_one(op)[1]}")  # 0 by 1 as by -1
    return _by_estimate(op)[1]


def _has_instruction(op: Operation) -> bool:
    """Return whether LLVM generates good code: scalars, and constants that need no division."""
    if op.n <= 1:
        return True
    divisor = op.known(1)
    return divisor is not None and (op.bits == 32 or divisor & (divisor - 1) == 0)


def _without_minus_one(op: Operation) -> tuple[str, str]:
    """Return where a signed divisor is -1, and it with 1 in these lanes.

    INT_MIN / -1 is undefined.
    """
    divisor = op.sources[1]
    minus = op.let(f"icmp eq {op.integer} {divisor}, {op.constant(-1)}")
    return minus, op.select(minus, op.integer, op.constant(1), divisor)


def _negated_where(op: Operation, condition: str, value: str) -> str:
    negative = op.let(f"sub {op.integer} {op.constant(0)}, {value}")
    return op.select(condition, op.integer, negative, value)


def _by_estimate(op: Operation) -> tuple[str, str]:
    """Return the quotient and the remainder of vectors."""
    a, b = op.sources
    if not op.type.is_signed:
        return _unsigned(op, a, b)
    # Magnitudes read as unsigned hold that of INT_MIN too.
    t = op.integer
    ua, ub = (op.code.intrinsic("llvm.abs", t, f"{t} {x}", "i1 false") for x in (a, b))
    quotient, rest = _unsigned(op, ua, ub)
    return (
        _with_sign(op, quotient, op.let(f"xor {t} {a}, {b}")),
        _with_sign(op, rest, a),
    )


def _with_sign(op: Operation, magnitude: str, sign: str) -> str:
    """Negate a magnitude where the sign bit is set."""
    ones = op.let(f"ashr {op.integer} {sign}, {op.constant(op.bits - 1)}")
    flipped = op.let(f"xor {op.integer} {magnitude}, {ones}")
    return op.let(f"sub {op.integer} {flipped}, {ones}")


def _unsigned(op: Operation, a: str, b: str) -> tuple[str, str]:
    """Return quotient and remainder: two estimates from below, then one correction by 1.

    The estimates are products with the divisor's reciprocal.

    With u the unit of a float's rounding (2^-24, 2^-53), the factor 1 - 8u outweighs the five
    roundings of an estimate, so a quotient is never too large and no remainder negative. The
    first remainder is less than b + 16 u a, that is b + 2^12 or b + 2^15; so the second quotient
    is so small that it falls short of the true one by 1 at most.
    """
    t, float_type = op.integer, op.floating

    def as_float(x: str) -> str:
        return op.cast("uitofp", x, t, float_type)

    shy = op.float_constant(1.0 - 2.0 ** (-21 if op.bits == 32 else -50))
    reciprocal = op.let(f"fdiv {float_type} {op.float_constant(1.0)}, {as_float(b)}")
    reciprocal = op.let(f"fmul {float_type} {reciprocal}, {shy}")

    def step(dividend: str) -> tuple[str, str]:
        estimate = op.let(f"fmul {float_type} {as_float(dividend)}, {reciprocal}")
        quotient = op.cast("fptoui", estimate, float_type, t)
        product = op.let(f"mul {t} {quotient}, {b}")
        return quotient, op.let(f"sub {t} {dividend}, {product}")

    first, rest = step(a)
    second, rest = step(rest)
    quotient = op.let(f"add {t} {first}, {second}")
    short = op.let(f"icmp uge {t} {rest}, {b}")
    more = op.let(f"add {t} {quotient}, {op.constant(1)}")
    less = op.let(f"sub {t} {rest}, {b}")
    return op.select(short, t, more, quotient), op.select(short, t, less, rest)


# --- divisors


def are_zero(code: FunctionText, cls: RegClass, divisors: Sequence[str], n: int) -> list[str]:
    """Return for each operand in which lanes it is zero; n = 0: scalars."""
    t, zero = register_type(cls, n), "zeroinitializer" if n else "0"
    return [code.let(f"icmp eq {t} {divisor}, {zero}") for divisor in divisors]


def ones_for_zeros(
    code: FunctionText, cls: RegClass, zeros: Sequence[str], divisors: Sequence[str], n: int
) -> list[str]:
    """Return the divisors with 1 where they are zero."""
    t, flag, one = register_type(cls, n), integer(1, n), constant(cls, 1, n)
    return [
        code.let(f"select {flag} {zero}, {t} {one}, {t} {divisor}")
        for zero, divisor in zip(zeros, divisors, strict=True)
    ]
