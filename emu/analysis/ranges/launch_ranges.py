"""Ranges of a kernel's integers in parts of one launch, whose arguments and dimensions are known.

A value has a range for each part, a range of workgroups. The numbers of a range are those of the
register modulo its width: `i - 1` may be -1, and is made unsigned where that matters.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from copy import copy
from typing import NamedTuple

import numpy as np

from ....isa.types import B1, Segment, Type, sign_extend
from ...geometry import Geometry
from ..values.ssa import Const, Op, Phi, Value
from .guards import Guard, Guards

LARGEST = 1 << 62
"""The largest number of a range, so that sums of two fit into 64 bits."""

DEPTH = 100
"""Operations that are followed from a value."""


class Range(NamedTuple):
    """The least and the greatest number of a value, for each part."""

    low: np.ndarray
    high: np.ndarray


class Ranges:
    """The ranges of values of a kernel in parts of one launch; None for an unknown one.

    Part i has the workgroups from `bounds[i]` to `bounds[i + 1]`, excluding the latter.
    """

    def __init__(
        self,
        guards: Guards,
        kernargs: bytes,
        geometry: Geometry,
        bounds: Sequence[int],
        places: Collection[int] | None = None,
    ) -> None:
        """`places` in `kernargs` have the only arguments that are known, by default all."""
        self._guards = guards
        self._places = places
        self._kernargs = kernargs
        self._geometry = geometry
        self._n = len(bounds) - 1
        self._groups = _groups_of(geometry, np.array(bounds, np.int64))
        self._known: dict[Value, Range | None] = {}
        self._inside: dict[int, Ranges] = {}

    def at(self, node: int) -> Ranges:
        """Return the ranges of values where a node uses them: branches that lead to it hold."""
        found = self._inside.get(node)
        if found is None:
            found = self._inside[node] = copy(self)
            found._known = self._narrowed(self._guards.at(node))
        return found

    def _narrowed(self, guards: Iterable[Guard]) -> dict[Value, Range | None]:
        """Return the ranges of the values that guards bound."""
        narrowed: dict[Value, Range | None] = {}
        for guard in guards:
            value, other = guard.value, self.of(guard.other)
            if other is not None and not isinstance(value, Const):
                known = narrowed[value] if value in narrowed else self.of(value)
                narrowed[value] = self._clipped(known, guard, other)
        return {value: found for value, found in narrowed.items() if found is not None}

    def _clipped(self, known: Range | None, guard: Guard, other: Range) -> Range | None:
        bound = normal(other, guard.type)
        if bound is None:
            return known
        value = normal(known, guard.type) if known is not None else None
        if value is None:
            bits = guard.type.bits - guard.type.is_signed
            least = -(1 << bits) if guard.type.is_signed else 0
            value = self._full(max(least, -LARGEST), min((1 << bits) - 1, LARGEST))
            if guard.type.bits == 64 and (guard.type.is_signed or guard.relation in ("gt", "ge")):
                return known
        low, high = value
        if guard.relation in ("lt", "le", "eq"):
            high = np.minimum(high, bound.high - (guard.relation == "lt"))
        if guard.relation in ("gt", "ge", "eq"):
            low = np.maximum(low, bound.low + (guard.relation == "gt"))
        # Where nothing is left, the part does not come here.
        return Range(low, np.maximum(low, high))

    def of(self, value: Value, depth: int = DEPTH) -> Range | None:
        """Return the range of a value."""
        if isinstance(value, Const):
            bits = 64 if value.cls.value == "d" else 32
            return self._constant(sign_extend(value.bits, bits))
        if value not in self._known:
            self._known[value] = None  # while it is looked at: a value of an earlier iteration
            if depth:
                self._known[value] = self._find(value, depth - 1)
        return self._known[value]

    def _constant(self, number: int) -> Range | None:
        return self._full(number, number) if abs(number) <= LARGEST else None

    def _full(self, low: int, high: int) -> Range:
        return Range(np.full(self._n, low), np.full(self._n, high))

    @staticmethod
    def _within(low: np.ndarray, high: np.ndarray) -> Range | None:
        fits = low.min() >= -LARGEST and high.max() <= LARGEST
        return Range(low, high) if fits else None

    def _find(self, value: Value, depth: int) -> Range | None:
        if isinstance(value, Phi):
            return self._hull([self._on_edge(value, *edge, depth) for edge in value.args.items()])
        assert isinstance(value, Op)
        row = value.ins.row
        if row.is_identity:
            return self._identity(row.stem, value.ins.literals)
        if row.is_load:
            return self._argument(value) if row.segment is Segment.KERNARG else None
        if row.stem == "select":
            return self._hull([self.of(arg, depth) for arg in value.args[1:3]])
        if row.type is None or row.type.is_float or row.type.bits < 32:
            return None
        if row.stem not in _OPERATIONS:
            return None
        args = [self.of(arg, depth) for arg in value.args]
        known = [arg for arg in args if arg is not None]
        if row.stem == "cvt":
            return self._converted(args[0], row.source)
        if row.stem in ("and", "rem"):
            return self._bounded(row.stem, args, row.type)
        return self._computed(row.stem, known, row.type) if len(known) == len(args) else None

    def _on_edge(self, phi: Phi, source: int, value: Value, depth: int) -> Range | None:
        """Return the range of what a phi takes from a predecessor, whose branch leads to it."""
        for guard in self._guards.on(source, phi.node):
            other = self.of(guard.other, depth) if guard.value is value else None
            if other is not None:
                return self._clipped(self.of(value, depth), guard, other)
        return self.of(value, depth)

    def _computed(self, stem: str, args: list[Range], type_: Type) -> Range | None:
        a, b, *more = (*args, self._constant(0)) if stem == "neg" else args
        assert b is not None
        match stem:
            case "add":
                return self._sum(a, b)
            case "sub":
                return self._sum(a, Range(-b.high, -b.low))
            case "neg":
                return Range(-a.high, -a.low)
            case "mul":
                return self._product(a, b)
            case "mad":
                product = self._product(a, b)
                return self._sum(product, more[0]) if product and more[0] else None
            case "shl":
                by = _single(b)
                return self._product(a, self._power(by % type_.bits)) if by is not None else None
        left, right = normal(a, type_), normal(b, type_)
        if left is None or right is None:
            return None
        match stem:
            case "min":
                low, high = np.minimum(left.low, right.low), np.minimum(left.high, right.high)
                return Range(low, high)
            case "max":
                low, high = np.maximum(left.low, right.low), np.maximum(left.high, right.high)
                return Range(low, high)
        by = _single(right)
        if by is None or left.low.min() < 0:
            return None
        if stem == "shr":
            by %= type_.bits
            return Range(left.low >> by, left.high >> by)
        return Range(left.low // by, left.high // by) if by > 0 else None

    def _bounded(self, stem: str, args: list[Range | None], type_: Type) -> Range | None:
        """Return the range of a remainder or of common bits, which one operand bounds."""
        a, b = (normal(arg, type_) if arg is not None else None for arg in args[:2])
        limits = [r for r in ((a, b) if stem == "and" else (b,)) if r and r.low.min() >= 0]
        zero = np.zeros(self._n, np.int64)
        if stem == "rem":
            positive = not type_.is_signed or (a is not None and a.low.min() >= 0)
            return Range(zero, np.maximum(limits[0].high - 1, 0)) if limits and positive else None
        if not limits:
            return None
        return Range(zero, np.minimum.reduce([limit.high for limit in limits]))

    def _sum(self, a: Range, b: Range) -> Range | None:
        return self._within(a.low + b.low, a.high + b.high)

    def _power(self, exponent: int) -> Range | None:
        return self._constant(1 << exponent) if exponent < 62 else None

    def _product(self, a: Range, b: Range | None) -> Range | None:
        if b is None:
            return None
        largest = [max(abs(int(np.min(r.low))), abs(int(np.max(r.high)))) for r in (a, b)]
        if largest[0] * largest[1] > LARGEST:
            return None
        corners = [x * y for x in a for y in b]
        return self._within(np.minimum.reduce(corners), np.maximum.reduce(corners))

    def _converted(self, value: Range | None, source: Type | None) -> Range | None:
        if source is B1:
            return self._full(0, 1)
        if value is None or source is None or source.is_float or source.bits < 32:
            return None
        return normal(value, source)

    def _hull(self, ranges: list[Range | None]) -> Range | None:
        known = [r for r in ranges if r is not None]
        if len(known) < len(ranges):
            return None
        return Range(
            np.minimum.reduce([r.low for r in known]), np.maximum.reduce([r.high for r in known])
        )

    def _argument(self, op: Op) -> Range | None:
        offset, type_ = op.address.offset, op.element
        inside = 0 <= offset <= len(self._kernargs) - type_.size
        if op.base is not None or type_.is_float or not inside:
            return None
        if self._places is not None and offset not in self._places:
            return None
        return self._constant(int(np.frombuffer(self._kernargs, type_.numpy, 1, offset)[0]))

    def _identity(self, stem: str, literals: tuple[int, ...]) -> Range | None:
        g = self._geometry
        zero = np.zeros(self._n, np.int64)
        if stem == "workitemflatabsid":
            x, y, z = (self._absolute(d) for d in range(3))
            nx, ny, _ = g.items
            low, high = (x[i] + nx * (y[i] + ny * z[i]) for i in range(2))
            return self._within(low, high)
        if stem == "workitemflatid":
            return Range(zero, zero + g.largest_group - 1)
        if not literals:
            return None
        d = literals[0]
        match stem:
            case "workitemid":
                return Range(zero, zero + min(g.group_size[d], g.items[d]) - 1)
            case "workgroupid":
                return self._groups[d]
            case "workgroupsize":
                return self._constant(g.group_size[d])
            case "currentworkgroupsize":
                whole = g.items[d] % g.group_size[d] == 0
                return self._constant(g.group_size[d]) if whole else None
            case "gridsize":
                return self._constant(g.items[d])
            case "gridgroups":
                return self._constant(g.groups[d])
            case "workitemabsid":
                return self._absolute(d)
        return None

    def _absolute(self, d: int) -> Range:
        size, items = self._geometry.group_size[d], self._geometry.items[d]
        low, high = self._groups[d]
        return Range(low * size, np.minimum((high + 1) * size, items) - 1)


_OPERATIONS = frozenset(
    {"add", "sub", "mul", "mad", "neg", "shl", "shr", "div", "rem", "min", "max", "and", "cvt"}
)


def _single(value: Range) -> int | None:
    """Return the one number below 64 bits wide that a range has in all parts; None for others."""
    number = int(value.low[0])
    same = (value.low == number).all() and (value.high == number).all()
    return number if same and 0 <= number < LARGEST else None


def normal(value: Range, type_: Type) -> Range | None:
    """Return a range as numbers of an integer type; None if it wraps around in one of them."""
    if type_.bits == 64:
        return value if type_.is_signed or value.low.min() >= 0 else None
    shift = 1 << (type_.bits - 1) if type_.is_signed else 0
    turns = (value.low + shift) >> type_.bits
    if ((value.high + shift) >> type_.bits != turns).any():
        return None
    return Range(value.low - (turns << type_.bits), value.high - (turns << type_.bits))


def _groups_of(geometry: Geometry, bounds: np.ndarray) -> list[Range]:
    """Return the range of workgroupid of each part, by dimension."""
    first, last = bounds[:-1], bounds[1:] - 1
    found = []
    for count in geometry.groups:
        whole = first // count != last // count
        low, high = np.where(whole, 0, first % count), np.where(whole, count - 1, last % count)
        found.append(Range(low, high))
        first, last = first // count, last // count
    return found
