"""Integer, bit and move instructions: per stem a function from the row's type to the operation.

An operation takes and gives unsigned bit patterns of the register's width, sources in order and
literals after them.
"""

from __future__ import annotations

from collections.abc import Callable

from ...isa.types import Type, mask_of, sign_extend

Operation = Callable[..., int]
"""Sources (and literals) in order -> the destination, all as bit patterns."""


class DivideByZero(ArithmeticError):
    """An integer division by zero: a trap of the work-item."""


def reader(t: Type) -> Callable[[int], int]:
    """Read the low bits of a register as a number of an integer type or b1."""
    bits, wrap = t.bits, mask_of(t.bits)
    if t.is_signed:
        return lambda pattern: sign_extend(pattern, bits)
    return lambda pattern: pattern & wrap


def fills_register(t: Type) -> bool:
    """Return whether any pattern in memory is that of the register, without an extension."""
    return not t.is_signed or t.bits == t.reg.bits


def register(t: Type) -> Callable[[int], int]:
    """Put a number into a register: its low bits in the type, extended as the type says.

    Types under 32 bits fill a 32-bit register: u types with zeros, s types with their sign.
    """
    read, wrap = reader(t), mask_of(t.reg.bits)
    if t.bits == t.reg.bits:
        return lambda number: number & wrap
    return lambda number: read(number) & wrap


# --- moves


def mov(t: Type) -> Operation:
    """Return the bits unchanged."""
    return lambda a: a


def movhi(t: Type) -> Operation:
    """Return the upper half joined to the lower half of the old destination."""
    return lambda a, old: a << 32 | old & mask_of(32)


def select(t: Type) -> Operation:
    """Return one of two values, bits unchanged."""
    return lambda a, b, c: b if a else c


# --- arithmetic; Python's integers do not overflow, so each result wraps by a mask


def add(t: Type) -> Operation:
    """Return the sum."""
    wrap = mask_of(t.bits)
    return lambda a, b: (a + b) & wrap


def sub(t: Type) -> Operation:
    """Return the difference."""
    wrap = mask_of(t.bits)
    return lambda a, b: (a - b) & wrap


def mul(t: Type) -> Operation:
    """Return the low half of the product, which has no signedness."""
    wrap = mask_of(t.bits)
    return lambda a, b: a * b & wrap


def mulhi(t: Type) -> Operation:
    """Return the high half of the product in the type's signedness."""
    read, bits, wrap = reader(t), t.bits, mask_of(t.bits)
    return lambda a, b: read(a) * read(b) >> bits & wrap


def mad(t: Type) -> Operation:
    """Return the product plus the addend."""
    wrap = mask_of(t.bits)
    return lambda a, b, c: (a * b + c) & wrap


def _quotient(x: int, y: int) -> int:
    """Return the quotient rounded towards zero (Python's // rounds down). Raises DivideByZero."""
    if y == 0:
        raise DivideByZero
    magnitude = abs(x) // abs(y)
    return magnitude if (x < 0) == (y < 0) else -magnitude


def div(t: Type) -> Operation:
    """Return the quotient; INT_MIN / -1, which does not fit, wraps to INT_MIN."""
    read, wrap = reader(t), mask_of(t.bits)
    return lambda a, b: _quotient(read(a), read(b)) & wrap


def rem(t: Type) -> Operation:
    """Return the remainder, which has the dividend's sign."""
    read, wrap = reader(t), mask_of(t.bits)

    def remainder(a: int, b: int) -> int:
        x, y = read(a), read(b)
        return x - y * _quotient(x, y) & wrap

    return remainder


def minimum(t: Type) -> Operation:
    """Return the lesser in the type's signedness."""
    read = reader(t)
    return lambda a, b: a if read(a) < read(b) else b


def maximum(t: Type) -> Operation:
    """Return the greater in the type's signedness."""
    read = reader(t)
    return lambda a, b: a if read(a) > read(b) else b


def magnitude(t: Type) -> Operation:
    """Return |a|; INT_MIN stays."""
    read, wrap = reader(t), mask_of(t.bits)
    return lambda a: abs(read(a)) & wrap


def negate(t: Type) -> Operation:
    """Return -a; INT_MIN stays."""
    wrap = mask_of(t.bits)
    return lambda a: -a & wrap


# --- bits


def bit_and(t: Type) -> Operation:
    """Return the bitwise and."""
    return lambda a, b: a & b


def bit_or(t: Type) -> Operation:
    """Return the bitwise or."""
    return lambda a, b: a | b


def bit_xor(t: Type) -> Operation:
    """Return the bitwise exclusive or."""
    return lambda a, b: a ^ b


def bit_not(t: Type) -> Operation:
    """Return the bitwise complement."""
    wrap = mask_of(t.bits)
    return lambda a: ~a & wrap


def shl(t: Type) -> Operation:
    """Shift left by the count modulo the width."""
    bits, wrap = t.bits, mask_of(t.bits)
    return lambda a, b: a << b % bits & wrap


def shr(t: Type) -> Operation:
    """Shift right by the count modulo the width; Python's >> extends the sign."""
    read, bits, wrap = reader(t), t.bits, mask_of(t.bits)
    return lambda a, b: read(a) >> b % bits & wrap


def popcount(t: Type) -> Operation:
    """Return the number of one bits."""
    return lambda a: a.bit_count()


def clz(t: Type) -> Operation:
    """Return the number of zeros above the highest one bit."""
    bits = t.bits
    return lambda a: bits - a.bit_length()


def bitextract(t: Type) -> Operation:
    """Return a field of `length` bits from `position` on, extended as the type says."""
    wrap, signed = mask_of(t.bits), t.is_signed

    def extract(a: int, position: int, length: int) -> int:
        field = a >> position & mask_of(length)
        return sign_extend(field, length) & wrap if signed else field

    return extract


def bitinsert(t: Type) -> Operation:
    """Return a with the field replaced by the low bits of b."""

    def insert(a: int, b: int, position: int, length: int) -> int:
        field = mask_of(length) << position
        return a & ~field | b << position & field

    return insert


INTEGER: dict[str, Callable[[Type], Operation]] = {
    "mov": mov,
    "movhi": movhi,
    "select": select,
    "add": add,
    "sub": sub,
    "mul": mul,
    "mulhi": mulhi,
    "mad": mad,
    "div": div,
    "rem": rem,
    "min": minimum,
    "max": maximum,
    "abs": magnitude,
    "neg": negate,
    "and": bit_and,
    "or": bit_or,
    "xor": bit_xor,
    "not": bit_not,
    "shl": shl,
    "shr": shr,
    "popcount": popcount,
    "clz": clz,
    "bitextract": bitextract,
    "bitinsert": bitinsert,
}
"""By stem; `mov` and `select` also serve the float types, whose bits they do not change."""
