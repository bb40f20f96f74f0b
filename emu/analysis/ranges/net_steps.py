"""What a loop adds to a value in one iteration, loops of constant length inside it included.

A pointer into a tile goes along a row in an inner loop, and on to the next row in an outer one:
`for i < 5: for j < 5: p += 4; p += 60`. In each iteration of the outer loop it gains 80. It may
also gain what the loop does not change, as the size of a plane.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from ....isa.types import sign_extend
from ..flow.order import Loop
from ..values.ssa import Const, Op, Phi, Ssa, Value
from .stepping import is_invariant
from .trips import Trips, only_exit

MOST_SUMS = 64
"""Sums between two iterations that are followed."""


def net_step(ssa: Ssa, trips: Mapping[int, Trips], loop: Loop, phi: Phi) -> int | None:
    """Return by how much a phi of a loop's header grows in an iteration, if always alike.

    `trips` has the loops whose iterations are counted.
    """
    step = net_steps(ssa, trips, loop, phi)
    return None if step is None or step[1] else step[0]


def net_steps(
    ssa: Ssa, trips: Mapping[int, Trips], loop: Loop, phi: Phi
) -> tuple[int, Mapping[Value, int]] | None:
    """Return the same as a constant, and how often values are added that the loop does not change.

    The sum is one modulo 2^32 or 2^64.
    """
    step = _Steps(ssa, trips).of(loop, phi)
    if step is None or not all(value is None or is_invariant(value, loop) for value in step):
        return None
    number = sign_extend(step.pop(None, 0), phi.cls.bits)
    return number, {value: n for value, n in step.items() if value is not None and n}


_Step = Counter[Value | None]
"""How often values are added, and under None a constant."""


class _Steps:
    def __init__(self, ssa: Ssa, trips: Mapping[int, Trips]) -> None:
        self._ssa = ssa
        self._trips = trips
        self._left = MOST_SUMS

    def of(self, loop: Loop, phi: Phi) -> _Step | None:
        """Return the step of a phi of a loop's header; None if it is not one sum."""
        if phi.node != loop.header:
            return None
        following = {arg for before, arg in phi.args.items() if before in loop.nodes}
        return self._between(phi, following.pop(), loop) if len(following) == 1 else None

    def _between(self, start: Phi, value: Value, loop: Loop) -> _Step | None:
        """Return what a value of an iteration is more than its phi."""
        total = _Step()
        while value is not start:
            self._left -= 1
            if self._left < 0:
                return None
            if isinstance(value, Phi):
                found = self._through(value, loop)
                if found is None:
                    return None
                step, value = found
                total.update(step)
                continue
            if not isinstance(value, Op) or value.ins.row.name not in _SUMS:
                return None
            a, b = value.args[:2]
            stem = value.ins.row.stem
            if stem == "add" and is_invariant(a, loop):
                a, b = b, a
            if not is_invariant(b, loop):
                return None
            sign = 1 if stem == "add" else -1
            if isinstance(b, Const):
                total[None] += sign * b.bits
            else:
                total[b] += sign
            value = a
        return total

    def _through(self, phi: Phi, loop: Loop) -> tuple[_Step, Value] | None:
        """Return what a phi inside a loop is more than another value, and that value."""
        sources = set(phi.args.values())
        if len(sources) == 1:
            return _Step(), sources.pop()
        for inner in self._ssa.flow.loops:
            trips = self._trips.get(inner.number)
            if inner.header != phi.node or trips is None or not inner.nodes < loop.nodes:
                continue
            entering = {arg for before, arg in phi.args.items() if before not in inner.nodes}
            step = self.of(inner, phi) if only_exit(self._ssa.flow, inner) else None
            if step is not None and len(entering) == 1:
                return _Step({v: n * trips.returns for v, n in step.items()}), entering.pop()
        return None


_SUMS = frozenset(f"{stem}_{t}" for stem in ("add", "sub") for t in ("u32", "s32", "u64", "s64"))
