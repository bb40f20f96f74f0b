"""Iterations that all lanes of a loop run, before the first of them leaves it.

In `for (i = 0; i < size - lag; i++)` all lanes begin at one number and end at bounds of their own.
Up to the least bound no lane leaves. These iterations run in a version of the loop, the rest in
the loop itself.
"""

from __future__ import annotations

from ....analysis.flow.order import Loop
from ....analysis.ranges.stepping import Counter
from ....analysis.ranges.trips import only_exit
from ....analysis.values.ssa import Op, Phi, Value, made_of
from ...llvm.text import integer
from ..lane_code import LaneCode

FEWEST = 4
"""Iterations that are worth the entry into a version of their own."""


def may_have_common(lanes: LaneCode, loop: Loop, counter: Counter) -> bool:
    """Return whether lanes that leave a loop at bounds of their own begin it together.

    Bounds that each lane has loaded or counted, as the lengths of lists, are too different.
    """
    shapes = lanes.shapes

    def ends(value: Value) -> bool:
        is_found = isinstance(value, Phi) or (isinstance(value, Op) and value.ins.row.is_memory)
        return shapes.is_uniform(value) or is_found

    return (
        shapes.is_uniform(counter.phi)
        and not shapes.is_uniform(counter.end)
        and counter.step > 0
        and counter.relation in ("lt", "le")
        and only_exit(lanes.flow, loop)
        and all(shapes.is_uniform(v) or not ends(v) for v in made_of([counter.end], ends))
    )


def least_end(lanes: LaneCode, counter: Counter) -> str:
    """Return the least bound of the running lanes, an i32: before it, none of them leaves."""
    how, last = ("smin", "2147483647") if counter.is_signed else ("umin", "-1")
    v, code = integer(32, lanes.n), lanes.code
    ends = [
        code.let(f"select {lanes.mask_type} {mask}, {v} {end}, {v} splat (i32 {last})")
        for mask, end in zip(lanes.mask, lanes.vector(counter.end), strict=True)
    ]
    least = ends[0]
    for end in ends[1:]:
        least = code.intrinsic(f"llvm.{how}", v, f"{v} {least}", f"{v} {end}")
    return code.call("i32", f"llvm.vector.reduce.{how}.v{lanes.n}i32", f"{v} {least}")
