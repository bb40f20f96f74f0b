"""Branches at which all lanes of a warp mostly agree: guards as `if (item < n)`.

Two scalars show whether they do, those of the first and the last lane. The side that a guard skips
is then written once more for lanes that all run it: without masks of its own, which would be many
where a workgroup is one warp, and without blends after it.
"""

from __future__ import annotations

from .....isa.types import S32, U32
from ....analysis.values.ssa import Op
from ..lane_code import LaneCode
from .edges import Edges

LONGEST = 24
"""Most instructions of a side that is written twice."""

_ORDERED = ("lt", "le", "gt", "ge")

Agreed = tuple[str, str]
"""Whether a condition is true for all lanes, and whether it is false for all: i1."""


def side_of(edges: Edges, number: int, targets: tuple[int, int]) -> tuple[int, int] | None:
    """Return the successor that a branch may skip, and the other one; None if there is none.

    Its lanes continue at the other one, and it runs next in any case.
    """
    flow, plan, ssa = edges.lanes.flow, edges.plan, edges.lanes.ssa
    for side, other in (targets, targets[::-1]):
        node = flow.nodes[side]
        ops = ssa.ops.get(side, ())
        if (
            node.predecessors == (number,)
            and node.successors == (other,)
            and flow.route(number, side) == side
            and flow.route(number, other) == flow.route(side, other) == other
            and (node.last is None or node.last.row.stem not in ("barrier", "trap", "ret"))
            and not ssa.phis.get(side)
            and plan.masks.next_of(plan.waits[number] | {side, other}) == side
            and 0 < len(ops) <= LONGEST
            and any(op.ins.row.is_memory for op in ops)
        ):
            return side, other
    return None


def agreed(lanes: LaneCode, number: int) -> Agreed | None:
    """Emit the test whether all lanes agree at a node's branch; None if scalars do not show it."""
    op = lanes.ssa.conditions[number]
    # A comparison in the node of the branch has what it compares.
    counted = _counted(lanes, op) if isinstance(op, Op) and op.node == number else None
    if counted is None or not isinstance(op, Op):
        return None
    code, (this, step) = lanes.code, counted
    sign = "s" if op.ins.row.type is S32 else "u"
    first, bound = lanes.lane0(op.args[this]), lanes.scalar(op.args[1 - this])
    last = code.let(f"add i32 {first}, {step * (lanes.count - 1)}")
    follows = code.let(f"icmp {sign}{'ge' if step > 0 else 'le'} i32 {last}, {first}")
    tests = []
    for end in (first, last):
        a, b = (end, bound) if this == 0 else (bound, end)
        tests.append(code.let(f"icmp {sign}{op.ins.row.stem[4:]} i32 {a}, {b}"))
    both = code.let(f"and i1 {tests[0]}, {tests[1]}")
    either = code.let(f"or i1 {tests[0]}, {tests[1]}")
    neither = code.let(f"xor i1 {either}, true")
    return code.let(f"and i1 {both}, {follows}"), code.let(f"and i1 {neither}, {follows}")


def _counted(lanes: LaneCode, op: Op) -> tuple[int, int] | None:
    """Return which argument of a comparison steps from lane to lane, and its step."""
    row = op.ins.row
    if not row.stem.startswith("cmp_") or row.stem[4:] not in _ORDERED:
        return None
    if row.type not in (U32, S32):
        return None
    for this, other in ((0, 1), (1, 0)):
        value = op.args[this]
        if lanes.shapes.is_uniform(op.args[other]) and lanes.is_counted(value):
            step = (((lanes.shapes.stride(value) or 0) + (1 << 31)) & 0xFFFF_FFFF) - (1 << 31)
            if abs(step) * lanes.count < 1 << 31:
                return this, step
    return None
