"""Rows of flat numbers, by which warps are chosen that begin where such rows do.

A kernel that takes the number of a work-item apart, as by `i % channels` and `i / channels`, runs
rows one after the other (`jit/kernel/interior/flat_rows.py`). In a row quotients are the same for
all lanes, remainders step from lane to lane, and accesses by them are wide. Whole warps of 64 lanes
take 0.7 to 0.9 of the time of 32 there; in shorter rows as many vectors run at once in either.
"""

from __future__ import annotations

from ....isa.types import RegClass
from ..lanes.interior import Assumed, InteriorShapes
from ..values.ssa import Const, Op, Value
from ..warps.uniformity import Shapes


def shapes_in_rows(shapes: Shapes) -> Shapes:
    """Return the shapes of values in such a row; those of any warp if there are no rows."""
    if shapes.facts.group_size[1:] != (1, 1) or shapes.facts.piece:
        return shapes
    divisions = [op for op in shapes.ssa.values() if isinstance(op, Op) and _is_row(shapes, op)]
    assumed = Assumed(
        {op: "" for op in divisions if op.ins.row.stem == "div"},
        rest={op: "" for op in divisions if op.ins.row.stem == "rem"},
    )
    rows = InteriorShapes(shapes.ssa, shapes.facts, assumed)
    if not divisions or rows.divergent_loops:
        return shapes
    return shapes if any(ends_in_row(rows, value) for value in shapes.ssa.values()) else rows


def _is_row(shapes: Shapes, op: Op) -> bool:
    """Return whether an op is a quotient or remainder of a work-item's number."""
    number, size = op.args[:2] if len(op.args) > 1 else (None, None)
    type_ = op.ins.row.type
    return (
        op.ins.row.stem in ("div", "rem")
        and op.cls is RegClass.S
        and type_ is not None
        and not type_.is_float
        and isinstance(number, Op)
        and number.ins.row.is_identity
        and size is not None
        and not isinstance(size, Const)
        and shapes.stride(number) == 1
        and shapes.is_uniform(size)
    )


def ends_in_row(shapes: InteriorShapes, value: Value) -> bool:
    """Return whether a value that steps along a row is clamped, chosen or divided within it.

    It has a step in interior warps only, which then gain more.
    """
    return (
        isinstance(value, Op)
        and value.cls is RegClass.S
        and value.ins.row.stem in ("min", "max", "select", "div", "rem")
        and shapes.stride(value) is None
        and any(shapes.stride(arg) for arg in value.args)
    )
