"""What each lane calculates from its number and from uniform values: a sum of products.

A sum is modulo 2^32 or 2^64, as a register is. A 32-bit sum that is widened keeps its products as
they are, since they may wrap around; how far the widened numbers of two lanes with equal products
are apart is known but for multiples of 2^32.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from ...geometry import Dim3
from .ssa import Const, Op, Value

MOST_TERMS = 12
"""Products of a sum."""

MOST_FACTORS = 3
"""Uniform values of a product."""

ZERO_EXTENDED, SIGN_EXTENDED = -1, -2
"""The first factor of a product of a widened sum, in place of a uniform value's number."""

Term = tuple[int, ...]
"""The numbers of the uniform values that are multiplied; () is the constant."""

Factors = NDArray[np.uint64]
"""What each lane has of a product."""


@dataclass(frozen=True)
class Sum:
    """For each lane a sum of multiples of products."""

    bits: int
    terms: Mapping[Term, Factors]
    scale: int = 1
    """What widened products have been multiplied by since, in all lanes."""

    @property
    def numbers(self) -> NDArray[np.int64] | None:
        """The number of each lane, if no uniform value is in it; as a signed one of 64 bits."""
        return self.terms[()].view(np.int64) if self.terms.keys() == {()} else None

    @property
    def is_widened(self) -> bool:
        """Whether it has products of a sum that was widened."""
        return any(map(is_widened, self.terms))

    def plus(self, other: Sum, sign: int = 1) -> Sum | None:
        """Return the sum or difference of two sums; None if it is not one."""
        if self.is_widened and other.is_widened:
            return None
        found = dict(self.terms)
        for term, factors in other.terms.items():
            more = factors if sign > 0 else np.zeros_like(factors) - factors
            found[term] = found[term] + more if term in found else more
        return _reduced(self.bits, found, (self if self.is_widened else other).scale)

    def times(self, other: Sum) -> Sum | None:
        """Return the product of two sums; None if it is not a sum."""
        if self.is_widened or other.is_widened:
            a, b = (self, other) if self.is_widened else (other, self)
            factor = b.numbers
            if factor is None or (factor != factor[0]).any() or not 0 < factor[0] < 1 << 32:
                return None
            scaled = {t: f * b.terms[()] for t, f in a.terms.items()}
            return _reduced(self.bits, scaled, a.scale * int(factor[0]))
        found: dict[Term, Factors] = {}
        for one, these in self.terms.items():
            for another, those in other.terms.items():
                term, product = tuple(sorted(one + another)), these * those
                if len(term) > MOST_FACTORS:
                    return None
                if term and product.any():
                    found[term] = found[term] + product if term in found else product
        found[()] = self.terms[()] * other.terms[()]
        return _reduced(self.bits, found)

    def widened(self, *, signed: bool) -> Sum:
        """Return a 32-bit sum in 64 bits."""
        if self.numbers is not None and not signed:
            return Sum(64, self.terms)
        kind = SIGN_EXTENDED if signed else ZERO_EXTENDED
        found: dict[Term, Factors] = {(kind, *t): f for t, f in self.terms.items() if t}
        found[()] = self.terms[()].astype(np.uint32).view(np.int32).astype(np.int64).view(np.uint64)
        return Sum(64, found)


def is_widened(term: Term) -> bool:
    """Return whether a product is one of a widened sum."""
    return bool(term) and term[0] < 0


def of_numbers(numbers: NDArray[np.uint32]) -> Sum:
    """Return known numbers as a sum."""
    return Sum(32, {(): numbers.astype(np.uint64)})


def constant_sum(number: int, bits: int, count: int) -> Sum:
    """Return a constant as a sum of `count` lanes."""
    return Sum(bits, {(): np.full(count, number & ((1 << bits) - 1), np.uint64)})


def of_symbol(number: int, bits: int, count: int) -> Sum:
    """Return a uniform value, which has this number, as a sum of `count` lanes."""
    return Sum(bits, {(): np.zeros(count, np.uint64), (number,): np.ones(count, np.uint64)})


def of_place(dimension: int, size: Dim3) -> Sum | None:
    """Return the place in the grid of each work-item of a workgroup.

    The number of a dimension is the workgroup's first place in it.
    """
    x, y, _ = size
    numbers = np.arange(prod(size), dtype=np.uint32)
    own = (numbers % x, numbers // x % y, numbers // (x * y))[dimension]
    return of_numbers(own).plus(of_symbol(dimension, 32, len(numbers)))


def merged(old: Sum, new: Sum, lanes: NDArray[np.bool_]) -> Sum:
    """Return a sum that is `new` in some lanes and `old` in the others."""
    nothing = np.zeros(len(lanes), np.uint64)
    terms = {
        term: np.where(lanes, new.terms.get(term, nothing), old.terms.get(term, nothing))
        for term in {**old.terms, **new.terms}
    }
    return Sum(new.bits, terms, new.scale if new.scale == old.scale else 1)


def _reduced(bits: int, terms: Mapping[Term, Factors], scale: int = 1) -> Sum | None:
    """Return a sum modulo 2^bits without products that no lane has; None if it is too long."""
    if bits == 32:
        terms = {term: factors & np.uint64(0xFFFF_FFFF) for term, factors in terms.items()}
    kept = {term: factors for term, factors in terms.items() if not term or factors.any()}
    return Sum(bits, kept, scale) if len(kept) <= MOST_TERMS else None


def bits_of(value: Value) -> int:
    """Return the bits of a sum; conditions are numbers."""
    return 64 if value.cls.bits == 64 else 32


def arithmetic(op: Op, args: list[Sum]) -> Sum | None:
    """Return what an op makes of sums."""
    stem, _, type_ = op.ins.row.name.rpartition("_")
    if stem in ("cvt_u64", "cvt_s64") and type_ in ("u32", "s32"):
        return args[0].widened(signed=type_ == "s32")
    if type_ not in ("u32", "s32", "u64", "s64"):
        return None
    match stem, args:
        case "mov", [a]:
            return a
        case "add", [a, b]:
            return a.plus(b)
        case "sub", [a, b]:
            return a.plus(b, -1)
        case "mul", [a, b]:
            return a.times(b)
        case "mad", [a, b, c]:
            product = a.times(b)
            return None if product is None else product.plus(c)
        case "shl", [a, _] if isinstance(op.args[1], Const):
            shift = op.args[1].bits & (op.cls.bits - 1)
            return a.times(constant_sum(1 << shift, a.bits, len(a.terms[()])))
    return None
