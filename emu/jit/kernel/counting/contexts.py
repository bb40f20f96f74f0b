"""Counts of nodes and of the stack's depth, made as each node runs.

Two figures depend on what would be on the stack: its depth, and whether the top entry has a PC to
compare with. A *context* has both for the lanes that wait at a node: the depth in its upper half,
and in the lower one the number of the re-convergence node plus one, or 0. A branch that diverges
gives its sides new contexts, and keeps its own for the re-convergence node. Nodes that share counts
share contexts as well: the same entry of the stack is on top when they run.

This takes some ten instructions for each node. It is for kernels in which masks of iterations do
not say all (counted_rows.py), as where lanes return on one side of a branch.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ....analysis.counting.regions import Region
from ....analysis.flow.order import START
from ....analysis.lanes.lane_plan import LanePlan
from ...runtime.context import Count
from ..lane_code import LaneCode
from .call_counts import CallCounts
from .counted_warps import CountedWarps, Flags, Numbers

LEVEL = 1 << 32
"""One entry of the stack, in a context."""


class ContextCounts:
    """Emits the counting of nodes; `starting` are the lanes of a warp at its start.

    `lengths` is node with counts of its own -> instructions of all nodes that share them.
    """

    def __init__(
        self,
        lanes: LaneCode,
        plan: LanePlan,
        regions: Mapping[int, Region],
        starting: Sequence[str],
        counts: CallCounts,
        lengths: Mapping[int, int],
    ) -> None:
        self.lanes = lanes
        self._words = lanes.variables
        self._warps = CountedWarps(lanes)
        self._waits = plan.waits
        self._regions = regions
        self._starting = starting
        self._counts, self._length = counts, lengths
        self._joins = {r.join for r in regions.values()} - {None}
        self._watched = {n for r in regions.values() if r.join is not None for n in r.nodes}
        self._same = plan.masks.runs_with
        self._leaders = {same for number, same in self._same.items() if same != number}
        """Nodes whose counts and contexts others share."""
        self._never_empty = plan.masks.never_empty | plan.masks.tested
        self._nonempty: Flags = []
        """Which of the launch's warps run a node."""
        self._context: Numbers = []
        """The contexts of these warps."""

    # --- warps

    def begin_warp(self) -> None:
        """Begin a warp, or continue it after a barrier."""
        if not self.lanes.facts.whole:
            self._set("starters", self._warps.lanes_of_each(self._starting))
            self._set("steps", self._warps.constant(0))

    def end_warp(self) -> None:
        """End a warp, or stop it at a barrier: note the lanes it had for each instruction."""
        if not self.lanes.facts.whole:
            slots = self._warps.let("mul", self._get("steps"), self._get("starters"))
            self._counts.add(Count.LANE_SLOTS, self._warps.total(slots))

    def share_slots(self, others: LaneCode) -> None:
        """Let another version of the code add to the instructions of the warp that runs."""
        if not self.lanes.facts.whole:
            for name in ("starters", "steps"):
                self._words.share(name, self._warps.types, others.variables)

    def enter(self, number: int) -> None:
        """Let a warp begin or resume at a node, where nothing is on its stack but itself."""
        if self._regions:
            self._set(f"context{number}", self._warps.constant(LEVEL))

    # --- nodes

    def run(self, number: int) -> None:
        """Count a run of a node by the running lanes."""
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
            self._counts.add(Count.NODES + 2 * number, warps.set_flags(self._nonempty))
            self._counts.add(Count.NODES + 2 * number + 1, warps.lanes_of(lanes.mask))
            if not lanes.facts.whole:
                self._step(self._length[number])
        length = lanes.flow.nodes[number].length
        if number in self._watched and length:
            compared = warps.both(self._has_join(self._context), self._nonempty)
            self._counts.add_each(Count.COMPARISONS, self._if(compared, length))

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
        self._set_context(number, way, self._context, self._nonempty)

    def branch(
        self, number: int, ways: tuple[int, int], sides: tuple[Sequence[str], Sequence[str]]
    ) -> None:
        """Let the lanes of both sides of a branch wait where they go next: fall-through, target."""
        if not self._regions:
            return
        lanes, warps = self.lanes, self._warps
        found = self._regions.get(number)
        fall, taken = (warps.some(side) for side in sides)
        contexts = [self._context, self._context]
        if found is not None:
            diverges = warps.both(fall, taken)
            self._counts.add(Count.DIVERGENT, warps.set_flags(diverges))
            join = 0 if found.join is None else found.join + 1
            depth = warps.let("and", self._context, -LEVEL)
            # A side that is at the re-convergence point at once is not on the stack if it is first.
            first = lanes.flow.nodes[number].successors[0]
            most = LEVEL if first == found.join else 2 * LEVEL
            deepest = warps.let("lshr", warps.let("add", depth, most), 32)
            self._counts.raise_depth(warps.select(diverges, deepest, warps.constant(0)))
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
