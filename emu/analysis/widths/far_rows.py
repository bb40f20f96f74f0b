"""Loops whose vectors are loaded from a row that is far from the row of the iteration before.

A work-item that adds up a column of a matrix loads such vectors. Each iteration begins in another
page, of which a host fetches the next lines by itself. It is quickest where the lanes of a warp are
four lines and few iterations follow each other without a branch: the rows under way are then few.
Rows that a loop around this one reads again come from the cache, where that gains nothing.
"""

from __future__ import annotations

from ....isa.types import RegClass, Segment, sign_extend
from ..flow.order import Loop
from ..ranges.stepping import changed_parts, increment_of, is_invariant
from ..values.ssa import Const, Op, Phi, Value
from ..warps.uniformity import LaneShapes, Shapes
from .registers import inner_loops, lane_step

FAR = 2048
"""Bytes from row to row from which on a host does not follow the steps of one load."""

WORD = 4
"""Bytes of elements from which on 64 lanes are four lines; smaller ones gain by 128 lanes."""

MOST_PARTS = 64
"""Operations on the way to one address that are looked at."""


def loads_far_rows(shapes: Shapes) -> bool:
    """Return whether a loop without loops in it loads vectors of rows that may be far apart."""
    return any(has_far_rows(shapes, loop) for loop in inner_loops(shapes))


def has_far_rows(shapes: LaneShapes, loop: Loop) -> bool:
    """Return whether a loop loads vectors of rows that may be far apart."""
    return any(
        _is_vector_load(shapes, op)
        and op.base is not None
        and is_far(loop, op.base)
        and not _is_read_again(shapes, loop, op.base)
        for number in loop.nodes
        for op in shapes.ssa.ops.get(number, ())
    )


def _is_vector_load(shapes: LaneShapes, op: Op) -> bool:
    row, base = op.ins.row, op.base
    if not row.is_load or row.segment is not Segment.GLOBAL or row.type is None or base is None:
        return False
    return lane_step(shapes, base) == row.type.size >= WORD


def is_far(loop: Loop, address: Value) -> bool:
    """Return whether each iteration adds much to an address, or what only a launch knows."""
    work, parts, constant = [(address, 1)], 0, 0
    while work:
        value, factor = work.pop()
        parts += 1
        if is_invariant(value, loop):
            continue
        if parts > MOST_PARTS:
            return False
        if isinstance(value, Phi):
            terms = increment_of(loop, value)
            if terms is None:
                return False
            if not all(isinstance(term, Const) for _, term in terms):
                return True
            constant += factor * sum(sign * _number(term) for sign, term in terms)
            continue
        if not isinstance(value, Op):
            return False
        factors = [_number(a) if isinstance(a, Const) else None for a in value.args]
        match value.ins.row.stem, factors:
            case "cvt", _:
                work.append((value.args[0], factor))
            case "add", _:
                work += [(a, factor) for a in value.args]
            case "sub", _:
                work += [(value.args[0], factor), (value.args[1], -factor)]
            case "shl", [_, int(k)]:
                work.append((value.args[0], factor << (k & 63)))
            case (("mul" | "mad"), [a, b, *_]):
                if a is None and b is None:
                    return True
                scaled, by = (value.args[0], b) if b is not None else (value.args[1], a)
                assert by is not None
                work.append((scaled, factor * by))
                work += [(added, factor) for added in value.args[2:]]
            case _:
                return False
    return abs(constant) >= FAR


def _is_read_again(shapes: LaneShapes, loop: Loop, address: Value) -> bool:
    """Return whether each iteration of the loop around one loads from the same rows."""
    if loop.parent is None:
        return False
    around = shapes.ssa.flow.loops[loop.parent]
    return all(not is_invariant(part, loop) for part in changed_parts(address, around))


def _number(value: Value) -> int:
    """Return a constant with its sign."""
    assert isinstance(value, Const)
    return sign_extend(value.bits, 32 if value.cls is RegClass.S else 64)
