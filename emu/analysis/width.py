"""The width of native code's warps, where results do not depend on it.

Most kernels do best at 32 lanes. Loops that all lanes leave together and whose accesses are wide or
the same for all, known beforehand, need few masks and registers. For them twice the lanes are twice
the independent work, which hides the latency of instructions.
"""

from __future__ import annotations

from dataclasses import replace
from math import prod

from ...isa.program import Kernel
from ...isa.types import Segment
from .analysis import analyse
from .ssa import Op
from .uniformity import Facts, Shapes

USUAL = 32
WIDE = 64


def width_for(kernel: Kernel, facts: Facts) -> int:
    """Return the lanes of a warp, given the facts of the launch with warps of the usual width."""
    branches = any(ins.target is not None for ins in kernel.instructions)
    if prod(facts.group_size) % WIDE or not branches:
        return USUAL
    key = (kernel.words, facts.group_size, facts.whole)
    found = _FOUND.get(key)
    if found is None:
        wide = replace(facts, width=WIDE)
        gains = wide.rows == facts.rows and gains_by_width(analyse(kernel).shapes(wide))
        found = _FOUND[key] = WIDE if gains else USUAL
    return found


_FOUND: dict[tuple[object, ...], int] = {}


def gains_by_width(shapes: Shapes) -> bool:
    """Return whether there are loops, all left together, whose accesses are wide or uniform.

    Kernels with barriers whose rows are shorter than a warp need no loop: fewer warps take turns.
    """
    loops = shapes.flow.loops
    inside = {number for loop in loops for number in loop.nodes}
    tiles = shapes.facts.piece and any(
        node.last is not None and node.last.row.is_barrier for node in shapes.flow.nodes
    )
    return (
        bool(loops or tiles)
        and not shapes.divergent_loops
        and all(_is_easy(shapes, op) for n in inside for op in shapes.ssa.ops.get(n, ()))
    )


def _is_easy(shapes: Shapes, op: Op) -> bool:
    """Return whether an op accesses neighbouring places or one place for all lanes, or none."""
    row = op.ins.row
    if not row.is_memory or row.segment is Segment.KERNARG:
        return True
    if row.is_atomic or row.segment is Segment.PRIVATE or row.type is None:
        return False
    return op.base is None or shapes.piece_stride(op.base) in (0, row.type.size)
