"""Addresses with two indices, as the element of a row: a row's own start and a place in it.

Their sum is one index of 32 bits if it does not wrap around, which a comparison shows.
"""

from __future__ import annotations

from dataclasses import replace

from .....analysis.values.ssa import Op, Value
from .addresses import Addresses
from .forms import Form


def of_two_indices(addresses: Addresses, value: Value) -> tuple[Form, Value] | None:
    """Return an address as a sum with an index, and one more index of the same scale.

    Both are unsigned, and nothing else is added but a parameter and a constant. None if the
    address is not of that shape.
    """
    if not isinstance(value, Op) or not value.parts:
        return None
    args = value.args
    match value.ins.row.name:
        case "add_u64" | "add_s64":
            a, b = addresses.form(args[0]), addresses.form(args[1])
        case "mad_u64" | "mad_s64":
            a, b = addresses.forms.product(args[0], args[1]), addresses.form(args[2])
        case _:
            return None
    if a is None or b is None or a.index is None or b.index is None:
        return None
    if a.signed or b.signed or a.scale != b.scale:
        return None
    both = replace(b, index=None, scale=0).plus(a)
    if both is None or len(both.uniform) != 1:
        return None
    ((base, factor),) = both.uniform
    return (both, b.index) if factor == 1 and addresses.pointers.is_param(base) else None
