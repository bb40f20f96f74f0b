"""Shapes in a part of a kernel before which a test has shown how the lanes of some values differ.

In tiles of a triangular problem a loop begins at `row == column ? item + 1 : 0`, or at
`max(item - first, 0)`: at one number for all lanes, but in tiles on the diagonal. Where it is one,
the counter and what is computed from it are scalars.

A list of zones or cells often has runs of neighbours. Where its numbers in a warp are one, what is
loaded by them are neighbours as well.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from ....isa.types import S32, U32, Segment
from ..flow.order import Loop
from ..values.ssa import Const, Op, Phi, Value, same_value
from .distances import Distances
from .uniformity import Shapes

_CHOICES = frozenset({"select", "min", "max"})
MOST_PARTS = 8
"""Instructions between a choice and where a phi begins."""

LEAST_ACCESSES = 4
"""Accesses of neighbours by one number of a list that are worth code of their own."""


def may_begin_together(shapes: Shapes, loop: Loop) -> frozenset[Phi]:
    """Return the phis of a loop's header that differ by a choice, one side of which is uniform."""
    found = set[Phi]()
    for phi in shapes.ssa.phis.get(loop.header, ()):
        begins = [arg for before, arg in phi.args.items() if before not in loop.nodes]
        varying = [arg for arg in begins if not isinstance(arg, Const) and not _is_one(shapes, arg)]
        if varying and all(_is_chosen(shapes, arg, MOST_PARTS) for arg in varying):
            found.add(phi)
    return frozenset(found)


def _is_one(shapes: Shapes, value: Value) -> bool:
    return isinstance(value, Const) or shapes.is_uniform(value)


def _is_chosen(shapes: Shapes, value: Value, left: int) -> bool:
    """Return whether a value is such a choice, or computed from one and from uniform values."""
    if not isinstance(value, Op) or value.ins.row.has_address or not left:
        return False
    if value.ins.row.stem in _CHOICES:
        return any(_is_one(shapes, side) for side in value.args[-2:])
    varying = [arg for arg in value.args if not _is_one(shapes, arg)]
    return bool(varying) and all(_is_chosen(shapes, arg, left - 1) for arg in varying)


class AgreedShapes(Shapes):
    """Uniformity and strides of the values of a part if some have a known step from lane to lane.

    `steps` are these steps; neighbours (a step of 1) are numbers below 2^31. Other values have the
    shapes that they had.
    """

    def __init__(
        self,
        shapes: Shapes,
        part: Collection[Value],
        steps: Mapping[Value, int],
        begun: Mapping[Value, Value] | None = None,
    ) -> None:
        """`begun` are phis that all lanes begin alike, and what they are in later iterations."""
        self._all, self._part, self._steps = shapes, part, steps
        self._begun = begun or {}
        super().__init__(shapes.ssa, shapes.facts)

    def changed(self) -> frozenset[Value]:
        """Return the values that vary no more, or step."""
        return frozenset(
            v
            for v in self._part
            if self.is_uniform(v) != self._all.is_uniform(v)
            or self.stride(v) != self._all.stride(v)
            or self.piece_stride(v) != self._all.piece_stride(v)
        )

    def _varies(self, value: Value) -> bool:
        if value not in self._part or self._all.is_uniform(value):
            return not self._all.is_uniform(value)
        if value in self._begun:
            return self._begun[value] in self.varying
        return super()._varies(value)

    def _op_stride(
        self, op: Op, strides: list, unknown: object, in_pieces: bool
    ) -> int | object | None:
        return self._steps.get(op) or super()._op_stride(op, strides, unknown, in_pieces)

    def _keeps_step(self, cvt: Op) -> bool:
        return self._steps.get(cvt.args[0]) == 1 or super()._keeps_step(cvt)

    def stride(self, value: Value) -> int | None:
        """Return the step from lane to lane, 0 for uniform values; None where there is none."""
        known = self._all.stride(value)
        return super().stride(value) if value in self._part and known is None else known

    def piece_stride(self, value: Value) -> int | None:
        """Return the step from lane to lane within each piece of the warp, or None."""
        known = self._all.piece_stride(value)
        return super().piece_stride(value) if value in self._part and known is None else known

    def distances_of(self, value: Value) -> Distances | None:
        """Return how far the lanes of a 32-bit value are from lane 0; None if not known."""
        known = self._all.distances_of(value)
        return super().distances_of(value) if value in self._part and known is None else known


def with_agreed(shapes: Shapes, loop: Loop, agreed: Collection[Phi]) -> AgreedShapes:
    """Return the shapes in a loop if all lanes begin phis of its header alike."""
    part = {v for v in shapes.ssa.values() if isinstance(v, (Op, Phi)) and v.node in loop.nodes}
    begun = dict[Value, Value]()
    for phi in agreed if shapes.flow.has_one_entry(loop) else ():
        later = {same_value(a): a for before, a in phi.args.items() if before in loop.nodes}
        if len(later) == 1:
            begun[phi] = later.popitem()[1]
    return AgreedShapes(shapes, part, {}, begun)


def with_neighbours(shapes: Shapes, load: Op, after: Sequence[Op]) -> AgreedShapes | None:
    """Return the shapes of the ops of a node after a load if it loads numbers that are neighbours.

    None if few of the ops access neighbours then.
    """
    row = load.ins.row
    if not row.is_load or row.segment is not Segment.GLOBAL or row.type not in (U32, S32):
        return None
    if load.base is None or shapes.stride(load.base) != row.type.size:
        return None
    used = {load}
    for op in after:
        if not op.ins.row.is_load and not used.isdisjoint(op.args):
            used.add(op)
    accesses = [op for op in after if op.ins.row.segment is Segment.GLOBAL and op.base in used]
    if len(accesses) < LEAST_ACCESSES:
        return None
    found = AgreedShapes(shapes, {load, *after}, {load: 1})
    wide = sum(
        op.ins.row.type is not None and found.stride(op.base) == op.ins.row.type.size
        for op in accesses
        if op.base is not None
    )
    return found if wide >= LEAST_ACCESSES else None
