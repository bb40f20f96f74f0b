"""Loads in loops in which each lane walks through a row, and what must hold before such a loop."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

from .....isa.types import Segment
from ....analysis.flow.order import Flow, Loop
from ....analysis.ranges.stepping import Counter
from ....analysis.values.ssa import Const, Op, Value
from ...arithmetic.widths import element_number
from ...llvm.function_text import FunctionText
from ...llvm.text import integer
from ..lane_code import LaneCode
from ..memory.access import Access
from ..memory.addressing.lines import Line, Lines, Numbers
from ..memory.addressing.windows import Window
from ..memory.records.row_blocks import RowAccess, elements_of_block, may_block, room_for_starts

MOST_ROWS = 3
"""Loads from rows in one loop, and stores: each keeps a block."""

MOST_DEEP = 4
"""Operations that two addresses are compared by."""

_SUMS = frozenset({"add", "sub", "mul", "mad", "shl", "cvt"})
"""Operations that have no other operands than values."""

MOST_BETWEEN = 1 << 48
"""Bytes between rows of lanes that are stored in blocks: sums for all lanes do not wrap around."""


class RowFinder:
    """Finds the loads from rows of one loop, whose tests are made in the block before it."""

    def __init__(
        self,
        lanes: LaneCode,
        memory: Access,
        loop: Loop,
        counter: Counter,
        last_of: Callable[[Op], list[str]],
        iteration: Callable[[], str],
    ) -> None:
        self.lanes = lanes
        self.loop = loop
        self.counter = counter
        self._memory = memory
        self._last_of = last_of
        self._iteration = iteration
        self._numbers = Numbers(lanes, each=True)

    def loads(
        self, certain: Collection[Op], written: Collection[Op]
    ) -> Iterator[tuple[Op, RowAccess, list[str]]]:
        """Yield each load from rows with tests, as i1: all that it loads is inside then.

        A block is loaded before its elements are due. So what the loop stores must be into other
        buffers, or be stored by the cold side, after which blocks are loaded again. Or it is
        `written` to rows, each element after it has been loaded.
        """
        lanes, loop, count = self.lanes, self.loop, 0
        ops = [op for number in sorted(loop.nodes) for op in lanes.ssa.ops.get(number, ())]
        stores = [op for op in ops if _may_store(op)]
        if any(op.ins.row.is_atomic for op in stores):
            return
        numbers = self._numbers
        lines = Lines(numbers, loop, self.counter, lambda op: numbers.spread(self._last_of(op)[0]))
        for op in ops:
            if op in certain or not _may_be_of_row(lanes, loop, op) or count == MOST_ROWS:
                continue
            if self._is_short(op):
                continue
            if op.ins.row.segment is Segment.GROUP:
                line = self._line_of_offsets(op, lines)
                if line is not None and self._memory.local.memory.group_scale == 1:
                    yield op, *self._row_of_group(op, line)
                    count += 1
                continue
            window = self._window(op)
            line = self._line(op, lines) if window is not None else None
            if window is None or line is None:
                continue
            others = [s for s in stores if s not in written or not is_first(lanes, op, s)]
            if parameter(self._memory, op) in {parameter(self._memory, s) for s in others} - {None}:
                continue  # a test of their buffers would never hold
            apart = self._apart(window, others)
            if len(apart) == len(others):
                row, tests = self._row(op, line, window)
                yield op, row, [*tests, *apart]
                count += 1

    def stores(self, certain: Collection[Op]) -> Iterator[tuple[Op, RowAccess, list[str]]]:
        """Yield each store to rows with tests, as i1: what it stores may be written in blocks then.

        The rows of all lanes share no memory, and neither do the buffers of other accesses but
        those that load each element before it is stored.
        """
        lanes, loop, count = self.lanes, self.loop, 0
        if lanes.facts.marks or lanes.facts.width > 64:
            return
        ops = [op for number in sorted(loop.nodes) for op in lanes.ssa.ops.get(number, ())]
        used = [op for op in ops if op.ins.row.is_memory and op.ins.row.segment is Segment.GLOBAL]
        if any(op.ins.row.is_atomic for op in used):
            return
        numbers = self._numbers
        lines = Lines(numbers, loop, self.counter, lambda op: numbers.spread(self._last_of(op)[0]))
        for op in used:
            if count == MOST_ROWS or op in certain or not self._may_store_row(op, used):
                continue
            window = self._window(op)
            line = self._line(op, lines) if window is not None else None
            if window is None or line is None:
                continue
            others = [s for s in used if s is not op and not is_first(lanes, s, op)]
            apart = self._apart(window, others)
            row, tests = self._row(op, line, window)
            yield op, row, [*tests, *apart, self._rows_are_apart(row)]
            count += 1

    def _may_store_row(self, op: Op, used: Sequence[Op]) -> bool:
        """Return whether an op stores in each iteration, to a buffer of its own.

        Other ops may load the element from there, before it is stored.
        """
        row, base, lanes = op.ins.row, op.base, self.lanes
        if row.is_load or row.type is None or base is None or self._is_short(op):
            return False
        if not _is_always_made(lanes.flow, self.loop, op):
            return False
        if lanes.shapes.piece_stride(base) in (0, row.type.size):
            return False
        buffers = [
            parameter(self._memory, other) for other in used if not is_first(lanes, other, op)
        ]
        return may_block(lanes, row.type.size) and buffers.count(parameter(self._memory, op)) == 1

    def _rows_are_apart(self, row: RowAccess) -> str:
        """Return whether each lane's row ends before the next lane's begins, an i1."""
        lanes, code, numbers = self.lanes, self.lanes.code, self._numbers
        v = integer(64, lanes.n)
        iterations = code.let(f"add i64 {row.last}, 1")
        bytes_ = code.let(f"mul i64 {iterations}, {row.size}")
        width = lanes.count
        last, after = (
            code.let(f"getelementptr i64, ptr {row.starts}, i64 {lane}")
            for lane in (width - 1, width)
        )
        end = code.let(f"add i64 {code.let(f'load i64, ptr {last}')}, {bytes_}")
        code.line(f"store i64 {end}, ptr {after}")
        second = code.let(f"getelementptr i64, ptr {row.starts}, i64 1")
        starts, following = (
            [code.let(f"load {v}, ptr {p}, align 8") for p in lanes.chunk_places(first, 64)]
            for first in (row.starts, second)
        )
        distances = numbers.do("sub", following, starts)
        between = numbers.do("sub", distances, numbers.spread(bytes_))
        overlap = lanes.any(numbers.do("icmp uge", between, MOST_BETWEEN))
        return code.let(f"xor i1 {overlap}, true")

    def _apart(self, window: Window, others: Iterable[Op]) -> list[str]:
        """Return whether a buffer shares no memory with those of other accesses, as i1.

        There is none for an access whose buffer is not known.
        """
        windows = [self._window(other) for other in others]
        return [are_apart(self.lanes.code, window, w) for w in windows if w is not None]

    def _window(self, op: Op) -> Window | None:
        """Return the buffer that an access of global memory is expected in."""
        addresses, base = self._memory.global_.addresses, op.base
        if base is None:
            return None
        return addresses.window(base, addresses.form(base), not op.ins.row.is_load)

    def _line(self, op: Op, lines: Lines) -> Line | None:
        """Return the line that a load walks along element by element, one of each lane."""
        assert op.base is not None
        line = lines.of(op.base, op)
        return line if line is not None and line.step == op.element.size else None

    def _line_of_offsets(self, op: Op, lines: Lines) -> Line | None:
        """Return the line that a load of group memory walks along element by element."""
        assert op.base is not None
        if _stores_to_group(self.lanes, self.loop):
            return None
        line = lines.offset(op.base, op)
        return line if line is not None and line.step == op.element.size else None

    def _is_short(self, op: Op) -> bool:
        """Return whether a load is known to be made less often than a block has elements."""
        trips = self._memory.trips.get(self.loop.number)
        return trips is not None and trips.returns + 1 < elements_of_block(op.element.size)

    def _row(self, op: Op, line: Line, window: Window) -> tuple[RowAccess, list[str]]:
        numbers, size = self._numbers, op.element.size
        origin = self.lanes.code.let(f"sub i64 {window.base}, {op.address.offset}")
        start = numbers.do("sub", line.start, numbers.spread(origin))
        places = self._memory.global_.addresses.places(window, size, size)
        return self._tested(op, line, start, places, window.host)

    def _row_of_group(self, op: Op, line: Line) -> tuple[RowAccess, list[str]]:
        size, memory = op.element.size, self._memory.local.memory
        start = self._numbers.do("add", line.start, op.address.offset)
        places = str(max(self._memory.local.checks.extent(op).total, 0) // size)
        return self._tested(op, line, start, places, memory.group_place(self.lanes.entry))

    def _tested(
        self, op: Op, line: Line, start: list[str], count: str, memory: str
    ) -> tuple[RowAccess, list[str]]:
        """Return the rows of an access, and tests that all of their elements are inside.

        Rows start so many bytes after the begin of a block of memory, a ptr, that has `count`
        elements.
        """
        lanes, numbers, size = self.lanes, self._numbers, op.element.size
        code, last = lanes.code, self._last_of(op)[0]
        end = numbers.do("add", start, numbers.spread(code.let(f"mul i64 {last}, {size}")))
        places = numbers.spread(count)
        held = none = ["splat (i1 true)"] * lanes.k
        for place in (start, end):
            elements = [element_number(code, p, size, numbers.n) for p in place]
            held = lanes.combine("and", held, numbers.do("icmp ult", elements, places))
        for condition in line.conditions:
            held = lanes.combine("and", held, condition)
        failed = lanes.combine("and", lanes.mask, lanes.combine("xor", held, none))
        tests = [code.let(f"xor i1 {lanes.any(failed)}, true")]
        host = numbers.spread(code.let(f"ptrtoint ptr {memory} to i64"))
        hosts = numbers.do("add", start, host)
        if op.ins.row.is_load:
            least = elements_of_block(size) - 1
            tests += [code.let(f"icmp sge i64 {last}, {least}"), lanes.any(lanes.mask)]
            return RowAccess(op, size, self._iteration, last, self._starts(hosts)), tests
        # In lanes that do not run, these may be anything: then it is a test that fails.
        room = room_for_starts(lanes)
        self._put([code.let(f"freeze {integer(64, lanes.n)} {h}") for h in hosts], room)
        return RowAccess(op, size, self._iteration, last, room, lanes.running()), tests

    def _starts(self, hosts: list[str]) -> str:
        """Keep where the lanes' rows begin; lanes that do not run take the first one that does."""
        lanes, code, t = self.lanes, self.lanes.code, integer(64, self.lanes.n)
        room = room_for_starts(lanes)
        self._put(hosts, room)
        some = code.let(f"getelementptr i64, ptr {room}, i64 {lanes.lowest(lanes.running())}")
        other = self._numbers.spread(code.let(f"load i64, ptr {some}"))
        chosen = [
            code.let(f"select {lanes.mask_type} {m}, {t} {h}, {t} {o}")
            for m, h, o in zip(lanes.mask, hosts, other, strict=True)
        ]
        self._put(chosen, room)
        return room

    def _put(self, chunks: Sequence[str], room: str) -> None:
        for place, chunk in zip(self.lanes.chunk_places(room, 64), chunks, strict=True):
            self.lanes.code.line(f"store {integer(64, self.lanes.n)} {chunk}, ptr {place}, align 8")


def are_apart(code: FunctionText, window: Window, other: Window) -> str:
    """Return whether two buffers share no memory, an i1."""
    ends = []
    for buffer, after in ((window, other), (other, window)):
        end = code.let(f"add i64 {buffer.address}, {buffer.size}")
        ends.append(code.let(f"icmp ule i64 {end}, {after.address}"))
    return code.let(f"or i1 {ends[0]}, {ends[1]}")


def parameter(memory: Access, op: Op) -> int | None:
    """Return the pointer parameter of an access of global memory."""
    addresses, base = memory.global_.addresses, op.base
    return None if base is None else addresses.pointers.position(base, addresses.form(base))


def has_rows(lanes: LaneCode, loop: Loop) -> bool:
    """Return whether a loop may have loads from rows."""
    ops = (op for number in loop.nodes for op in lanes.ssa.ops.get(number, ()))
    return any(_may_be_of_row(lanes, loop, op) for op in ops)


def _may_be_of_row(lanes: LaneCode, loop: Loop, op: Op) -> bool:
    """Return whether an op loads in each iteration, other than one place or neighbours."""
    row, base = op.ins.row, op.base
    if not row.is_load or row.type is None or base is None:
        return False
    if row.segment is not Segment.GLOBAL and not (
        row.segment is Segment.GROUP and lanes.facts.slow_gathers
    ):
        return False
    apart = lanes.shapes.piece_stride(base) not in (0, row.type.size)
    is_made = _is_before_parting(lanes.flow, loop, op) or _is_always_made(lanes.flow, loop, op)
    return is_made and apart and may_block(lanes, row.type.size)


def is_first(lanes: LaneCode, load: Op, store: Op) -> bool:
    """Return whether an op loads the element that another one then stores in its place."""
    ops, place, other = lanes.ssa.ops[store.node], load.ins.address, store.ins.address
    return (
        load.ins.row.is_load
        and load.node == store.node
        and load.ins.row.type is store.ins.row.type
        and (place and place.offset) == (other and other.offset)
        and _is_same(load.base, store.base)
        and ops.index(load) < ops.index(store)
    )


def _is_same(a: Value | None, b: Value | None, depth: int = MOST_DEEP) -> bool:
    """Return whether two values are known to be equal: the same one, or made in the same way."""
    if a is b or (isinstance(a, Const) and isinstance(b, Const) and a.bits == b.bits):
        return True
    if not (isinstance(a, Op) and isinstance(b, Op) and depth) or a.ins.row is not b.ins.row:
        return False
    same = (_is_same(x, y, depth - 1) for x, y in zip(a.args, b.args, strict=True))
    return a.ins.row.stem in _SUMS and all(same)


def _is_always_made(flow: Flow, loop: Loop, op: Op) -> bool:
    """Return whether a loop runs an op once in each iteration: no way through it passes it by.

    Lanes may part before the op, and meet at it, or part after it. They leave the loop before it
    from the header only.
    """
    if op.node == loop.header:
        return True
    if flow.loop_of[op.node] != loop.number or loop.is_merged:
        return False
    seen, waiting = {op.node, loop.header}, [loop.header]
    while waiting:
        number = waiting.pop()
        for successor in flow.nodes[number].successors:
            following = flow.route(number, successor)
            if following not in loop.nodes:
                if number != loop.header:
                    return False
            elif following == loop.latch:
                return False
            elif following not in seen:
                seen.add(following)
                waiting.append(following)
    return True


def _is_before_parting(flow: Flow, loop: Loop, op: Op) -> bool:
    """Return whether lanes that stay in a loop do not part before an op."""
    number = loop.header
    following = [n for n in flow.nodes[number].successors if n in loop.nodes]
    while number != op.node and len(following) == 1 and following[0] in loop.nodes:
        (number,) = following
        following = [] if number == loop.header else flow.nodes[number].successors
    return number == op.node


def _stores_to_group(lanes: LaneCode, loop: Loop) -> bool:
    """Return whether a loop may change group memory."""
    rows = (op.ins.row for number in loop.nodes for op in lanes.ssa.ops.get(number, ()))
    return any(r.segment is Segment.GROUP and (r.is_atomic or not r.is_load) for r in rows)


def _may_store(op: Op) -> bool:
    """Return whether an op may change global memory."""
    row = op.ins.row
    if not row.is_memory or row.segment is not Segment.GLOBAL:
        return False
    return row.is_atomic or not row.is_load
