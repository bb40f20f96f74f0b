"""Offsets at which lanes agree in most warps, though not in all.

In tiles of a triangular problem a loop begins at `row == column ? item + 1 : 0`, or at
`max(item - first, 0)`: at one number for all lanes, but in tiles on the diagonal. What it loads at
its counter is one place then, and no gather.
"""

from __future__ import annotations

from ....analysis.flow.order import Loop
from ....analysis.ranges.stepping import increment_of
from ....analysis.values.ssa import Const, Op, Phi, Value, made_of
from ....analysis.warps.uniformity import LaneShapes
from ...llvm.text import integer
from ..lane_code import LaneCode

_CHOICES = frozenset({"select", "min", "max"})


def may_agree(shapes: LaneShapes, offset: Value) -> bool:
    """Return whether an offset differs from lane to lane by where a loop's counter begins alone.

    The counter begins at a choice, one side of which is the same for all lanes.
    """
    if shapes.stride(offset) is not None or shapes.piece_stride(offset) is not None:
        return False
    parts = made_of([offset], lambda v: shapes.is_uniform(v) or isinstance(v, Phi))
    varying = {v for v in parts if not shapes.is_uniform(v)}
    counters = {v for v in varying if isinstance(v, Phi)}
    computed = (v.ins.row for v in varying if isinstance(v, Op))
    return (
        bool(counters)
        and all(row.srcs and not row.has_address for row in computed)
        and all(_begins_at_a_choice(shapes, phi) for phi in counters)
    )


def _begins_at_a_choice(shapes: LaneShapes, phi: Phi) -> bool:
    loop = next((loop for loop in shapes.ssa.flow.loops if loop.header == phi.node), None)
    if loop is None or any(not shapes.is_uniform(v) for v in _steps(loop, phi)):
        return False
    begins = [arg for before, arg in phi.args.items() if before not in loop.nodes]
    return all(
        isinstance(arg, Op)
        and arg.ins.row.stem in _CHOICES
        and any(shapes.is_uniform(side) for side in arg.args[-2:])
        for arg in begins
    )


def _steps(loop: Loop, phi: Phi) -> list[Value]:
    """Return what each iteration adds to a phi: the phi itself if that is not known."""
    terms = increment_of(loop, phi)
    return [phi] if terms is None else [term for _, term in terms if not isinstance(term, Const)]


def agree(lanes: LaneCode, offset: Value) -> str:
    """Return whether lane 0 runs and all running lanes have its offset, an i1."""
    code, v = lanes.code, integer(32, lanes.n)
    first = lanes.chunk_of(32, lanes.extracted0(offset))
    differ = [code.let(f"icmp ne {v} {chunk}, {first}") for chunk in lanes.vector(offset)]
    runs = code.let(f"extractelement {lanes.mask_type} {lanes.mask[0]}, i32 0")
    apart = lanes.any(lanes.combine("and", differ, lanes.mask))
    return code.let(f"and i1 {runs}, {code.let(f'xor i1 {apart}, true')}")
