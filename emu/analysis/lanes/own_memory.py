"""Loops over memory of each lane's own: stacks, tables of registers, heaps.

Lanes access private memory at offsets that differ, so each access gathers or scatters, and they
take different sides of branches. One lane alone has loads and stores that the first-level cache
serves, and real branches. Which is faster depends on how much the lanes have in common.
"""

from __future__ import annotations

from ....isa.types import Segment
from ..flow.order import Loop
from ..warps.uniformity import Shapes


def has_own_memory(shapes: Shapes, loop: Loop) -> bool:
    """Return whether lanes of a loop access private memory at offsets that differ, and diverge."""
    ops = (op for number in loop.nodes for op in shapes.ssa.ops.get(number, ()))
    return has_divergent_branch(shapes, loop) and any(
        op.ins.row.segment is Segment.PRIVATE
        and op.ins.row.is_memory
        and op.base is not None
        and not shapes.is_uniform(op.base)
        for op in ops
    )


def has_divergent_branch(shapes: Shapes, loop: Loop) -> bool:
    """Return whether lanes of a loop take different sides of a branch in it."""
    uniform = shapes.uniform_branches()
    return any(n in shapes.ssa.conditions and n not in uniform for n in loop.nodes)
