"""Counts of a kernel whose layout brings lanes together that the stack keeps apart.

A *warp-split* is a set of lanes that share the top entry of the stack when they run. Where sides of
a branch reach one node before they re-converge, native code runs that node once for several
warp-splits, and the stack runs it once for each. So this code knows for each lane which lanes are
in its warp-split, and which lanes are the first ones of theirs: a node counts these among its
lanes. A branch divides the warp-splits that have lanes on both sides. At its re-convergence node
lanes have the warp-split again that they had before the first branch with this node divided it.

That is exact where all lanes of a branch wait at the re-convergence node before it runs
(`Region.meets`): lanes of one warp-split go the same way, so they never part until a branch divides
them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ....analysis.counting.regions import Region
from ....analysis.flow.order import START
from ....analysis.lanes.lane_plan import LanePlan
from ...llvm.function_text import FunctionText
from ...runtime.context import Count, Slot
from ..context_code import load_slot
from ..lane_code import LaneCode
from .warp_splits import SplitBlock, count_lanes, rejoin, split

_COMPARISONS = "comparisons"
"""The variable of the comparisons of this call."""


class SplitCounts:
    """Emits the counting of a kernel's warps; `starting` are the lanes of a warp at its start."""

    def __init__(
        self,
        lanes: LaneCode,
        plan: LanePlan,
        regions: Mapping[int, Region],
        starting: Sequence[str],
    ) -> None:
        self.lanes = lanes
        self._block = SplitBlock(lanes)
        self._regions = regions
        self._starting = starting
        self._same = plan.masks.runs_with
        self._length: dict[int, int] = {START: 0}
        """Node with counts of its own -> instructions of all nodes that share them."""
        for number, same in self._same.items():
            length = lanes.flow.nodes[number].length
            self._length[same] = self._length.get(same, 0) + length
        entry = lanes.entry
        self._memory = entry.let(f"inttoptr i64 {load_slot(entry, Slot.COUNTS)} to ptr")
        (place,) = lanes.variables.places(_COMPARISONS, ["i64"])
        entry.line(f"store i64 0, ptr {place}")
        self._state = self._new_block()
        joins = sorted({r.join for r in regions.values() if r.join is not None})
        self._before = {join: self._new_block() for join in joins}
        """Re-convergence node -> the block of what lanes have again there."""
        entry.module.define("split", split(self._block, FunctionText(entry.module)))
        entry.module.define("rejoin", rejoin(self._block, FunctionText(entry.module)))

    def _new_block(self) -> str:
        entry, size = self.lanes.entry, self._block.size
        block = entry.let(f"alloca [{size} x i8], align 64")
        entry.zero(block, size)
        return block

    # --- what other code asks of counters

    def begin_warp(self) -> None:
        """Begin a warp: each of the launch's warps in it is one warp-split."""
        code, block, state = self.lanes.code, self._block, self._state
        starting = self.lanes.word(self._starting)
        own = f"splat (i{block.bits} {(1 << block.counts) - 1})"
        parts = [block.part(code, starting, c) for c in range(block.k)]
        members = [code.let(f"and {block.vector} {part}, {own}") for part in parts]
        block.set_members(code, state, members)
        block.set_levels(code, state, "depth", "splat (i8 1)")
        block.put(code, state, "compared", "0")
        for before in self._before.values():
            block.put(code, before, "open", "0")

    def enter(self, number: int) -> None:
        """Let a warp begin at a node."""

    def follow(self, number: int, way: int) -> None:
        """Let all running lanes wait at another node: they stay in their warp-splits."""

    def run(self, number: int) -> None:
        """Count a run of a node by the running lanes."""
        lanes, code, block = self.lanes, self.lanes.code, self._block
        if number in self._before:
            self._rejoin(number)
        if not self._has_counts(number):
            return
        length = self._length[number]
        mask = lanes.word(lanes.mask)
        firsts = code.let(f"and i64 {mask}, {block.get(code, self._state, 'first')}")
        self._add(Count.NODES + 2 * number, count_lanes(code, firsts))
        self._add(Count.NODES + 2 * number + 1, count_lanes(code, mask))
        if length and self._before:
            compared = block.get(code, self._state, "compared")
            compared = count_lanes(code, code.let(f"and i64 {firsts}, {compared}"))
            compared = code.let(f"mul i64 {compared}, {length}")
            compared = code.let(f"add i64 {lanes.variables.word(_COMPARISONS)}, {compared}")
            lanes.variables.set_word(_COMPARISONS, compared)
        if length and not lanes.facts.whole:
            self._add_slots(firsts, length)

    def branch(
        self, number: int, ways: tuple[int, int], sides: tuple[Sequence[str], Sequence[str]]
    ) -> None:
        """Divide the warp-splits that have lanes on both sides of a branch."""
        found = self._regions.get(number)
        if found is None:
            return
        lanes, code, block = self.lanes, self.lanes.code, self._block
        fall, taken = (lanes.word(side) for side in sides)
        shared = block.get(code, self._state, "shared")
        both = code.let(f"or i64 {fall}, {taken}")
        # Lanes that are each alone in their warp-splits mostly stay so: this is foreseen well.
        some, go, after = (code.fresh_label("split") for _ in range(3))
        both = code.let(f"and i64 {both}, {shared}")
        code.branch(code.let(f"icmp ne i64 {both}, 0"), some, after)
        code.block(some)
        parted = code.let(f"and i64 {taken}, {block.mates(code, self._state, fall)}")
        code.branch(code.let(f"icmp ne i64 {parted}, 0"), go, after)
        code.block(go)
        before = "null" if found.join is None else self._before[found.join]
        # A side that is at the re-convergence point at once is not on the stack if it is first.
        most = 1 if lanes.flow.nodes[number].successors[0] == found.join else 2
        words = ", ".join(f"i64 {word}" for word in (fall, taken, parted, most))
        code.line(f"call void @split(ptr {self._state}, ptr {before}, {words})")
        code.jump(after)
        code.block(after)

    def _rejoin(self, number: int) -> None:
        """Give lanes that re-converge here the warp-splits that they had before."""
        lanes, code, block = self.lanes, self.lanes.code, self._block
        before = self._before[number]
        mask = lanes.word(lanes.mask)
        back = code.let(f"and i64 {mask}, {block.get(code, before, 'open')}")
        go, after = code.fresh_label("rejoin"), code.fresh_label("rejoin")
        code.branch(code.let(f"icmp ne i64 {back}, 0"), go, after)
        code.block(go)
        code.line(f"call void @rejoin(ptr {self._state}, ptr {before}, i64 {back})")
        code.jump(after)
        code.block(after)

    # --- counts

    def _has_counts(self, number: int) -> bool:
        is_latch = self.lanes.flow.nodes[number].latch_of is not None
        return not is_latch and (number == START or bool(self._length.get(number)))

    def _place(self, code: FunctionText, count: int) -> str:
        return code.let(f"getelementptr i64, ptr {self._memory}, i64 {count}")

    def _add(self, count: int, value: str) -> None:
        code = self.lanes.code
        place = self._place(code, count)
        known = code.let(f"load i64, ptr {place}")
        code.line(f"store i64 {code.let(f'add i64 {known}, {value}')}, ptr {place}")

    def _add_slots(self, firsts: str, length: int) -> None:
        """Add the lanes that each of the launch's warps had at its start, for its instructions."""
        lanes, code = self.lanes, self.lanes.code
        counts, width = lanes.facts.counts, lanes.facts.width
        starting = lanes.word(self._starting)
        for first in range(0, width, counts):
            own = (1 << counts) - 1 << first
            own -= (own >> 63 & 1) << 64  # as an i64
            runs, starters = (
                count_lanes(code, code.let(f"and i64 {word}, {own}")) for word in (firsts, starting)
            )
            steps = code.let(f"mul i64 {runs}, {length}")
            self._add(Count.LANE_SLOTS, code.let(f"mul i64 {steps}, {starters}"))

    def finish(self) -> None:
        """Add the counts of this call to those in memory that are not there yet."""
        code, block = self.lanes.code, self._block
        self._add(Count.COMPARISONS, self.lanes.variables.word(_COMPARISONS))
        self._add(Count.DIVERGENT, block.get(code, self._state, "divergent"))
        levels = block.levels(code, self._state, "deepest")
        name = "llvm.vector.reduce.umax"
        deepest = code.intrinsic(name, "i8", f"{block.bytes} {levels}", over=block.bytes)
        deepest = code.let(f"zext i8 {deepest} to i64")
        place = self._place(code, Count.DEPTH)
        known = code.let(f"load i64, ptr {place}")
        largest = code.intrinsic("llvm.umax", "i64", f"i64 {known}", f"i64 {deepest}")
        code.line(f"store i64 {largest}, ptr {place}")
