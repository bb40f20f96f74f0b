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
    """Return whether lanes of a loop access private memory at offsets that differ, and diverge.

    They do in the innermost loop around such an access: rows of a matrix that a loop exchanges in
    all lanes alike are better exchanged together.
    """
    return any(
        op.ins.row.segment is Segment.PRIVATE
        and op.ins.row.is_memory
        and op.base is not None
        and not shapes.is_uniform(op.base)
        and has_divergent_branch(shapes, shapes.flow.loops_around(number)[0])
        for number in loop.nodes
        for op in shapes.ssa.ops.get(number, ())
    )


def has_divergent_branch(shapes: Shapes, loop: Loop) -> bool:
    """Return whether lanes of a loop take different sides of a branch in it."""
    uniform = shapes.uniform_branches()
    return any(n in shapes.ssa.conditions and n not in uniform for n in loop.nodes)
