"""Conversions between any two types."""

from __future__ import annotations

import math

from ...isa.types import B1, Type, mask_of
from .formats import FORMATS
from .integers import Operation, reader, register


def conversion(to: Type, source: Type) -> Operation:
    """Return the conversion of a register that holds `source` into one that holds `to`.

    Sources under 32 bits are the low bits of their register, read in their type; results under 32
    bits fill the register as a load does.
    """
    if to is B1:
        return _nonzero(source)
    if source.is_float:
        return _float_to_float(to, source) if to.is_float else _float_to_integer(to, source)
    return _integer_to_float(to, source) if to.is_float else _integer_to_integer(to, source)


def _nonzero(source: Type) -> Operation:
    """Return a != 0, which holds for NaN and not for -0."""
    read = FORMATS[source].value if source.is_float else reader(source)
    return lambda a: int(read(a) != 0)


def _float_to_float(to: Type, source: Type) -> Operation:
    """Convert exactly to f64, rounded to f32; NaN becomes the canonical one."""
    value, pattern = FORMATS[source].value, FORMATS[to].pattern
    return lambda a: pattern(value(a))


def _float_to_integer(to: Type, source: Type) -> Operation:
    """Round towards zero, then to the nearest value that the type has; NaN gives 0."""
    value, put = FORMATS[source].value, register(to)
    least = -(1 << to.bits - 1) if to.is_signed else 0
    greatest = mask_of(to.bits - 1 if to.is_signed else to.bits)

    def convert(a: int) -> int:
        x = value(a)
        if x != x:
            return 0
        if math.isinf(x):
            return put(greatest if x > 0 else least)
        return put(min(max(math.trunc(x), least), greatest))

    return convert


def _integer_to_float(to: Type, source: Type) -> Operation:
    """Convert with one rounding (through f64, u64 to f32 would round twice)."""
    read, nearest = reader(source), FORMATS[to].round
    return lambda a: nearest(read(a))


def _integer_to_integer(to: Type, source: Type) -> Operation:
    """Extend as the source's type says, or cut to the low bits."""
    read, put = reader(source), register(to)
    if source.bits == source.reg.bits and not source.is_signed:
        return put  # the pattern is the number
    return lambda a: put(read(a))
