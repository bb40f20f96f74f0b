"""Sums in memory that a loop keeps in registers.

`y[i] += a[k] * x[k]` loads in each iteration what the last one has stored. CPUs forward a store to
a load, but not if a mask leaves out some lanes: then the load waits until the store is in the
cache. So the value is loaded once, before the loop. Where all that the loop accesses otherwise is
in other memory, it is stored once, after the last iteration. Traps need not store it: what buffers
hold that a launch has written is unspecified then. Otherwise it is stored in each iteration.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence, Set
from dataclasses import dataclass

from .....isa.types import Segment, Type
from ....analysis.flow.order import Loop
from ....analysis.ranges.stepping import Counter
from ....analysis.ranges.trips import only_exit
from ....analysis.values.ssa import Op
from ...llvm.text import integer
from ..lane_code import LaneCode
from ..memory.access import Access
from ..memory.addressing.lines import Lines
from ..memory.addressing.windows import Window
from .rows import are_apart, is_first, parameter

SMALLEST = 32
"""Bits of the smallest element: smaller ones are extended in registers."""


@dataclass(frozen=True)
class Carried:
    """A load of what a store of the last iteration has written, in all lanes that run."""

    load: Op
    store: Op
    type: Type
    starts: Sequence[str]
    """Where lane 0 loads, or that of each piece of the warp, as offsets into the buffer."""
    is_late: bool
    """Whether the last iteration's value is stored, and no other one."""
    is_number: bool
    """Whether the loop reads it as a number only, so that its NaNs are canonical when stored."""

    def enter(self, lanes: LaneCode, memory: Access) -> None:
        """Load the value of the first iteration, which is known to be inside its buffer."""
        global_, hosts = memory.global_, self._hosts(memory, is_store=False)
        if len(hosts) == 1:
            loaded = global_.moves.load_wide(self.type, hosts[0])
        else:
            loaded = global_.pieces.load(self.type, hosts, self.type.size)
        lanes.variables.store(*global_.variable_of(self.load), loaded)

    def leave(self, lanes: LaneCode, memory: Access) -> None:
        """Store the value of the last iteration, unless each one has stored its own."""
        if not self.is_late:
            return
        global_, hosts = memory.global_, self._hosts(memory, is_store=True)
        data = lanes.variables.load(*global_.variable_of(self.load))
        if self.is_number:
            data = lanes.stored(self.store, data, lanes.n)
        if len(hosts) == 1:
            global_.moves.store_wide(self.type, data, hosts[0])
        else:
            global_.pieces.store_chunks(self.type, data, hosts)

    def _hosts(self, memory: Access, *, is_store: bool) -> list[str]:
        """Return the addresses of the elements at the starts, as ptr."""
        addresses, base = memory.global_.addresses, self.load.base
        assert base is not None
        window = addresses.window(base, addresses.form(base), is_store)
        assert window is not None
        return [addresses.host(window, start) for start in self.starts]


def find_carried(
    lanes: LaneCode,
    memory: Access,
    loop: Loop,
    counter: Counter,
    lines: tuple[Lines, Lines],
    certain: Collection[Op],
    inside: Set[Op],
) -> tuple[list[Carried], list[str]]:
    """Return the loads that a loop can carry, and what must hold before it, as i1.

    All lanes run the same iterations, and nothing in the loop but these stores changes global
    memory, or lets other work-items do so. Accesses `inside` are so if the loop's tests hold. The
    `lines` are those of the warp, and those of its pieces.
    """
    ops = [op for number in sorted(loop.nodes) for op in lanes.ssa.ops.get(number, ())]
    if lanes.facts.marks or not only_exit(lanes.flow, loop) or any(map(_orders, ops)):
        return [], []
    if not lanes.flow.is_innermost(loop):
        return [], []
    stops = {node.last.row.stem for n in loop.nodes if (node := lanes.flow.nodes[n]).last}
    used = [op for op in ops if op.ins.row.is_memory and op.ins.row.segment is Segment.GLOBAL]
    stores = [op for op in used if not op.ins.row.is_load]
    if not stores or stops - {"br", "cbr"}:
        return [], []
    pairs: dict[Op, tuple[Op, list[str]]] = {}
    for store in stores:
        is_body = counter.header_tests and loop.nodes <= {loop.header, loop.latch, store.node}
        if store not in certain or memory.global_.has_own_way(store):
            return [], []
        if not (store.node == loop.header or is_body):
            return [], []
        for load in used:
            if load in certain and is_first(lanes, load, store):
                starts = _starts(lanes, memory, load, lines)
                if starts:
                    pairs[store] = load, starts
                break
    apart = _apart(lanes, memory, loop, pairs, used, inside)
    in_each = len(stores) == 1 and all(len(starts) == 1 for _, starts in pairs.values())
    if len(pairs) != len(stores) or (apart is None and not in_each):
        return [], []
    found: list[Carried] = []
    for store, (load, starts) in pairs.items():
        is_number = apart is not None and lanes.table.is_number(load)
        found.append(Carried(load, store, load.element, starts, apart is not None, is_number))
    return found, apart or []


def _apart(
    lanes: LaneCode,
    memory: Access,
    loop: Loop,
    pairs: Mapping[Op, tuple[Op, list[str]]],
    used: Sequence[Op],
    inside: Set[Op],
) -> list[str] | None:
    """Return whether each store's buffer shares no memory with those of other accesses, as i1.

    None if it is known that one does, or not known in which buffer an access is.
    """
    addresses, tests = memory.global_.addresses, list[str]()

    def window(op: Op) -> Window | None:
        assert op.base is not None
        return addresses.window(op.base, addresses.form(op.base), not op.ins.row.is_load)

    conditions = (lanes.ssa.conditions.get(number) for number in loop.nodes)
    if not all(c is None or lanes.shapes.is_uniform(c) for c in conditions):
        return None
    if not inside >= set(used):
        return None
    for store, (load, _) in pairs.items():
        own, place = window(store), parameter(memory, store)
        for op in used:
            if op is store or op is load:
                continue
            other = window(op)
            if own is None or other is None or place == parameter(memory, op):
                return None
            tests.append(are_apart(lanes.code, own, other))
    return tests


def _orders(op: Op) -> bool:
    """Return whether an op orders accesses of different work-items, or is an access of several."""
    return op.ins.row.is_atomic or op.ins.row.stem in ("memfence", "barrier")


def _starts(lanes: LaneCode, memory: Access, load: Op, lines: tuple[Lines, Lines]) -> list[str]:
    """Return where lane 0 loads, or that of each piece; nothing if that is not of use.

    The lanes must load neighbours, and the same in each iteration.
    """
    base, type_, address = load.base, load.ins.row.type, load.ins.address
    if base is None or type_ is None or address is None or type_.bits < SMALLEST:
        return []
    addresses = memory.global_.addresses
    form = addresses.form(base)
    window = addresses.window(base, form, store=False)
    if window is None or memory.global_.has_own_way(load):
        return []
    index, scale = (base, 1) if form is None or form.index is None else (form.index, form.scale)
    stride = lanes.shapes.stride(index)
    in_pieces = memory.global_.pieces.step(load, index, scale) == type_.size
    if not in_pieces and (stride is None or stride * scale != type_.size):
        return []
    line = lines[in_pieces].of(base, load)
    if line is None or line.lane_step != type_.size or isinstance(line.step, list) or line.step:
        return []
    code, numbers = lanes.code, lines[in_pieces].numbers
    moved = code.let(f"sub i64 {address.offset}, {window.base}")
    starts = numbers.do("add", line.start, numbers.spread(moved))
    if not numbers.n:
        return starts
    t = integer(64, numbers.n)
    return [code.let(f"extractelement {t} {starts[0]}, i32 {i}") for i in range(numbers.n)]
