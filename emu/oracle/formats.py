"""IEEE 754 binary32 and binary64 as bit patterns: reading, exact rounding, special values.

A value is an unsigned integer with the format's bits. Reading one as a Python float is always
exact, because a Python float is a binary64. Two ways lead back to a pattern, and both round to
nearest, ties to even, keep subnormals and overflow to infinity:

- `Format.pattern` rounds a Python float;
- `Format.round` rounds an integer times a power of two, however long: for results that a Python
  float cannot hold exactly.

Both turn every NaN into the one canonical quiet NaN, so they are for results of arithmetic, not for
copies of values.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from ...isa.types import F32, F64, Type

_U32 = struct.Struct("<I")
_F32 = struct.Struct("<f")
_U64 = struct.Struct("<Q")
_F64 = struct.Struct("<d")


@dataclass(frozen=True)
class Format:
    """A binary interchange format.

    `precision` counts the bits of a significand with its hidden one. `last_place` is the exponent
    of the last place of the subnormals: every finite value is a whole multiple of 2**last_place.
    """

    bits: int
    precision: int
    last_place: int
    nan: int
    value: Callable[[int], float]
    """The value of a pattern as a Python float."""
    pattern: Callable[[float], int]
    """The pattern nearest to a Python float; the canonical NaN for NaN."""

    @cached_property
    def sign(self) -> int:
        """The sign bit."""
        return 1 << (self.bits - 1)

    @cached_property
    def infinity(self) -> int:
        """Plus infinity; a pattern without its sign bit is NaN where it is greater."""
        return ((1 << (self.bits - self.precision)) - 1) << (self.precision - 1)

    def is_nan(self, pattern: int) -> bool:
        """Return whether a pattern is any NaN."""
        return pattern & ~self.sign > self.infinity

    def split(self, pattern: int) -> tuple[int, int]:
        """Return a finite pattern as (m, e) with its exact value m * 2**e; the sign is m's.

        Zeros of both signs give m = 0.
        """
        fraction_bits = self.precision - 1
        field = (pattern & ~self.sign) >> fraction_bits
        significand = pattern & ((1 << fraction_bits) - 1)
        if field:
            significand |= 1 << fraction_bits
        exponent = self.last_place + max(field - 1, 0)
        return (-significand if pattern & self.sign else significand), exponent

    def round(self, number: int, exponent: int = 0) -> int:
        """Return the pattern nearest to number * 2**exponent, rounded once; plus zero for zero."""
        if number == 0:
            return 0
        sign = self.sign if number < 0 else 0
        magnitude = abs(number)
        last = max(magnitude.bit_length() + exponent - self.precision, self.last_place)
        significand = _shift(magnitude, exponent - last)
        # The hidden bit, and a carry out of the significand, add one to the exponent field.
        pattern = ((last - self.last_place) << (self.precision - 1)) + significand
        return sign | min(pattern, self.infinity)


def _shift(magnitude: int, places: int) -> int:
    """Return magnitude * 2**places as a whole number, rounded to nearest, ties to even."""
    if places >= 0:
        return magnitude << places
    whole = magnitude >> -places
    rest = magnitude - (whole << -places)
    half = 1 << (-places - 1)
    return whole + (rest > half or (rest == half and whole & 1))


def _value32(pattern: int) -> float:
    return _F32.unpack(_U32.pack(pattern))[0]


def _pattern32(value: float) -> int:
    """Round by packing as C's float, to nearest even; overflow is infinity."""
    if value != value:
        return BINARY32.nan
    try:
        return _U32.unpack(_F32.pack(value))[0]
    except OverflowError:
        return BINARY32.infinity | (BINARY32.sign if value < 0 else 0)


def _value64(pattern: int) -> float:
    return _F64.unpack(_U64.pack(pattern))[0]


def _pattern64(value: float) -> int:
    if value != value:
        return BINARY64.nan
    return _U64.unpack(_F64.pack(value))[0]


BINARY32 = Format(32, 24, -149, 0x7FC0_0000, _value32, _pattern32)
BINARY64 = Format(64, 53, -1074, 0x7FF8_0000_0000_0000, _value64, _pattern64)

FORMATS: dict[Type, Format] = {F32: BINARY32, F64: BINARY64}
"""The format of each float type."""
