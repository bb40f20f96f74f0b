"""The ranges of all values at once: each follows from others, that of a phi from itself as well."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, Self, TypeVar

from ..values.ssa import Op, Phi, Value


class HasUnion(Protocol):
    """A range, of whatever."""

    def union(self, other: Self, /) -> Self:
        """Return the least range that has both."""
        ...


R = TypeVar("R", bound=HasUnion)

CHANGES = 4
"""How often the range of a phi may grow before its bounds are given up."""

MOST_PASSES = 50
"""Over all values; kernels that need more get no ranges."""


def solve(
    found: dict[Value, R],
    values: Sequence[Op | Phi],
    known: Callable[[Value], R | None],
    range_of: Callable[[Op], R | None],
    without_bounds: Callable[[R], R],
) -> None:
    """Fill `found` with the ranges of values; leave it empty where they do not settle.

    `known` is the range of an argument of a phi, `range_of` that of an instruction, as far as
    ranges are found: None as long as no value has arrived. `without_bounds` is what remains of the
    range of a phi that keeps growing.
    """
    changes: dict[Value, int] = {}
    for _ in range(MOST_PASSES):
        changed = False
        for value in values:
            new = range_of(value) if isinstance(value, Op) else _union(found, value, known)
            if new is None or new == found.get(value):
                continue
            if isinstance(value, Phi):
                changes[value] = changes.get(value, 0) + 1
                if changes[value] > CHANGES:
                    new = without_bounds(new)
            if new != found.get(value):
                found[value] = new
                changed = True
        if not changed:
            return
    found.clear()


def _union(found: dict[Value, R], phi: Phi, known: Callable[[Value], R | None]) -> R | None:
    total = found.get(phi)
    for value in phi.args.values():
        one = known(value)
        if one is not None:
            total = one if total is None else total.union(one)
    return total
