"""Comparisons: ordered ones for every type, and those with a rule for NaN."""

from __future__ import annotations

import operator
from collections.abc import Callable

from ...isa.types import Type
from .formats import FORMATS
from .integers import Operation, reader

_ORDERED: dict[str, Callable[[float, float], bool]] = {
    "cmp_eq": operator.eq,
    "cmp_ne": operator.ne,
    "cmp_lt": operator.lt,
    "cmp_le": operator.le,
    "cmp_gt": operator.gt,
    "cmp_ge": operator.ge,
}
"""As Python has them; with a NaN all are false, except `ne`."""


def _nan(x: float, y: float) -> bool:
    return x != x or y != y


_UNORDERED: dict[str, Callable[[float, float], bool]] = {
    "cmp_equ": lambda x, y: x == y or _nan(x, y),
    "cmp_neo": lambda x, y: x != y and not _nan(x, y),
    "cmp_ltu": lambda x, y: x < y or _nan(x, y),
    "cmp_leu": lambda x, y: x <= y or _nan(x, y),
    "cmp_gtu": lambda x, y: x > y or _nan(x, y),
    "cmp_geu": lambda x, y: x >= y or _nan(x, y),
    "cmp_num": lambda x, y: not _nan(x, y),
    "cmp_nan": _nan,
}

COMPARISONS = _ORDERED | _UNORDERED
"""By stem: what holds between two numbers."""


def comparison(stem: str, t: Type) -> Operation:
    """Return the comparison of two patterns of a type; gives 0 or 1."""
    read = FORMATS[t].value if t.is_float else reader(t)
    holds = COMPARISONS[stem]
    if t.bits == t.reg.bits and not (t.is_float or t.is_signed):
        return lambda a, b: int(holds(a, b))  # patterns are the numbers
    return lambda a, b: int(holds(read(a), read(b)))
