"""Kernels that take places apart by three, as an image's colours: warps of three vectors.

`x % 3` and `x / 3` are the same in all such warps, but for what these have in common. So accesses
by them are wide ones and shuffles (jit/kernel/memory/shuffles/columns.py).
"""

from __future__ import annotations

from dataclasses import replace
from math import prod

from ....isa.program import Kernel
from ....isa.types import Segment
from ...recent import Recent
from ..analysis import analyse
from ..facts import Facts
from ..suitability.barriers import has_barriers
from ..suitability.limits import backward_branches
from ..values.ssa import Const, Op, Ssa
from .columns import index_of

THREE_VECTORS = 48
"""Lanes of a warp of three vectors of words."""

THIRDS = (3072, 1536, 768, 384, 192)
"""Work-items of a row of such warps."""

_IN_THIRDS: Recent[tuple[object, ...], bool] = Recent()


def goes_by_thirds(kernel: Kernel) -> bool:
    """Return whether a kernel without loops accesses memory by places divided by three."""
    if has_barriers(kernel) or backward_branches(kernel) or kernel.private_size:
        return False
    if not any(ins.row.stem in ("rem", "div") for ins in kernel.instructions):
        return False
    found = _IN_THIRDS.find(kernel.key)
    return _IN_THIRDS.keep(kernel.key, _accesses_thirds(kernel)) if found is None else found


def thirds_facts(kernel: Kernel, facts: Facts) -> Facts | None:
    """Return the facts of warps of 48 lanes for such kernels, in workgroups of one row of them."""
    across = facts.group_size[0]
    if across % THREE_VECTORS or prod(facts.group_size) != across:
        return None
    return replace(facts, width=THREE_VECTORS) if goes_by_thirds(kernel) else None


def _accesses_thirds(kernel: Kernel) -> bool:
    analysis = analyse(kernel)
    if not _divides_by_thirds(analysis.ssa):
        return False
    facts = Facts(THREE_VECTORS, (THIRDS[-1], 1, 1), whole=True)
    shapes = analysis.shapes(facts)
    for value in analysis.ssa.values():
        if not isinstance(value, Op) or value.ins.row.segment is not Segment.GLOBAL:
            continue
        index = None if value.base is None else index_of(value.base)
        if index is None or shapes.is_uniform(index):
            continue
        found = shapes.distances_of(index)
        if found is not None and found.step is None:
            return True
    return False


def _divides_by_thirds(ssa: Ssa) -> bool:
    return any(
        op.ins.row.name in ("rem_u32", "div_u32")
        and isinstance(divisor := op.args[1], Const)
        and divisor.bits % 3 == 0 < divisor.bits
        and THREE_VECTORS % divisor.bits == 0
        for ops in ssa.ops.values()
        for op in ops
    )
