"""Counts of what the post-dominator stack would execute, made by the code of a kernel.

The layout of such code guarantees that each run of a node is one of the stack's
(analysis/counting). So a node counts its runs that have lanes, and their lanes. Nodes that run
equally often with the same lanes share these counts.

Two more figures depend on what would be on the stack: its depth, and whether the top entry has a
PC to compare with. A *context* has both for the lanes that wait at a node: the depth in its upper
half, and in the lower one the number of the re-convergence node plus one, or 0. A branch that
diverges gives its sides new contexts, and keeps its own for the re-convergence node.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...analysis.counting.regions import Region
from ...analysis.lanes.lane_plan import LanePlan
from ...analysis.order import START
from ..runtime.context import Count, Slot
from .context_code import load_slot
from .lane_code import LaneCode

MOST_WORDS = 64
"""Counts that are variables, which LLVM keeps in registers or on the stack; more are in memory."""

LEVEL = 1 << 32
"""One entry of the stack, in a context."""


class Counters:
    """Emits the counting of a kernel's warps; `starting` are the lanes of a warp at its start."""

    def __init__(
        self,
        lanes: LaneCode,
        plan: LanePlan,
        regions: Mapping[int, Region],
        starting: Sequence[str],
    ) -> None:
        self.lanes = lanes
        self._words = lanes.variables
        self._waits = plan.waits
        self._regions = regions
        self._starting = starting
        self._joins = {r.join for r in regions.values()} - {None}
        self._watched = {n for r in regions.values() if r.join is not None for n in r.nodes}
        self._length: dict[int, int] = {}
        """Node with counts of its own -> instructions of all nodes that share them."""
        for number, same in plan.masks.runs_with.items():
            node = lanes.flow.nodes[number]
            length = node.stop - node.start + (node.last is not None)
            self._length[same] = self._length.get(same, 0) + length
        self._in_memory = 2 * len(self._length) > MOST_WORDS
        self._memory = lanes.entry.let(f"inttoptr i64 {load_slot(lanes.entry, Slot.COUNTS)} to ptr")
        self._counts: dict[str, int] = {}
        """Variables whose values are added to counts in memory, and which."""
        self._nonempty = ""
        self._context = ""

    # --- warps

    def begin_warp(self) -> None:
        """Begin a warp, or continue it after a barrier."""
        if not self.lanes.facts.whole:
            self._words.set_word("starters", self._lanes_of(self.lanes.word(self._starting)))
            self._words.set_word("steps", "0")

    def end_warp(self) -> None:
        """End a warp, or stop it at a barrier: note the lanes it had for each instruction."""
        if not self.lanes.facts.whole:
            steps, starters = self._words.word("steps"), self._words.word("starters")
            self._add(Count.LANE_SLOTS, self.lanes.code.let(f"mul i64 {steps}, {starters}"))

    def barrier(self) -> None:
        """Count the barrier of a workgroup."""
        self._add(Count.BARRIERS, "1")

    def enter(self, number: int) -> None:
        """Let a warp begin or resume at a node, where nothing is on its stack but itself."""
        if self._regions:
            self._words.set_word(f"context{number}", str(LEVEL))

    # --- nodes

    def run(self, number: int) -> None:
        """Count a run of a node by the running lanes."""
        lanes, code = self.lanes, self.lanes.code
        running = lanes.running()
        self._nonempty = code.let(f"icmp ne i64 {running}, 0")
        if self._regions:
            self._context = self._context_at(number)
        if lanes.flow.nodes[number].latch_of is not None:
            return
        if number == START or self._length.get(number):
            runs = code.let(f"zext i1 {self._nonempty} to i64")
            self._add(Count.NODES + 2 * number, runs)
            self._add(Count.NODES + 2 * number + 1, self._lanes_of(running))
            if not lanes.facts.whole:
                self._step(self._length[number])
        node = lanes.flow.nodes[number]
        length = node.stop - node.start + (node.last is not None)
        if number in self._watched and length:
            has_join = code.let(f"icmp ne i64 {self._join_of(self._context)}, 0")
            compared = code.let(f"and i1 {has_join}, {self._nonempty}")
            self._add(Count.COMPARISONS, code.let(f"select i1 {compared}, i64 {length}, i64 0"))

    def _context_at(self, number: int) -> str:
        """Return the context of the running lanes of a node; at a join that of before."""
        code, context = self.lanes.code, self._words.word(f"context{number}")
        if number not in self._joins:
            return context
        below = self._words.word(f"below{number}")
        arrived = code.let(f"icmp eq i64 {self._join_of(context)}, {number + 1}")
        return code.let(f"select i1 {arrived}, i64 {below}, i64 {context}")

    def follow(self, number: int, way: int) -> None:
        """Let all running lanes wait at another node, with the context that they have."""
        self._set_context(number, way, self._context, self._nonempty)

    def branch(
        self, number: int, ways: tuple[int, int], sides: tuple[Sequence[str], Sequence[str]]
    ) -> None:
        """Let the lanes of both sides of a branch wait where they go next: fall-through, target."""
        lanes, code = self.lanes, self.lanes.code
        found = self._regions.get(number)
        fall, taken = (lanes.any(side) for side in sides)
        contexts = [self._context, self._context]
        if found is not None:
            diverges = code.let(f"and i1 {fall}, {taken}")
            self._add(Count.DIVERGENT, code.let(f"zext i1 {diverges} to i64"))
            join = 0 if found.join is None else found.join + 1
            depth = code.let(f"and i64 {self._context}, {-LEVEL}")
            # A side that is at the re-convergence point at once is not on the stack if it is first.
            first = lanes.flow.nodes[number].successors[0]
            most = LEVEL if first == found.join else 2 * LEVEL
            deepest = code.let(f"lshr i64 {code.let(f'add i64 {depth}, {most}')}, 32")
            self._raise(code.let(f"select i1 {diverges}, i64 {deepest}, i64 0"))
            if found.join is not None:
                self._keep(found.join, diverges)
            for i, levels in enumerate((2, 1)):
                new = code.let(f"add i64 {depth}, {levels * LEVEL + join}")
                contexts[i] = code.let(f"select i1 {diverges}, i64 {new}, i64 {self._context}")
        for way, context, some in zip(ways, contexts, (fall, taken), strict=True):
            self._set_context(number, way, context, some)

    def _keep(self, join: int, diverges: str) -> None:
        """Keep the context for a re-convergence node, unless the lanes are on the way to it."""
        code, name = self.lanes.code, f"below{join}"
        new = code.let(f"icmp ne i64 {self._join_of(self._context)}, {join + 1}")
        outer = code.let(f"and i1 {diverges}, {new}")
        old = self._words.word(name)
        self._words.set_word(name, code.let(f"select i1 {outer}, i64 {self._context}, i64 {old}"))

    def _set_context(self, number: int, way: int, context: str, some: str) -> None:
        """Set the context of lanes that go to a node, if there are some; others may wait there."""
        if not self._regions:
            return
        name = f"context{way}"
        if way in self._waits[number]:
            old = self._words.word(name)
            context = self.lanes.code.let(f"select i1 {some}, i64 {context}, i64 {old}")
        self._words.set_word(name, context)

    def _join_of(self, context: str) -> str:
        return self.lanes.code.let(f"and i64 {context}, {LEVEL - 1}")

    def _lanes_of(self, word: str) -> str:
        return self.lanes.code.call("i64", "llvm.ctpop.i64", f"i64 {word}")

    def _step(self, length: int) -> None:
        code = self.lanes.code
        more = code.let(f"select i1 {self._nonempty}, i64 {length}, i64 0")
        self._words.set_word("steps", code.let(f"add i64 {self._words.word('steps')}, {more}"))

    # --- counts

    def _add(self, count: int, value: str) -> None:
        code = self.lanes.code
        if self._in_memory and count >= Count.NODES:
            place = code.let(f"getelementptr i64, ptr {self._memory}, i64 {count}")
            known = code.let(f"load i64, ptr {place}")
            code.line(f"store i64 {code.let(f'add i64 {known}, {value}')}, ptr {place}")
            return
        known = self._words.word(self._counted(count))
        self._words.set_word(self._counted(count), code.let(f"add i64 {known}, {value}"))

    def _raise(self, depth: str) -> None:
        name = self._counted(Count.DEPTH)
        known = self._words.word(name)
        most = self.lanes.code.call("i64", "llvm.umax.i64", f"i64 {known}", f"i64 {depth}")
        self._words.set_word(name, most)

    def _counted(self, count: int) -> str:
        """Return the variable of a count, which begins at zero in each call."""
        name = f"count{count}"
        if name not in self._counts:
            self._counts[name] = count
            (place,) = self._words.places(name, ["i64"])
            self.lanes.entry.line(f"store i64 0, ptr {place}")
        return name

    def finish(self) -> None:
        """Add the counts of this call to those in memory."""
        code = self.lanes.code
        for name, count in self._counts.items():
            place = code.let(f"getelementptr i64, ptr {self._memory}, i64 {count}")
            known, new = code.let(f"load i64, ptr {place}"), self._words.word(name)
            how = "llvm.umax.i64" if count == Count.DEPTH else ""
            total = (
                code.call("i64", how, f"i64 {known}", f"i64 {new}")
                if how
                else code.let(f"add i64 {known}, {new}")
            )
            code.line(f"store i64 {total}, ptr {place}")
