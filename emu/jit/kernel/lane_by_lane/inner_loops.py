"""Loops inside a loop that a lane runs alone, tested where the lane enters them.

That is in the version without cold sides. A counted loop has most of its tests, and its charge,
before it. Where one of these does not hold, the lane continues in the version with cold sides.
"""

from __future__ import annotations

from .....isa.types import Segment
from ....analysis.flow.order import Loop
from ....analysis.values.ssa import Ssa
from ..instructions import Instructions
from ..lane_code import LaneCode
from ..loops.hoisted import Hoisted
from ..loops.versions import SIDES, UNROLLED

TESTED = 2
"""Instructions that an access counts as there whose test has no cold side."""


def inner_loops(ssa: Ssa, loop: Loop) -> dict[int, Loop]:
    """Return header -> loop, of the innermost loops in another one that may be tested so.

    They access global memory only: what tests of private memory need is not known here.
    """
    loops = ssa.flow.loops
    return {
        inner.header: inner
        for inner in loops
        if inner is not loop
        and inner.header in loop.nodes
        and all(other.parent != inner.number for other in loops)
        and all(
            not op.ins.row.is_memory or op.ins.row.segment is Segment.GLOBAL
            for number in inner.nodes
            for op in ssa.ops.get(number, ())
        )
    }


class InnerLoops:
    """Emits the tests; `one` is the code of the lane, in one version of the loop around."""

    def __init__(self, one: LaneCode, instructions: Instructions, loops: dict[int, Loop]) -> None:
        self._one, self._instructions = one, instructions
        self._loops = loops
        self._charged: set[int] = set()
        """The headers of loops that are charged before they run."""

    def begins(self, header: int, source: int) -> bool:
        """Return whether an edge leads into one of these loops from outside of it."""
        loop = self._loops.get(header)
        return loop is not None and source not in loop.nodes

    def has(self, header: int) -> bool:
        """Return whether a node is the header of one of these loops."""
        return header in self._loops

    def is_charged(self, loop: Loop) -> bool:
        """Return whether a loop has been charged before."""
        return loop.header in self._charged

    def written(self, loop: Loop) -> int:
        """Return how many iterations of a loop shall follow each other without a branch, or 0.

        All of them, if their number is a constant and they are charged before.
        """
        access, ssa = self._instructions.access, self._one.ssa
        trips = access.trips.get(loop.number)
        if trips is None or not self.is_charged(loop):
            return 0
        length = 0
        for number in loop.nodes:
            has_stored = False
            ops = ssa.ops.get(number, ())
            for op in ops:
                row = op.ins.row
                is_tested = op not in access.global_.certain and access.has_sides(op)
                length += (SIDES if has_stored else TESTED) if is_tested else 1
                has_stored |= row.is_store or row.is_atomic
        return trips.returns + 1 if trips.returns * length <= UNROLLED else 0

    def enter(self, header: int, label: str, checked: str) -> None:
        """Append the tests of a loop, and jump to the `label` of its header or to `checked`."""
        one, code, instructions = self._one, self._one.code, self._instructions
        one.local.clear()
        tested = Hoisted(one, instructions.access, self._loops[header], alone=True)
        if not tested.certain:
            code.jump(label)
            return
        passed = code.fresh_label("inner")
        code.branch(tested.hold(), passed, checked)
        code.block(passed)
        tested.enter()
        if tested.is_charged:
            self._charged.add(header)
        instructions.access.rely_on(instructions.access.global_.certain | tested.certain)
        instructions.steps = {**instructions.steps, **tested.steps()}
        code.jump(label)
