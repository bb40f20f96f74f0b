"""Numbers that work-items have but for multiples of a power of two, and bounds of these.

A table that a workgroup fills together has elements of its own for each work-item: those of its
number, and a stride further in each iteration. So has a row, or a column, of each work-item.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from math import gcd

import numpy as np

from ..ranges.guards import Guards
from ..ranges.integer_ranges import Ranges
from ..values.item_numbers import Numbers
from ..values.ssa import Const, Op, Phi, Ssa, Value
from .round_counter import steps_of

_WORDS = 1 << 32
_LARGEST = 1 << 31
"""The largest stride."""


class Strides:
    """What is known of values; `known` returns the numbers that work-items have, or None."""

    def __init__(self, ssa: Ssa, items: int, known: Callable[[Value], Numbers | None]) -> None:
        self._ssa, self._items, self._known = ssa, items, known
        self._bounds: dict[tuple[Value, int | None], tuple[int, int]] = {}
        self._strides: dict[Value, tuple[Numbers, int]] = {}

    # --- bounds

    @cached_property
    def _ranges(self) -> Ranges:
        return Ranges(self._ssa)

    @cached_property
    def _guards(self) -> Guards:
        return Guards(self._ssa)

    def bounds(self, value: Value, node: int | None, depth: int) -> tuple[int, int]:
        """Return the least and the largest number that a value may have at a node."""
        if (value, node) not in self._bounds:
            self._bounds[value, node] = self._bounds_of(value, node, depth)
        return self._bounds[value, node]

    def _bounds_of(self, value: Value, node: int | None, depth: int) -> tuple[int, int]:
        found = self._ranges.of(value)
        least, most = (found.least, found.most) if found.is_unsigned(32) else (0, _WORDS - 1)
        for guard in self._guards.at(node) if node is not None else ():
            if guard.value is value and isinstance(guard.other, Const):
                if guard.relation in ("lt", "le") and not guard.type.is_signed:
                    most = min(most, guard.other.bits - (guard.relation == "lt"))
        if isinstance(value, Op) and depth and value.ins.row.name in _ONTO:
            each = [self.bounds(arg, node, depth - 1)[1] for arg in value.args]
            above = _ONTO[value.ins.row.name](*each)
            most = min(most, above if above < _WORDS else most)
        return least, most

    # --- strides

    def of(self, value: Value, depth: int) -> tuple[Numbers, int]:
        """Return a number for each work-item, and the stride: its own one is that and multiples.

        The stride is a power of two; 0 if the numbers are exact.
        """
        found = self._strides.get(value)
        if found is not None:
            return found
        known = self._known(value)
        if known is not None:
            # Those of each iteration of a counter are not looked at.
            found = (known, 0) if known.ndim == 1 else None
        elif depth and isinstance(value, Phi):
            found = self._of_phi(value, depth)
        elif depth and isinstance(value, Op):
            found = self._of_op(value, depth)
        self._strides[value] = found or (np.zeros(self._items, np.uint32), 1)
        return self._strides[value]

    def _of_phi(self, phi: Phi, depth: int) -> tuple[Numbers, int] | None:
        flow = self._ssa.flow
        loop = next((loop for loop in flow.loops if loop.header == phi.node), None)
        found = None if loop is None else steps_of(phi, loop)
        if found is None:
            return None
        begin, following = found
        if not isinstance(following, Op) or following.ins.row.name not in ("add_u32", "add_s32"):
            return None
        if phi not in following.args:
            return None
        (step,) = [arg for arg in following.args if arg is not phi] or [phi]
        if not isinstance(step, Const):
            return None
        first, stride = self.of(begin, depth - 1)
        return first, gcd(stride, step.bits, _LARGEST)

    def _of_op(self, op: Op, depth: int) -> tuple[Numbers, int] | None:
        name = op.ins.row.name
        if name not in _OPERATIONS:
            return None
        if name.startswith("and"):
            masks = [arg.bits for arg in op.args if isinstance(arg, Const) and arg.bits]
            return (np.zeros(self._items, np.uint32), gcd(masks[0], _LARGEST)) if masks else None
        (a, by_a), (b, by_b), *more = (self.of(arg, depth - 1) for arg in op.args)
        stem = name.partition("_")[0]
        if stem in ("add", "sub"):
            return (a + b if stem == "add" else a - b), gcd(by_a, by_b)
        factor = op.args[1]
        if not isinstance(factor, Const):
            return None
        times = 1 << (factor.bits & 31) if stem == "shl" else factor.bits
        result, stride = a * np.uint32(times), gcd(by_a * times, _LARGEST) if by_a else 0
        for c, by_c in more:
            result, stride = result + c, gcd(stride, by_c)
        return result, stride


_STEMS = ("add", "sub", "shl", "mul", "mad", "and")
_OPERATIONS = frozenset(f"{stem}_{type_}" for stem in _STEMS for type_ in ("u32", "s32"))

_ONTO: dict[str, Callable[..., int]] = {
    "add_u32": lambda a, b: a + b,
    "mul_u32": lambda a, b: a * b,
    "shl_u32": lambda a, b: a << min(b, 32),
    "mad_u32": lambda a, b, c: a * b + c,
}
"""The largest result, from the largest operands."""
