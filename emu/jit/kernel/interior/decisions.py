"""Conditions of interior warps: comparisons with one result, accesses that are inside."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Set
from functools import cached_property
from itertools import product

from .....isa.types import Segment
from ....analysis.flow.order import START, Flow
from ....analysis.lanes.interior import Assumed
from ....analysis.ranges.guards import Guard, Guards
from ....analysis.ranges.trips import Trips
from ....analysis.values.ssa import Op, Phi, Ssa, Value, sources_of
from ....analysis.warps.uniformity import LaneShapes
from ...llvm.function_text import FunctionText
from ...runtime.context import Slot
from ..context_code import load_slot
from ..lane_code import LaneCode
from ..loops.rows import are_apart
from ..memory.addressing.addresses import LARGEST_CELL
from ..memory.addressing.windows import LARGEST_WINDOW
from ..memory.global_memory import GlobalMemory
from ..memory.repeated import Repeated, find_repeated
from ..row_counters import Row
from .bounds import Bound, Conditions
from .comparisons import Comparisons
from .guards import bounded, comparisons_before, guards
from .span_arithmetic import SMALL
from .spans import Spans

FARTHEST = 1 << 47
"""Bytes between a pointer and the start of its buffer, at most."""


class Decisions:
    """Asks for what interior warps have in common, value by value."""

    def __init__(
        self,
        lanes: LaneCode,
        spans: Spans,
        conditions: Conditions,
        assumed: Assumed,
        memory: GlobalMemory,
    ) -> None:
        self._ssa, self._shapes = lanes.ssa, lanes.shapes
        self.spans = spans
        self._conditions = conditions
        self._assumed = assumed
        self.memory = memory
        self._comparisons = Comparisons(lanes.ssa, spans, conditions, assumed)
        self.signed = set[Op]()
        """Accesses of neighbours by indices that have a sign in lanes that do not run."""
        self._offsets: dict[int, str] = {}
        self._offset_tests: dict[tuple[int, int], list[str]] = {}

    @cached_property
    def _guards(self) -> Guards:
        return Guards(self._ssa)

    @property
    def expected(self) -> Mapping[Op, bool]:
        """Comparisons by which lanes return at once, and their result for other lanes."""
        return self._comparisons.expected

    @property
    def _code(self) -> FunctionText:
        return self._conditions.code

    def decide(self) -> None:
        """Ask for the conditions of all comparisons, clamps, quotients and remainders."""
        for value in self._ssa.values():
            if isinstance(value, Op) and not self._shapes.is_uniform(value):
                self.spans.attempt(lambda op=value: self._comparisons.decided(op))

    def decide_guards(self) -> bool:
        """Ask for the conditions under which lanes do not return at once; return if there are any.

        Lanes that return have done nothing, and some lanes for which all conditions hold may do so,
        too. Comparisons are those of one number in each lane. What must hold besides, so that these
        numbers do not wrap around, must not depend on the lane.
        """
        found = [
            self.spans.attempt(lambda op=op: self._comparisons.lets_through(op))
            for op, answer in guards(self._ssa)
            if self.expected.get(op) is answer
        ]
        return any(found)

    def decide_all(self, ops: Iterable[Op]) -> None:
        """Ask for the conditions of some comparisons, quotients and remainders."""
        for op in ops:
            self.spans.attempt(lambda op=op: self._comparisons.decided(op))

    def decide_before(self, ops: Iterable[Op], rows: Collection[Op], shapes: LaneShapes) -> bool:
        """Ask that what lanes compare before they run some ops lets them; return if there is any.

        Comparisons count that depend on `rows`, quotients and remainders, and that do not differ
        from lane to lane, by `shapes`.
        """
        found = [
            self.spans.attempt(lambda op=op, to=to: self._comparisons.decided_as(op, to))
            for op, to in comparisons_before(self._ssa, self._guards.tree, ops).items()
            if shapes.is_uniform(op) and not sources_of(op).isdisjoint(rows)
        ]
        return any(found)

    def rows_of(self, divisions: Iterable[Op]) -> dict[Op, Row]:
        """Append the rows that a warp begins in, if lanes step along them one by one.

        Rows that end elsewhere in other iterations of a loop are left out.
        """
        found, code = dict[Op, Row](), self._code
        for op in divisions:
            type_ = op.ins.row.type
            assert type_ is not None
            a, b = (self.spans.number(v, signed=type_.is_signed) for v in op.args[:2])
            if a is None or b is None or not (a.is_single and b.is_single):
                continue
            if self._shapes.stride(op.args[0]) != 1:
                continue
            row = self.spans.division(a, b)
            rest = code.let(f"sub i32 {row.dividend}, {row.whole}")
            left = code.let(f"sub i32 {row.divisor}, {rest}")
            found[op] = Row(left, row.divisor, row.quotient, row.whole)
        return found

    def positive(self, divisions: Iterable[Op]) -> frozenset[Value]:
        """Ask that divisors are at least 1; return those that are then."""
        found = set[Value]()
        for op in divisions:
            type_, divisor = op.ins.row.type, op.args[1]
            assert type_ is not None
            span = self.spans.number(divisor, signed=type_.is_signed)
            if span is not None and span.is_single and divisor not in found:
                self._conditions.at_most(Bound(constant=1).plus(span.low, -1), 0)
                found.add(divisor)
        return frozenset(found)

    def inside(self, known: Set[Op] = frozenset()) -> frozenset[Op]:
        """Ask that accesses are inside; return those that are then, but for `known` ones."""
        live = _reached(self._ssa, self._assumed)
        return frozenset(
            op
            for number in self._ssa.flow.order
            if number in live
            for op in self._ssa.ops.get(number, ())
            if op not in known
            and (
                self.spans.attempt(lambda op=op: self._is_inside_in_loop(op))
                or self.spans.attempt(lambda op=op: self._is_inside(op))
            )
        )

    def inside_where_guarded(self, shapes: LaneShapes) -> frozenset[Op]:
        """Ask that accesses are inside where comparisons let lanes make them; return those.

        `shapes` are those of the warps, in which an access of one place is made without a mask. The
        place of neighbours is counted from that of the first lane, also if that lane does not run:
        its index may be below 0 then, and the access is one of `signed`.
        """
        known, found = self._guards, set[Op]()
        for number in self._ssa.flow.order:
            for op in self._ssa.ops.get(number, ()):
                base = op.base if op.ins.row.segment is Segment.GLOBAL else None
                if base is None or shapes.is_uniform(base):
                    continue
                guards = [guard for guard in known.at(op.node) if not _is_identity(guard.value)]
                of_all = [guard for guard in guards if shapes.is_uniform(guard.value)]
                parts = len(of_all) < len(guards) and self._is_of_neighbours(op, shapes)
                if parts and self.spans.attempt(
                    lambda op=op, given=guards: self._is_inside_under(op, given, signed=True)
                ):
                    found.add(op)
                    self.signed.add(op)
                elif self.spans.attempt(
                    lambda op=op, given=of_all: self._is_inside_under(op, given)
                ):
                    found.add(op)
        return frozenset(found)

    def _is_inside_in_loop(self, op: Op) -> bool:
        """Ask that an access in a loop up to an argument is inside where counters let it run.

        So the next plane of a column, which the last iteration does not load, is inside.
        """
        if not self.spans.counts_to_arguments or self._ssa.flow.loop_of[op.node] is None:
            return False
        guards = (g for g in self._guards.at(op.node) if isinstance(g.value, Phi))
        return self._is_inside_under(op, (g for g in guards if self._shapes.is_uniform(g.value)))

    def _is_inside_under(self, op: Op, guards: Iterable[Guard], *, signed: bool = False) -> bool:
        """Ask that an access is inside where guards hold; `signed`: by a number from 0 to 2^31."""
        given = bounded(guards, self.spans)
        return bool(given) and self.spans.under(
            given, lambda: self._is_inside(op) and not (signed and not self._is_by_small(op))
        )

    def _is_of_neighbours(self, op: Op, shapes: LaneShapes) -> bool:
        """Return whether an access is of neighbours by an index."""
        form = None if op.base is None else self.memory.addresses.form(op.base)
        if form is None or form.index is None or op.ins.row.type is None:
            return False
        step = shapes.stride(form.index)
        return step is not None and step * form.scale == op.ins.row.type.size

    def _is_by_small(self, op: Op) -> bool:
        """Ask that the index of an access is the same with a sign and without."""
        form = None if op.base is None else self.memory.addresses.form(op.base)
        if form is None or form.index is None:
            return False
        return self.spans.is_below(form.index, SMALL - 1, signed=form.signed)

    def may_repeat(self, trips: Mapping[int, Trips]) -> bool:
        """Return whether there are gathers that loops repeat, if all accesses are inside."""
        ops = (op for ops in self._ssa.ops.values() for op in ops)
        accesses = frozenset(op for op in ops if op.ins.row.segment is Segment.GLOBAL)
        return bool(find_repeated(self._shapes, trips, accesses, self._parameter).loads)

    def repeated(
        self, shapes: LaneShapes, trips: Mapping[int, Trips], inside: frozenset[Op]
    ) -> Repeated:
        """Ask that buffers share no memory; return the gathers that loops repeat then."""
        addresses = self.memory.addresses
        found = find_repeated(shapes, trips, inside, self._parameter)
        for read, written in product(found.read, found.written):
            buffers = addresses.param_window(read, False), addresses.param_window(written, True)
            self._conditions.require_of_call(are_apart(self._conditions.entry, *buffers))
        return found

    def _parameter(self, op: Op) -> int | None:
        """Return the pointer parameter of an access."""
        addresses = self.memory.addresses
        if op.base is None:
            return None
        return addresses.pointers.position(op.base, addresses.form(op.base))

    # --- accesses

    def _is_inside(self, op: Op) -> bool:
        """Ask that an access of global memory is inside for all lanes."""
        row, address, base, type_ = op.ins.row, op.ins.address, op.base, op.ins.row.type
        if not row.is_memory or row.is_atomic or row.segment is not Segment.GLOBAL:
            return False
        if address is None or base is None or type_ is None:
            return False
        span = self.spans.of(base)
        if span is None or span.param is None:
            return False
        if span.multiple % type_.size or address.offset % type_.size:
            return False
        addresses, store = self.memory.addresses, not row.is_load
        form = addresses.form(base)
        window = addresses.window(base, form, store)
        if window is None or window is not addresses.param_window(span.param, store):
            return False
        if form is not None and form.index is not None and form.scale > LARGEST_CELL:
            # It is multiplied in 32 bits (Addresses.hosts).
            most = LARGEST_WINDOW // form.scale
            if not self.spans.is_below(form.index, most, signed=form.signed):
                return False
        offset = Bound((), ((self._offset(span.param, window.base, type_.size), 1),))
        offset = offset.plus(Bound(constant=address.offset))
        self._conditions.at_most(span.low.plus(offset).times(-1), 0)
        end = Bound((), ((window.size, -1),), type_.size)
        self._conditions.at_most(span.high.plus(offset).plus(end), 0)
        return True

    def _offset(self, position: int, base: str, size: int) -> str:
        """Return a pointer's distance from its buffer's start, an i64; it must be aligned."""
        entry = self._conditions.entry
        if position not in self._offsets:
            pointer = self.memory.addresses.param_pointer(position)
            self._offsets[position] = entry.let(f"sub i64 {pointer}, {base}")
        offset = self._offsets[position]
        if (position, size) not in self._offset_tests:
            near = entry.let(f"add i64 {offset}, {FARTHEST}")
            tests = [entry.let(f"icmp ult i64 {near}, {2 * FARTHEST}")]
            if size > 1:
                rest = entry.let(f"and i64 {offset}, {size - 1}")
                tests.append(entry.let(f"icmp eq i64 {rest}, 0"))
            self._offset_tests[position, size] = tests
        for test in self._offset_tests[position, size]:
            self._conditions.require_of_call(test)
        return offset


def ask_for_size(conditions: Conditions) -> None:
    """Ask that the sizes of a launch are below 2^31."""
    entry = conditions.entry
    for slot in (Slot.ITEMS_X, Slot.ITEMS_Y, Slot.ITEMS_Z):
        size = load_slot(entry, slot)
        conditions.require_of_call(entry.let(f"icmp ult i64 {size}, {1 << 31}"))


def _reached(ssa: Ssa, assumed: Assumed) -> set[int]:
    """Return the nodes that interior warps may run."""
    flow: Flow = ssa.flow
    found, work = {START}, [START]
    while work:
        number = work.pop()
        ways = flow.nodes[number].successors
        condition = ssa.conditions.get(number)
        known = assumed.known.get(condition) if isinstance(condition, Op) else None
        if len(ways) == 2 and known in ("true", "false"):
            ways = ways[known == "true" :][:1]
        new = [way for way in ways if way not in found]
        found.update(new)
        work += new
    return found


def _is_identity(value: Value) -> bool:
    """Return whether a value is the number of a work-item, of which the warp knows the bounds."""
    return isinstance(value, Op) and value.ins.row.is_identity
