"""Ranges of 32-bit integers, from the types of loads and conversions through arithmetic.

A range [least, most] says that a register is, modulo 2^32, one of these integers. The least may be
negative: then the register holds the two's complement. The analysis is optimistic and ignores
branches; a phi that keeps growing, as a loop's counter, has no range.
"""

from __future__ import annotations

from dataclasses import dataclass

from ....isa.types import RegClass, Type, sign_extend
from ..values.ssa import Const, Op, Phi, Ssa, Value
from .fixed_point import solve
from .weighted_sums import weighted_bounds


@dataclass(frozen=True, slots=True)
class Range:
    """The integers from `least` to `most`."""

    least: int
    most: int

    def is_unsigned(self, bits: int) -> bool:
        """Return whether all are unsigned integers of some bits."""
        return self.least >= 0 and self.most < 1 << bits

    def is_signed(self, bits: int) -> bool:
        """Return whether all are signed integers of some bits."""
        return self.least >= -1 << (bits - 1) and self.most < 1 << (bits - 1)

    def union(self, other: Range) -> Range:
        """Return the least range that has both."""
        return Range(min(self.least, other.least), max(self.most, other.most))


ANY = Range(0, (1 << 32) - 1)
"""That of a register of which nothing is known."""


def of_type(type_: Type) -> Range:
    """Return the range of an integer type, of at most 32 bits."""
    if type_.is_signed:
        return Range(-1 << (type_.bits - 1), (1 << (type_.bits - 1)) - 1)
    return Range(0, (1 << type_.bits) - 1)


class Ranges:
    """The ranges of a kernel's values."""

    def __init__(self, ssa: Ssa) -> None:
        self._found: dict[Value, Range] = {}
        values = [v for v in ssa.values() if v.cls is RegClass.S and isinstance(v, (Op, Phi))]
        solve(self._found, values, self._known, self._op, lambda _: ANY)

    def of(self, value: Value) -> Range:
        """Return the range of a value."""
        if isinstance(value, Const):
            return _of_constant(value)
        return self._found.get(value, ANY)

    def _known(self, value: Value) -> Range | None:
        """Return the range so far; None where no value has arrived yet."""
        if isinstance(value, Const):
            return _of_constant(value)
        return self._found.get(value) if value.cls is RegClass.S else ANY

    def _bounds(self, value: Value) -> tuple[int, int] | None:
        known = self._known(value)
        return None if known is None else (known.least, known.most)

    def _op(self, value: Op) -> Range | None:
        row = value.ins.row
        if row.is_load:
            small = row.type is not None and not row.type.is_float and row.type.bits < 32
            return of_type(row.type) if small and row.type else ANY
        if row.is_memory or row.is_identity or not value.args:
            return ANY
        known = [self._known(a) for a in value.args]
        args = [r for r in known if r is not None]
        if len(args) < len(known):
            return None
        found = _result(value, args)
        weighted = weighted_bounds(value, self._bounds)
        # Not what both have in common: a product that wraps around has other integers in each.
        if weighted is not None and weighted[1] - weighted[0] < found.most - found.least:
            found = Range(*weighted)
        return found if found.least >= -1 << 31 and found.most < 1 << 32 else ANY


def _of_constant(value: Const) -> Range:
    """Return the range of a constant, read as a signed number."""
    number = sign_extend(value.bits, 32)
    return Range(number, number)


def _result(op: Op, args: list[Range]) -> Range:
    """Return the range of an instruction's result."""
    row = op.ins.row
    if row.stem in ("popcount", "clz"):
        return Range(0, 64)
    if row.stem == "cvt":
        return _converted(op, args[0])
    if row.type is None or row.type.is_float or row.type.bits != 32:
        return ANY
    match row.stem:
        case "select":
            return args[1].union(args[2])
        case "add":
            return Range(args[0].least + args[1].least, args[0].most + args[1].most)
        case "sub":
            return Range(args[0].least - args[1].most, args[0].most - args[1].least)
        case "mul":
            return _product(*args)
        case "mad":
            product = _product(args[0], args[1])
            return Range(product.least + args[2].least, product.most + args[2].most)
        case "neg":
            return Range(-args[0].most, -args[0].least)
        case "not":
            return Range(~args[0].most, ~args[0].least)
        case "abs" if args[0].is_signed(32):
            ends = abs(args[0].least), abs(args[0].most)
            return Range(0, max(ends))
        case "and" | "or" | "xor":
            return _bitwise(row.stem, *args)
        case "min" | "max":
            return _extreme(row.stem, row.type, *args)
        case "shl" | "shr":
            return _shifted(op, row.type, args[0])
        case "bitextract":
            length = op.ins.literals[1]
            if row.type.is_signed:
                return Range(-1 << (length - 1), (1 << (length - 1)) - 1)
            return Range(0, (1 << length) - 1)
        case "div" if not row.type.is_signed and args[0].least >= 0:
            return Range(0, args[0].most)
        case "rem" if not row.type.is_signed and all(a.least >= 0 for a in args):
            return Range(0, min(args[0].most, max(0, args[1].most - 1)))
    return ANY


def _product(a: Range, b: Range) -> Range:
    ends = [x * y for x in (a.least, a.most) for y in (b.least, b.most)]
    return Range(min(ends), max(ends))


def _bitwise(stem: str, a: Range, b: Range) -> Range:
    unsigned = [r for r in (a, b) if r.least >= 0]
    if stem == "and" and unsigned:
        return Range(0, min(r.most for r in unsigned))
    bits = max(x.bit_length() for r in (a, b) for x in (r.least, r.most))
    least = 0 if stem == "xor" else max(a.least, b.least)
    return Range(least if len(unsigned) == 2 else -1 << bits, (1 << bits) - 1)


def _extreme(stem: str, type_: Type, a: Range, b: Range) -> Range:
    comparable = all(r.is_signed(32) if type_.is_signed else r.least >= 0 for r in (a, b))
    choose = min if stem == "min" else max
    if comparable:
        return Range(choose(a.least, b.least), choose(a.most, b.most))
    if stem == "min" and not type_.is_signed:
        return Range(0, min((r.most for r in (a, b) if r.least >= 0), default=ANY.most))
    return ANY


def _shifted(op: Op, type_: Type, value: Range) -> Range:
    amount = op.args[1]
    if not isinstance(amount, Const):
        grows = op.ins.row.stem == "shl" or value.least < 0 or type_.is_signed
        return ANY if grows else Range(0, value.most)
    count = amount.bits & 31
    if op.ins.row.stem == "shl":
        return Range(value.least << count, value.most << count)
    known = value.is_signed(32) if type_.is_signed else value.least >= 0
    value = value if known else of_type(type_)
    return Range(value.least >> count, value.most >> count)


def _converted(op: Op, value: Range) -> Range:
    """Return the range of `cvt`: the source is read at its own width, the result cut to its own."""
    to, source = op.ins.row.type, op.ins.row.source
    assert to is not None
    assert source is not None
    if to.is_float or to.bits > 32 or to.bits == 1:
        return ANY
    whole = of_type(to)
    if source.bits == 1:
        return Range(0, 1)
    if source.is_float or source.bits > 32:
        return whole
    for type_ in (source, to):
        inside = of_type(type_)
        if type_.bits < 32 and inside.union(value) != inside:
            value = inside
    return value
