"""Conditions of interior warps: comparisons with one result, accesses that are inside."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from math import inf, prod

from .....isa.types import RegClass, Segment
from ....analysis.flow.order import START, Flow
from ....analysis.lanes.interior import Assumed
from ....analysis.ranges.lane_trips import LaneTrips
from ....analysis.ranges.trips import Trips
from ....analysis.values.ssa import Op, Ssa, Value
from ....analysis.warps.uniformity import LaneShapes
from ...llvm.function_text import FunctionText
from ...runtime.context import Slot
from ..context_code import load_slot
from ..memory.global_memory import GlobalMemory
from .bounds import Bound, Conditions
from .spans import Span, Spans

FARTHEST = 1 << 47
"""Bytes between a pointer and the start of its buffer, at most."""

LEAST_ACCESSES = 4
"""Accesses that must share a test, if no test of an edge is gained; streams have fewer."""

MUCH = 2
"""Instructions of arithmetic for each access, from which on fewer accesses suffice."""

LONG_ROW = 1024
"""Work-items of a row of the workgroup from which on streams that compute less gain, too: finding
the interior warps of a row takes as long as some of them do."""

MOST_STREAMED = 1
"""Instructions of arithmetic of a stream: with more, vectors one after the other take longer."""

MOST_WORK = 60
"""Instructions of arithmetic of a warp up to which masks and tests are much beside them."""

MOST_UNROLLED = 128
"""Instructions of a loop, all iterations together, that LLVM unrolls."""

_RELATIONS = frozenset({"lt", "le", "gt", "ge", "eq", "ne"})


class Decisions:
    """Asks for what interior warps have in common, value by value."""

    def __init__(
        self,
        ssa: Ssa,
        shapes: LaneShapes,
        spans: Spans,
        conditions: Conditions,
        assumed: Assumed,
        memory: GlobalMemory,
        trips: Mapping[int, Trips],
        lane_trips: Mapping[int, LaneTrips],
        *,
        one_warp: bool,
    ) -> None:
        self._ssa = ssa
        self._one_warp = one_warp
        self._shapes = shapes
        self._spans = spans
        self._conditions = conditions
        self._assumed = assumed
        self._memory = memory
        self._returns = {
            **{number: loop.returns for number, loop in trips.items()},
            **{number: loop.most for number, loop in lane_trips.items()},
        }
        """Loop number -> how often it goes back to its header, for those whose number is known."""
        self._lane_loops = lane_trips.keys()
        self._expected = _expected(ssa)
        self._offsets: dict[int, str] = {}

    @property
    def _code(self) -> FunctionText:
        return self._conditions.code

    def gains(self, inside: frozenset[Op], *, row: int) -> bool:
        """Return whether a version for interior warps has enough to gain, after `decide`.

        `row` is how many work-items a row has whose interior warps are found together, or 0. What
        runs once beside loops of any number of iterations gains nothing: five kernels with such
        loops took 0.98 to 1.02 of the time, and up to twice the time to compile. Loops that are
        bound by gathers, or have no access, gained nothing by masks. A workgroup that is one warp
        must have accesses that share a test: a transpose of 16 x 16 gained nothing.
        """
        if self.gains_at_edges(inside):
            return True
        if self._one_warp:
            return False
        if self._gains_masks():
            return True
        least = 0 if row >= LONG_ROW else MUCH * len(global_accesses(self._ssa))
        return bool(inside) and least <= self._arithmetic() <= MOST_WORK

    def _gains_masks(self) -> bool:
        """Return whether lanes part in a loop, beside accesses of one place or of neighbours."""
        flow, shapes = self._ssa.flow, self._shapes
        inner = {n for n in self._frequent if flow.loop_of[n] is not None}
        accesses = [op for op in global_accesses(self._ssa) if op.node in inner]
        parts = any(
            n in inner and not shapes.is_uniform(condition)
            for n, condition in self._ssa.conditions.items()
        )
        return bool(accesses and parts) and all(map(self._is_wide, accesses))

    def _is_wide(self, op: Op) -> bool:
        """Return whether an access is of one place or of neighbours."""
        size = op.ins.row.type.size if op.ins.row.type is not None else 0
        return op.base is not None and self._shapes.stride(op.base) in (0, size)

    def gains_at_edges(self, inside: frozenset[Op]) -> bool:
        """Return whether warps at edges gain by accesses without tests as well."""
        frequent = self._frequent
        accesses = sum(self._copies(op.node) for op in inside if op.node in frequent)
        return accesses >= LEAST_ACCESSES or self.has_edges()

    def is_stream(self, inside: frozenset[Op]) -> bool:
        """Return whether straight code loads and stores neighbours, and hardly computes."""
        accesses = global_accesses(self._ssa)
        known = self._assumed.known.keys()
        return (
            not self._ssa.flow.loops
            and all(c in known for c in self._ssa.conditions.values())
            and accesses == inside
            and all(map(self._is_wide, accesses))
            and self._arithmetic() <= MOST_STREAMED
        )

    def _copies(self, node: int) -> int:
        """Return how often a node is written: loops that lanes leave in turn are copied."""
        around = self._ssa.flow.loops_around(node)
        return prod(
            self._returns[n] + 1 for loop in around if (n := loop.number) in self._lane_loops
        )

    def has_edges(self) -> bool:
        """Return whether comparisons besides the guard, clamps or remainders are decided."""
        assumed, frequent = self._assumed, self._frequent
        return any(op.node in frequent for op in (*assumed.same, *assumed.rest)) or any(
            op.ins.row.stem.startswith("cmp") and op not in self._expected and op.node in frequent
            for op in assumed.known
        )

    def written(self) -> int:
        """Return about how many instructions one version of the kernel has.

        Short loops whose iterations are counted are unrolled; others have a version without tests.
        """
        flow, total = self._ssa.flow, 0
        sizes = {
            loop.number: sum(len(self._ssa.ops.get(n, ())) for n in loop.nodes)
            for loop in flow.loops
        }
        for number, ops in self._ssa.ops.items():
            around, times = flow.loops_around(number), self._times(number)
            if not around:
                total += len(ops)
            elif times == inf:
                total += 2 * len(ops)
            else:
                most = MOST_UNROLLED // max(1, sizes[around[0].number])
                total += max(2, min(int(times), most)) * len(ops)
        return total

    @cached_property
    def _frequent(self) -> frozenset[int]:
        """The nodes of loops whose iterations are not counted; all nodes if there is none."""
        flow = self._ssa.flow
        loops = [loop.nodes for loop in flow.loops if loop.number not in self._returns]
        return frozenset().union(*loops) if loops else frozenset(flow.order)

    def _arithmetic(self) -> float:
        """Return how many instructions compute with vectors, iterations of loops included."""
        total = 0.0
        for number, ops in self._ssa.ops.items():
            found = [op for op in ops if not op.ins.row.is_memory and not op.parts]
            vectors = [
                op for op in found if op.cls is not RegClass.C and not self._shapes.is_uniform(op)
            ]
            computed = sum(self._shapes.stride(op) is None for op in vectors)
            total += computed * self._times(number) if computed else 0
        return total

    def _times(self, node: int) -> float:
        """Return how often a node may run; infinity if that is not known."""
        times = 1.0
        for loop in self._ssa.flow.loops:
            if node in loop.nodes:
                times *= self._returns.get(loop.number, inf) + 1
        return times

    def decide(self) -> frozenset[Op]:
        """Ask for all conditions; return the accesses that are inside then."""
        for value in self._ssa.values():
            if isinstance(value, Op) and not self._shapes.is_uniform(value):
                self._spans.attempt(lambda op=value: self._decided(op))
        return self.inside()

    def inside(self) -> frozenset[Op]:
        """Ask that accesses are inside; return those that are then."""
        live = _reached(self._ssa, self._assumed)
        return frozenset(
            op
            for number in self._ssa.flow.order
            if number in live
            for op in self._ssa.ops.get(number, ())
            if self._spans.attempt(lambda op=op: self._is_inside(op))
        )

    # --- comparisons, clamps and remainders

    def _decided(self, op: Op) -> bool:
        """Ask that an op has one value, or that of one argument; return whether it can."""
        row = op.ins.row
        if row.name in ("and_b1", "or_b1", "xor_b1", "not_b1"):
            return self._combined(op)
        stem, _, relation = row.stem.partition("_")
        if stem == "cmp" and relation in _RELATIONS and row.srcs:
            type_ = row.srcs[0].type
            if type_ is None or type_.is_float or type_.bits < 32:
                return False
            return self._compared(op, relation, signed=type_.is_signed)
        if row.stem in ("min", "max", "rem", "div", "select") and op.cls is not RegClass.C:
            self._spans.of(op)
            found = self._assumed
            return op in found.same or op in found.rest or op in found.known
        return False

    def _combined(self, op: Op) -> bool:
        known = self._assumed.known
        operands = [known.get(a) if isinstance(a, Op) else None for a in op.args]
        names = [name for name in operands if name is not None]
        stem = op.ins.row.stem
        short = {"and": "false", "or": "true"}.get(stem)
        if short in names:
            known[op] = short
        elif len(names) < len(operands):
            return False
        elif stem == "not":
            opposite = {"true": "false", "false": "true"}.get(names[0])
            known[op] = opposite or self._code.let(f"xor i1 {names[0]}, true")
        elif short is not None and all(n == names[0] for n in names):
            known[op] = names[0]
        else:
            known[op] = self._code.let(f"{stem} i1 {names[0]}, {names[1]}")
        return True

    def _compared(self, op: Op, relation: str, *, signed: bool) -> bool:
        a, b = (self._spans.number(v, signed=signed) for v in op.args[:2])
        if a is None or b is None:
            return False
        if relation in ("eq", "ne"):
            self._differ(a, b)
            self._assumed.known[op] = "true" if relation == "ne" else "false"
            return True
        if relation in ("gt", "le"):
            a, b = b, a
        below = relation in ("lt", "gt")
        expected = self._expected.get(op)
        if expected is None:
            expected = _at_edge(a, b)
        elif not below:
            expected = not expected
        if expected is None and _is_mixed(a, b):
            return False
        known = self._order(a, b, expected)
        if not below:
            known = {"true": "false", "false": "true"}.get(known) or self._code.let(
                f"xor i1 {known}, true"
            )
        self._assumed.known[op] = known
        return True

    def _order(self, a: Span, b: Span, expected: bool | None) -> str:
        """Ask that a < b for all lanes, or for none; return which, an i1."""
        conditions, code = self._conditions, self._code
        above, below = a.high.plus(b.low, -1), a.low.plus(b.high, -1)
        if expected is True:
            conditions.at_most(above, -1)
            return "true"
        if expected is False:
            conditions.at_most(below.times(-1), 0)
            return "false"
        all_lanes = code.let(f"icmp slt i64 {conditions.value(above)}, 0")
        no_lane = code.let(f"icmp sge i64 {conditions.value(below)}, 0")
        conditions.require(code.let(f"or i1 {all_lanes}, {no_lane}"))
        return all_lanes

    def _differ(self, a: Span, b: Span) -> None:
        """Ask that no lane has equal numbers."""
        conditions, code = self._conditions, self._code
        low, high = a.low.plus(b.high, -1), a.high.plus(b.low, -1)
        if a.least >= b.most:
            conditions.at_most(low.times(-1), -1)
        elif a.most <= b.least:
            conditions.at_most(high, -1)
        else:
            if not high.plus(low, -1).is_constant:
                more = code.let(f"icmp sgt i64 {conditions.value(low)}, 0")
                less = code.let(f"icmp slt i64 {conditions.value(high)}, 0")
                conditions.require(code.let(f"or i1 {more}, {less}"))
            else:
                conditions.no_zero(low, high)

    # --- accesses

    def _is_inside(self, op: Op) -> bool:
        """Ask that an access of global memory is inside for all lanes."""
        row, address, base, type_ = op.ins.row, op.ins.address, op.base, op.ins.row.type
        if not row.is_memory or row.is_atomic or row.segment is not Segment.GLOBAL:
            return False
        if address is None or base is None or type_ is None:
            return False
        span = self._spans.of(base)
        if span is None or span.param is None:
            return False
        if span.multiple % type_.size or address.offset % type_.size:
            return False
        addresses, store = self._memory.addresses, not row.is_load
        window = addresses.window(base, addresses.form(base), store)
        if window is None or window is not addresses.param_window(span.param, store):
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
            pointer = self._memory.addresses.param_pointer(position)
            self._offsets[position] = entry.let(f"sub i64 {pointer}, {base}")
        offset = self._offsets[position]
        near = entry.let(f"add i64 {offset}, {FARTHEST}")
        self._conditions.require_of_call(entry.let(f"icmp ult i64 {near}, {2 * FARTHEST}"))
        if size > 1:
            rest = entry.let(f"and i64 {offset}, {size - 1}")
            self._conditions.require_of_call(entry.let(f"icmp eq i64 {rest}, 0"))
        return offset


def global_accesses(ssa: Ssa) -> frozenset[Op]:
    """Return the accesses of global memory of a kernel."""
    rows = ((op, op.ins.row) for ops in ssa.ops.values() for op in ops)
    return frozenset(op for op, row in rows if row.is_memory and row.segment is Segment.GLOBAL)


def ask_for_size(conditions: Conditions) -> None:
    """Ask that the sizes of a launch are below 2^31."""
    entry = conditions.entry
    for slot in (Slot.ITEMS_X, Slot.ITEMS_Y, Slot.ITEMS_Z):
        size = load_slot(entry, slot)
        conditions.require_of_call(entry.let(f"icmp ult i64 {size}, {1 << 31}"))


def _is_mixed(a: Span, b: Span) -> bool:
    """Return whether a < b for some lanes of each warp, or iterations, and not for others."""
    above, below = a.high.plus(b.low, -1), a.low.plus(b.high, -1)
    constant = above.is_constant and below.is_constant
    return constant and above.constant >= 0 > below.constant


def _at_edge(a: Span, b: Span) -> bool | None:
    """Return what a < b is but where a number is the least or the largest of all."""
    if a.most <= b.least:
        return True
    return False if a.least + 1 >= b.most else None


def _expected(ssa: Ssa) -> dict[Op, bool]:
    """Return comparisons by which lanes return at once, and their result for other lanes."""
    found: dict[Op, bool] = {}
    for number, condition in ssa.conditions.items():
        successors = ssa.flow.nodes[number].successors
        if len(successors) != 2:
            continue
        ends = [_ends(ssa, successor) for successor in successors]
        if ends[0] != ends[1]:
            for op, answer in _parts(condition, ends[0]):
                found.setdefault(op, answer)
    return found


def _ends(ssa: Ssa, number: int) -> bool:
    """Return whether a node only returns."""
    node = ssa.flow.nodes[number]
    ends = node.last is not None and node.last.row.stem == "ret"
    return ends and not ssa.ops.get(number)


def _parts(condition: Value, holds: bool) -> Iterator[tuple[Op, bool]]:
    """Yield the comparisons that must have a known result for a condition to hold, or not."""
    work, seen = [(condition, holds)], 0
    while work and seen < 64:
        value, holds = work.pop()
        seen += 1
        if not isinstance(value, Op):
            continue
        name = value.ins.row.name
        if name == "not_b1":
            work.append((value.args[0], not holds))
        elif name == ("and_b1" if holds else "or_b1"):
            work += [(arg, holds) for arg in value.args]
        else:
            yield value, holds


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
