"""Group memory of small elements that has a word for each: vectors of one need no extension.

A byte that a piece of a warp shares goes to an integer register, where it is extended, and from
there to all lanes of a vector. CPUs do one such move in a cycle. A word goes from memory to all
lanes as an operand of the instruction that uses it.
"""

from __future__ import annotations

from ....isa.types import Segment
from ..ranges.offset_ranges import Ranges
from ..values.ssa import Op
from ..warps.uniformity import Shapes

WORD = 4


def bytes_of_byte(shapes: Shapes, ranges: Ranges, total: int) -> int:
    """Return how many bytes each of the `total` bytes of group memory takes, 1 if it is as usual.

    Elements take a word each if all accesses are loads and stores of one size, loads of one type,
    of places that are known to be inside: one place or neighbours in each piece of a warp. In a
    loop, a piece loads one place.
    """
    facts = shapes.facts
    ops = [op for found in shapes.ssa.ops.values() for op in found if _is_of_group(op)]
    loads = {op.ins.row.type for op in ops if op.ins.row.is_load}
    if not facts.piece or facts.counts or len(loads) != 1 or not _has_shared(shapes, ops):
        return 1
    (size,) = {op.element.size for op in ops if op.ins.row.is_load}
    fits = all(
        op.element.size == size < WORD
        and not op.element.is_float
        and not op.ins.row.is_atomic
        and _is_inside(shapes, ranges, op, total)
        for op in ops
    )
    return WORD // size if fits else 1


def _is_of_group(op: Op) -> bool:
    return op.ins.row.is_memory and op.ins.row.segment is Segment.GROUP


def _has_shared(shapes: Shapes, ops: list[Op]) -> bool:
    """Return whether a load in a loop is of one place a piece, but not a warp."""
    return any(
        op.ins.row.is_load
        and op.base is not None
        and shapes.flow.loop_of[op.node] is not None
        and not shapes.is_uniform(op.base)
        and shapes.piece_stride(op.base) == 0
        for op in ops
    )


def _is_inside(shapes: Shapes, ranges: Ranges, op: Op, total: int) -> bool:
    """Return whether the pieces of a warp access one place or neighbours, all inside."""
    size, offset = op.element.size, op.address.offset
    if op.base is None:
        return False
    step = shapes.piece_stride(op.base)
    if step != size and not (step == 0 and op.ins.row.is_load):
        return False
    firsts = ranges.of_firsts(op.base, op.node)
    reach = size * shapes.facts.piece if step else size
    return firsts.is_inside(offset, reach, total) and firsts.is_aligned(offset, size)
