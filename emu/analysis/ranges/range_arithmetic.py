"""Ranges of unsigned 32-bit numbers, and those of what operations make of them."""

from __future__ import annotations

from dataclasses import dataclass
from math import gcd

from ....isa.types import mask_of

MOST = mask_of(32)
"""The largest number."""


@dataclass(frozen=True, slots=True)
class Range:
    """Unsigned numbers from `low` to `high` that are multiples of a power of two, `multiple`."""

    low: int = 0
    high: int = MOST
    multiple: int = 1

    def union(self, other: Range) -> Range:
        """Return the range of what is in one of them."""
        multiple = gcd(self.multiple, other.multiple)
        return Range(min(self.low, other.low), max(self.high, other.high), multiple)

    def is_inside(self, offset: int, size: int, total: int) -> bool:
        """Return whether `size` bytes at base + offset lie in a segment of `total` bytes.

        The base is an unsigned number, to which the offset is added without wrapping around.
        """
        return self.low >= max(0, -offset) and self.high + offset + size <= total

    def is_aligned(self, offset: int, size: int) -> bool:
        """Return whether base + offset is a multiple of `size`, a power of two."""
        if self.low == self.high:
            return (self.low + offset) % size == 0
        return self.multiple % size == 0 and offset % size == 0

    def within(self, low: int, high: int) -> Range:
        """Return the range of what lies between bounds as well; itself if nothing does."""
        low, high = max(self.low, low), min(self.high, high)
        return Range(low, high, self.multiple) if low <= high else self


ANY = Range()


def exactly(number: int) -> Range:
    """Return the range of one number."""
    return Range(number, number, number & -number or 1 << 32)


def modulo(low: int, high: int, multiple: int) -> Range:
    """Return the range of a result before it is cut to 32 bits."""
    multiple = min(multiple, 1 << 32)
    if low >> 32 == high >> 32:
        return Range(low & MOST, high & MOST, multiple)
    return Range(0, MOST, multiple)


def sum_of(a: Range, b: Range) -> Range:
    """Return the range of a + b."""
    return modulo(a.low + b.low, a.high + b.high, gcd(a.multiple, b.multiple))


def difference(a: Range, b: Range) -> Range:
    """Return the range of a - b where a is not below b."""
    return Range(max(a.low - b.high, 0), max(a.high - b.low, 0), gcd(a.multiple, b.multiple))


def _product(a: Range, b: Range) -> Range:
    return modulo(a.low * b.low, a.high * b.high, a.multiple * b.multiple)


def result_of(stem: str, signed: bool, args: list[Range]) -> Range:
    """Return the range of an operation on 32-bit integers."""
    a = args[0]
    b = args[1] if len(args) > 1 else ANY
    positive = not (a.high >> 31 or b.high >> 31)
    match stem:
        case "add":
            return sum_of(a, b)
        case "sub":
            return modulo(a.low - b.high, a.high - b.low, gcd(a.multiple, b.multiple))
        case "mul":
            return _product(a, b)
        case "mad":
            return sum_of(_product(a, b), args[2])
        case "shl" if b.low == b.high:
            return _product(a, exactly(1 << (b.low & 31)))
        case "shr" if b.low == b.high and (positive or not signed):
            by = b.low & 31
            return Range(a.low >> by, a.high >> by, max(1, min(a.multiple, 1 << 32) >> by))
        case "and":
            return Range(0, min(a.high, b.high), min(max(a.multiple, b.multiple), 1 << 32))
        case "or" | "xor":
            most = (1 << max(a.high, b.high).bit_length()) - 1
            low = max(a.low, b.low) if stem == "or" else 0
            multiple = min(gcd(a.multiple, b.multiple), 1 << 32)
            return Range(low, most - most % multiple, multiple)
        case "min" if positive or not signed:
            return Range(min(a.low, b.low), min(a.high, b.high), gcd(a.multiple, b.multiple))
        case "max" if positive or not signed:
            return Range(max(a.low, b.low), max(a.high, b.high), gcd(a.multiple, b.multiple))
        case "max" if not (a.high >> 31 and b.high >> 31):
            # One of them is not negative, so the larger one is not.
            low = min(r.low for r in (a, b) if not r.high >> 31)
            return Range(low, MOST >> 1, gcd(a.multiple, b.multiple))
        case "div" if b.low > 0 and (positive or not signed):
            return Range(a.low // b.high, a.high // b.low)
        case "rem" if b.low > 0 and (positive or not signed):
            return Range(0, min(a.high, b.high - 1))
        case "select":
            return args[1].union(args[2])
    return ANY
