"""Rows of flat numbers, one after the other: whole warps from a row's start, and the rest of it.

Kernels that take a flat number apart (`i % w`, `i / w`) have rows that are no whole warps. So warps
begin where rows do: quotients are scalars, and only the warp in which a row ends, and branches at
edges of the row, have masks. That warp has as many vectors as are left of the row. What accesses
are tested for is tested once for all rows of a workgroup.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from functools import partial

from ....analysis.facts import Facts
from ....analysis.lanes.interior import Assumed, InteriorShapes
from ....analysis.lanes.lane_plan import LanePlan
from ....analysis.ranges.offset_ranges import Ranges
from ....analysis.values.ssa import Const, Op, Ssa
from ....analysis.warps.uniformity import Shapes
from ....analysis.widths.flat_rows import ends_in_row
from ...llvm.function_text import FunctionText
from ..lane_code import LaneCode
from ..memory.kernel_memory import KernelMemory
from ..row_counters import RowCounters
from ..variables import Variables
from ..workgroups.identity import Warp, Workgroup
from .bounds import ONE, Conditions
from .given_spans import Scope
from .parts import depends_on_start, divisions_of, may_have_parts, saves_gathers
from .vectors import begin_vector
from .version import ask, emit_edge_nodes

ITEM = "%row"
"""The work-item at which the running row begins, or what is left of it, an i64."""

START = "%{}start"
"""The work-item at which the running warp begins, an i64."""

PART = "%{}part"
"""The work-item at which the running vectors of a row's rest begin, an i64."""

FEW = 3
"""The last vectors of a row that run at once, at most: under a mask, one more than a warp of two
has. Conditions, quotients and addresses are computed once for all of them. With the last vector
alone, rows of 24 to 48 took 1.1 to 1.35 times as long."""

MOST_ROWS = (1 << 32) // 8
"""Rows of at least eight numbers, at most."""

LEAST_ROW = 8
"""Work-items of a row at least: in shorter ones, tests of rows take longer than gathers."""


@dataclass(frozen=True)
class FlatRows:
    """The rows of a workgroup, and their code."""

    _conditions: Conditions
    """When all rows of the workgroup run so."""
    _counters: RowCounters
    """The rows, of which the workgroup begins in the first one."""
    _assumed: Assumed
    """What holds in each row, of which numbers are not known yet."""
    _inside: frozenset[Op]
    """Accesses that are inside in all of the workgroup."""
    _signed: frozenset[Op]
    """Those by indices that have a sign in lanes that do not run."""
    _lanes: LaneCode
    """The code of all warps."""
    _group: Workgroup
    _memory: KernelMemory
    _begin: Callable[[str], Warp]
    """Starts a warp of the workgroup at a work-item, an i64."""

    @classmethod
    def of(
        cls,
        code: FunctionText,
        shapes: Shapes,
        plan: LanePlan,
        lanes_of: Callable[[Warp], LaneCode],
        begin: Callable[[str], Warp],
        memory: KernelMemory,
    ) -> FlatRows | None:
        """Append what the rows of a workgroup have in common; None if there is nothing to gain.

        `begin(item)` starts a warp of the workgroup at a work-item, an i64.
        """
        # Only a workgroup of one row is a range of flat numbers.
        if plan.sparse or shapes.facts.group_size[1:] != (1, 1):
            return None
        if not may_have_parts(shapes, memory):
            return None
        divisions = [op for op in divisions_of(shapes) if _is_of_number(op)]
        if not divisions:
            return None
        mark = len(code.lines)
        first = begin("0")
        lanes = lanes_of(first)
        items = code.let(f"zext i32 {first.group.items} to i64")
        # All that one work-item has is one value.
        _, _, alone = ask(lanes, first, memory, Scope(running=ONE))
        rows = alone.rows_of(divisions)
        conditions, assumed, decisions = ask(
            lanes, first, memory, Scope(running=items, of_rows=True)
        )
        decisions.decide_all([*rows, *decisions.expected])
        in_row = InteriorShapes(lanes.ssa, lanes.facts, _only(assumed, rows))
        guarded = decisions.inside_where_guarded(in_row)
        inside = guarded | decisions.inside(guarded)
        assumed = _only(assumed, rows)
        inner = InteriorShapes(lanes.ssa, lanes.facts, assumed)
        # A loop that lanes leave in turn takes as long for the few lanes of a short row.
        least = max(LEAST_ROW, lanes.facts.width // 2 if inner.divergent_loops else 0)
        counters = RowCounters(code, rows)
        for size in counters.sizes:
            conditions.require(code.let(f"icmp uge i32 {size}, {least}"))
        if (
            not rows
            or conditions.never
            or any(_is_short(op, least) for op in rows)
            or any(op not in assumed.known and op not in assumed.rest for op in rows)
            or any(ends_in_row(inner, op) for op in lanes.ssa.values())
            or depends_on_start(inner)
            or not saves_gathers(inside, inner)
        ):
            del code.lines[mark:]
            return None
        assumed.positive = decisions.positive(_integer_divisions(lanes.ssa))
        signed = frozenset(decisions.signed)
        return cls(conditions, counters, assumed, inside, signed, lanes, first.group, memory, begin)

    def emit(self, counters: str, end_warp: Callable[[Variables], None], after: str) -> None:
        """Append the tests and the loop over rows, which continues at the label `after`.

        What follows is for workgroups whose rows may not run so. `end_warp` ends the turn of a
        warp, whose variables it is handed.
        """
        code = self._lanes.code
        self._conditions.branch("rows", "no_rows")
        code.block("rows")
        items = code.let(f"zext i32 {self._group.items} to i64")
        code.jump("row_head")
        code.block("row_head")
        over = "row_over"
        code.phi("i64", ("0", "rows"), (f"{ITEM}.next", over), name=ITEM)
        self._counters.begin("rows", over)
        running = self._counters.running(code.let(f"sub i64 {items}, {ITEM}"))
        end = code.let(f"add i64 {ITEM}, {running}")
        assumed = self._assumed.copy()
        self._counters.assume(assumed)
        emit_nodes = partial(self._emit_nodes, counters, end_warp)
        inner = self._decide_row(assumed)
        if inner is not None:
            conditions, known = inner
            conditions.branch("inner_row", "any_row")
            code.block("inner_row")
            self._emit_row(end, partial(emit_nodes, known), "inner_")
            code.block("any_row")
        self._emit_row(end, partial(emit_nodes, assumed), "")
        code.block(over)
        code.let(f"add i64 {end}, 0", f"{ITEM}.next")
        self._counters.advance(running)
        code.branch(code.let(f"icmp ult i64 {end}, {items}"), "row_head", after)
        code.block("no_rows")

    def _decide_row(self, assumed: Assumed) -> tuple[Conditions, Assumed] | None:
        """Append what shows that no branch leaves out an access in the running row.

        Branches that depend on the row alone count, as where neighbours are beyond an image, in all
        iterations of loops. Returns what is known then; None if there are no such branches.
        """
        lanes = self._lanes
        scope = Scope(running=ONE)
        conditions, found, decisions = ask(lanes, self._begin(ITEM), self._memory, scope)
        for op, number in assumed.known.items():
            if number not in ("true", "false"):
                decisions.spans.give(op, number, MOST_ROWS)
        shapes = InteriorShapes(lanes.ssa, lanes.facts, assumed)
        rows = self._counters.ops
        if not decisions.decide_before(self._inside, rows, shapes) or conditions.never:
            return None
        known = {op: name for op, name in found.known.items() if name in ("true", "false")}
        return conditions, replace(assumed, known={**assumed.known, **known})

    def _emit_row(self, end: str, emit_nodes: Callable[..., None], mark: str) -> None:
        """Append the warps of a row, which continues at `row_over`; labels begin with `mark`."""
        self._emit_whole(end, emit_nodes, mark)
        self._emit_rest(end, emit_nodes, mark)

    def _emit_whole(self, end: str, emit_nodes: Callable[..., None], mark: str) -> None:
        """Append the loop over whole warps of a row, and begin the block after it."""
        code, facts, start = self._lanes.code, self._lanes.facts, START.format(mark)
        before, over = code.current_block, f"{mark}row_warp_over"
        code.jump(f"{mark}row_warps")
        code.block(f"{mark}row_warps")
        code.phi("i64", (ITEM, before), (f"{start}.next", over), name=start)
        least = facts.width
        if 1 < self._lanes.k <= self._few:
            # What is left is one part if it has no more vectors than that may have.
            least = self._few * self._lanes.n + 1
        runs = code.let(f"icmp sle i64 {start}, {code.let(f'sub i64 {end}, {least}')}")
        code.branch(runs, f"{mark}row_warp", f"{mark}row_rest")
        code.block(f"{mark}row_warp")
        emit_nodes(facts, start, "", self._lanes.k, mark, over)
        code.let(f"add i64 {start}, {facts.width}", f"{start}.next")
        code.jump(f"{mark}row_warps")
        code.block(f"{mark}row_rest")

    def _emit_rest(self, end: str, emit_nodes: Callable[..., None], mark: str) -> None:
        """Append what runs the last vectors of a row, which continues at `row_over`."""
        lanes, code, n = self._lanes, self._lanes.code, self._lanes.n
        numbers, repeats = range(1, self._few + 1), lanes.k > self._few
        first = START.format(mark)
        if repeats:
            part = PART.format(mark)
            code.jump(f"{mark}row_parts")
            code.block(f"{mark}row_parts")
            ways = ((f"{part}.next{k}", f"{mark}row_part{k}_over") for k in numbers)
            code.phi("i64", (first, f"{mark}row_rest"), *ways, name=part)
            first = part
        left = code.let(f"sub i64 {end}, {first}")
        code.branch(code.let(f"icmp sgt i64 {left}, 0"), f"{mark}more_than0", "row_over")
        for k in numbers:
            code.block(f"{mark}more_than{k - 1}")
            if k == lanes.k > 1:
                # A whole warp has no mask.
                whole = code.let(f"icmp eq i64 {left}, {lanes.facts.width}")
                code.branch(whole, f"{mark}row_warp", f"{mark}no_warp{k}")
                code.block(f"{mark}no_warp{k}")
            if k < self._few:
                more = code.let(f"icmp sgt i64 {left}, {k * n}")
                code.branch(more, f"{mark}more_than{k}", f"{mark}row_part{k}")
            else:
                code.jump(f"{mark}row_part{k}")
        for k in numbers:
            code.block(f"{mark}row_part{k}")
            # Three vectors do not divide workgroups.
            facts = replace(lanes.facts, width=k * n, whole=False)
            emit_nodes(facts, first, end, k, mark, f"{mark}row_part{k}_over")
            if repeats:
                code.let(f"add i64 {first}, {k * n}", f"{first}.next{k}")
            code.jump(f"{mark}row_parts" if repeats else "row_over")

    @property
    def _few(self) -> int:
        """How many of a row's last vectors run at once, at most."""
        return FEW if self._lanes.k > 1 else 1

    def _emit_nodes(
        self,
        counters: str,
        end_warp: Callable[[Variables], None],
        assumed: Assumed,
        facts: Facts,
        item: str,
        end: str,
        vectors: int,
        mark: str,
        after: str,
    ) -> None:
        """Append the nodes of a warp that begins at a work-item, and the block `after` them.

        It has no lanes from the work-item `end` on, if that is given, but has some in each of its
        `vectors`.
        """
        facts = replace(facts, begins_anywhere=True)
        shapes = InteriorShapes(self._lanes.ssa, facts, assumed)
        warp, lanes = begin_vector(self._lanes, self._group, shapes, item, end or None)
        warp.existing[: vectors - 1] = ["splat (i1 true)"] * (vectors - 1)
        plan = LanePlan(shapes)
        memory = replace(
            self._memory,
            ranges=Ranges(shapes),
            last_readers=plan.last_readers,
            for_running=self._inside,
            signed=self._signed,
        )
        version = mark + (f"e{vectors}_" if end else "f")
        variables = emit_edge_nodes(
            self._inside, plan, lanes, warp, memory, counters, after, assumed, version
        )
        lanes.code.block(after)
        end_warp(variables)


def _is_of_number(op: Op) -> bool:
    """Return whether what is divided is the number of a work-item itself.

    Rows of `(x + 1) % w` and `(x + w - 1) % w` end one after the other: single work-items at each
    end of a row would be rows, which took 1.25 times as long.
    """
    number = op.args[0]
    return isinstance(number, Op) and number.ins.row.is_identity


def _integer_divisions(ssa: Ssa) -> list[Op]:
    return [
        op
        for op in ssa.values()
        if isinstance(op, Op)
        and op.ins.row.stem in ("div", "rem")
        and op.ins.row.type is not None
        and not op.ins.row.type.is_float
        and not isinstance(op.args[1], Const)
    ]


def _is_short(division: Op, least: int) -> bool:
    """Return whether rows always have less than the `least` work-items."""
    size = division.args[1]
    return isinstance(size, Const) and size.bits < least


def _only(assumed: Assumed, divisions: Collection[Op]) -> Assumed:
    """Return what is known of divisions, and comparisons of which the result is known."""
    known = {op: n for op, n in assumed.known.items() if op in divisions or n in ("true", "false")}
    return Assumed(known, {}, {op: n for op, n in assumed.rest.items() if op in divisions})
