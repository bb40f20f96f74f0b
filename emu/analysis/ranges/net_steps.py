"""What a loop adds to a value in one iteration, loops of constant length inside it included.

A pointer into a tile goes along a row in an inner loop, and on to the next row in an outer one:
`for i < 5: for j < 5: p += 4; p += 60`. In each iteration of the outer loop it gains 80.
"""

from __future__ import annotations

from collections.abc import Mapping

from ....isa.types import sign_extend
from ..flow.order import Loop
from ..values.ssa import Const, Op, Phi, Ssa, Value
from .trips import Trips, only_exit

MOST_SUMS = 64
"""Sums between two iterations that are followed."""


def net_step(ssa: Ssa, trips: Mapping[int, Trips], loop: Loop, phi: Phi) -> int | None:
    """Return by how much a phi of a loop's header grows in an iteration, if always alike.

    `trips` has the loops whose iterations are counted.
    """
    return _Steps(ssa, trips).of(loop, phi)


class _Steps:
    def __init__(self, ssa: Ssa, trips: Mapping[int, Trips]) -> None:
        self._ssa = ssa
        self._trips = trips
        self._left = MOST_SUMS

    def of(self, loop: Loop, phi: Phi) -> int | None:
        """Return the step of a phi of a loop's header; None if it is not a constant."""
        if phi.node != loop.header:
            return None
        following = {arg for before, arg in phi.args.items() if before in loop.nodes}
        if len(following) != 1:
            return None
        step = self._between(phi, following.pop(), loop)
        return None if step is None else sign_extend(step, phi.cls.bits)

    def _between(self, start: Phi, value: Value, loop: Loop) -> int | None:
        """Return what a value of an iteration is more than its phi."""
        total = 0
        while value is not start:
            self._left -= 1
            if self._left < 0:
                return None
            if isinstance(value, Phi):
                found = self._through(value, loop)
                if found is None:
                    return None
                step, value = found
                total += step
                continue
            if not isinstance(value, Op) or value.ins.row.name not in _SUMS:
                return None
            a, b = value.args[:2]
            stem = value.ins.row.stem
            if stem == "add" and isinstance(a, Const):
                a, b = b, a
            if not isinstance(b, Const):
                return None
            total += b.bits if stem == "add" else -b.bits
            value = a
        return total

    def _through(self, phi: Phi, loop: Loop) -> tuple[int, Value] | None:
        """Return what a phi inside a loop is more than another value, and that value."""
        sources = set(phi.args.values())
        if len(sources) == 1:
            return 0, sources.pop()
        for inner in self._ssa.flow.loops:
            trips = self._trips.get(inner.number)
            if inner.header != phi.node or trips is None or not inner.nodes < loop.nodes:
                continue
            entering = {arg for before, arg in phi.args.items() if before not in inner.nodes}
            step = self.of(inner, phi) if only_exit(self._ssa.flow, inner) else None
            if step is not None and len(entering) == 1:
                return step * trips.returns, entering.pop()
        return None


_SUMS = frozenset(f"{stem}_{t}" for stem in ("add", "sub") for t in ("u32", "s32", "u64", "s64"))
