"""Parts of a workgroup that share no group memory, so that each may be a workgroup of its own.

In kernels that sum up a row by 32 work-items, a workgroup of 256 is eight rows. Its barriers are
for all of them, but a work-item only sees the words of its own row. Two things show that:

- Whatever a work-item does depends on its number within its part, but for offsets into group
  memory. These are the same in each part, plus the part's number times one step.
- The words that a part accesses, found in a walk through its tree, are others in each part.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ....asm.flow.graph import reachable
from ....isa.table import Flags
from ....isa.types import Segment
from ..facts import ABSOLUTE
from ..flow.barriers import ends_round
from ..lanes.running import Walk, has_known_lanes
from ..ranges.offset_ranges import Ranges
from ..values.ssa import Const, Op, Phi, Ssa, Value
from ..warps.uniformity import Shapes
from .forwarded import WORD
from .forwarded_copies import forwarded_in_copies

_ALL = (1 << 32) - 1


def step_of_parts(ssa: Ssa, items: int) -> int | None:
    """Return the bytes between the words of one part of `items` work-items and those of the next.

    `items` is a power of two. None if a work-item's results may show which part it is in, if there
    are atomics, or if a barrier may follow a store to global memory.
    """
    try:
        steps = _Steps(ssa, items).of_offsets
    except _IsSeen:
        return None
    if len(steps) != 1 or not _stores_last(ssa):
        return None
    (step,) = steps
    return step if 0 < step <= _ALL >> 1 and step % WORD == 0 else None


def are_apart(
    shapes: Shapes, runs_with: Mapping[int, int], total: int, parts: int, step: int
) -> bool:
    """Return whether parts share none of `total` bytes, and have their words in registers.

    `shapes` are those of one part as a workgroup of one warp, where a node runs as often as the one
    that it `runs_with`. `step` is what `step_of_parts` returns.
    """
    if not (shapes.facts.whole and has_known_lanes(shapes)):
        return False
    copied = Walk(shapes, Ranges(shapes).trips, gains=False).copied
    found = forwarded_in_copies(shapes, copied, runs_with, total, shapes.facts.chunk)
    words, step = found.words, step // WORD
    if words is None:
        return False
    if words[-1] + (parts - 1) * step >= total // WORD:
        return False
    return all(np.intersect1d(words, words + n * step).size == 0 for n in range(1, parts))


def _stores_last(ssa: Ssa) -> bool:
    """Return whether no barrier follows a store to global memory."""
    flow = ssa.flow
    storing = (
        number
        for number, ops in ssa.ops.items()
        if any(op.ins.row.is_store and op.ins.row.segment is Segment.GLOBAL for op in ops)
    )
    ways = {n.number: n.successors for n in flow.nodes}
    return not any(ends_round(flow, n) for n in reachable(ways, storing, ways))


class _IsSeen(Exception):
    """What a work-item does may depend on the part that it is in."""


class _Steps:
    """How far values move from part to part; all others are the same for a number in the part."""

    def __init__(self, ssa: Ssa, items: int) -> None:
        self._items = items
        self._found: dict[Value, int] = {}
        self.of_offsets: set[int] = set()
        """The steps of offsets into group memory."""
        values, size = ssa.values(), -1
        while size < len(self._found):
            size = len(self._found)
            for value in values:
                step = self._of(value)
                if step is not None:
                    self._found[value] = step
        if size < len(values) or any(self._at(c) for c in ssa.conditions.values()):
            raise _IsSeen

    def _at(self, value: Value) -> int | None:
        return 0 if isinstance(value, Const) else self._found.get(value)

    def _of(self, value: Value) -> int | None:
        """Return the step of a value, as far as those of its operands are known."""
        if isinstance(value, Phi):
            known = {step for step in map(self._at, value.args.values()) if step is not None}
            if len(known) > 1:
                raise _IsSeen
            return known.pop() if known else None
        assert isinstance(value, Op)
        steps = [step for step in map(self._at, value.args) if step is not None]
        return self._of_op(value, steps) if len(steps) == len(value.args) else None

    def _of_op(self, op: Op, steps: list[int]) -> int:
        row = op.ins.row
        if row.is_identity:
            return self._of_identity(op)
        if Flags.CROSS_LANE in row.flags or row.is_atomic:
            raise _IsSeen
        if row.is_memory and row.segment is Segment.GROUP:
            self.of_offsets.add(steps.pop() if op.base is not None else 0)
        elif row.stem == "lda":
            return sum(steps)
        if not any(steps):
            return 0
        if row.is_memory or row.type is None or row.type.name not in ("u32", "s32"):
            raise _IsSeen
        return self._of_sum(op, steps) & _ALL

    def _of_identity(self, op: Op) -> int:
        match op.ins.row.stem, op.ins.literals:
            case ("workitemid", (0,)) | ("workitemflatid", _):
                return self._items
            case ("workitemid", _):
                return 0
            case (stem, _) if stem in ABSOLUTE:
                return 0
        raise _IsSeen

    def _of_sum(self, op: Op, steps: list[int]) -> int:
        """Return the step of an op on 32-bit integers of which one moves."""
        row, last = op.ins.row, op.args[-1]
        number = last.bits & _ALL if isinstance(last, Const) else None
        match row.stem, steps:
            case "add", [a, b]:
                return a + b
            case "sub", [a, b]:
                return a - b
            case "mul", [a, b]:
                return self._of_product(op.args, a, b)
            case "mad", [a, b, c]:
                return self._of_product(op.args, a, b) + c
            case "shl", [a, _] if number is not None:
                return a << (number & 31)
            case "and", [a, _] if number is not None and number & (number + 1) == 0:
                if a % (number + 1) == 0:
                    return 0  # bits of the number within a part
            case "rem", [a, _] if number and row.name == "rem_u32":
                if number & (number - 1) == 0 and a % number == 0:
                    return 0
            case "shr", [a, _] if number is not None and _is_item(op.args[0]):
                if a % (1 << (number & 31)) == 0:
                    return a >> (number & 31)
        raise _IsSeen

    def _of_product(self, factors: list[Value], a: int, b: int) -> int:
        """Return the step of a product of two values that move by `a` and `b`."""
        for step, other in ((a, factors[1]), (b, factors[0])):
            if step and isinstance(other, Const):
                return step * other.bits
        if a or b:
            raise _IsSeen
        return 0


def _is_item(value: Value) -> bool:
    return isinstance(value, Op) and value.ins.row.is_identity
