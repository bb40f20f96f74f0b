"""`cvt` between any two types as LLVM IR."""

from __future__ import annotations

from ....isa.types import F32, Kind, Type
from ...analysis.ranges.float_ranges import Nan
from ..llvm.text import float_constant, floating
from . import avx512
from .operation import Operation


def convert(op: Operation) -> str:
    """Return the source's value in the row's type."""
    to, source = op.type, op.row.source
    assert source is not None
    if source.is_float:
        value = op.code.to_float(source.bits, op.sources[0], op.n)
        if to.is_float:
            return _between_floats(op, value, source)
        if to.kind is Kind.BOOL:
            t = floating(source.bits, op.n)
            return op.let(f"fcmp une {t} {value}, {float_constant(0.0, source.bits, op.n)}")
        return _float_to_integer(op, value, source)
    value, bits = _narrow(op, source)
    if to.is_float:
        how = "sitofp" if source.is_signed else "uitofp"
        return op.from_float(op.cast(how, value, op.int(bits), op.floating))
    if to.kind is Kind.BOOL:
        return op.let(f"icmp ne {op.int(bits)} {value}, {op.constant(0, bits)}")
    return _between_integers(op, value, bits, source.is_signed)


def in_range(op: Operation) -> str | None:
    """Return a float as a signed integer that is right unless it is the least one.

    None if the whole conversion is as short.
    """
    to, source = op.type, op.row.source
    if source is None or not source.is_float or not to.is_signed or to.bits != source.bits:
        return None
    known = op.range_of(0)
    if known.nan is Nan.NEVER and known.high < 2.0 ** (to.bits - 1):
        return None
    value = op.code.to_float(source.bits, op.sources[0], op.n)
    return avx512.converted(op, value, source, signed=True)


def _narrow(op: Operation, source: Type) -> tuple[str, int]:
    """Return an integer source at its own width: small types are the low bits of the register."""
    value = op.sources[0]
    if source.bits == source.reg.bits:
        return value, source.bits
    return op.cast("trunc", value, op.int(source.reg.bits), op.int(source.bits)), source.bits


def _between_integers(op: Operation, value: str, bits: int, signed: bool) -> str:
    to = op.type
    if to.bits < bits:
        value, bits = op.cast("trunc", value, op.int(bits), op.int(to.bits)), to.bits
    elif to.bits > bits:
        extend = "sext" if signed else "zext"
        value, bits = op.cast(extend, value, op.int(bits), op.int(to.bits)), to.bits
    if bits < op.bits:
        extend = "sext" if to.is_signed else "zext"
        value = op.cast(extend, value, op.int(bits), op.integer)
    return value


def _between_floats(op: Operation, value: str, source: Type) -> str:
    how = "fpext" if source is F32 else "fptrunc"
    return op.from_float(op.cast(how, value, floating(source.bits, op.n), op.floating))


def _float_to_integer(op: Operation, value: str, source: Type) -> str:
    """Truncate and saturate; NaN becomes 0.

    LLVM's conversion is undefined out of range (and its saturating one slow), so the value is
    clamped before it, or where the float type does not have the greatest integer, replaced after
    it: `select` does not look at the value that it drops.
    """
    if (found := avx512.truncated(op, value, source)) is not None:
        return found
    to, known = op.type, op.range_of(0)
    float_type = floating(source.bits, op.n)
    significand = 24 if source is F32 else 53
    low = -(2.0 ** (to.bits - 1)) if to.is_signed else 0.0
    limit = 2.0 ** (to.bits - 1 if to.is_signed else to.bits)
    magnitude_bits = to.bits - 1 if to.is_signed else to.bits
    # What is known holds for running lanes: other ones need a conversion with defined results.
    is_defined = avx512.converts(op, source)
    is_number = is_defined and known.nan is Nan.NEVER

    def constant(x: float) -> str:
        return float_constant(x, source.bits, op.n)

    clamped = value
    if not (is_number and known.low > low - 1):
        # In this order of operands a NaN becomes the lower bound, right for unsigned types.
        above = op.let(f"fcmp ogt {float_type} {value}, {constant(low)}")
        clamped = op.select(above, float_type, value, constant(low))
    exact = magnitude_bits <= significand
    if exact and not (is_defined and known.high < limit):
        below = op.let(f"fcmp olt {float_type} {clamped}, {constant(limit - 1)}")
        clamped = op.select(below, float_type, clamped, constant(limit - 1))
    # A small type takes the register's conversion, signed since that is the cheaper one.
    signed = to.is_signed or to.bits < op.bits
    result = avx512.converted(op, clamped, source, signed=signed)
    if result is None:
        how = "fptosi" if signed else "fptoui"
        result = op.cast(how, clamped, float_type, op.integer)
    if not exact:
        over = op.let(f"fcmp oge {float_type} {value}, {constant(limit)}")
        result = op.select(over, op.integer, op.constant(int(limit) - 1), result)
    if to.is_signed and not is_number:
        number = op.let(f"fcmp ord {float_type} {value}, {constant(0.0)}")
        result = op.select(number, op.integer, result, op.constant(0))
    return result
