"""Counters of loops that all work-items of a workgroup count together, by its barriers.

Every iteration of such a loop executes one barrier, and the loop is entered once. So all
work-items are in the same iteration when they have passed the same barriers.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from ....asm.flow import dominators
from ....isa.types import RegClass
from ..flow.order import START, Flow, Loop
from ..ranges.trips import trips_of
from ..values.ssa import Op, Phi, Ssa


@dataclass(frozen=True)
class Counter:
    """A phi of a loop's header, and the values that it takes."""

    phi: Phi
    header: int
    values: tuple[int, ...]

    def is_one(self, flow: Flow, begin: int, accesses: Collection[Op]) -> bool:
        """Return whether it has one value at these accesses, from a barrier to the next.

        That time begins at the node `begin`.
        """
        if self.header not in reached(flow, [begin]):
            return True
        nodes = {op.node for op in accesses}
        before = set[int]() if begin == self.header else reached(flow, [begin], but=self.header)
        return not nodes & before or not nodes & reached(flow, [self.header])


def round_counters(ssa: Ssa) -> Iterator[Counter]:
    """Yield the counters of a kernel."""
    flow = ssa.flow
    dominates = tree_of(flow).dominates
    for loop in flow.loops:
        if not _is_by_rounds(flow, loop):
            continue
        trips = trips_of(ssa, loop, dominates)
        for phi, values in () if trips is None else trips.values.items():
            if phi.cls is RegClass.S:
                yield Counter(phi, loop.header, tuple(sorted(values)))


def _is_by_rounds(flow: Flow, loop: Loop) -> bool:
    """Return whether each iteration of a loop that is entered once executes one barrier."""
    barriers = [n for n in loop.nodes if ends_round(flow, n)]
    if loop.parent is not None or loop.is_merged or len(barriers) != 1:
        return False
    if flow.loop_of[barriers[0]] != loop.number:
        return False  # an iteration may execute it several times
    if not flow.has_own_header(loop) or not flow.has_one_entry(loop):
        return False
    if barriers[0] == loop.header:
        return True
    after = [s for s in flow.nodes[loop.header].successors if s in loop.nodes]
    return loop.header not in after and loop.header not in reached(flow, after)


def ends_round(flow: Flow, number: int) -> bool:
    """Return whether a node ends with a barrier."""
    last = flow.nodes[number].last
    return last is not None and last.row.is_barrier


def reached(flow: Flow, begins: Collection[int], *, but: int | None = None) -> set[int]:
    """Return the nodes that a work-item may run from some nodes on, until the next barrier.

    With `but`, until that node, which is not one of them.
    """
    found, work = set(begins), list(begins)
    while work:
        number = work.pop()
        if ends_round(flow, number):
            continue
        new = set(flow.nodes[number].successors) - found - {but}
        found |= new
        work += new
    return found


def tree_of(flow: Flow) -> dominators.DominatorTree:
    """Return the dominators of a flow."""
    return dominators.tree(tuple(node.successors for node in flow.nodes), START)
