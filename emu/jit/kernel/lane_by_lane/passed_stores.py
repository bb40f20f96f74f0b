"""Stores that a lane may pass by, made without a branch.

Such a branch is often mispredicted. The stores are made in any case, to where nothing reads them if
the lane would not run them.
"""

from __future__ import annotations

from collections.abc import Collection, Container

from .....isa.types import Segment
from ....analysis.flow.order import Loop
from ....analysis.lanes.short_sides import short_side
from ....analysis.values.ssa import Op
from ..instructions import Instructions
from ..lane_code import LaneCode
from ..memory.one_lane.conditional import may_be_conditional


class PassedStores:
    """Emits the sides of branches that have few stores; `one` is the code of the lane.

    Accesses whose pcs are in `kept` have tests of their own.
    """

    def __init__(
        self, one: LaneCode, instructions: Instructions, loop: Loop, kept: Container[int]
    ) -> None:
        self._one, self._instructions, self._loop, self._kept = one, instructions, loop, kept

    def side(self, number: int) -> int | None:
        """Return the side of a node's branch that may run without it, if there is one."""
        ssa, memory = self._one.ssa, self._instructions.access.global_
        side = short_side(ssa, self._loop, number)
        if side is None or side in self._one.charges.node:
            return None
        ops = ssa.ops.get(side, ())
        may = all(
            may_be_conditional(memory.addresses, op) and op.pc not in self._kept for op in ops
        )
        return side if may else None

    def emit(self, number: int, side: int) -> str:
        """Append the side; return whether the lane would run it, an i1."""
        code, one, memory = self._one.code, self._one, self._instructions.access.global_
        condition = one.scalar(one.ssa.conditions[number])
        if one.flow.nodes[number].successors[0] == side:
            condition = code.let(f"xor i1 {condition}, true")
        memory.condition = condition
        for op in one.ssa.ops.get(side, ()):
            self._instructions.op(op)
        memory.condition = None
        return condition

    def has_cold_sides(self, certain: Collection[Op]) -> bool:
        """Return whether some accesses of the loop have cold sides, if others are `certain`."""
        ssa = self._one.ssa
        ops = (op for number in self._loop.nodes for op in ssa.ops.get(number, ()))
        return any(op.ins.row.segment is Segment.GLOBAL and op not in certain for op in ops)
