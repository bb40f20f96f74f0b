"""Ranges of floats: between which numbers a value lies, and which NaNs it may be.

A register is read as the float of its width, whatever instruction made it: bits with a known range
of integers are floats with a known range as well. The analysis is optimistic and ignores branches;
a phi that keeps growing has no bounds. A zero may have any sign.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from ctypes import c_float
from dataclasses import dataclass, replace
from enum import IntEnum
from struct import pack, unpack

from ....isa.types import RegClass, Segment
from ..values.ssa import Const, Op, Phi, Ssa, Value, made_of
from .fixed_point import solve
from .integer_ranges import Ranges, of_type


class Nan(IntEnum):
    """Which NaNs a value may be."""

    NEVER = 0
    QUIET = 1
    ANY = 2


@dataclass(frozen=True, slots=True)
class FloatRange:
    """The numbers from `low` to `high`, and NaNs."""

    low: float
    high: float
    nan: Nan

    @property
    def has_infinity(self) -> bool:
        """Return whether a value may be infinite."""
        return self.low == -math.inf or self.high == math.inf

    @property
    def has_zero(self) -> bool:
        """Return whether a value may be zero."""
        return self.low <= 0 <= self.high

    def union(self, other: FloatRange) -> FloatRange:
        """Return the least range that has both."""
        low, high = min(self.low, other.low), max(self.high, other.high)
        return FloatRange(low, high, max(self.nan, other.nan))


UNKNOWN = FloatRange(-math.inf, math.inf, Nan.ANY)
"""Any bits, as from memory."""

COMPUTED = FloatRange(-math.inf, math.inf, Nan.QUIET)
"""The result of any float arithmetic."""

MOST_VALUES = 2000
"""Values of the largest kernel that gets ranges."""

INFINITE_BITS = {32: 0x7F80_0000, 64: 0x7FF0_0000_0000_0000}
"""Infinity by width: as integers, the bits of numbers from zero on are in the order of numbers."""


class FloatRanges:
    """The ranges of a kernel's values; `integers` are those of its integers, if they are known.

    `stored` are the values that loads of the kernel's own memory may load besides a zero.
    """

    def __init__(
        self,
        ssa: Ssa,
        integers: Callable[[], Ranges] | None = None,
        stored: Mapping[Op, Sequence[Value]] | None = None,
    ) -> None:
        self._found: dict[Value, FloatRange] = {}
        self._stored = stored or {}
        values = [v for v in ssa.values() if v.cls is not RegClass.C and isinstance(v, (Op, Phi))]
        if len(values) > MOST_VALUES or not any(_is_float(v) for v in values):
            return
        self._integers = integers() if integers is not None else Ranges(ssa)
        self._constants = _constants([v for v in ssa.values() if isinstance(v, (Op, Phi))])
        solve(self._found, values, self._known, self._op, _without_bounds)

    def of(self, value: Value) -> FloatRange:
        """Return the range of a value; that of a condition is not known."""
        if value.cls is RegClass.C:
            return UNKNOWN
        if isinstance(value, Const):
            return _of_bits(value.bits, value.cls.bits)
        return self._found.get(value, UNKNOWN)

    def _known(self, value: Value) -> FloatRange | None:
        """Return the range so far; None where no value has arrived yet."""
        return self.of(value) if isinstance(value, Const) else self._found.get(value)

    def _op(self, value: Op) -> FloatRange | None:
        if not _is_float(value):
            return self._of_integer(value)
        row = value.ins.row
        if row.is_memory:
            return self._loaded(value)
        if row.stem == "cvt" and row.source is not None and not row.source.is_float:
            return self._from_integer(value)
        args = [a for a in value.args if a.cls is not RegClass.C]
        known = [self._known(a) for a in args]
        ranges = [r for r in known if r is not None]
        if len(ranges) < len(known):
            return None
        assert row.type is not None
        found = _result(row.stem, ranges, row.type.bits)
        if found.nan is Nan.QUIET and self._may_be_left_out(row.stem, args, ranges):
            return replace(found, nan=Nan.ANY)
        return found

    def _loaded(self, op: Op) -> FloatRange:
        """Return the range of what is loaded: without bounds, which might grow and grow."""
        nan = Nan.ANY
        if op in self._stored:
            known = (self._known(value) for value in self._stored[op])
            nan = max((found.nan for found in known if found is not None), default=Nan.NEVER)
        return FloatRange(-math.inf, math.inf, nan)

    def _may_be_left_out(self, stem: str, args: list[Value], ranges: list[FloatRange]) -> bool:
        """Return whether LLVM may take an operand, which may be a signalling NaN, for the result.

        It does where it finds that the others change nothing, as in `x * 1` and `min(x, NaN)`.
        """
        if stem == "cvt":  # there and back
            return ranges[0].nan is Nan.ANY
        if stem not in ("add", "sub", "mul", "div", "fma", "min", "max"):
            return False
        return any(
            found.nan is Nan.ANY
            and all(
                _may_be_neutral(stem, i, ranges[i])
                and (isinstance(args[i], Const) or args[i] in self._constants)
                for i in range(len(args))
                if i != at
            )
            for at, found in enumerate(ranges)
        )

    def _of_integer(self, op: Op) -> FloatRange | None:
        """Return the range of an integer's bits, or that of what a move moves."""
        stem = op.ins.row.stem
        if stem in ("mov", "select"):
            args = op.args[stem == "select" :]
            known = [self._known(a) for a in args]
            ranges = [r for r in known if r is not None]
            if len(ranges) < len(known):
                return None
            return ranges[0] if len(ranges) == 1 else ranges[0].union(ranges[1])
        known_bits = constant(op)
        if known_bits is not None:
            return _of_bits(known_bits, op.cls.bits)
        if op.cls is RegClass.S:
            integers = self._integers.of(op)
            least, most = integers.least, integers.most
        else:
            least, most = _of_long(op)
        if least < 0 or most > INFINITE_BITS[op.cls.bits]:
            return UNKNOWN
        bits = op.cls.bits
        return _of_bits(least, bits).union(_of_bits(most, bits))

    def _from_integer(self, op: Op) -> FloatRange:
        """Return the range of an integer that is converted."""
        source, to = op.ins.row.source, op.ins.row.type
        assert source is not None
        assert to is not None
        least, most = (0, 1) if source.bits == 1 else (0, 0)
        if source.bits > 32:
            least = -1 << 63 if source.is_signed else 0
            most = 1 << (64 - source.is_signed)
        elif source.bits > 1:
            whole, value = of_type(source), self._integers.of(op.args[0])
            value = value if whole.union(value) == whole else whole
            least, most = value.least, value.most
        return FloatRange(_rounded(least, to.bits), _rounded(most, to.bits), Nan.NEVER)


def _without_bounds(found: FloatRange) -> FloatRange:
    return FloatRange(-math.inf, math.inf, found.nan)


def _is_float(value: Value) -> bool:
    if not isinstance(value, Op):
        return False
    row = value.ins.row
    return row.type is not None and row.type.is_float and row.stem not in ("mov", "select")


def _of_bits(bits: int, width: int) -> FloatRange:
    """Return the range of a constant."""
    infinite = INFINITE_BITS[width]
    if bits & (1 << (width - 1)) - 1 > infinite:
        quiet = bits >> (22 if width == 32 else 51) & 1
        return FloatRange(-math.inf, math.inf, Nan.QUIET if quiet else Nan.ANY)
    number = unpack(*(("<f", pack("<I", bits)) if width == 32 else ("<d", pack("<Q", bits))))[0]
    return FloatRange(number, number, Nan.NEVER)


def _rounded(number: float, bits: int) -> float:
    """Round to nearest in the float type of some bits, as arithmetic does."""
    return c_float(number).value if bits == 32 else float(number)


def _of_long(op: Op) -> tuple[int, int]:
    """Return the range of a 64-bit integer: masks and bits that are set, and shifts."""
    stem, everything = op.ins.row.stem, (0, (1 << 64) - 1)
    if op.ins.row.has_address or len(op.args) != 2:
        return everything
    arguments = [constant(a) for a in op.args]
    known = next((a for a in arguments if a is not None), None)
    if known is None:
        return everything
    other = op.args[0] if arguments[0] is None else op.args[1]
    if stem == "and":
        return 0, known
    if op.ins.row.name == "shr_u64" and arguments[1] is not None:
        return 0, everything[1] >> (arguments[1] & 63)
    if stem == "or" and isinstance(other, Op) and other.ins.row.stem in ("and", "shr"):
        most = _of_long(other)[1]
        return known, (1 << max(known, most).bit_length()) - 1
    return everything


def constant(value: Value) -> int | None:
    """Return the bits of a value that is a constant, or two halves of one."""
    if isinstance(value, Const):
        return value.bits
    if isinstance(value, Op) and value.ins.row.stem == "movhi":
        high, low = (a.bits if isinstance(a, Const) else None for a in value.args)
        if high is not None and low is not None:
            return (high & 0xFFFF_FFFF) << 32 | low & 0xFFFF_FFFF
    return None


def _result(stem: str, args: list[FloatRange], bits: int) -> FloatRange:
    """Return the range of float arithmetic."""
    is_number = all(a.nan is Nan.NEVER for a in args)
    match stem, args:
        case "neg", [a]:
            return FloatRange(-a.high, -a.low, a.nan)
        case "abs", [a]:
            low = 0.0 if a.has_zero else min(abs(a.low), abs(a.high))
            return FloatRange(low, max(abs(a.low), abs(a.high)), a.nan)
        case (("min" | "max"), [a, b]):
            return _extreme(stem, a, b)
        case (("floor" | "ceil" | "trunc" | "rint"), [a]):
            nan = Nan.NEVER if is_number else Nan.QUIET
            return FloatRange(_rounded(a.low - 1, bits), _rounded(a.high + 1, bits), nan)
        case (("sin" | "cos"), [a]):
            is_number = is_number and not a.has_infinity
            return FloatRange(-1.5, 1.5, Nan.NEVER if is_number else Nan.QUIET)
        case "cvt", [a]:
            nan = Nan.NEVER if is_number else Nan.QUIET
            return FloatRange(_rounded(a.low, bits), _rounded(a.high, bits), nan)
        case "sqrt", [a] if a.low >= 0:
            nan = Nan.NEVER if is_number else Nan.QUIET
            high = math.sqrt(a.high) if a.high < math.inf else a.high
            return FloatRange(_rounded(math.sqrt(a.low), bits), _rounded(high, bits), nan)
    finite = is_number and not any(a.has_infinity for a in args)
    if not finite or stem not in ("add", "sub", "mul", "fma", "div"):
        return COMPUTED
    match stem, args:
        case "add", [a, b]:
            ends = [a.low + b.low, a.high + b.high]
        case "sub", [a, b]:
            ends = [a.low - b.high, a.high - b.low]
        case "mul", [a, b]:
            ends = _products(a, b)
        case "div", [a, b] if not b.has_zero:
            ends = [x / y for x in (a.low, a.high) for y in (b.low, b.high)]
        case "fma", [a, b, c]:
            products = _products(a, b)
            low, high = min(products), max(products)
            if math.inf in (-low, high):
                return COMPUTED
            # The bounds are rounded twice, and f64 products not at all.
            ends = [_less(_less(low) + c.low), -_less(_less(-high) - c.high)]
        case _:
            return COMPUTED
    ends = [_rounded(end, bits) for end in ends]
    return FloatRange(min(ends), max(ends), Nan.NEVER)


def _may_be_neutral(stem: str, at: int, found: FloatRange) -> bool:
    """Return whether an operation may leave its other operands as they are, but for the sign."""
    is_one = found.low <= 1 <= found.high or found.low <= -1 <= found.high
    match stem, at:
        case ("add" | "sub", _) | ("fma", 2):
            return found.has_zero
        case "mul" | "div", _:
            return is_one
        case "fma", _:
            return is_one or found.has_zero  # 0 * y + x
        case _:
            return True


def _constants(values: Sequence[Value]) -> set[Value]:
    """Return what LLVM may find to be constants, if only in one iteration of a loop.

    Or where a comparison holds: floats that are equal to a constant, and integers that are compared
    in any way, or that these are computed from.
    """
    compared = [op for op in values if isinstance(op, Op) and op.cls is RegClass.C]
    integers = [a for op in compared if not _has_floats(op) for a in op.args]
    equal = [op.args for op in compared if _has_floats(op) and _may_be_equality(op)]
    found = made_of(integers, _is_no_integer)
    changed = True
    while changed:
        before = len(found)
        for value in values:
            if value not in found and _is_constant(value, found):
                found.add(value)
        for sides in equal:
            if any(isinstance(side, Const) or side in found for side in sides):
                found.update(sides)
        changed = len(found) > before
    return found


def _has_floats(op: Op) -> bool:
    types = [source.type for source in op.ins.row.srcs]
    return any(type_ is not None and type_.is_float for type_ in types)


def _may_be_equality(op: Op) -> bool:
    """Return whether a comparison of floats is one for equality: nothing is above infinity."""
    is_one = op.ins.row.stem.startswith(("cmp_eq", "cmp_ne"))
    return is_one or any(isinstance(a, Const) and _has_infinity(a) for a in op.args)


def _has_infinity(value: Const) -> bool:
    return _of_bits(value.bits, value.cls.bits).has_infinity


def _is_no_integer(value: Value) -> bool:
    """Return whether a value is loaded, or comes from floats."""
    return isinstance(value, Op) and (value.ins.row.is_memory or _has_floats(value))


def _is_constant(value: Value, known: Collection[Value]) -> bool:
    """Return whether a value may be a constant, if those that are `known` may be."""
    if isinstance(value, Phi):
        return any(isinstance(a, Const) or a in known for a in value.args.values())
    if not isinstance(value, Op):
        return True
    row, args = value.ins.row, value.args
    if row.is_memory:
        return row.segment not in (Segment.GLOBAL, Segment.KERNARG)
    some = [isinstance(a, Const) or a in known for a in args]
    if row.stem in ("min", "max"):
        return any(some)
    if row.stem == "select":
        return any(some[1:])
    if len(args) == 1 or _has_floats(value):
        return all(some)
    return True  # i / i is one


def _less(number: float) -> float:
    """Return the next number below, except that of zero."""
    return math.nextafter(number, -math.inf) if number else number


def _products(a: FloatRange, b: FloatRange) -> list[float]:
    return [x * y for x in (a.low, a.high) for y in (b.low, b.high)]


def _extreme(stem: str, a: FloatRange, b: FloatRange) -> FloatRange:
    """Return the range of min or max: a number wins over a NaN."""
    nan = Nan.QUIET if Nan.NEVER not in (a.nan, b.nan) else Nan.NEVER
    low, high = min(a.low, b.low), max(a.high, b.high)
    for each in (a, b):
        # An argument that is always a number bounds the result.
        if each.nan is Nan.NEVER and stem == "min":
            high = min(high, each.high)
        elif each.nan is Nan.NEVER:
            low = max(low, each.low)
    return FloatRange(low, high, nan)
