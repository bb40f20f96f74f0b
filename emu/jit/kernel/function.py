"""The function of a kernel: the loops over workgroups and warps around its nodes.

Without barriers a warp runs from start to end, and so does one that is all of its workgroup. Else
the warps of a workgroup take turns, in rounds from barrier to barrier.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from ....isa.program import Kernel
from ....isa.types import Segment
from ...analysis.flow.order import START
from ...analysis.lanes.lane_plan import LanePlan
from ...analysis.suitability.barriers import arrive_together
from ...analysis.warps.uniformity import Shapes
from ..llvm.function_text import EntryText, FunctionText, definition
from ..llvm.text import ModuleText
from ..llvm.vectors import Chunks, VectorCode
from . import budget
from .control.edges import Edges
from .counting.counted import Counted, counting_of
from .counting.counters import Counters
from .interior.flat_rows import FlatRows
from .interior.parts import Parts, may_have_parts
from .interior.row import AFTER, HEAD, RowOfWarps
from .interior.version import emit_interior, has_interior
from .lane_code import LaneCode, vectors_of
from .loops.hidden import steps_many_addresses
from .memory.kernel_memory import memory_of
from .nodes import Nodes
from .value_table import ValueTable
from .variables import Variables
from .workgroups.barriers import FRAME, Barriers
from .workgroups.calls import ARGUMENTS, KERNEL, called
from .workgroups.group_order import group_order
from .workgroups.identity import (
    GROUP,
    WARP,
    Warp,
    count_warps,
    start_group,
    start_warp,
    start_warp_at,
)
from .workgroups.one_warp import OneWarp
from .workgroups.rounds import Rounds
from .workgroups.trial import ALONE, LIMIT, TOGETHER, trial, versions_of
from .workgroups.zeroed import zero_group

OTHERS = "others"
"""The name of the function for workgroups that are not interior."""


class KernelCode:
    """Generates `i32 kernel(context block, first workgroup, end)`; it returns 1 after a trap."""

    def __init__(
        self,
        module: ModuleText,
        kernel: Kernel,
        readonly_bytes: int,
        shapes: Shapes,
        plan: LanePlan,
        counted: Counted | None = None,
        others: Callable[[], KernelCode] | None = None,
    ) -> None:
        """`others` generates code for workgroups that are not interior, if this has none."""
        self.entry = EntryText(module)
        """The lines that are computed once per call."""
        self.code = self.entry.elsewhere()
        self.variables = Variables(self.entry, self.code)
        self.shapes, self.facts, self.plan = shapes, shapes.facts, plan
        self._counted = counted
        self._others = others
        self._counters: Counters | None = None
        self._finish: Callable[[], None] = lambda: None
        """Adds what a call has counted to what is in memory."""
        self._versions: list[Variables | None] = []
        """The variables of other versions of the nodes: for interior warps, and for vectors."""
        self.has_barrier = any(
            node.last is not None and node.last.row.is_barrier for node in shapes.flow.nodes
        )
        self._takes_turns = self.has_barrier and not self.facts.one_warp
        """Whether the warps of a workgroup take turns, from barrier to barrier."""
        self._together = (
            self.has_barrier and not self.facts.counts and arrive_together(shapes.ssa, self.facts)
        )
        """Whether all work-items of a workgroup reach each barrier together."""
        self._has_atomics = any(
            ins.row.is_atomic and ins.row.segment is Segment.GLOBAL for ins in kernel.instructions
        )
        self.memory = memory_of(
            kernel,
            readonly_bytes,
            shapes,
            plan,
            private_of=WARP if self._takes_turns else "0",
            relied=None if counted is None else counted.relied,
        )
        self._table = ValueTable(shapes.ssa, self.memory.ranges)
        self.frame_bytes = 0
        """Bytes of frames for each warp; known after `text`."""

    def text(self, name: str = "", kernel: str = KERNEL) -> str:
        """Return the whole function; if it has a `name`, that for some workgroups alone.

        Otherwise `kernel` is how its definition begins.
        """
        code, facts = self.code, self.facts
        order = group_order(self.entry, self.shapes)
        order.head(code)
        group = start_group(code, facts)
        zero_group(self.entry, code, self.memory, self.shapes, together=self._together)
        warps = count_warps(code, group, facts)
        vectors = VectorCode(code, *vectors_of(facts))
        begin = partial(start_warp, vectors, group, facts)
        if self._takes_turns:
            self._rounds(warps, begin)
        else:
            self._begin_round()
            self._straight(warps, begin, partial(start_warp_at, vectors, group, facts))
        order.next(code)
        code.block("finished")
        self._finish()
        code.ret("i32", 0)
        self._poison(self.entry)
        self.entry.jump("group_head")
        for variables in (self.variables, *filter(None, self._versions)):
            variables.check()
        if name:
            limit = f", i64 {LIMIT}" if name == TOGETHER and self.plan.finds_limit else ""
            head = f"define internal i32 @{name}({ARGUMENTS}{limit}) noinline"
            return definition(head, self.entry, code)
        return self._called(lambda head: definition(head, self.entry, code), kernel)

    def fastest(self, alone: KernelCode | None) -> str:
        """Return a function with several versions, of which calls find the fastest one.

        This one is called with a limit if it finds one. `alone` is another one.
        """
        module, finds_limit = self.code.module, self.plan.finds_limit
        module.define(TOGETHER, self.text(TOGETHER))
        if alone is not None:
            module.define(ALONE, alone.text(ALONE))
        versions = versions_of(self.facts, finds_limit=finds_limit, has_alone=alone is not None)
        return self._called(lambda head: trial(module, head, versions))

    def _called(self, text: Callable[[str], str], kernel: str = KERNEL) -> str:
        """Return what is called for a range of workgroups; see `called`."""
        return called(
            text,
            self.entry,
            self.shapes,
            self.memory,
            has_atomics=self._has_atomics,
            kernel=kernel,
        )

    def _lanes(self, warp: Warp) -> LaneCode:
        report = partial(warp.report, self.code)
        facts = self.facts
        return LaneCode(self.variables, self._table, self.shapes, facts, facts.width, report)

    def _edges(self, lanes: LaneCode, warp: Warp) -> Edges:
        """Return the edges of a warp, with the code that counts its instructions if asked for."""
        if self._counted is None:
            return Edges(lanes, self.plan)
        counting = counting_of(self._counted, lanes, self.plan, warp.existing)
        counting.begin_warp()
        self._finish = counting.finish
        self._counters = counting if isinstance(counting, Counters) else None
        return Edges(lanes, self.plan, counting)

    def _straight(
        self, warps: str, begin: Callable[[], Warp], begin_at: Callable[..., Warp]
    ) -> None:
        """Run every warp from start to end.

        `begin_at` begins one at any work-item, and ends it before another one if given, both i64.
        """
        code, facts = self.code, self.facts
        counters = ""
        if self.shapes.flow.loops:
            counters = self.entry.let(f"alloca [{budget.counter_words(facts)} x i64], align 64")
        row = flat = None
        if facts.one_warp:
            code.let("add i64 0, 0", WARP)
        else:
            if not facts.counts:
                row = RowOfWarps.of(self._lanes, begin_at, self.memory, self.plan)
            if row is None and self._others is None:
                flat = FlatRows.of(code, self.shapes, self.plan, self._lanes, begin_at, self.memory)
            if flat is not None:
                flat.emit(counters, self._end_version, "group_next")
            before = code.current_block
            if row is None:
                code.jump("warp_head")
            else:
                row.enter()
            self._warp_head(before, warps, "group_next", row)
            if row is not None:
                row.emit(before, counters, self._end_version)
                code.block("warp_body")
        warp = begin()
        lanes = self._lanes(warp)
        edges = self._edges(lanes, warp)
        self.memory.clear_private(self.entry, code, facts.width)
        relied = self.memory.relied
        watches = relied is not None and bool(relied.watched or relied.kept_out or relied.loop)
        if (
            row is None
            and flat is None
            and self.has_barrier == facts.one_warp
            and not (facts.one_warp and facts.counts)
            and not watches
            and not facts.splits
            and has_interior(lanes, self.plan, self._counters)
        ):
            self._versions.append(emit_interior(lanes, warp, self.memory, counters, self._counters))
        left = warp.existing
        if row is None and flat is None and any(self._versions) and self._others is None:
            parts = Parts(lanes, self._lanes, begin_at, self.memory)
            found = parts.emit(warp, counters) if may_have_parts(self.shapes, self.memory) else None
            if found is not None:
                variables, left = found
                self._versions.append(variables)
        if self._others is not None and any(self._versions):
            self._run_otherwise(self._others())
        else:
            lists = row is None and not any(self._versions)
            self._any_warp(lanes, warp, edges, counters, left, lists=lists)
        code.block("warp_next")
        if facts.one_warp:
            self._end_warp()
            code.jump("group_next")
        else:
            self._next_warp()

    def _any_warp(
        self,
        lanes: LaneCode,
        warp: Warp,
        edges: Edges,
        counters: str,
        running: Chunks,
        *,
        lists: bool,
    ) -> None:
        """Run lanes of a warp, wherever it lies; `lists` if the nodes have no other version."""
        if counters:
            budget.fill(lanes, counters)
        edges.clear_all()
        barriers = OneWarp(lanes, warp, edges) if self.has_barrier else None
        nodes = Nodes(edges, self.memory, warp, barriers)
        nodes.ops.lists = lists
        nodes.begin_warp()
        edges.enter(START, running)
        nodes.emit()
        self.code.block("warp_over")
        if barriers is not None:
            barriers.end()
        nodes.end_warp()
        self.code.jump("warp_next")

    def _run_otherwise(self, others: KernelCode) -> None:
        """Run a workgroup that is not interior by a function of its own."""
        code = self.code
        code.module.define(OTHERS, others.text(OTHERS))
        self.frame_bytes = others.frame_bytes * (self.facts.width // others.facts.width)
        end = code.let(f"add i64 {GROUP}, 1")
        trapped = code.let(f"call i32 @{OTHERS}(ptr %ctx, i64 {GROUP}, i64 {end})")
        good = code.let(f"icmp eq i32 {trapped}, 0")
        code.branch(good, "warp_over", "trapped")
        code.block("warp_over")
        code.jump("warp_next")

    def _rounds(self, warps: str, begin: Callable[[], Warp]) -> None:
        """Let warps take turns from barrier to barrier."""
        code, facts, words = self.code, self.facts, self.variables
        together = self._together
        rounds = Rounds(code, words, together=together)
        rounds.begin()
        self._begin_round()
        code.jump("warp_head")
        self._warp_head("round_head", warps, "round_over")
        warp = begin()
        lanes = self._lanes(warp)
        edges = self._edges(lanes, warp)
        barriers = Barriers(lanes, self.plan, warp, edges, together=together)
        self.frame_bytes = barriers.frame_bytes
        barriers.open_frame()
        edges.clear_all()
        if not together:
            barriers.clear_held()
        fresh = code.let(f"icmp ne i64 {words.word('fresh')}, 0")
        place = words.word("place") if together else code.let(f"load i64, ptr {FRAME}")
        code.branch(fresh, "warp_fresh", "warp_resume")
        code.block("warp_fresh")
        self.memory.clear_private(self.entry, code, facts.width)
        barriers.begin(warp.existing)
        edges.enter(START, warp.existing)
        nodes = Nodes(edges, self.memory, warp, barriers)
        nodes.emit()
        code.block("warp_resume")
        barriers.resume(place, nodes.ops.instructions.op)
        code.block("warp_over")
        barriers.end()
        code.block("warp_next")
        self._next_warp()
        code.block("round_over")
        rounds.end(self._counters)

    def _begin_round(self) -> None:
        """Begin the time of a workgroup up to its next barrier, if group memory is watched."""
        if self.memory.relied is not None and self.memory.relied.group_unit:
            from .memory.watched.owners import begin_round

            begin_round(self.code, self.memory, self.facts)

    def _poison(self, text: FunctionText) -> None:
        self.variables.poison(text, self.facts.poison)
        for variables in self._versions:
            if variables is not None:
                variables.poison(text, self.facts.poison)

    def _end_version(self, variables: Variables) -> None:
        """End the turn of a warp, or of a part, that runs a version of its own in a row."""
        self._versions.append(variables)
        self._end_warp()

    # --- the loop over warps

    def _warp_head(
        self, before: str, warps: str, after: str, row: RowOfWarps | None = None
    ) -> None:
        """Begin the loop over the warps of a workgroup, in the block of its body.

        The interior warps of a row are not in it: it continues after them, and the code at the
        labels of `row` follows here.
        """
        code = self.code
        code.block("warp_head")
        ways = [(0, before), ("%w.next", "warp_next")]
        if row is not None and row.beside_warps:
            ways.append((row.found.end_warp, AFTER))
        if steps_many_addresses(self.shapes.ssa, vectors_of(self.facts)[1]):
            code.opaque("i64", code.phi("i64", *ways), WARP)
        else:
            code.phi("i64", *ways, name=WARP)
        if row is not None and row.beside_warps:
            code.branch(row.begins(), HEAD, "warp_check")
            code.block("warp_check")
        code.let(f"icmp ult i64 {WARP}, {warps}", "%w.more")
        code.branch("%w.more", "warp_body", after)
        if row is None:
            code.block("warp_body")

    def _next_warp(self) -> None:
        """Close the loop over the warps."""
        self._end_warp()
        self.code.let(f"add i64 {WARP}, 1", "%w.next")
        self.code.jump("warp_head")

    def _end_warp(self) -> None:
        """End the turn of a warp."""
        if self._counters is not None:
            self._counters.end_warp()
        self._poison(self.code)
