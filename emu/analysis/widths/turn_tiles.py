"""Kernels of grids whose lanes leave loops in turn: neighbours down leave as late as those across.

A warp runs until its last lane has left. In a fractal or a scene, lanes of a square leave within
fewer iterations than those of a row. So workgroups are eight wide, if all that loops access are
loads that are the same for all lanes of such a workgroup.
"""

from __future__ import annotations

from dataclasses import replace
from math import gcd, prod

from ....isa.program import Kernel
from ...recent import Recent
from ..analysis import analyse
from ..facts import Facts
from ..warps.uniformity import Shapes

ACROSS = 8
"""Work-items of a row of such a workgroup: warps of 32 and of 64 lanes are near squares."""

MOST_ITEMS = 256
"""Work-items of the largest one."""

LEAST_WIDTH = 64
"""Lanes of the widest warps, which workgroups must be whole numbers of."""

_FOUND: Recent[tuple[object, ...], bool] = Recent()


def turn_tile(
    kernel: Kernel, facts: Facts, items: tuple[int, int, int]
) -> tuple[int, int, int] | None:
    """Return the size of workgroups near squares for a grid, if a kernel gains by them.

    `facts` are those of any workgroups. All of the grid must be in whole workgroups.
    """
    down = gcd(items[1], MOST_ITEMS // ACROSS)
    if items[0] % ACROSS or ACROSS * down < LEAST_WIDTH:
        return None
    size = (ACROSS, down, 1)
    tiles = replace(facts, width=LEAST_WIDTH, whole=True, group_size=size)
    return size if leaves_in_turn(kernel, tiles) else None


def in_row(facts: Facts) -> Facts:
    """Return the facts of a workgroup of as many work-items in a row."""
    return replace(facts, group_size=(prod(facts.group_size), 1, 1))


def leaves_in_turn(kernel: Kernel, facts: Facts) -> bool:
    """Return whether workgroups are near squares whose lanes leave loops in turn.

    All that these loops access are loads that are the same for all of its lanes.
    """
    if facts.group_size[0] != ACROSS or prod(facts.group_size) % LEAST_WIDTH:
        return False
    if kernel.private_size or not facts.whole:
        return False
    if any(ins.row.is_barrier for ins in kernel.instructions):
        return False
    tiles = replace(facts, width=LEAST_WIDTH)
    key = kernel.key, tiles
    found = _FOUND.find(key)
    if found is None:
        found = _FOUND.keep(key, _leaves_in_turn(analyse(kernel).shapes(tiles)))
    return found


def _leaves_in_turn(shapes: Shapes) -> bool:
    inside = {number for loop in shapes.flow.loops for number in loop.nodes}
    return bool(shapes.divergent_loops) and not any(
        op.ins.row.is_memory
        and not (op.ins.row.is_load and (op.base is None or shapes.is_uniform(op.base)))
        for number in inside
        for op in shapes.ssa.ops.get(number, ())
    )
