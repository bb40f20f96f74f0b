"""The latches of loops, at which lanes begin the next iteration."""

from __future__ import annotations

from collections.abc import Mapping

from ....analysis.flow.order import Loop
from ....analysis.ranges.trips import Trips
from .. import budget
from ..control.branches import Branches
from ..control.copied_loops import CopiedLoops
from ..control.edges import Edges
from ..memory.access import Access
from .hidden import has_many_addresses, hide
from .hoisted import Hoisted
from .rest import LastIteration
from .versions import moves_vectors, times_written
from .whole import ALL


class Latches:
    """Emits the latches of loops that all lanes run together.

    Loops that are `copied` have a copy for each iteration. Those at whose latch `at_exit` has
    iterations are charged when they are left.
    """

    def __init__(self, edges: Edges, copied: CopiedLoops, at_exit: Mapping[int, Trips]) -> None:
        self.lanes, self.plan, self.edges, self.copied = edges.lanes, edges.plan, edges, copied
        self._refilled = edges.refilled
        self._at_exit = at_exit
        self._divergent = edges.lanes.ssa.conditions.keys() - edges.plan.uniform_branches
        self.entered: set[int] = set()
        """Headers whose loop is entered by other code than the header's."""
        self.rest: LastIteration | None = None
        """The last iteration of a loop, while that is being written."""
        self._hidden: dict[int, bool] = {}
        """Loop that is being written -> whether LLVM does not know how its counters step."""

    def emit(self, loop: Loop, version: Hoisted | None, access: Access) -> None:
        """Let the lanes at a loop's latch begin the next iteration, in a version of the loop."""
        lanes, number = self.lanes, loop.latch
        header = loop.header
        copy = self.copied.copy_of(loop)
        if copy is not None and copy + 1 == self.copied.copies(loop):
            self.edges.end_node(number)  # no lane is here
            return
        for phi in lanes.ssa.phis.get(header, ()):
            if phi in lanes.unread:
                continue
            for part, types in lanes.parts(phi):
                if lanes.variables.are_one((phi, part), (phi, part, "next")):
                    continue
                following = lanes.variables.load((phi, part, "next"), types)
                lanes.variables.store((phi, part), types, following)
        is_whole = version is not None and version.whole is not None
        self.edges.wait_at(header, [ALL] * lanes.k if is_whole else lanes.mask)
        if self.edges.counters is not None:
            self.edges.counters.follow(number, header)
        if copy is not None:
            lanes.code.jump(self.edges.label("n", header, copy=1))
            return
        if self._refilled is not None and number == self._refilled.latch:
            lanes.code.jump(self.edges.label("n", header))
            return
        if self._refilled is not None and number == self._refilled.inner_latch:
            self._refilled.begin_iteration()
        trips = self._at_exit.get(number)
        goes_on = version.step() if version is not None else None
        if trips is None and (version is None or not version.is_charged):
            budget.spend(lanes, loop)
        if self.rest is not None:
            lanes.code.jump(self.edges.label("n", header, copy=1))
            return
        # A lane runs it, so no test is needed.
        if version is not None:
            start = self.edges.label("v", header)
        elif header in self.entered:
            start = self.edges.label("c", header)
        else:
            start = self.edges.label("r" if header in self.plan.masks.tested else "n", header)
        unroll = 0 if trips is None else self._unroll(loop, trips, version, access)
        if version is not None and version.is_charged and not self._hidden[loop.number]:
            unroll = version.unroll()
        if not unroll and trips is None and (version is not None or header not in self.entered):
            counts = self.edges.counters is not None
            unroll = 2 if not counts and moves_vectors(lanes, self.plan, loop) else 0
        if goes_on is not None:
            again = lanes.code.fresh_label("l")
            after = self.edges.label("c", header)
            lanes.code.branch(goes_on, again, version.after or after if version else after)
            lanes.code.block(again)
        lanes.code.jump(start, unroll=unroll)

    def ends_last(self, number: int, branches: Branches) -> bool:
        """End a node that tests whether the last iteration follows; return whether it does."""
        return self.rest is not None and self.rest.branch(number, branches)

    def hide(self, loop: Loop, version: Hoisted | None, access: Access) -> None:
        """Hide from LLVM how the counters of a loop that begins step, if it shall not know."""
        trips = self._at_exit.get(loop.latch)
        self._hidden[loop.number] = (
            self._refilled is None
            and loop.header not in self.plan.sparse
            and self.copied.copy_of(loop) is None
            and (trips is None or not self._unroll(loop, trips, version, access))
            and has_many_addresses(self.lanes, loop, self.copied.numbers)
        )
        if self._hidden[loop.number]:
            hide(self.lanes, loop.header)

    def _unroll(self, loop: Loop, trips: Trips, version: Hoisted | None, access: Access) -> int:
        """Return how many iterations of a loop shall follow each other without a branch."""
        certain = access.global_.inside | (version.certain if version is not None else frozenset())
        agree = loop.nodes.isdisjoint(self._divergent)
        return times_written(self.lanes, loop, trips, access, certain, agree=agree)
