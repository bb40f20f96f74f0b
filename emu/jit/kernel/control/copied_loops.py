"""Loops that are written once for each iteration: strides of a workgroup through a tile.

Lanes leave `for (i = x; i < 20; i += 16)` in iterations that are known (`lane_trips.py`). In a copy
for each iteration, all numbers and masks are constants, so LLVM knows which rows of a tile still
run, and drops tests and vectors without a lane. It would not unroll a loop that lanes leave at
different times.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from ....analysis.flow.order import Loop
from ....analysis.lanes.lane_plan import LanePlan
from ....analysis.ranges.lane_trips import LaneTrips
from ....analysis.ranges.trips import Trips
from ....analysis.widths.one_warp import may_unroll
from ..lane_code import LaneCode

MOST_INSTRUCTIONS = 128
"""Most instructions of all copies of a loop."""


MOST_OF_TILES = 256
"""The same for loops over a tile whose words are read from global memory."""


class CopiedLoops:
    """The loops of a kernel that are copied, and the copies that are being written.

    `iterations` are those of loops that lanes leave one after the other, `together` of loops that
    all leave at once and that must be copied, `wanted` of others that should be if they are short.
    """

    def __init__(
        self,
        lanes: LaneCode,
        plan: LanePlan,
        iterations: Mapping[int, LaneTrips],
        together: Mapping[int, Trips],
        wanted: Mapping[int, Trips],
    ) -> None:
        self._flow = lanes.flow
        self._ops = {n: len(lanes.ssa.ops.get(n, ())) for n in self._flow.order}
        self._lanes, self._plan = lanes, plan
        self._trips: dict[int, LaneTrips] = {}
        """Loop number -> its iterations."""
        self._copy: dict[int, int] = {}
        """Loop number -> the copy that is being written."""
        lanes.copies = self._copy
        self._at_once = {*wanted, *together}
        """Loops that all lanes leave at once."""
        self.after: dict[int, Loop] = {}
        """Node -> the loop that all its lanes have left just before."""
        sizes: dict[int, int] = {}
        for loop in sorted(self._flow.loops, key=lambda loop: len(loop.nodes)):
            trips, most = iterations.get(loop.number), MOST_INSTRUCTIONS
            if loop.number in wanted:
                trips, most = _all_at_once(wanted[loop.number]), MOST_OF_TILES
            inner = [other for other in self._flow.loops if other.parent == loop.number]
            if (
                trips is None
                or trips.most == 0
                or any(other.number not in sizes for other in inner)
                or not self._is_plain(loop)
            ):
                continue
            inside = {n for other in inner for n in other.nodes}
            own = sum(self._ops[n] for n in loop.nodes - inside)
            size = (trips.most + 1) * (own + sum(sizes[other.number] for other in inner))
            if size <= most and may_unroll(size, lanes.facts):
                sizes[loop.number] = size
                self._trips[loop.number] = trips
                if loop.number not in wanted:
                    self._note_exit(loop, trips)
        # Lanes leave these and those that are `wanted` together, and are charged there.
        for number, trips in together.items():
            self._trips[number] = _all_at_once(trips)

    @property
    def numbers(self) -> Collection[int]:
        """The numbers of these loops."""
        return self._trips.keys()

    def beginning_at(self, number: int) -> Loop | None:
        """Return the loop with a header, if it is copied."""
        found = (loop for loop in self._flow.loops if loop.header == number)
        return next((loop for loop in found if loop.number in self._trips), None)

    def least(self, loop: Loop) -> int:
        """Return how often all lanes go back to the header."""
        return self._trips[loop.number].least

    def copies(self, loop: Loop) -> int:
        """Return how many copies a loop has."""
        return self._trips[loop.number].most + 1

    def begin(self, loop: Loop, copy: int) -> None:
        """Note that a copy is written next."""
        self._copy[loop.number] = copy

    def end(self, loop: Loop) -> None:
        """Note that all copies are written."""
        del self._copy[loop.number]

    def copy_of(self, loop: Loop) -> int | None:
        """Return the copy of a loop that is being written; None if none is."""
        return self._copy.get(loop.number)

    def way(self, number: int) -> int | None:
        """Return where all lanes go that end a node of a copy, if the copy's number shows it."""
        flow = self._flow
        for loop_number, copy in self._copy.items():
            trips = self._trips[loop_number]
            if trips.exit == number and loop_number in self._at_once:
                for target in flow.nodes[number].successors:
                    stays = flow.route(number, target) in flow.loops[loop_number].nodes
                    if stays == (copy < trips.most):
                        return target
        return None

    def _is_plain(self, loop: Loop) -> bool:
        """Return whether lanes enter a loop at its header alone, and nothing in it is special."""
        flow, plan = self._flow, self._plan
        for number in loop.nodes:
            last = flow.nodes[number].last
            if number not in plan.waits or number in plan.sparse:
                return False
            if last is not None and (last.row.is_barrier or last.row.stem == "trap"):
                return False
        return (
            flow.has_one_entry(loop) and flow.has_own_header(loop) and self._follow_each_other(loop)
        )

    def _follow_each_other(self, loop: Loop) -> bool:
        """Return whether the nodes of a loop have no others between them, and the header first."""
        order: Sequence[int] = [n for n in self._flow.order if n in self._plan.waits]
        at = order.index(loop.header)
        return set(order[at : at + len(loop.nodes)]) == loop.nodes

    def _note_exit(self, loop: Loop, trips: LaneTrips) -> None:
        for successor in self._flow.nodes[trips.exit].successors:
            target = self._flow.route(trips.exit, successor)
            if target not in loop.nodes and self._flow.nodes[target].predecessors == (trips.exit,):
                self.after[target] = loop


def _all_at_once(trips: Trips) -> LaneTrips:
    """Return the iterations of a loop that lanes leave together."""
    return LaneTrips(trips.exit, trips.returns, trips.returns)
