"""Sums in memory that a loop keeps in registers.

`y[i] += a[k] * x[k]` loads in each iteration what the last one has stored. CPUs forward a store to
a load, but not if a mask leaves out some lanes: then the load waits until the store is in the
cache. So the value is loaded once, before the loop. It is still stored in each iteration, since
other loads of the loop may be of the same place.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from .....isa.types import Segment, Type
from ....analysis.flow.order import Loop
from ....analysis.ranges.stepping import Counter
from ....analysis.ranges.trips import only_exit
from ....analysis.values.ssa import Op
from ..lane_code import LaneCode
from ..memory.access import Access
from ..memory.addressing.lines import Lines
from .rows import is_first

SMALLEST = 32
"""Bits of the smallest element: smaller ones are extended in registers."""


@dataclass(frozen=True)
class Carried:
    """A load of what a store of the last iteration has written, in all lanes that run."""

    load: Op
    store: Op
    type: Type
    start: str
    """Where lane 0 loads, an offset into the buffer."""

    def enter(self, lanes: LaneCode, memory: Access) -> None:
        """Load the value of the first iteration, which is known to be inside its buffer."""
        global_, base = memory.global_, self.load.base
        assert base is not None
        window = global_.addresses.window(base, global_.addresses.form(base), False)
        assert window is not None
        host = global_.addresses.host(window, self.start)
        loaded = global_.moves.load_wide(self.type, host)
        lanes.variables.store(*global_.variable_of(self.load), loaded)


def find_carried(
    lanes: LaneCode,
    memory: Access,
    loop: Loop,
    counter: Counter,
    lines: Lines,
    certain: Collection[Op],
) -> Iterator[Carried]:
    """Yield the load that a loop can carry, if it has one.

    All lanes run the same iterations, and nothing in the loop but one store changes global memory,
    or lets other work-items do so.
    """
    ops = [op for number in sorted(loop.nodes) for op in lanes.ssa.ops.get(number, ())]
    if lanes.facts.marks or not only_exit(lanes.flow, loop) or any(map(_orders, ops)):
        return
    if any(other.parent == loop.number for other in lanes.flow.loops):
        return
    stops = {node.last.row.stem for n in loop.nodes if (node := lanes.flow.nodes[n]).last}
    used = [op for op in ops if op.ins.row.is_memory and op.ins.row.segment is Segment.GLOBAL]
    stores = [op for op in used if not op.ins.row.is_load]
    if len(stores) != 1 or stops - {"br", "cbr"}:
        return
    (store,) = stores
    is_body = counter.header_tests and loop.nodes <= {loop.header, loop.latch, store.node}
    if store not in certain or memory.global_.has_own_way(store):
        return
    if not (store.node == loop.header or is_body):
        return
    for load in used:
        if load in certain and is_first(lanes, load, store):
            start = _start(lanes, memory, load, lines)
            type_ = load.ins.row.type
            if start is not None and type_ is not None:
                yield Carried(load, store, type_, start)
                return


def _orders(op: Op) -> bool:
    """Return whether an op orders accesses of different work-items, or is an access of several."""
    return op.ins.row.is_atomic or op.ins.row.stem in ("memfence", "barrier")


def _start(lanes: LaneCode, memory: Access, load: Op, lines: Lines) -> str | None:
    """Return where lane 0 loads, if the lanes load neighbours, and the same in each iteration."""
    base, type_, address = load.base, load.ins.row.type, load.ins.address
    if base is None or type_ is None or address is None or type_.bits < SMALLEST:
        return None
    addresses = memory.global_.addresses
    form, line = addresses.form(base), lines.of(base, load)
    window = addresses.window(base, form, store=False)
    if line is None or window is None or memory.global_.has_own_way(load):
        return None
    index, scale = (base, 1) if form is None or form.index is None else (form.index, form.scale)
    stride = lanes.shapes.stride(index)
    if stride is None or stride * scale != type_.size:
        return None
    if line.lane_step != type_.size or isinstance(line.step, list) or line.step:
        return None
    start = lanes.code.let(f"sub i64 {line.start[0]}, {window.base}")
    return lanes.code.let(f"add i64 {start}, {address.offset}")
