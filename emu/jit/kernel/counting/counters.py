"""Counts of what the post-dominator stack would execute, made by the code of a kernel.

The layout of such code guarantees that each run of a node is one of the stack's
(analysis/counting). So it is counted which nodes run, and with how many lanes. Nodes that run
equally often with the same lanes share these counts. How deep the stack is, and whether its top
entry has a PC to compare with, follows from the masks of iterations (counted_rows.py), or from
contexts that go with the lanes where masks do not say it (contexts.py).

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
from ...runtime.context import Count
from ..lane_code import LaneCode
from .call_counts import CallCounts
from .contexts import ContextCounts
from .counted_rows import CountedRows
from .counted_warps import CountedWarps
from .row_counts import NodeCounts

if TYPE_CHECKING:
    from .batch_rounds import BatchIterations

MOST_WORDS = 64
"""Counts that are variables, which LLVM keeps in registers or on the stack; more are in memory."""

MOST_MASKS = 128
"""Masks of an iteration of each loop that a kernel may keep, together."""


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
        """`iterations` counts those of a loop, if its warps have to be together.

        `reported` is the plan for whose nodes memory has counts, if the code is a version of it.
        """
        self.lanes = lanes
        self._iterations = iterations
        self._plan, self._regions = plan, divergent(regions, plan)
        self._interior: Counters | None = None
        length = lengths(plan)
        self._in_memory = reported is None and 2 * len(length) > MOST_WORDS
        runs_with, found = plan.masks.runs_with, dict[int, list[int]]()
        for number, same in (reported or plan).masks.runs_with.items():
            if number == same and number in runs_with:
                found.setdefault(runs_with[number], []).append(number)
        self._counts = CallCounts(lanes, found, in_memory=self._in_memory)
        rows = rows_of(lanes.facts, plan, self._regions)
        # The version for interior warps has no other conditions to meet than that of all warps.
        if rows.do and (reported is not None or rows.size <= MOST_MASKS):
            self._how: CountedRows | ContextCounts = CountedRows(
                lanes,
                rows,
                CountedWarps(lanes),
                None if reported is not None or lanes.facts.whole else starting,
                NodeCounts(
                    length,
                    lambda node: self._counts.places_of(Count.NODES + 2 * node),
                    self._counts.memory,
                ),
                plan.masks.run_outside,
                version="i" if reported is not None else "",
                alone=alone,
                has_both=has_both,
            )
        else:
            self._how = ContextCounts(lanes, plan, self._regions, starting, self._counts, length)

    def of_interior(self, lanes: LaneCode, plan: LanePlan) -> Counters:
        """Return the counters of the version for interior warps, which `finish` adds as well."""
        every = ["splat (i1 true)"] * lanes.k
        self._interior = Counters(lanes, plan, self._regions, every, reported=self._plan)
        if isinstance(self._interior._how, ContextCounts):
            self._interior._how.share_slots(self.lanes)
        return self._interior

    @property
    def may_have_interior(self) -> bool:
        """Return whether counts are in variables: those of another version can be added."""
        return self.may_copy or not self._in_memory

    @property
    def may_copy(self) -> bool:
        """Return whether nodes may be written several times, each for some of the vectors."""
        return isinstance(self._how, CountedRows)

    # --- warps

    def begin_warp(self) -> None:
        """Begin a warp, or continue it after a barrier."""
        if self._iterations is not None:
            self._iterations.begin_warp()
        if isinstance(self._how, ContextCounts):
            self._how.begin_warp()

    def end_warp(self) -> None:
        """End a warp, or stop it at a barrier."""
        if isinstance(self._how, ContextCounts):
            self._how.end_warp()

    def barrier(self) -> None:
        """Count the barrier of a workgroup."""
        self._counts.add(Count.BARRIERS, "1")

    def enter(self, number: int) -> None:
        """Let a warp begin or resume at a node, where nothing is on its stack but itself."""
        self._how.enter(number)

    # --- nodes

    def run(self, number: int) -> None:
        """Count a run of a node by the running lanes."""
        if self._iterations is not None:
            self._iterations.run(number)
        self._how.run(number)

    def count_run(self, loop: int, made: str) -> None:
        """Count a loop that lanes have run alone, which have made so many iterations (a ptr)."""
        assert isinstance(self._how, CountedRows)
        self._how.count_run(loop, made)

    def follow(self, number: int, way: int) -> None:
        """Let all running lanes wait at another node."""
        self._how.follow(number, way)

    def branch(
        self, number: int, ways: tuple[int, int], sides: tuple[Sequence[str], Sequence[str]]
    ) -> None:
        """Let the lanes of both sides of a branch wait where they go next: fall-through, target."""
        self._how.branch(number, ways, sides)

    def finish(self) -> None:
        """Add the counts of this call to those in memory."""
        if self._interior is not None:
            self._interior.finish()
        self._counts.finish()
        if isinstance(self._how, CountedRows):
            self._how.finish()
