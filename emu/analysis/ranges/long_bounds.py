"""Bounds of 64-bit unsigned integers, and products whose factors have 32 bits.

CPUs multiply the lower halves of 64-bit lanes in a third of the time of whole ones. Limbs of long
numbers fit, also where a loop adds carries to them, which LLVM does not follow. The analysis is
optimistic and ignores branches, as that of 32-bit integers.
"""

from __future__ import annotations

from dataclasses import dataclass

from ....isa.types import B1, RegClass, mask_of
from ..values.ssa import Const, Op, Phi, Ssa, Value
from .fixed_point import solve
from .integer_ranges import Ranges

ANY = mask_of(64)
"""The bound of a register of which nothing is known."""


@dataclass(frozen=True, slots=True)
class Bound:
    """The integers from 0 to `most`."""

    most: int

    def union(self, other: Bound) -> Bound:
        """Return the greater bound."""
        return Bound(max(self.most, other.most))


def short_products(ssa: Ssa, integers: Ranges) -> frozenset[Op]:
    """Return the 64-bit products of two values that have 32 bits and are no mere conversions."""
    products = [
        op
        for ops in ssa.ops.values()
        for op in ops
        if op.cls is RegClass.D
        and op.ins.row.stem in ("mul", "mad")
        and not (op.ins.row.type is not None and op.ins.row.type.is_float)
        and not any(isinstance(a, Const) for a in op.args[:2])
        and not all(_is_conversion(a) for a in op.args[:2])
    ]
    if not products:
        return frozenset()
    bounds = _Bounds(ssa, integers)
    return frozenset(op for op in products if all(bounds.of(a) <= mask_of(32) for a in op.args[:2]))


def _is_conversion(value: Value) -> bool:
    """Return whether a value is a conversion: LLVM knows how many bits it has."""
    return isinstance(value, Op) and value.ins.row.stem == "cvt"


class _Bounds:
    """The bounds of a kernel's 64-bit values."""

    def __init__(self, ssa: Ssa, integers: Ranges) -> None:
        self._integers = integers
        self._found: dict[Value, Bound] = {}
        values = [v for v in ssa.values() if v.cls is RegClass.D and isinstance(v, (Op, Phi))]
        solve(self._found, values, self._known, self._op, lambda _: Bound(ANY))

    def of(self, value: Value) -> int:
        """Return the bound of a 64-bit value."""
        known = self._known(value)
        return ANY if known is None else known.most

    def _known(self, value: Value) -> Bound | None:
        if isinstance(value, Const):
            return Bound(value.bits & ANY)
        return self._found.get(value)

    def _op(self, op: Op) -> Bound | None:
        row = op.ins.row
        if row.stem == "cvt":
            return Bound(min(self._converted(op), ANY))
        long = [a for a in op.args if a.cls is RegClass.D]
        if row.is_memory or row.type is None or row.type.is_float or not long:
            return Bound(ANY)
        bounds = [bound.most for a in long if (bound := self._known(a)) is not None]
        if len(bounds) < len(long):
            return None
        found = _result(op, bounds)
        return Bound(ANY if found is None or found > ANY else found)

    def _converted(self, op: Op) -> int:
        """Return the bound of `cvt` to 64 bits, which extends its source."""
        source = op.ins.row.source
        if source is None or source.is_float or source.bits > 32:
            return ANY
        if source is B1:
            return 1
        found = self._integers.of(op.args[0])
        if found.is_unsigned(source.bits - source.is_signed):
            return found.most
        return ANY if source.is_signed else mask_of(source.bits)


def _result(op: Op, bounds: list[int]) -> int | None:
    """Return the bound of a result, given those of the 64-bit sources; None if none is known."""
    row = op.ins.row
    signed = row.type is not None and row.type.is_signed
    if signed and row.stem in ("shr", "min", "max", "div", "rem", "bitextract"):
        return None
    first = bounds[0]
    match row.stem:
        case "add":
            return first + bounds[1]
        case "mul":
            return first * bounds[1]
        case "mad":
            return first * bounds[1] + bounds[2]
        case "and" | "min":
            return min(bounds)
        case "or" | "xor":
            return mask_of(max(bounds).bit_length())
        case "select" | "max":
            return max(bounds)
        case "shl" | "shr" if isinstance(count := op.args[1], Const):
            by = count.bits & 63
            return first << by if row.stem == "shl" else first >> by
        case "mov" | "shr" | "div":
            return first
        case "rem":
            return min(first, max(bounds[1] - 1, 0))
        case "bitextract":
            return mask_of(op.ins.literals[1])
        case _:
            return None
