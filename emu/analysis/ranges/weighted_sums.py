"""Sums of two products whose weights add up to a constant, as where two pictures are mixed.

In `x * w + y * (255 - w)` with `w` from 0 to 255, the sum lies between 255 times the least and 255
times the largest of both numbers. Ranges of the two products alone would allow twice as much.
"""

from __future__ import annotations

from collections.abc import Callable

from ....isa.types import sign_extend
from ..values.ssa import Const, Op, Value

Bounds = tuple[int, int]
Products = tuple[tuple[Value, Value], tuple[Value, Value]]


def weighted_bounds(op: Op, bounds_of: Callable[[Value], Bounds | None]) -> Bounds | None:
    """Return the bounds of an addition of two such products; None if it is no such sum.

    `bounds_of` returns the bounds of a value, where they are known.
    """
    products = _products(op)
    if products is None:
        return None
    for i, weight in enumerate(products[0]):
        for j, other in enumerate(products[1]):
            for w, rest in ((weight, other), (other, weight)):
                whole = _complement(w, rest)
                bounds = bounds_of(w)
                if whole is None or bounds is None or bounds[0] < 0 or bounds[1] > whole:
                    continue
                a, b = bounds_of(products[0][1 - i]), bounds_of(products[1][1 - j])
                if a is not None and b is not None:
                    return whole * min(a[0], b[0]), whole * max(a[1], b[1])
    return None


def _products(op: Op) -> Products | None:
    """Return the factors of the two products that a 32-bit `add` or `mad` adds up."""
    match op.ins.row.stem, op.args:
        case "add", [a, b]:
            first, second = _factors(a), _factors(b)
        case "mad", [a, b, c]:
            first, second = (a, b), _factors(c)
        case _:
            return None
    return None if first is None or second is None else (first, second)


def _factors(value: Value) -> tuple[Value, Value] | None:
    if isinstance(value, Op) and value.ins.row.name in ("mul_u32", "mul_s32"):
        return value.args[0], value.args[1]
    return None


def _complement(weight: Value, rest: Value) -> int | None:
    """Return the constant c of `rest` = c - `weight`, if it is positive."""
    if not isinstance(rest, Op) or rest.ins.row.name not in ("sub_u32", "sub_s32"):
        return None
    whole, less = rest.args
    if less is not weight or not isinstance(whole, Const):
        return None
    number = sign_extend(whole.bits, 32)
    return number if number > 0 else None
