"""Shapes in interior warps, in which comparisons of coordinates decide alike for all lanes.

Most warps of a grid lie inside of it: no lane is at an edge, no index is clamped, and a row does
not end within the warp. Tests on the way into the warp show it (`jit/kernel/interior`), and the
values that depend on edges alone then have one value, or a step from lane to lane.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..facts import Facts
from ..values.ssa import Op, Ssa, Value
from ..warps.distances import Distances
from ..warps.uniformity import Shapes


@dataclass
class Assumed:
    """What tests show for a whole warp, at every time; operands are scalars known from then on."""

    known: dict[Op, str] = field(default_factory=dict)
    """Comparisons and quotients -> the one value that they have."""
    same: dict[Op, int] = field(default_factory=dict)
    """Clamps and choices -> the argument that they give."""
    rest: dict[Op, str] = field(default_factory=dict)
    """Remainders -> what is subtracted from the dividend, an i32."""
    positive: frozenset[Value] = frozenset()
    """Divisors that are at least 1."""

    def copy(self) -> Assumed:
        """Return a copy, for `back_to`."""
        return Assumed(dict(self.known), dict(self.same), dict(self.rest), self.positive)

    def since(self, before: Assumed) -> set[Op]:
        """Return the values of which other results are assumed than when a copy was made."""
        both = (self.known, before.known), (self.same, before.same), (self.rest, before.rest)
        return {op for now, then in both for op in now if now[op] != then.get(op)}

    def back_to(self, before: Assumed) -> None:
        """Drop what was found since a copy was made."""
        self.known, self.same, self.rest = before.known, before.same, before.rest


class InteriorShapes(Shapes):
    """Uniformity and strides of the values of a kernel in interior warps."""

    def __init__(self, ssa: Ssa, facts: Facts, assumed: Assumed) -> None:
        self.known: Mapping[Op, str] = assumed.known
        self.same: Mapping[Op, int] = assumed.same
        self.rest: Mapping[Op, str] = assumed.rest
        super().__init__(ssa, facts)

    def distances_of(self, value: Value) -> Distances | None:
        """Return how far the lanes of a 32-bit value are from lane 0; None if not known.

        Nothing is known where a remainder steps on from lanes that do not run.
        """
        return None if self.rest else super().distances_of(value)

    def _varies(self, value: Value) -> bool:
        if isinstance(value, Op):
            if value in self.known:
                return False
            if value in self.same:
                return value.args[self.same[value]] in self.varying
        return super()._varies(value)

    def _op_stride(
        self, op: Op, strides: list, unknown: object, in_pieces: bool
    ) -> int | object | None:
        if op in self.same:
            return strides[self.same[op]]
        if op in self.rest:
            return strides[0]
        if op.ins.row.stem == "select" and strides[0] == 0 and unknown not in strides:
            return strides[1] if strides[1] == strides[2] else None
        return super()._op_stride(op, strides, unknown, in_pieces)
