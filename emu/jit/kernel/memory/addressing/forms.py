"""Addresses as sums of uniform values, an index and a constant, modulo 2^64."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from ......isa.types import sign_extend
from .....analysis.values.ssa import Const, Op, Value
from ...lane_code import LaneCode

LARGEST_SCALE = 1 << 32
"""The largest scale of a form: no window has room for two larger steps."""

MOST_TERMS = 8
"""Uniform terms of a form; each is computed again at every access."""


@dataclass(frozen=True)
class Form:
    """An address as a sum: uniform values times constants, one index times a scale, a constant.

    The sum is modulo 2^64; factors and the constant are kept as signed numbers of 64 bits.
    """

    uniform: tuple[tuple[Value, int], ...] = ()
    index: Value | None = None
    scale: int = 0
    signed: bool = False
    constant: int = 0

    def plus_constant(self, constant: int) -> Form:
        """Return the sum with a constant."""
        return replace(self, constant=sign_extend(self.constant + constant, 64))

    def times(self, factor: int) -> Form | None:
        """Return the form times a constant; None if the index would count back or too far."""
        scale = self.scale * factor
        if self.index is not None and not 0 < scale <= LARGEST_SCALE:
            return None
        return Form(
            _sum_of((v, f * factor) for v, f in self.uniform),
            self.index,
            scale,
            self.signed,
            sign_extend(self.constant * factor, 64),
        )

    def plus(self, other: Form) -> Form | None:
        """Return the sum of two forms; None if both have an index or it has too many terms."""
        if self.index is not None and other.index is not None:
            return None
        uniform = _sum_of((*self.uniform, *other.uniform))
        if len(uniform) > MOST_TERMS:
            return None
        index = self if self.index is not None else other
        return Form(
            uniform,
            index.index,
            index.scale,
            index.signed,
            sign_extend(self.constant + other.constant, 64),
        )


def _sum_of(terms: Iterable[tuple[Value, int]]) -> tuple[tuple[Value, int], ...]:
    """Return terms with each value once."""
    factors: dict[Value, int] = {}
    for value, factor in terms:
        factors[value] = sign_extend(factors.get(value, 0) + factor, 64)
    return tuple((value, factor) for value, factor in factors.items() if factor)


def times(form: Form | None, factor: int) -> Form | None:
    """Return a form times a constant; None without one, or if the result is not a form."""
    return None if form is None else form.times(factor)


def plus(a: Form | None, b: Form | None) -> Form | None:
    """Return the sum of two forms; None without both, or if the result is not a form."""
    return None if a is None or b is None else a.plus(b)


class Forms:
    """The addresses of a kernel, taken apart."""

    def __init__(self, lanes: LaneCode) -> None:
        self._lanes = lanes
        self._found: dict[Value, Form | None] = {}

    def of(self, value: Value) -> Form | None:
        """Return an address as a sum; None if it is not of that shape."""
        if value not in self._found:
            self._found[value] = self._form(value)
        return self._found[value]

    def _form(self, value: Value) -> Form | None:
        if isinstance(value, Const):
            return Form(constant=sign_extend(value.bits, 64))
        # A value has few parts, so the recursion is not deep.
        inner = self._sum(value) if isinstance(value, Op) and value.parts else None
        if inner is None and self._lanes.shapes.is_uniform(value):
            return Form(uniform=((value, 1),))
        return inner

    def _sum(self, op: Op) -> Form | None:
        args = op.args
        match op.ins.row.name:
            case "add_u64" | "add_s64":
                return plus(self.of(args[0]), self.of(args[1]))
            case "sub_u64" | "sub_s64":
                return plus(self.of(args[0]), times(self.of(args[1]), -1))
            case "mul_u64" | "mul_s64":
                return self.product(args[0], args[1])
            case "mad_u64" | "mad_s64":
                return plus(self.product(args[0], args[1]), self.of(args[2]))
            case "shl_u64" | "shl_s64" if isinstance(args[1], Const):
                return times(self.of(args[0]), 1 << (args[1].bits & 63))
            case "cvt_u64_u32" | "cvt_s64_u32" if not self._lanes.shapes.is_uniform(op):
                return Form(index=args[0], scale=1)
            case "cvt_u64_s32" | "cvt_s64_s32" if not self._lanes.shapes.is_uniform(op):
                return Form(index=args[0], scale=1, signed=True)
        return None

    def product(self, a: Value, b: Value) -> Form | None:
        """Return a product as a sum; None if neither factor is a constant."""
        if isinstance(a, Const):
            a, b = b, a
        return times(self.of(a), sign_extend(b.bits, 64)) if isinstance(b, Const) else None
