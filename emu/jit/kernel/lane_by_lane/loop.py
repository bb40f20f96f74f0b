"""Loops that the lanes of a warp run one after the other, as scalar code.

The mask at the loop's header is taken apart. For each lane, what the loop needs is read from the
vectors, the loop runs with real branches from the header to one of its exits, and its results are
put back. Then all those lanes wait after the loop, as if they had run together.

There is a version without cold sides. Where a test fails there, the node begins once more in the
version that has them, which runs the lane to the end of the loop: until then the node has only
loaded and computed. So a test that has passed holds for all that follows, and nothing merges with
what a cold side has found. A lane is charged a constant there, and exactly in the other version.
"""

from __future__ import annotations

from collections.abc import Sequence

from ....analysis.flow.order import Loop
from ....analysis.loops.moved_runs import moved_runs
from ....analysis.values.ssa import Op, Phi, Value
from ...llvm.text import register_type
from ...runtime.context import TrapCode
from .. import budget
from ..control.edges import Edges
from ..counting.counters import Counters
from ..instructions import Instructions
from ..lane_code import LANE, LaneCode
from ..loops.hoisted import Hoisted
from ..memory.kernel_memory import KernelMemory
from ..memory.one_lane.joint_limits import joint_limits
from ..memory.one_lane.joint_tests import JointTests
from ..memory.watched.kept_in import offsets_in
from .cells import LaneCells
from .counted_runs import CountedRun
from .dispatched import Dispatched, found_dispatches
from .exits import LaneExits
from .inner_loops import InnerLoops, inner_loops
from .moved_runs import move_run, moves_runs
from .only_counted import left_at_once
from .passed_stores import PassedStores
from .row_at_once import TestedAfter, WholeVectors, takes_row_at_once
from .traced import TracedRun
from .values import NEXT_LANE, LaneValues, code_of_lane


class LaneByLane:
    """Emits a loop for one lane at a time, in the node of its header.

    `lanes` is the code of the warp, `one` that of the lane whose turn it is.
    """

    def __init__(self, lanes: LaneCode, edges: Edges, memory: KernelMemory, loop: Loop) -> None:
        self.lanes = lanes
        self.loop = loop
        self.code = lanes.code
        self._flow, self._ssa = lanes.flow, lanes.ssa
        self.one = code_of_lane(lanes)
        self._instructions = Instructions(self.one, memory, _refuse)
        self._kept_in = {} if memory.relied is None else memory.relied.kept_out
        """Accesses that must stay in the buffer of a parameter, in code that counts."""
        self._passed = PassedStores(self.one, self._instructions, loop, self._kept_in)
        self._joint_tests = JointTests(self._instructions.access.local.checks, self._ssa, loop)
        self._remaining = lanes.entry.let("alloca i64")
        """Where the lanes whose turn is to come are kept, a ptr to i64."""
        self._lane = ""
        """The number of the lane, an i64."""
        self._is_quick = False
        """Whether the version that is being written has no cold sides."""
        self._resumes = False
        """Whether lanes may come from such a version."""
        self._cells = LaneCells(lanes)
        self._exits = LaneExits(edges, loop, self._cells)
        is_traced = loop.header in edges.plan.traced
        self._values = LaneValues(lanes, loop, self._cells, has_both=edges.plan.has_both)
        self.version = ""
        """The version of the loop that is being written: the prefix of its labels."""
        self._is_tested = False
        """Whether that version tests accesses."""
        self._joined: set[int] = set()
        """Nodes of that version that are written without a branch, in the node before them."""
        dispatches = [] if is_traced else found_dispatches(self._ssa, loop)
        self._dispatched = Dispatched(self.one, self, dispatches)
        self._takes_row = False
        """Whether that version takes many elements of a row at once."""
        self._tested_after: TestedAfter | None = None
        """Tests that are made for all of a row."""
        self._whole: WholeVectors | None = None
        """Those of them that need no mask, while their loop is written."""
        self._hoisted: Hoisted | None = None
        """What that version relies on."""
        self._inner = InnerLoops(self.one, self._instructions, {})
        """Loops inside that are tested before they run, in that version."""
        runs = moved_runs(lanes.ssa, loop) if moves_runs() and not is_traced else []
        self._runs = {run.loop.header: run for run in runs}
        """Header -> the run that its loop moves."""
        self._counted: CountedRun | None = None
        """What counts the loop, in code that counts."""
        self._traced: TracedRun | None = None
        """The same for a loop through which lanes go several ways."""
        if isinstance(edges.counters, Counters):
            counts = edges.counters, loop, self.one, self._cells
            if is_traced:
                self._traced = TracedRun(*counts)
            else:
                self._counted = CountedRun(*counts)

    # --- the loop

    def emit(self) -> None:
        """Append the loop, from the run of its header to the jump to the node that runs next."""
        lanes, code, header = self.lanes, self.code, self.loop.header
        hoisted = Hoisted(lanes, self._instructions.access, self.loop, each=True)
        counts = self._counted is not None or self._traced is not None
        # Without cold sides to leave out, a loop is faster with charges by nodes.
        has_sides = self._passed.has_cold_sides(hoisted.certain if hoisted.is_useful else ())
        is_quick = has_sides and not (self._runs or counts)
        if hoisted.is_useful and self._traced is None:
            code.branch(hoisted.hold(), f"each{header}", f"alone{header}")
            code.block(f"each{header}")
            hoisted.enter()
            if not left_at_once(lanes, self.loop, hoisted, self._counted, self._exits):
                self._emit_lanes("unchecked", hoisted, is_quick=is_quick)
        elif is_quick:
            self._emit_lanes("unchecked", None, is_quick=True)
        else:
            code.jump(f"alone{header}")
        if hoisted.is_useful or is_quick:
            self._dispatched = Dispatched(self.one, self, [])
        code.block(f"alone{header}")
        self._emit_lanes("checked", None)
        code.block(f"done{header}")
        self.one.variables.poison(code, lanes.facts.poison)
        self.one.variables.check()
        if self._counted is not None:
            self._counted.count()
        if self._traced is not None:
            self._traced.count(self._remaining, f"resume{header}")
        self._exits.rejoin()
        if self._traced is not None:
            code.block(f"resume{header}")
            self._values.load_ahead(self.one.variables, self._remaining)
            code.jump(f"checked_next{header}")

    def _emit_lanes(self, version: str, hoisted: Hoisted | None, *, is_quick: bool = False) -> None:
        """Append a version of the loop, whose labels begin with its name, for lane after lane.

        `is_quick`: it has no cold sides.
        """
        code, lanes, header = self.code, self.lanes, self.loop.header
        self.version, self._hoisted, self._is_quick = version, hoisted, is_quick
        self._resumes |= is_quick
        certain = frozenset[Op]() if hoisted is None else hoisted.certain
        places = self._instructions.access.global_.addresses if is_quick else None
        self._takes_row = takes_row_at_once(self._ssa, hoisted, places)
        # Without a side way out, LLVM would make a branch of its own for an odd number of
        # iterations, which is as often mispredicted as the end of the loop.
        self._is_tested = self._passed.has_cold_sides(certain)
        self._joined.clear()
        self._instructions.access.rely_on(certain)
        addresses = self._instructions.access.global_.addresses
        addresses.joint = {}
        is_tested_after = self._takes_row and is_quick
        self._tested_after = TestedAfter(self.one, hoisted) if hoisted and is_tested_after else None
        inner = inner_loops(self._ssa, self.loop) if is_quick else {}
        if is_quick:
            apart = {number for one in inner.values() for number in one.nodes}
            addresses.joint = joint_limits(addresses, self._ssa, self.loop, certain, apart)
        self._instructions.steps = {} if hoisted is None else hoisted.steps()
        self._inner = InnerLoops(self.one, self._instructions, inner)
        remaining = self._remaining
        code.line(f"store i64 {lanes.word(lanes.mask)}, ptr {remaining}")
        values, one = self._values, self.one.variables
        values.load_ahead(one, remaining)
        code.jump(f"{version}_next{header}")
        code.block(f"{version}_next{header}")
        left = code.let(f"load i64, ptr {remaining}")
        code.branch(code.let(f"icmp ne i64 {left}, 0"), f"{version}_lane{header}", f"done{header}")
        code.block(f"{version}_lane{header}")
        self._lane = one.word(NEXT_LANE)
        one.set_word(LANE, self._lane)
        own = values.loaded_ahead(one)
        others = code.let(f"and i64 {left}, {code.let(f'sub i64 {left}, 1')}")
        code.line(f"store i64 {others}, ptr {remaining}")
        values.load_ahead(one, remaining)
        self._enter(own)
        if self._tested_after is not None:
            self._tested_after.begin(f"short{header}")
        if self._traced is not None:
            self._traced.resume(self._lane, f"{version}{header}", self._dispatched.label)
        else:
            label = f"{version}{'run' if header in self._runs else ''}{header}"
            self._whole = WholeVectors(self.one, hoisted) if self._takes_row and hoisted else None
            if self._whole is not None:
                self._whole.enter(f"whole{header}", label)
                self.version = "whole"
                self._emit_nodes()
                self._whole, self.version = None, version
            else:
                code.jump(label)
        self._emit_nodes()
        if self._tested_after is not None:
            self._tested_after, self._takes_row, self.version = None, False, "short"
            self._emit_nodes()

    def _emit_nodes(self) -> None:
        """Append the nodes of the loop for one lane."""
        for number in self._flow.order:
            node = self._flow.nodes[number]
            if number in self.loop.nodes and node.latch_of is not None:
                self.begin_iteration(self._flow.loops[node.latch_of])
            elif number in self.loop.nodes and number not in self._joined:
                if number in self._runs:
                    self._move_run(number)
                if self._inner.has(number):
                    self.code.block(f"{self.version}run{number}")
                    label = self._dispatched.label(number)
                    self._inner.enter(number, label, self.with_cold_sides(number))
                self.begin_node(number)
                if self._dispatched.has(number):
                    self._joined.update(self._dispatched.leave(number))
                elif not self._leave_without_branch(number):
                    self.leave(number)

    def _move_run(self, header: int) -> None:
        """Append what moves a run of elements, before the loop that would."""
        run, hoisted = self._runs[header], self._hoisted
        self.code.block(f"{self.version}run{header}")
        is_charged = hoisted is not None and hoisted.is_charged and run.loop is self.loop
        add = self._counted.add if self._counted and run.loop is self.loop else None
        move_run(self.one, self._instructions.access, run, charges=not is_charged, add=add)
        self.code.jump(self._dispatched.label(header))

    def with_cold_sides(self, number: int) -> str:
        """Return the label of a node in code with cold sides."""
        return f"checked{number}" if self._is_quick else f"{self.version}{number}"

    def begin_node(self, number: int) -> None:
        """Append a node, up to its branch."""
        one = self.one
        one.local.clear()
        self.code.block(self._dispatched.label(number))
        one.notes_failures = self._tested_after is not None
        if self._is_quick:
            one.otherwise = "" if one.notes_failures else self.with_cold_sides(number)
        elif self._resumes:
            self._lane = self._values.resume(one)
        for op, group in self._joint_tests.ops(number):
            if group:
                self._joint_tests.test(group)
            if op.pc in self._kept_in:
                offsets_in(self.one, op, self._kept_in[op.pc])
            self._instructions.op(op)
            row = op.ins.row
            if self._is_quick and (row.is_store or row.is_atomic):
                one.otherwise = ""  # the node must not begin once more
        if self._is_quick:
            one.otherwise = ""
        self.owe(number)

    def owe(self, number: int) -> None:
        """Note that a node is to be charged at the latch, if it is."""
        if not self._is_quick and (self._hoisted is None or not self._hoisted.is_charged):
            budget.owe(self.one, number)

    def begin_iteration(self, loop: Loop) -> None:
        """Append a latch: all ways back lead through it, or LLVM would take them for two loops."""
        code, hoisted = self.code, self._hoisted
        # LLVM unrolls loops of long modules by itself. Copies of branches are predicted apart.
        unroll = int(not self._flow.is_innermost(loop))
        code.block(self._dispatched.label(loop.latch))
        if self._counted is not None and loop is self.loop:
            self._counted.add("1")
        if self._whole is not None:
            if self._whole.latch(f"whole{loop.header}", f"unchecked{loop.header}"):
                if self._counted is not None:
                    self._counted.add("-1")  # the last iteration has no way back
                self._leave_by(*self._whole.exit)
            return
        if hoisted is not None and hoisted.is_charged and loop is self.loop:
            if self._is_tested and not (self._dispatched.tables or self._takes_row):
                unroll = hoisted.unroll() or unroll
        elif self._is_quick and not self._inner.is_charged(loop):
            self.one.otherwise = self.with_cold_sides(loop.latch)
            budget.spend_most(self.one, loop)
            self.one.otherwise = ""
        elif self._is_quick:
            unroll = self._inner.written(loop) or unroll
        else:
            budget.pay(self.one, loop)
        if self._traced is not None:
            following = f"{self.version}_next{self.loop.header}"
            self._traced.next_iteration(self._lane, loop.header, following)
        many = code.module.vectorised() if self._takes_row else ""
        code.jump(self._dispatched.label(loop.header), unroll=unroll, loop=many)

    def _enter(self, known: dict[Value, str]) -> None:
        """Give one lane what it needs at the header; what is `known` has been loaded."""
        code, header, one = self.code, self.loop.header, self.one
        for value, own in self._values.of_lane(self._lane, known):
            if isinstance(value, Phi) and value.node == header:
                one.variables.store((value, "value"), one.types_of(value.cls, True), [own])
            else:
                self._values.keep(one, value, own, resumes=self._is_quick)
        (counters,) = self.lanes.variables.load("counters", ["ptr"])
        counter = code.let(f"getelementptr i64, ptr {counters}, i64 {self._lane}")
        one.variables.store("counters", ["ptr"], [counters])
        one.variables.store(budget.OWN, ["ptr"], [counter])
        budget.begin_owing(one)
        if self._counted is not None:
            self._counted.begin()
        if self._traced is not None:
            self._traced.begin()
        self._instructions.access.local.private.rows.begin_own()

    def leave(self, number: int) -> None:
        """End a node of the loop."""
        code, node, one = self.code, self._flow.nodes[number], self.one
        if node.last is not None and node.last.row.stem == "trap":
            one.trap(TrapCode.TRAP, node.stop, one.mask)
            return
        if len(node.successors) == 1:
            self.follow(number, node.successors[0])
            return
        fall, taken = node.successors
        leads_out = [self._flow.route(number, to) not in self.loop.nodes for to in (fall, taken)]
        if self._whole is not None and any(leads_out):
            stays, out = (taken, fall) if leads_out[0] else (fall, taken)
            self._whole.exit = self._flow.route(number, out), self._incoming(number, out)
            self.follow(number, stays)
            return
        no, yes = code.fresh_label("e"), code.fresh_label("e")
        condition = one.scalar(self._ssa.conditions[number])
        if self._traced is not None:
            self._traced.branch(condition)
        code.branch(condition, yes, no)
        known = dict(one.local)
        for label, target in ((no, fall), (yes, taken)):
            one.local = dict(known)
            code.block(label)
            self.follow(number, target)

    def _leave_without_branch(self, number: int) -> bool:
        """End a node at whose branch few stores are passed by; return whether it did."""
        leaves = self._hoisted is None or self._traced is not None
        side = None if leaves else self._passed.side(number)
        if side is None:
            return False
        condition = self._passed.emit(number, side)
        self._joined.add(side)
        (target,) = self._flow.nodes[side].successors
        self.follow(side, target, number, condition)
        return True

    def follow(self, source: int, target: int, other: int = -1, chosen: str = "") -> None:
        """Follow an edge, within the loop or out of it.

        With an `other` source, that one's edge is followed unless `chosen` (an i1).
        """
        code, one = self.code, self.one
        way = self._flow.route(source, target)
        brought = self._incoming(source, target)
        phis, values = [phi for phi, _ in brought], [value for _, value in brought]
        if chosen:
            others = [one.incoming(phi, phi.args[other], "value")[0] for phi in phis]
            values = [
                code.chosen(chosen, register_type(phi.cls, 0), value, otherwise)
                for phi, value, otherwise in zip(phis, values, others, strict=True)
            ]
        if way in self.loop.nodes:
            for phi, value in zip(phis, values, strict=True):
                one.variables.store((phi, "value"), one.types_of(phi.cls, True), [value])
            run = self._runs.get(way)
            if (run and source not in run.loop.nodes) or self._inner.begins(way, source):
                code.jump(f"{self.version}run{way}")
            else:
                self._dispatched.continue_at(way, source)
            return
        self._leave_by(way, list(zip(phis, values, strict=True)))

    def _incoming(self, source: int, target: int) -> list[tuple[Phi, str]]:
        """Return the phis of an edge's target, and what the edge gives them."""
        phis = self._ssa.phis.get(target, ())
        return [(p, self.one.incoming(p, p.args[source], "value")[0]) for p in phis]

    def _leave_by(self, way: int, brought: Sequence[tuple[Phi, str]]) -> None:
        """Leave the loop to the node at which lanes wait, with these values for phis."""
        if self._tested_after is not None:
            self._tested_after.leave(f"checked{self.loop.header}")
        self._exits.leave(way, brought, self._lane)
        if self._counted is not None:
            self._counted.leave(self._lane)
        if self._traced is not None:
            self._traced.leave(self._lane)
        version = "unchecked" if self.version in ("whole", "short") else self.version
        self.code.jump(f"{version}_next{self.loop.header}")


def _refuse(op: Op) -> None:
    raise NotImplementedError(op.ins.row.stem)
