"""Which lanes of a workgroup may run a node, where that follows from the numbers of its work-items.

In a tree over a workgroup, the lanes of `if (item < half)` are known in each iteration of a loop
whose iterations are counted, if the workgroup is one warp. Such a loop is written once for each
iteration, in vectors up to the last one with a lane that may run.

So is one whose lanes all run, if the words that they access have neighbours in most iterations: the
steps of a butterfly, from half of a block down to one word.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

import numpy as np
import numpy.typing as npt

from ....isa.types import Segment
from ..flow.order import START, Loop
from ..ranges.trips import Trips, only_exit
from ..values.item_numbers import KnownNumbers
from ..values.ssa import Op
from ..warps.uniformity import Shapes

Lanes = npt.NDArray[np.bool_]
"""Whether each lane of the warp may run."""

MOST_INSTRUCTIONS = 512
"""Most instructions of all iterations of a loop that is written once for each."""

MOST_VECTORS = 1500
"""Most vectors that these compute."""

MOST_OF_ALL_LANES = 2500
"""The same where no iteration leaves out lanes."""

MOST_IN_REGISTERS = 3000
"""The same where group memory may be in registers: steps over several arrays at a time."""

LEAST_GAIN = 4
"""A loop is written so if this share of its vectors, one in so many, has no lane."""


class RunningLanes:
    """The lanes that may run each node, and the values of all lanes, as code is written in order.

    `begin` a node, `take` the edges from it; `enter`, `repeat` loops that are `copied`.
    """

    def __init__(self, shapes: Shapes, copied: Mapping[int, Trips]) -> None:
        self._shapes, self._ssa, self._flow = shapes, shapes.ssa, shapes.flow
        facts = shapes.facts
        self._numbers = KnownNumbers(shapes.results)
        self.of = self._numbers.of
        """Returns what all lanes have for a value where they run; None if it is not known."""
        self.copied = copied
        """Loop number -> iterations of the loops that are written once for each of them."""
        self._none = np.zeros(prod(facts.group_size), bool)
        self._may: dict[int, Lanes] = {START: ~self._none}
        self._exact: dict[int, bool] = {START: facts.whole}
        """Whether these lanes are all that wait at a node, whenever it runs."""
        self._headers = frozenset(loop.header for loop in self._flow.loops)

    def may_run(self, number: int) -> Lanes:
        """Return the lanes that may wait at a node."""
        return self._may.get(number, self._none)

    def is_exact(self, number: int) -> bool:
        """Return whether all lanes that may run a node do, and it runs for some."""
        return self._exact.get(number, False) and bool(self.may_run(number).any())

    def begin(self, number: int) -> Lanes:
        """Begin a node: find what its instructions calculate. Return the lanes that may run it."""
        lanes = self.may_run(number)
        if lanes.any():
            if number not in self._headers:
                for phi in self._ssa.phis.get(number, ()):
                    self._numbers.set(phi, self._numbers.of_all(phi.args.values()))
            for op in self._ssa.ops.get(number, ()):
                self._numbers.calculate(op)
        return lanes

    def ways(self, number: int) -> list[Lanes] | None:
        """Return the lanes that may go to each successor of a branch; None if that is not known."""
        condition = self.of(self._ssa.conditions[number])
        if condition is None:
            return None
        taken = condition.astype(bool)
        lanes = self.may_run(number)
        return [lanes & ~taken, lanes & taken]

    def take(self, source: int, target: int, lanes: Lanes, *, certainly: bool) -> None:
        """Let lanes go to a successor, `certainly` where all do that run the node."""
        way = self._flow.route(source, target)
        self._exact[way] = (
            certainly and self._exact.get(source, False) and self._exact.get(way, True)
        )
        self._may[way] = self.may_run(way) | lanes

    def enter(self, header: int) -> None:
        """Begin the loops with a header, for the lanes that may wait there."""
        loops = [loop for loop in self._flow.loops if loop.header == header]
        for phi in self._ssa.phis.get(header, ()):
            begin = None
            if len(loops) == 1 and loops[0].number in self.copied:
                outside = [a for n, a in phi.args.items() if n not in loops[0].nodes]
                begin = self._numbers.of_all(outside)
            self._numbers.set(phi, begin)
        if any(loop.number not in self.copied for loop in loops):
            self._exact[header] = False

    def share(self, number: int, other: int) -> None:
        """Note that a node is run by the lanes that have run another one."""
        self._exact[number] = self._exact.get(other, False)
        self._may[number] = self.may_run(other)

    def repeat(self, loop: Loop) -> None:
        """Begin the next iteration of a loop that is copied."""
        following = {
            phi: self._numbers.of_all([a for n, a in phi.args.items() if n in loop.nodes])
            for phi in self._ssa.phis.get(loop.header, ())
        }
        for phi, numbers in following.items():
            self._numbers.set(phi, numbers)
        self._may[loop.header] = self.may_run(loop.latch)
        self._exact[loop.header] = self._exact.get(loop.latch, False)
        self._forget_nodes(loop)

    def forget(self, loop: Loop, lanes: Lanes) -> None:
        """Forget what has been found in a loop, but for the lanes that enter it."""
        self._forget_nodes(loop)
        self._may[loop.header] = lanes
        self._exact[loop.header] = False

    def _forget_nodes(self, loop: Loop) -> None:
        for number in loop.nodes - {loop.header}:
            self._may.pop(number, None)
            self._exact.pop(number, None)


def has_known_lanes(shapes: Shapes) -> bool:
    """Return whether lanes that may run are found: in one-warp workgroups, loops with one entry."""
    flow, facts = shapes.flow, shapes.facts
    return (
        facts.one_warp
        and facts.group_size == (facts.width, 1, 1)
        and all(map(flow.has_one_entry, flow.loops))
    )


class Walk:
    """A walk through the nodes of a kernel in order, which finds the loops to copy and the work.

    `gains` by lanes that do not run, or else by any copies.
    """

    def __init__(self, shapes: Shapes, trips: Mapping[int, Trips], *, gains: bool = True) -> None:
        self._shapes, self._flow = shapes, shapes.flow
        self._gains = gains
        self._trips = trips
        self.copied: dict[int, Trips] = {}
        """Loop number -> iterations of the loops that are written once for each of them."""
        self._lanes = RunningLanes(shapes, self.copied)
        self._headers = frozenset(loop.header for loop in self._flow.loops)
        self._work: dict[int, tuple[int, int]] = {}
        """Node -> its instructions on scalars, and those on vectors."""
        self._chunk = 16
        self.vectors = self._go(list(self._flow.order))
        """The vectors that are computed, where a loop that is not copied is counted once."""

    def _go(self, numbers: list[int]) -> int:
        vectors, at = 0, 0
        while at < len(numbers):
            loop = self._candidate(numbers, at)
            if loop is not None:
                size = len(loop.nodes)
                found = self._copy(loop, numbers[at : at + size])
                if found is not None:
                    vectors += found
                    at += size
                    continue
                self.copied.pop(loop.number)
            vectors += self._node(numbers[at])
            at += 1
        return vectors

    def _candidate(self, numbers: list[int], at: int) -> Loop | None:
        """Return the loop that begins at a node, if it may be copied; it then is in `copied`."""
        flow, shapes = self._flow, self._shapes
        loops = [loop for loop in flow.loops if loop.header == numbers[at]]
        if len(loops) != 1 or loops[0].number not in self._trips:
            return None
        (loop,) = loops
        trips = self._trips[loop.number]
        if (
            trips.returns == 0
            or loop.number in shapes.divergent_loops
            or trips.exit not in shapes.uniform_branches()
            or not only_exit(flow, loop)
            or not flow.is_innermost(loop)
            or set(numbers[at : at + len(loop.nodes)]) != loop.nodes
            or (self._gains and self._is_alike(loop) and not self._scattered(loop))
            or any(
                last is not None and last.row.stem == "trap"
                for n in loop.nodes
                for last in (flow.nodes[n].last,)
            )
        ):
            return None
        ops = sum(len(shapes.ssa.ops.get(n, ())) for n in loop.nodes)
        if (trips.returns + 1) * ops > MOST_INSTRUCTIONS:
            return None
        self.copied[loop.number] = trips
        return loop

    def _copy(self, loop: Loop, body: list[int]) -> int | None:
        """Return the vectors of all copies of a loop; None if copies do not pay."""
        lanes = self._lanes
        before = lanes.may_run(loop.header)
        vectors, wide = 0, 0
        scattered = self._scattered(loop)
        trips = self.copied[loop.number]
        for copy in range(trips.returns + 1):
            if copy:
                lanes.repeat(loop)
            for number in body:
                vectors += self._node(number, enters=copy == 0)
            wide += sum(self._is_wide(op) for op in scattered)
        all_lanes = sum(self._vectors(n, before) for n in body) * (trips.returns + 1)
        if not self._gains:
            pays = vectors <= MOST_IN_REGISTERS
        elif self._is_alike(loop):
            mostly = 2 * wide > len(scattered) * (trips.returns + 1)
            pays = mostly and vectors <= MOST_OF_ALL_LANES
        else:
            fewer = vectors * LEAST_GAIN <= all_lanes * (LEAST_GAIN - 1)
            pays = fewer and vectors <= MOST_VECTORS
        if not pays:
            lanes.forget(loop, before)
            return None
        return vectors

    def _is_alike(self, loop: Loop) -> bool:
        """Return whether all lanes take the same way through a loop."""
        branches = loop.nodes & self._shapes.ssa.conditions.keys()
        return branches <= self._shapes.uniform_branches()

    def _scattered(self, loop: Loop) -> list[Op]:
        """Return the accesses of group memory at offsets without a step from lane to lane."""
        shapes = self._shapes
        return [
            op
            for number in loop.nodes
            for op in shapes.ssa.ops.get(number, ())
            if op.ins.row.is_memory
            and op.ins.row.segment is Segment.GROUP
            and op.base is not None
            and shapes.stride(op.base) is None
        ]

    def _is_wide(self, op: Op) -> bool:
        """Return whether the lanes of each vector access words side by side, as far as is known."""
        offsets = None if op.base is None else self._lanes.of(op.base)
        if op.ins.row.type is None or offsets is None or offsets.size % self._chunk:
            return False
        steps = np.diff(offsets.reshape(-1, self._chunk), axis=1)
        return bool((steps == op.ins.row.type.size).all())

    def _node(self, number: int, *, enters: bool = True) -> int:
        """Return the vectors of a node, and continue at its successors."""
        lanes, node = self._lanes, self._flow.nodes[number]
        if enters and number in self._headers:
            lanes.enter(number)
        running = lanes.begin(number)
        if not running.any() or node.latch_of is not None:
            return 0
        ways = lanes.ways(number) if len(node.successors) == 2 else None
        for i, target in enumerate(node.successors):
            if ways is None or ways[i].any():
                lanes.take(number, target, running if ways is None else ways[i], certainly=False)
        return self._vectors(number, running)

    def _vectors(self, number: int, running: Lanes) -> int:
        """Return the vectors that a node computes, those of scalars counted as one."""
        found = self._work.get(number)
        if found is None:
            shapes, ops = self._shapes, self._shapes.ssa.ops.get(number, ())
            scalars = sum(not op.ins.row.is_memory and shapes.stride(op) is not None for op in ops)
            found = self._work[number] = scalars, len(ops) - scalars
        scalars, others = found
        return scalars + others * -(-last_lane(running) // self._chunk)


def last_lane(running: Lanes) -> int:
    """Return the number of the last lane that may run, plus one; 0 if there is none."""
    found = np.flatnonzero(running)
    return int(found[-1]) + 1 if found.size else 0
