"""Pieces of warps that lie in one row, where addresses are made of bits or quotients of places.

A flat number `i` of a place in a picture or matrix has the column `i & 15` or `i % 640` and the row
`i >> 4` or `i / 640`. Its addresses have a step within pieces of a warp, and none across them.
"""

from __future__ import annotations

from dataclasses import replace
from math import gcd

from ....isa.program import Kernel
from ....isa.types import Segment
from ...recent import Recent
from ..analysis import analyse
from ..facts import LARGEST_PIECE, Facts
from ..warps.uniformity import Shapes
from .registers import lane_step

LEAST_ROW_PIECE = 8
"""Lanes of the smallest piece: for smaller ones, wide loads and a permutation are as fast."""

_SPLITS = frozenset({"and", "shr", "bitextract", "div", "rem"})
"""Operations that split a number into places of a row and rows."""

_FOUND: Recent[tuple[object, ...], int] = Recent()


def row_pieces(kernel: Kernel, facts: Facts) -> Facts:
    """Return the facts with the pieces in which most accesses are of neighbours or of one place.

    Pieces are as large as possible. There are none if that gains no access.
    """
    if not facts.rows or not any(ins.row.stem in _SPLITS for ins in kernel.instructions):
        return facts
    key = kernel.key, replace(facts, strips=False)
    found = _FOUND.find(key)
    if found is None:
        found = _FOUND.keep(key, _best_piece(kernel, facts))
    return replace(facts, row_piece=found)


def _best_piece(kernel: Kernel, facts: Facts) -> int:
    shapes = analyse(kernel).shapes(facts)
    if not _splits_places(shapes):
        return 0
    best, most = 0, _wide_accesses(shapes)
    lanes = gcd(LARGEST_PIECE, facts.width, facts.chunk)
    if lanes == facts.width:
        lanes //= 2
    while lanes >= LEAST_ROW_PIECE:
        found = _wide_accesses(analyse(kernel).shapes(replace(facts, row_piece=lanes)))
        if found > most:
            best, most = lanes, found
        lanes //= 2
    return best


def _splits_places(shapes: Shapes) -> bool:
    """Return whether a value that steps from lane to lane is split, and then has no step."""
    return any(
        op.ins.row.stem in _SPLITS
        and shapes.stride(op) is None
        and any(not shapes.is_uniform(a) and shapes.stride(a) is not None for a in op.args)
        for ops in shapes.ssa.ops.values()
        for op in ops
    )


def _wide_accesses(shapes: Shapes) -> int:
    """Return how many accesses are of neighbours or of one place, in each piece of the warp."""
    found = 0
    for ops in shapes.ssa.ops.values():
        for op in ops:
            row = op.ins.row
            if row.segment not in (Segment.GLOBAL, Segment.GROUP) or row.is_atomic:
                continue
            if op.base is not None and row.type is not None:
                found += lane_step(shapes, op.base) in (0, row.type.size)
    return found
