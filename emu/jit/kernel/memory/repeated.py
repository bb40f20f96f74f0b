"""Gathers that a loop repeats while it stores to other buffers.

`for (r = 0; r < 3; r++) for (k = 0, y[3 * i + r] = 0; k < 3; k++) y[3 * i + r] += m[3 * r + k] *
x[3 * i + k]` gathers a lane's three numbers again for each row. If nothing that a warp stores is in
their buffer, LLVM may move gathers past all stores, and so out of loops.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from .....isa.types import Segment
from ....analysis.flow.order import Loop
from ....analysis.ranges.stepping import changed_parts
from ....analysis.ranges.trips import Trips
from ....analysis.values.ssa import Op, Phi
from ....analysis.warps.uniformity import LaneShapes

SMALLEST = 32
"""Bits of the smallest element that CPUs gather."""


@dataclass(frozen=True)
class Repeated:
    """Gathers of pointer parameters to whose buffers a warp stores nothing."""

    loads: frozenset[Op] = frozenset()
    read: frozenset[int] = frozenset()
    written: frozenset[int] = frozenset()
    """Parameters to whose buffers it stores: they must share no memory with those it reads so."""


NOTHING = Repeated()
"""What is known of other warps than interior ones."""


def find_repeated(
    shapes: LaneShapes,
    trips: Mapping[int, Trips],
    inside: frozenset[Op],
    parameter: Callable[[Op], int | None],
) -> Repeated:
    """Return the gathers that loops with stores repeat, where all stores are `inside` a parameter.

    LLVM unrolls the loops inside of these, whose iterations are counted (`trips`).
    """
    flow = shapes.ssa.flow
    rows = [op.ins.row for ops in shapes.ssa.ops.values() for op in ops]
    stores = [op for ops in shapes.ssa.ops.values() for op in ops if _is_store(op)]
    orders = any(row.is_atomic or row.stem == "memfence" for row in rows) or any(
        node.last is not None and node.last.row.is_barrier for node in flow.nodes
    )
    if orders or not inside.issuperset(stores):
        return NOTHING
    written = {parameter(op) for op in stores}
    with_stores = [loop for loop in flow.loops if any(op.node in loop.nodes for op in stores)]
    loads = frozenset(
        op
        for op in inside
        if _is_gather(shapes, op)
        and parameter(op) not in written
        and any(_is_repeated(shapes, trips, op, loop) for loop in with_stores)
    )
    read = {parameter(op) for op in loads}
    return Repeated(loads, *(frozenset(n for n in s if n is not None) for s in (read, written)))


def _is_store(op: Op) -> bool:
    row = op.ins.row
    return row.is_memory and not row.is_load and row.segment is Segment.GLOBAL


def _is_gather(shapes: LaneShapes, op: Op) -> bool:
    """Return whether an op loads words that are not neighbours."""
    type_ = op.ins.row.type
    if not op.ins.row.is_load or op.base is None or type_ is None or type_.bits < SMALLEST:
        return False
    return shapes.stride(op.base) not in (0, type_.size)


def _is_repeated(shapes: LaneShapes, trips: Mapping[int, Trips], op: Op, loop: Loop) -> bool:
    """Return whether an op loads the same in each iteration of a loop."""
    assert op.base is not None
    counted = {
        inner.header
        for inner in shapes.ssa.flow.loops
        if inner.nodes < loop.nodes and inner.number in trips
    }
    return op.node in loop.nodes and all(
        isinstance(part, Phi) and part.node in counted for part in changed_parts(op.base, loop)
    )
