"""Ends of nodes: branches, by what is known of the lanes that go to each side."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property

from ....analysis.lanes.running import Lanes
from ....analysis.lanes.sparse import ways_out
from ....analysis.values.ssa import Op, Phi
from ....analysis.widths.registers import REGISTER_BITS
from ...llvm.toolchain import host_has
from .. import budget
from .agreement import agreed, side_of
from .edges import Edges
from .running_vectors import RunningVectors

LEAST_SKIPPED = 2
"""Sums that a branch in a loop must skip, so that masks of the lanes that run are made for them."""


class Branches:
    """Ends nodes with one successor or two.

    `left` is node -> (loop, instructions) where all lanes leave a loop that is charged then. With
    `emit`, which emits an instruction, lanes that agree have code of their own.
    """

    def __init__(
        self,
        edges: Edges,
        running: RunningVectors,
        left: Mapping[int, tuple[int, int]],
        emit: Callable[[Op], None] | None,
    ) -> None:
        self._edges, self._running = edges, running
        self._lanes, self._plan = edges.lanes, edges.plan
        self._flow = edges.lanes.flow
        self._left, self._emit = left, emit

    def follow(self, number: int, target: int, *, certainly: bool = True) -> None:
        """End a node whose lanes all go to one successor, `certainly` if they always do."""
        edges = self._edges
        self._running.take(number, target, certainly=certainly)
        way = edges.edge(number, target, self._lanes.mask)
        if edges.counters is not None:
            edges.counters.follow(number, way)
        edges.end_node(number, way)

    def pass_known(self, number: int, target: int) -> None:
        """End a node at a branch of which it is known that all lanes go to one successor."""
        self._leave_loop(number, target)
        self.follow(number, target)

    def branch(self, number: int, *, twice: bool, jumps: str | None = None) -> None:
        """End a node with two successors; `twice` if a side may be written twice.

        `jumps` says whether all lanes jump (an i1), where it is known that they agree.
        """
        lanes, edges = self._lanes, self._edges
        fall, taken = self._flow.nodes[number].successors
        ways = self._running.ways(number)
        if ways is not None:
            self._branch_known(number, (fall, taken), ways)
            return
        condition = lanes.ssa.conditions[number]
        if jumps is not None or lanes.shapes.is_uniform(condition):
            self._branch_together(number, jumps or lanes.scalar(condition))
            return
        # In copies of a loop, LLVM knows which lanes run.
        if self._emit is not None and number not in edges.copies:
            if not self._agree_in_loop(number, (fall, taken)) and twice:
                self._agree_on_side(number, (fall, taken), self._emit)
        on = lanes.vector(condition)
        to_taken = lanes.combine("and", lanes.mask, on)
        off = self._opposite(number, on)
        to_fall = lanes.combine("and", lanes.mask, off)
        self._running.take(number, fall, certainly=False)
        self._running.take(number, taken, certainly=False)
        waits = (
            edges.edge(number, fall, to_fall, lanes.mask),
            edges.edge(number, taken, to_taken, lanes.mask),
        )
        if edges.counters is not None:
            edges.counters.branch(number, waits, (to_fall, to_taken))
        edges.end_node(number, *waits)

    @cached_property
    def _blends_in_loops(self) -> bool:
        """Whether a branch skips sums of integers in loops that all lanes leave together.

        The opposite comparison makes those in the loop comparisons under a mask, which take longer
        than an `or` of masks: one sum gains nothing.
        """
        ssa, loops = self._lanes.ssa, self._flow.loops
        branches = ssa.conditions.keys() - self._plan.uniform_branches
        leaving = {number for loop in loops for number, _ in ways_out(self._flow, loop)}
        joins = {n for loop in loops for n in loop.nodes} - {loop.header for loop in loops}
        skipped = [sum(map(_is_skipped_sum, ssa.phis.get(number, ()))) for number in joins]
        return not branches & leaving and max(skipped, default=0) >= LEAST_SKIPPED

    def _opposite(self, number: int, on: Sequence[str]) -> list[str]:
        """Return the mask of lanes for which a condition does not hold.

        Past a guard the opposite of the lanes that run is at hand, and LLVM would keep the opposite
        of what a branch in a loop leaves to run. An operation under a mask then is two: one in all
        lanes, and a blend. The opposite comparison of the guard avoids that.
        """
        code = self._lanes.code
        if self._flow.loop_of[number] is None and self._blends_in_loops:
            found = [code.opposite(mask) for mask in on]
            if all(mask is not None for mask in found):
                return [mask for mask in found if mask is not None]
        if self._leaves_by_two_halves(number):
            on = [self._hidden(mask) for mask in on]
        return self._lanes.combine("xor", on, ["splat (i1 true)"] * self._lanes.k)

    def _leaves_by_two_halves(self, number: int) -> bool:
        """Return whether lanes leave a loop by a comparison of numbers with two registers each.

        LLVM makes the opposite of a comparison another comparison. Of such numbers these are two,
        whose masks have to be put together as well; the opposite of a mask is one instruction.
        """
        flow, condition = self._flow, self._lanes.ssa.conditions[number]
        loop = flow.loop_of[number]
        if loop is None or not isinstance(condition, Op) or not condition.ins.row.srcs:
            return False
        ways = [flow.route(number, way) for way in flow.nodes[number].successors]
        type_ = condition.ins.row.srcs[0].type
        return (
            not flow.loops[loop].nodes.issuperset(ways)
            and type_ is not None
            and type_.bits * self._lanes.n == 2 * REGISTER_BITS
            and host_has("avx512bw")  # masks of 32 lanes, too
        )

    def _hidden(self, mask: str) -> str:
        """Return a chunk of a mask of which LLVM does not know where it comes from."""
        code, n = self._lanes.code, self._lanes.n
        word = code.let(f"bitcast {self._lanes.mask_type} {mask} to i{n}")
        word = code.opaque(f"i{n}", word, register="^Yk")
        return code.let(f"bitcast i{n} {word} to {self._lanes.mask_type}")

    def _branch_together(self, number: int, condition: str) -> None:
        """End a node whose lanes all take the same side."""
        lanes, code = self._lanes, self._lanes.code
        fall, taken = self._flow.nodes[number].successors
        yes, no = code.fresh_label("y"), code.fresh_label("f")
        code.branch(condition, yes, no)
        local = dict(lanes.local)
        for label, target in ((no, fall), (yes, taken)):
            lanes.local = dict(local)
            code.block(label)
            self._leave_loop(number, target)
            self.follow(number, target, certainly=False)

    def _branch_known(self, number: int, targets: Sequence[int], ways: Sequence[Lanes]) -> None:
        """End a node at a branch of which it is known which lanes go where."""
        lanes, edges, running = self._lanes, self._edges, self._running
        go = [(target, some) for target, some in zip(targets, ways, strict=True) if some.any()]
        if len(go) == 1:
            self.pass_known(number, go[0][0])
            return
        waits, sides = [], []
        for target, some in go:
            running.take(number, target, some)
            sides.append(running.masks(some))
            waits.append(edges.edge(number, target, sides[-1], lanes.mask))
        if edges.counters is not None and len(go) == 2:
            edges.counters.branch(number, (waits[0], waits[1]), (sides[0], sides[1]))
        edges.end_node(number, *waits)

    def _leave_loop(self, number: int, target: int) -> None:
        """Do what is done once where all lanes leave a loop together, if they do by an edge.

        They are charged for all of its iterations, and its version without tests ends.
        """
        if self._edges.after_pass and not self._edges.is_last_pass:
            return
        versioned = self._edges.versioned
        if number in versioned and self._flow.route(number, target) not in versioned:
            self._edges.leave_version()
        if number in self._left:
            loop_number, cost = self._left[number]
            loop = self._flow.loops[loop_number]
            if self._flow.route(number, target) not in loop.nodes:
                budget.spend_all(self._lanes, loop, cost)

    # --- lanes that mostly agree

    def _agree_in_loop(self, number: int, targets: Sequence[int]) -> bool:
        """Append what runs if all lanes stay in a loop, or all leave it; a new block begins.

        Return whether this is a branch that leaves a loop, of which scalars show that.
        """
        flow, loop = self._flow, self._flow.loop_of[number]
        if loop is None:
            return False
        stays = [flow.route(number, target) in flow.loops[loop].nodes for target in targets]
        test = agreed(self._lanes, number) if stays[0] != stays[1] else None
        if test is None:
            return False
        for taken in (stays[1], stays[0]):
            self.apart(
                test[1 - taken], lambda taken=taken: self._go_together(number, targets[taken])
            )
        return True

    def _go_together(self, number: int, target: int) -> None:
        """End a node whose lanes all go to one successor.

        If that runs next, some lanes run it, as they do this node: it need not ask for them.
        """
        edges, masks, code = self._edges, self._plan.masks, self._lanes.code
        way = edges.edge(number, target, self._lanes.mask)
        is_next = masks.next_of(self._plan.waits[number] | {way}) == way
        if (
            is_next
            and number in masks.never_empty | masks.tested
            and way in masks.tested
            and way not in edges.versioned
            and edges.refilled is None
        ):
            code.jump(edges.label("r", way))
        else:
            edges.end_node(number, way)

    def _agree_on_side(
        self, number: int, targets: tuple[int, int], emit: Callable[[Op], None]
    ) -> None:
        """Append what runs if all lanes run the side that a branch may skip; a new block begins."""
        lanes, edges = self._lanes, self._edges
        found = side_of(edges, number, targets)
        test = agreed(lanes, number) if found is not None else None
        if found is None or test is None:
            return
        side, other = found

        def together() -> None:
            budget.spend_in(lanes, side)
            for op in lanes.ssa.ops[side]:
                emit(op)
            alone = other not in self._plan.waits[number]
            edges.end_node(side, edges.edge(side, other, lanes.mask, alone=alone))

        self.apart(test[0] if side == targets[1] else test[1], together)

    def apart(self, test: str, together: Callable[[], None]) -> None:
        """Append code for the case that a test holds, which ends the node, and begin a block."""
        lanes, code = self._lanes, self._lanes.code
        here, after = code.fresh_label("g"), code.fresh_label("g")
        code.branch(test, here, after)
        local = dict(lanes.local)
        code.block(here)
        together()
        lanes.local = local
        code.block(after)


_SUMS = frozenset({"xor", "or", "and", "add", "sub"})


def _is_skipped_sum(phi: Phi) -> bool:
    """Return whether a phi is a value, or a sum of that value with another one."""
    values = set(phi.args.values())
    return any(
        isinstance(value, Op)
        and value.ins.row.stem in _SUMS
        and value.ins.row.type is not None
        and not value.ins.row.type.is_float
        and any(arg in values for arg in value.args)
        for value in values
    )
