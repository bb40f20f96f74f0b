"""The nodes of a kernel in their linear order.

Each node becomes a run of LLVM blocks. A node runs for all lanes that wait at it, which its mask
variable has; its outgoing edges add them to the masks of later nodes. Only memory and phi copies
are masked: other instructions run for inactive lanes too, whose values nothing reads.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...analysis.flow.charges import charges_of
from ...analysis.flow.order import START, Loop
from ...analysis.ranges.trips import Trips
from ...analysis.values.unread import unread_without_places
from ..llvm.toolchain import host_has
from . import budget
from .control.branches import Branches
from .control.copied_loops import CopiedLoops
from .control.edges import Edges
from .control.kept_phis import KeptPhis
from .control.running_vectors import RunningVectors
from .lane_by_lane.loop import LaneByLane
from .loops.agreed import AgreedLanes
from .loops.hoisted import Hoisted
from .loops.latches import Latches
from .loops.passes import RunningPasses, loops_in_passes, may_run
from .loops.rest import LastIteration
from .loops.versions import may_have_version
from .loops.whole import ALL
from .memory.access import Access
from .memory.kernel_memory import KernelMemory
from .memory.watched.watching import watching_of
from .node_ends import NodeEnds
from .node_ops import NodeOps
from .workgroups.barriers import Barriers
from .workgroups.identity import GROUP, Identity, Warp
from .workgroups.one_warp import OneWarp
from .workgroups.trial import LIMIT

COUNTS_BITS = "avx512vpopcntdq"
"""What counts the bits of words in all lanes: without it, ranks take as long as scans."""


class Nodes:
    """Emits the nodes for the lanes of a warp; `barriers` if the kernel has some.

    Where a workgroup is one warp, that is `OneWarp`. Loops that are `copied`, by number, have a
    copy for each iteration.
    """

    def __init__(
        self,
        edges: Edges,
        memory: KernelMemory,
        warp: Warp,
        barriers: Barriers | OneWarp | None,
        copied: Mapping[int, Trips] | None = None,
        identity: Identity | None = None,
    ) -> None:
        lanes, plan = edges.lanes, edges.plan
        self.lanes, self.plan, self.edges = lanes, plan, edges
        self._refilled = edges.refilled
        self._memory = memory
        self._barriers = barriers
        self._flow = lanes.flow
        self._identity = identity or Identity(lanes, warp)
        self.ops = NodeOps(lanes, memory, self._identity.op)
        addresses = self.ops.instructions.access.global_.addresses
        one_warp = isinstance(barriers, OneWarp)
        is_straight = barriers is None or one_warp
        self._watching = self.ops.watching = watching_of(
            lanes, memory, addresses, (GROUP, warp.flat, warp.first), is_straight=is_straight
        )
        self._at_exit = budget.charged_at_exit(lanes, plan, memory.ranges)
        """Latch -> iterations of the loop, for those that are charged when it is left."""
        loops = (self._flow.loops[lanes.flow.nodes[n].latch_of or 0].number for n in self._at_exit)
        counts = edges.counters is not None or self._watching is not None
        copies = self._watching is None and edges.may_copy
        trips = {} if counts else memory.ranges.lane_trips
        at_exit = {self._flow.nodes[n].latch_of or 0: t for n, t in self._at_exit.items()}
        self._running = RunningVectors(
            lanes,
            plan,
            at_exit,
            None if not copies or plan.sparse or not one_warp else memory.ranges.shapes,
            0 if memory.forwarded.loads else memory.group_bytes,
        )
        self._copied = CopiedLoops(lanes, plan, trips, self._running.copied, copied or {})
        self._forwarding = self.ops.instructions.access.local.forwarding
        if self._running.forwarded.loads:
            self._forwarding.found = self._running.forwarded
        lanes.charges = charges_of(self._flow, {*loops, *self._copied.numbers})
        lanes.charges_by_helper = budget.is_by_helper(lanes, plan, self._copied.numbers)
        left = budget.exit_charges(lanes, memory.ranges, at_exit)
        agree = barriers is not None and not counts and not plan.sparse
        self._branches = Branches(
            edges, self._running, left, self.ops.instructions.op if agree else None
        )
        self._latches = Latches(edges, self._copied, self._at_exit)
        self._ends = NodeEnds(
            edges,
            self._branches,
            self._latches,
            self._copied,
            self._running,
            barriers,
            self._watching,
        )
        may_pass = self._watching is None and self._running.is_off
        self._passes = loops_in_passes(lanes, plan) if may_pass else {}
        kept = KeptPhis.of(lanes, plan, {*self._passes, *self._copied.numbers})
        edges.kept = kept.phis
        in_passes = {v: s for p in self._passes.values() for v, s in p.same.items()}
        lanes.variables.same = {**kept.same, **in_passes}
        self._replaced: frozenset[int] = frozenset()
        """Nodes of a loop that has no version with tests."""
        self._version: Hoisted | None = None
        """The version of a loop that is being written, if it is the one without tests."""

    def begin_warp(self) -> None:
        """Append what precedes the nodes: nothing is known yet of the warp's accesses."""
        if self._watching is not None:
            self._watching.begin_warp()

    def end_warp(self) -> None:
        """Append what follows the nodes: the warp's accesses are compared with other warps'."""
        if self._watching is not None:
            self._watching.end_warp()

    def emit(self) -> None:
        """Append the code of all nodes, in the linear order."""
        if self._access.tile.is_unread:
            self.lanes.unread = unread_without_places(self.lanes.ssa, self._copied.numbers)
        self.lanes.ranks.found = self._running.forwarded.ranks if host_has(COUNTS_BITS) else {}
        self._emit([n for n in self._flow.order if n in self.plan.waits])
        self._running.end()

    def _emit(self, numbers: Sequence[int]) -> None:
        """Append the code of some nodes, in order."""
        at = 0
        while at < len(numbers):
            loop = self._copied.beginning_at(numbers[at])
            if numbers[at] in self._replaced:
                at += 1
            elif loop is None or self._copied.copy_of(loop) is not None:
                self._emit_node(numbers[at])
                at += 1
            else:
                self._emit_copies(loop, numbers[at : at + len(loop.nodes)])
                at += len(loop.nodes)

    def _emit_copies(self, loop: Loop, body: Sequence[int]) -> None:
        """Append a copy of a loop's nodes for each of its iterations."""
        outer = self.edges.copies
        for copy in range(self._copied.copies(loop)):
            if copy:
                self._running.repeat(loop)
            self.edges.copies = outer | {n: (*outer.get(n, ()), copy) for n in body}
            self._copied.begin(loop, copy)
            self._emit(body)
        self._copied.end(loop)
        self.edges.copies = outer

    def _emit_node(self, number: int) -> None:
        """Append the code of one node."""
        lanes, plan, edges = self.lanes, self.plan, self.edges
        lanes.local.clear()
        lanes.code.block(edges.label("n", number))
        if number == START:
            self._forwarding.begin()
        if not self._begin(number, enters=True):
            return
        if self._refilled is not None and number == self._refilled.header:
            self._refilled.enter_loop()
        if self._refilled is not None and number == self._refilled.latch:
            runs = edges.label("r", number)
            lanes.code.branch(self._refilled.returns(), runs, edges.next_after(number))
            lanes.code.block(runs)
            self._take_mask(number)
        elif self._refilled is not None and number == self._refilled.inner_latch:
            pass  # whether lanes run here is a part of another test
        elif number in plan.masks.tested:
            following = edges.next_after(number)
            runs = edges.label("r", number)
            if self._running.exact_masks(number) is None:
                lanes.code.branch(edges.any_runs(number), runs, following)
            else:
                lanes.code.jump(runs)
            lanes.code.block(runs)
            self._take_mask(number)
        if number in self._copied.after:
            left = self._copied.after[number]
            budget.spend(lanes, left, self._copied.least(left))
        loop = self._copied.beginning_at(number)
        if loop is None:
            if not self._enter_loop(number):
                return
        elif self._copied.copy_of(loop) == 0:
            edges.enter_loop(number)
        self._run(number)
        lanes.one_lane = None

    def _begin(self, number: int, *, enters: bool = False) -> bool:
        """Take the lanes that wait at a node; if none may, jump to the next node, return False."""
        edges = self.edges
        copies = [
            copy
            for loop in self._flow.loops_around(number)
            if loop.header == number and (copy := self._copied.copy_of(loop)) is not None
        ]
        if not self._running.begin(number, enters=enters and not any(copies)):
            edges.end_node(number)
            return False
        self._take_mask(number)
        return True

    def _take_mask(self, number: int) -> None:
        known = self._running.exact_masks(number)
        if known is None:
            self.edges.take_mask(number)
        else:
            self.lanes.mask = known

    def _run(self, number: int) -> None:
        """Append the code of a node, whose lanes are known to wait at it."""
        lanes, plan, edges = self.lanes, self.plan, self.edges
        loop = self._loop_at(number)
        if loop is not None and self._latches.rest is None:
            self._latches.hide(loop, self._version, self._access)
        edges.keep_mask(number)
        runs_alone = number in plan.sparse and self._version is None
        if edges.counters is not None and not runs_alone:
            edges.counters.run(number)
        if runs_alone:
            if plan.has_both:
                lanes.code.branch(self._few_run(), f"few{number}", f"together{number}")
                lanes.code.block(f"few{number}")
            LaneByLane(lanes, edges, self._memory, plan.sparse[number]).emit()
            if not plan.has_both:
                return
            lanes.local.clear()
            lanes.code.block(f"together{number}")
            if edges.counters is not None:
                edges.counters.run(number)
        latch_of = self._flow.nodes[number].latch_of
        if latch_of is not None:
            self._latches.emit(self._flow.loops[latch_of], self._version, self._access)
        else:
            if self._version is None or not self._version.is_charged:
                budget.spend_in(lanes, number)
            self.ops.emit(lanes.ssa.ops.get(number, ()), lists=self._version is None)
            self._ends.leave(number, self._version)

    @property
    def _access(self) -> Access:
        """What emits accesses where values have the present shapes."""
        return self.ops.instructions.access

    # --- where lanes enter loops

    def _loop_at(self, header: int) -> Loop | None:
        """Return the loop that begins at a node."""
        return next((loop for loop in self._flow.loops if loop.header == header), None)

    def _enter_loop(self, header: int) -> bool:
        """Append what is done once for the lanes that enter a loop; a new block begins after it.

        Return whether the code of the loop that is tested follows.
        """
        lanes, code, edges = self.lanes, self.lanes.code, self.edges
        loop = self._loop_at(header)
        if loop is None:
            return True
        has_defaults = edges.enter_loop(header)
        self._replaced -= loop.nodes
        if self._emit_version(loop):
            if self._replaced & loop.nodes:
                return False
        elif has_defaults:
            code.jump(edges.label("c", header))
        else:
            return True
        self._latches.entered.add(header)
        lanes.local.clear()
        code.block(edges.label("c", header))
        self._begin(header)
        return True

    def _emit_version(self, loop: Loop) -> bool:
        """Append the version of a loop without tests, and the choice between it and the other.

        Return whether there is one.
        """
        divergent = self._memory.ranges.shapes.divergent_loops
        # Where lanes get work-items one by one they begin a loop at any time, and leave together.
        if self._refilled is not None or not may_have_version(
            self.lanes, self.plan, loop, divergent, self._access
        ):
            return False
        agreed = AgreedLanes.of(self.lanes, loop)
        # Whole iterations alone are followed by the loop itself, which has its phis for each lane.
        if agreed is None or (loop.header in self.plan.sparse and agreed.leave_in_turn):
            return self._emit_hoisted(loop, in_turn=loop.number in divergent)
        checked = self.edges.label("c", loop.header)
        agreed.enter(checked)
        with self.ops.other_shapes():
            if not self._emit_hoisted(loop, in_turn=agreed.leave_in_turn):
                self.lanes.code.jump(checked)
        agreed.end()
        return True

    def _emit_hoisted(self, loop: Loop, *, in_turn: bool) -> bool:
        """Append the same where the shapes of the version are those of the present code.

        Lanes may leave the loop `in_turn`, or all leave it together.
        """
        lanes, code, edges, header = self.lanes, self.lanes.code, self.edges, loop.header
        charges = loop.latch not in self._at_exit
        checked = edges.label("c", header)
        instructions, access = self.ops.instructions, self._access
        only_whole = in_turn and header in self.plan.sparse
        hoisted = Hoisted(
            lanes, access, loop, charges=charges, otherwise=checked, only_whole=only_whole
        )
        passes = self._passes.get(loop.number)
        may_pass = passes is not None and hoisted.whole is None
        if not (may_pass and may_run(loop, hoisted, access, charges=charges)):
            passes = None
        if not (hoisted.is_useful or passes is not None):
            if hoisted.has_branched:
                code.jump(checked)
            return hoisted.has_branched
        enter = edges.label("enter", header)
        if header in self.plan.sparse and hoisted.whole is None:
            many = code.fresh_label("m")
            code.branch(self._few_run(), checked, many)
            code.block(many)
        if hoisted.is_useful:
            hoisted.choose(enter, checked)
        else:
            code.jump(enter)
            self._replaced = loop.nodes - {header}
        code.block(enter)
        hoisted.enter()
        rest = LastIteration.of(lanes, loop, hoisted) if header not in self.plan.sparse else None
        hoisted.after = rest.begins if rest is not None else ""
        self._version, edges.versioned, edges.leave_version = hoisted, loop.nodes, hoisted.leave
        access.rely_on(hoisted.certain, hoisted.rows, {c.store: c for c in hoisted.carried})
        instructions.sums = hoisted.sums
        if passes is None:
            code.jump(edges.label("v", header))
            self._emit_version_nodes(loop)
        else:
            running = RunningPasses(lanes, edges, loop, passes)
            for first in range(0, lanes.k, passes.vectors):
                with running.run(range(first, first + passes.vectors)):
                    self._emit_version_nodes(loop)
        access.rely_on(frozenset())
        instructions.sums = frozenset()
        self._version, edges.versioned = None, frozenset()
        if hoisted.part is not None:
            access.global_.leaving |= loop.nodes
        if rest is not None:
            self._latches.rest = rest
            rest.emit(edges, checked, self._begin, self._run)
            self._latches.rest = None
        return True

    @property
    def _runs_whole(self) -> bool:
        """Whether a version of a loop is being written that all lanes run."""
        return self._version is not None and self._version.whole is not None

    def _emit_version_nodes(self, loop: Loop) -> None:
        """Append the nodes of a loop's version, or of one pass of it."""
        lanes, code, edges = self.lanes, self.lanes.code, self.edges
        for number in self._flow.order:
            if number in loop.nodes:
                lanes.local.clear()
                code.block(edges.label("v", number))
                if not self._begin(number):
                    continue
                if number == loop.header and self._runs_whole:
                    lanes.mask = [ALL] * lanes.k
                if number in self.plan.masks.tested and number != loop.header:
                    following = edges.next_of(self.plan.waits[number])
                    runs = edges.label("w", number)
                    code.branch(lanes.any(lanes.mask), runs, following)
                    code.block(runs)
                    edges.take_mask(number)
                self._run(number)

    def _few_run(self) -> str:
        """Return whether so few lanes run that each shall run a sparse loop alone, an i1."""
        lanes, code = self.lanes, self.lanes.code
        count = code.call("i64", "llvm.ctpop.i64", f"i64 {lanes.running()}")
        limit = LIMIT if self.plan.finds_limit else lanes.facts.together_from
        return code.let(f"icmp ult i64 {count}, {limit}")
