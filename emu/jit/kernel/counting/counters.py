"""Counts of what the post-dominator stack would execute, made by the code of a kernel.

The layout of such code guarantees that each run of a node is one of the stack's
(analysis/counting). So a node counts its runs that have lanes, and their lanes. Nodes that run
equally often with the same lanes share these counts.

Two more figures depend on what would be on the stack: its depth, and whether the top entry has a
PC to compare with. A *context* has both for the lanes that wait at a node: the depth in its upper
half, and in the lower one the number of the re-convergence node plus one, or 0. A branch that
diverges gives its sides new contexts, and keeps its own for the re-convergence node. Nodes that
share counts share contexts as well: the same entry of the stack is on top when they run.

Contexts take some ten instructions for each node. Nearly all kernels keep the masks of iterations
instead, from which everything follows (counted_rows.py).

All these are of the launch's warps, of which a warp of native code may run several.

The version for interior warps has counters of its own, since more of its nodes share counts.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from ....analysis.counting.regions import Region
from ....analysis.counting.rows import Rows
from ....analysis.facts import Facts
from ....analysis.flow.order import START, Loop
from ....analysis.lanes.lane_plan import LanePlan
from ...runtime.context import Count, Slot
from ..context_code import load_slot
from ..lane_code import LaneCode
from .counted_rows import CountedRows
from .counted_warps import CountedWarps, Flags, Numbers
from .row_counts import NodeCounts

if TYPE_CHECKING:
    from .batch_rounds import BatchIterations

MOST_WORDS = 64
"""Counts that are variables, which LLVM keeps in registers or on the stack; more are in memory."""

MOST_MASKS = 128
"""Masks of an iteration of each loop that a kernel may keep, together."""

LEVEL = 1 << 32
"""One entry of the stack, in a context."""


def divergent(regions: Mapping[int, Region], plan: LanePlan) -> dict[int, Region]:
    """Return the regions of the branches that may diverge."""
    return {b: r for b, r in regions.items() if b not in plan.uniform_branches}


def lengths(plan: LanePlan) -> dict[int, int]:
    """Return node with counts of its own -> instructions of all nodes that share them."""
    found: dict[int, int] = {}
    for number, same in plan.masks.runs_with.items():
        found[same] = found.get(same, 0) + plan.masks.flow.nodes[number].length
    return found


def rows_of(facts: Facts, plan: LanePlan, regions: Mapping[int, Region]) -> Rows:
    """Return the masks of iterations from which counts follow, of branches that may diverge."""
    flow = plan.masks.flow
    leaders = {n for n, length in lengths(plan).items() if n == START or length}
    leaders = {n for n in leaders if flow.nodes[n].latch_of is None}
    stops = any(n.last is not None and n.last.row.is_barrier for n in flow.nodes)
    stops = stops and not facts.one_warp
    return Rows(flow, regions, plan.masks.runs_with, leaders, stops=stops)


def may_count_alone(
    facts: Facts, plan: LanePlan, regions: Mapping[int, Region], loops: Collection[Loop]
) -> bool:
    """Return whether masks of iterations are kept, but those of loops that run alone need not be.

    A loop that lanes leave for where they never return has no region.
    """
    rows = rows_of(facts, plan, divergent(regions, plan))
    have_regions = all(rows.of[loop.number].branches for loop in loops)
    inner = (o for loop in loops for o in plan.masks.flow.loops if o.nodes < loop.nodes)
    agree_inside = not any(rows.of[other.number].branches for other in inner)
    return rows.do and rows.size <= MOST_MASKS and have_regions and agree_inside


def may_trace(facts: Facts, plan: LanePlan, regions: Mapping[int, Region]) -> bool:
    """Return whether masks of iterations are kept, as loops need whose lanes leave traces."""
    rows = rows_of(facts, plan, divergent(regions, plan))
    return rows.do and rows.size <= MOST_MASKS


class Counters:
    """Emits the counting of a kernel's warps; `starting` are the lanes of a warp at its start.

    `alone` are the numbers of loops that lanes run alone, at least some lanes if it `has_both`.
    """

    def __init__(
        self,
        lanes: LaneCode,
        plan: LanePlan,
        regions: Mapping[int, Region],
        starting: Sequence[str],
        reported: LanePlan | None = None,
        alone: Collection[int] = (),
        iterations: BatchIterations | None = None,
        *,
        has_both: bool = False,
    ) -> None:
        """`iterations` counts those of a loop, if its warps have to be together."""
        self.lanes = lanes
        self._has_both = has_both
        self._iterations = iterations
        self._words = lanes.variables
        self._warps = CountedWarps(lanes)
        self._plan = plan
        self._interior: Counters | None = None
        self._waits = plan.waits
        self._regions = divergent(regions, plan)
        self._starting = starting
        self._joins = {r.join for r in self._regions.values()} - {None}
        self._watched = {n for r in self._regions.values() if r.join is not None for n in r.nodes}
        runs_with = plan.masks.runs_with
        self._length = lengths(plan)
        self._reported: dict[int, list[int]] = {}
        """Node with counts of its own -> the nodes for which `statistics_of` looks for them."""
        for number, same in (reported or plan).masks.runs_with.items():
            if number == same and number in runs_with:
                self._reported.setdefault(runs_with[number], []).append(number)
        self._same = runs_with
        self._leaders = {same for number, same in runs_with.items() if same != number}
        """Nodes whose counts and contexts others share."""
        self._never_empty = plan.masks.never_empty | plan.masks.tested
        self._in_memory = reported is None and 2 * len(self._length) > MOST_WORDS
        self._memory = lanes.entry.let(f"inttoptr i64 {load_slot(lanes.entry, Slot.COUNTS)} to ptr")
        self._counts: dict[str, int] = {}
        """Variables whose values are added to counts in memory, and which."""
        self._rows = self._counted_rows(alone, is_interior=reported is not None)
        """What counts whole iterations, if that does."""
        self._nonempty: Flags = []
        """Which of the launch's warps run a node."""
        self._context: Numbers = []
        """The contexts of these warps."""

    def of_interior(self, lanes: LaneCode, plan: LanePlan) -> Counters:
        """Return the counters of the version for interior warps, which `finish` adds as well."""
        every = ["splat (i1 true)"] * lanes.k
        self._interior = Counters(lanes, plan, self._regions, every, reported=self._plan)
        if not lanes.facts.whole and self._interior._rows is None:
            for name in ("starters", "steps"):
                lanes.variables.share(name, self._warps.types, self._words)
        return self._interior

    def _counted_rows(self, alone: Collection[int], *, is_interior: bool) -> CountedRows | None:
        """Return what counts whole iterations; None if nodes count for themselves.

        The version for interior warps has no other conditions to meet than that of all warps.
        """
        lanes = self.lanes
        rows = rows_of(lanes.facts, self._plan, self._regions)
        if not rows.do or (rows.size > MOST_MASKS and not is_interior):
            return None
        return CountedRows(
            lanes,
            rows,
            self._warps,
            None if is_interior or lanes.facts.whole else self._starting,
            NodeCounts(
                self._length,
                lambda node: self._places_of(Count.NODES + 2 * node),
                self._memory,
            ),
            self._plan.masks.run_outside,
            version="i" if is_interior else "",
            alone=alone,
            has_both=self._has_both,
        )

    @property
    def may_have_interior(self) -> bool:
        """Return whether counts are in variables: those of another version can be added."""
        return self._rows is not None or not self._in_memory

    @property
    def may_copy(self) -> bool:
        """Return whether nodes may be written several times, each for some of the vectors."""
        return self._rows is not None

    # --- warps

    def begin_warp(self) -> None:
        """Begin a warp, or continue it after a barrier."""
        if self._iterations is not None:
            self._iterations.begin_warp()
        if self._rows is None and not self.lanes.facts.whole:
            self._set("starters", self._warps.lanes_of_each(self._starting))
            self._set("steps", self._warps.constant(0))

    def end_warp(self) -> None:
        """End a warp, or stop it at a barrier: note the lanes it had for each instruction."""
        if self._rows is None and not self.lanes.facts.whole:
            slots = self._warps.let("mul", self._get("steps"), self._get("starters"))
            self._add(Count.LANE_SLOTS, self._warps.total(slots))

    def barrier(self) -> None:
        """Count the barrier of a workgroup."""
        self._add(Count.BARRIERS, "1")

    def enter(self, number: int) -> None:
        """Let a warp begin or resume at a node, where nothing is on its stack but itself."""
        if self._rows is not None:
            self._rows.enter(number)
        elif self._regions:
            self._set(f"context{number}", self._warps.constant(LEVEL))

    # --- nodes

    def run(self, number: int) -> None:
        """Count a run of a node by the running lanes."""
        if self._iterations is not None:
            self._iterations.run(number)
        if self._rows is not None:
            self._rows.run(number)
            return
        lanes, warps = self.lanes, self._warps
        if number in self._never_empty and warps.is_one:
            self._nonempty = ["true"]
        else:
            self._nonempty = warps.some(lanes.mask)
        if self._regions:
            self._context = self._context_at(number)
            if number in self._leaders:
                self._set(f"running{number}", self._context)
        if lanes.flow.nodes[number].latch_of is not None:
            return
        if number == START or self._length.get(number):
            self._add(Count.NODES + 2 * number, warps.set_flags(self._nonempty))
            self._add(Count.NODES + 2 * number + 1, warps.lanes_of(lanes.mask))
            if not lanes.facts.whole:
                self._step(self._length[number])
        length = lanes.flow.nodes[number].length
        if number in self._watched and length:
            compared = warps.both(self._has_join(self._context), self._nonempty)
            self._add_each(Count.COMPARISONS, self._if(compared, length))

    def count_run(self, loop: int, made: str) -> None:
        """Count a loop that lanes have run alone, which have made so many iterations (a ptr)."""
        assert self._rows is not None
        self._rows.count_run(loop, made)

    def _context_at(self, number: int) -> Numbers:
        """Return the context of the running lanes of a node; at a join that of before."""
        if self._same[number] != number:
            return self._get(f"running{self._same[number]}")
        context = self._get(f"context{number}")
        if number not in self._joins:
            return context
        arrived = self._warps.let("icmp eq", self._join_of(context), number + 1)
        return self._warps.select(arrived, self._get(f"below{number}"), context)

    def follow(self, number: int, way: int) -> None:
        """Let all running lanes wait at another node, with the context that they have."""
        if self._rows is not None:
            self._rows.follow(number, way)
            return
        self._set_context(number, way, self._context, self._nonempty)

    def branch(
        self, number: int, ways: tuple[int, int], sides: tuple[Sequence[str], Sequence[str]]
    ) -> None:
        """Let the lanes of both sides of a branch wait where they go next: fall-through, target."""
        if self._rows is not None:
            self._rows.branch(number, ways, sides)
            return
        lanes, warps = self.lanes, self._warps
        found = self._regions.get(number)
        if found is None and not self._regions:
            return
        fall, taken = (warps.some(side) for side in sides)
        contexts = [self._context, self._context]
        if found is not None:
            diverges = warps.both(fall, taken)
            self._add(Count.DIVERGENT, warps.set_flags(diverges))
            join = 0 if found.join is None else found.join + 1
            depth = warps.let("and", self._context, -LEVEL)
            # A side that is at the re-convergence point at once is not on the stack if it is first.
            first = lanes.flow.nodes[number].successors[0]
            most = LEVEL if first == found.join else 2 * LEVEL
            deepest = warps.let("lshr", warps.let("add", depth, most), 32)
            self._raise(warps.select(diverges, deepest, warps.constant(0)))
            if found.join is not None:
                self._keep(found.join, diverges)
            for i, levels in enumerate((2, 1)):
                new = warps.let("add", depth, levels * LEVEL + join)
                contexts[i] = warps.select(diverges, new, self._context)
        for way, context, some in zip(ways, contexts, (fall, taken), strict=True):
            self._set_context(number, way, context, some)

    def _keep(self, join: int, diverges: Flags) -> None:
        """Keep the context for a re-convergence node, unless the lanes are on the way to it."""
        if self._same.get(join, join) != join:
            return
        warps, name = self._warps, f"below{join}"
        new = warps.let("icmp ne", self._join_of(self._context), join + 1)
        outer = warps.both(diverges, new)
        self._set(name, warps.select(outer, self._context, self._get(name)))

    def _set_context(self, number: int, way: int, context: Numbers, some: Flags) -> None:
        """Set the context of lanes that go to a node, if there are some; others may wait there."""
        if not self._regions or self._same.get(way, way) != way:
            return
        name = f"context{way}"
        if way in self._waits[number]:
            context = self._warps.select(some, context, self._get(name))
        self._set(name, context)

    def _join_of(self, context: Numbers) -> Numbers:
        return self._warps.let("and", context, LEVEL - 1)

    def _has_join(self, context: Numbers) -> Flags:
        return self._warps.let("icmp ne", self._join_of(context), 0)

    def _if(self, flags: Flags, number: int) -> Numbers:
        """Return a number for each warp that has a flag, 0 for others."""
        warps = self._warps
        return warps.select(flags, warps.constant(number), warps.constant(0))

    def _step(self, length: int) -> None:
        more = self._if(self._nonempty, length)
        self._set("steps", self._warps.let("add", self._get("steps"), more))

    # --- variables with a number for each warp

    def _get(self, name: str) -> Numbers:
        return self._words.load(name, self._warps.types)

    def _set(self, name: str, numbers: Numbers) -> None:
        self._words.store(name, self._warps.types, numbers)

    # --- counts

    def _add(self, count: int, value: str) -> None:
        """Add an i64 to a count."""
        code = self.lanes.code
        if self._in_memory and count >= Count.NODES:
            place = code.let(f"getelementptr i64, ptr {self._memory}, i64 {count}")
            known = code.let(f"load i64, ptr {place}")
            code.line(f"store i64 {code.let(f'add i64 {known}, {value}')}, ptr {place}")
            return
        name = self._counted(count, ["i64"])
        self._words.set_word(name, code.let(f"add i64 {self._words.word(name)}, {value}"))

    def _add_each(self, count: int, values: Numbers) -> None:
        """Add a number of each warp to a count."""
        name = self._counted(count, self._warps.types)
        self._set(name, self._warps.let("add", self._get(name), values))

    def _raise(self, depths: Numbers) -> None:
        name = self._counted(Count.DEPTH, self._warps.types)
        self._set(name, self._warps.larger(self._get(name), depths))

    def _counted(self, count: int, types: Sequence[str]) -> str:
        """Return the variable of a count, which begins at zero in each call."""
        name = f"count{count}"
        if name not in self._counts:
            self._counts[name] = count
            for type_, place in zip(types, self._words.places(name, types), strict=True):
                zero = "0" if type_ == "i64" else "zeroinitializer"
                self.lanes.entry.line(f"store {type_} {zero}, ptr {place}")
        return name

    def finish(self) -> None:
        """Add the counts of this call to those in memory."""
        if self._interior is not None:
            self._interior.finish()
        for name, count in self._counts.items():
            if count == Count.DEPTH:
                new = self._warps.largest(self._get(name))
            elif count == Count.COMPARISONS:
                new = self._warps.total(self._get(name))
            else:
                new = self._words.word(name)
            for at in self._places_of(count):
                self._report(at, new)
        if self._rows is not None:
            self._rows.finish()

    def _report(self, at: int, new: str) -> None:
        """Add a number of this call, an i64, to a count in memory."""
        code = self.lanes.code
        place = code.let(f"getelementptr i64, ptr {self._memory}, i64 {at}")
        known = code.let(f"load i64, ptr {place}")
        if at == Count.DEPTH:
            total = code.call("i64", "llvm.umax.i64", f"i64 {known}", f"i64 {new}")
        else:
            total = code.let(f"add i64 {known}, {new}")
        code.line(f"store i64 {total}, ptr {place}")

    def _places_of(self, count: int) -> list[int]:
        """Return to which counts in memory a count of this code is added."""
        number, which = divmod(count - Count.NODES, 2)
        if count < Count.NODES:
            return [count]
        return [Count.NODES + 2 * node + which for node in self._reported.get(number, ())]
