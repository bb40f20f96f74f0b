"""Barriers that every warp reaches with all of its live lanes, known before the launch.

A lock-step divergence scheme traps where a warp reaches a barrier with a part of its lanes. That
depends on the width of warps and on where the scheme re-converges, which native code does not
follow. A barrier is safe unless it lies between a branch that may diverge and its re-convergence
point; kernels with other barriers run in the interpreter's order.
"""

from __future__ import annotations

from dataclasses import replace
from math import prod

from ....isa.program import Kernel
from ...recent import Recent
from ..analysis import analyse
from ..facts import Facts
from ..values.ssa import Ssa
from ..warps.uniformity import Shapes


def arrive_whole(kernel: Kernel, facts: Facts) -> bool:
    """Return whether warps reach every barrier with all live lanes, given facts of the launch."""
    if facts.width == 1 or not has_barriers(kernel):
        return True
    key = (kernel.key, facts)
    found = _FOUND.find(key)
    return _FOUND.keep(key, _arrive_whole(kernel, facts)) if found is None else found


_FOUND: Recent[tuple[object, ...], bool] = Recent()


def has_barriers(kernel: Kernel) -> bool:
    """Return whether a kernel has a barrier."""
    found = _HAS_BARRIERS.find(kernel.key)
    if found is None:
        found = any(ins.row.is_barrier for ins in kernel.instructions)
        _HAS_BARRIERS.keep(kernel.key, found)
    return found


_HAS_BARRIERS: Recent[tuple[object, ...], bool] = Recent()


def _arrive_whole(kernel: Kernel, facts: Facts) -> bool:
    analysis = analyse(kernel)
    flow = analysis.flow
    divergent = analysis.ssa.conditions.keys() - analysis.shapes(facts).uniform_branches()
    return not any(
        node.last is not None and node.last.row.is_barrier
        for branch in divergent
        for node in map(flow.nodes.__getitem__, flow.sides(branch)[0])
    )


def arrive_together(ssa: Ssa, facts: Facts) -> bool:
    """Return whether all work-items of a workgroup reach each barrier together, and none returns.

    No barrier and no `ret` is then on a path that only some of them take.
    """
    if not facts.whole:
        return False
    flow = ssa.flow
    shapes = Shapes(ssa, replace(facts, width=prod(facts.group_size), one_warp=True))
    for branch in ssa.conditions.keys() - shapes.uniform_branches():
        for number in flow.sides(branch)[0]:
            last = flow.nodes[number].last
            if last is not None and (last.row.is_barrier or last.row.stem in ("ret", "trap")):
                return False
    return True
