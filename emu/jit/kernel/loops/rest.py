"""The last iteration of a loop that lanes leave in turn, after all that all of them run.

In `for (i = lane; i < end; i += lanes)` no lane has more than one iteration left after the whole
ones (`whole.py`). That one is written without a way back: lanes that have none wait after the loop,
the others follow, and all are together there. If none has one left, all leave at once.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from ....analysis.flow.order import Loop
from ..control.branches import Branches
from ..control.edges import Edges
from ..lane_code import LaneCode
from .hoisted import Hoisted
from .whole import ALL

LONGEST = 16
"""Most instructions of a loop that is written twice more.

Longer ones gained nothing for the time that LLVM takes: of 19 instructions, 0.3 s.
"""


class LastIteration:
    """The rest of a loop after its whole iterations, which begins at the label `begins`.

    The nodes are written twice: for the lanes that reach the loop's `test`, and then for those that
    have passed it once, which all leave there.
    """

    def __init__(self, lanes: LaneCode, loop: Loop, version: Hoisted, test: int) -> None:
        self.begins = lanes.code.fresh_label("last")
        self._lanes, self._loop, self._version = lanes, loop, version
        self._test = test
        self._is_all = ""
        self._visit = 0
        """1 while lanes reach the test, 2 while those that have passed it reach it again."""

    @classmethod
    def of(cls, lanes: LaneCode, loop: Loop, version: Hoisted) -> LastIteration | None:
        """Return that of a loop with a version; None if more may be left, or it is too long."""
        whole, counter = version.whole, version.counter
        if whole is None or counter is None or len(counter.tests) != 1:
            return None
        flow = lanes.flow
        ((test, target),) = counter.tests
        is_last = flow.route(test, target) == loop.latch
        if not (counter.header_tests if test == loop.header and not is_last else is_last):
            return None
        ops = sum(len(lanes.ssa.ops.get(number, ())) for number in loop.nodes)
        # Bounds of each row's own, as those of a sparse matrix, are too different; for pieces of
        # a warp, which have a part of a row each, this gained nothing.
        shapes = lanes.shapes
        if not shapes.is_uniform(counter.end) or shapes.stride(counter.phi) is None:
            return None
        if ops > LONGEST:
            return None
        return cls(lanes, loop, version, test)

    def emit(
        self,
        edges: Edges,
        checked: str,
        begin: Callable[[int], bool],
        run: Callable[[int], None],
    ) -> None:
        """Append the code; where more iterations are left, the loop is at the label `checked`.

        `begin` and `run` append the beginning and the rest of a node.
        """
        lanes, code, whole, loop = self._lanes, self._lanes.code, self._version.whole, self._loop
        assert whole is not None
        lanes.local.clear()
        code.block(self.begins)
        is_last, self._is_all = whole.rest()
        outer = edges.copies
        for visit in (1, 2):
            self._visit = visit
            edges.copies = outer | {n: (*outer.get(n, ()), visit) for n in loop.nodes}
            if visit == 1:
                code.branch(is_last, edges.label("n", loop.header), checked)
            for number in self._nodes():
                lanes.local.clear()
                code.block(edges.label("n", number))
                if not begin(number):
                    continue
                if number == loop.header and visit == 1:
                    lanes.mask = [ALL] * lanes.k
                elif number in edges.plan.masks.tested and number != loop.header:
                    runs = edges.label("r", number)
                    code.branch(lanes.any(lanes.mask), runs, edges.next_after(number))
                    code.block(runs)
                run(number)
        edges.copies = outer

    def _nodes(self) -> list[int]:
        """Return the nodes of a visit, in order."""
        flow = self._lanes.flow
        last = flow.position[self._test if self._visit == 2 else self._loop.latch]
        return [n for n in flow.order if n in self._loop.nodes and flow.position[n] <= last]

    def branch(self, number: int, branches: Branches) -> bool:
        """End the node of the loop's test; return whether this is that node."""
        if number != self._test:
            return False
        flow = self._lanes.flow
        (exit_,) = (
            target
            for target in flow.nodes[number].successors
            if flow.route(number, target) not in self._loop.nodes
        )
        leave = partial(branches.follow, number, exit_, certainly=False)
        if self._visit == 2:
            leave()
        else:
            branches.apart(self._is_all, leave)
            branches.branch(number, twice=False)
        return True
