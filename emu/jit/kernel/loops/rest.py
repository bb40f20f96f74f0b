"""The last iteration of a loop that lanes leave in turn, after all that all of them run.

In `for (i = lane; i < end; i += lanes)` no lane has more than one iteration left after the whole
ones (`whole.py`). That one is written without a way back: lanes that have none wait after the loop,
the others follow, and all are together there. If none has one left, all leave at once.
"""

from __future__ import annotations

from collections.abc import Callable

from ....analysis.flow.order import Loop
from ..control.branches import Branches
from ..lane_code import LaneCode
from .hoisted import Hoisted

LONGEST = 32
"""Most instructions of a loop that is written another time."""


class LastIteration:
    """The rest of a loop after its whole iterations, which begins at the label `begins`.

    The nodes are written twice: for the lanes that reach the loop's `test`, and then for those that
    have passed it once, which all leave there.
    """

    def __init__(self, lanes: LaneCode, loop: Loop, version: Hoisted, test: int) -> None:
        self.begins = lanes.code.fresh_label("rest")
        self._lanes, self._loop, self._version = lanes, loop, version
        self._test = test
        self._is_all = ""
        self.visit = 0
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
        # Bounds of each row's own, as those of a sparse matrix, are too different.
        if ops > LONGEST or not lanes.shapes.is_uniform(counter.end):
            return None
        return cls(lanes, loop, version, test)

    def begin(self, checked: str) -> None:
        """Begin the code, which ends where more iterations are left: the loop is at `checked`."""
        code, whole = self._lanes.code, self._version.whole
        assert whole is not None
        code.block(self.begins)
        is_last, self._is_all = whole.rest()
        here = code.fresh_label("g")
        code.branch(is_last, here, checked)
        code.block(here)

    def nodes(self) -> list[int]:
        """Return the nodes of a visit, in order."""
        flow = self._lanes.flow
        last = flow.position[self._test if self.visit == 2 else self._loop.latch]
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
        leave: Callable[[], None] = lambda: branches.follow(number, exit_, certainly=False)
        if self.visit == 2:
            leave()
        else:
            branches.apart(self._is_all, leave)
            branches.branch(number, twice=False)
        return True
