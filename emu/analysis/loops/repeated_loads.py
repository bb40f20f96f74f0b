"""Short loops that load the same in each iteration of a loop around them.

`for (c = 0; c < k; c++) for (f = 0; f < 8; f++) apart = x[f * n + item] - centroid[c][f]` loads the
features of a work-item again for each centroid. If the inner loop has a copy for each iteration,
the outer one has none inside: its version without tests (jit/kernel/loops/hoisted.py) loads them
once.
"""

from __future__ import annotations

from ....isa.table import Unit
from ....isa.types import Segment
from ..flow.order import Loop
from ..ranges.stepping import changed_parts
from ..values.ssa import Op, Phi, Ssa, Value, made_of


def repeats_loads(ssa: Ssa, loop: Loop) -> bool:
    """Return whether the loop around an inner one stores nothing, and repeats a lane's own load."""
    if loop.parent is None:
        return False
    outer = ssa.flow.loops[loop.parent]
    around = [op.ins.row for number in outer.nodes for op in ssa.ops.get(number, ())]
    return all(row.is_load for row in around if row.is_memory) and any(
        op.ins.row.is_load
        and op.ins.row.segment is Segment.GLOBAL
        and op.base is not None
        and any(isinstance(v, Op) and v.ins.row.unit is Unit.ID for v in made_of([op.base]))
        and _is_repeated(ssa, op.base, loop, outer)
        for number in loop.nodes
        for op in ssa.ops.get(number, ())
    )


def _is_repeated(ssa: Ssa, value: Value, loop: Loop, outer: Loop) -> bool:
    """Return whether a value is the same in the same iteration of an inner loop each time.

    That loop may have loops in it.
    """
    headers = {inner.header for inner in ssa.flow.loops if inner.nodes <= loop.nodes}
    return all(
        isinstance(part, Phi) and part.node in headers for part in changed_parts(value, outer)
    )
