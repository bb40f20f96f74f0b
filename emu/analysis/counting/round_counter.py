"""Loops whose iterations all work-items of a workgroup count together, by its barriers.

Every iteration of such a loop executes one barrier, and the loop is entered once, or again only
after another barrier. So all work-items are in the same iteration when they have passed the same
barriers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ....asm.flow import dominators
from ....isa.types import RegClass
from ..flow.barriers import ends_round, reached
from ..flow.order import START, Flow, Loop
from ..ranges.trips import trips_of
from ..values.ssa import Phi, Ssa, Value


@dataclass(frozen=True)
class Counter:
    """The iterations of a loop, and what phis of its header are in them."""

    header: int
    iterations: int
    values: Mapping[Phi, Sequence[int]]
    """Those that are the same in all work-items, in each iteration."""
    others: Mapping[Phi, tuple[Value, Value]]
    """The first value of other phis, and that of the next iteration."""
    repeated: frozenset[int]
    """The nodes of the loop, if it is entered again."""

    def has_left(self, node: int | None, begin: int) -> bool:
        """Return whether nodes are outside of a loop that is entered again.

        `node` runs in an interval between barriers that starts at `begin`, by a way without the
        loop's header. Then it is not known which iteration of the loop was the last one. By ways
        through the loop, it runs when the iteration is left that has begun.
        """
        return bool(self.repeated) and self.repeated.isdisjoint((node, begin))

    def nodes(self, flow: Flow, begin: int) -> tuple[set[int], set[int]]:
        """Return the nodes that may run from `begin` until the next barrier.

        First those of one iteration, and of what is after the loop; then those that run when the
        next iteration has begun, or the first one.
        """
        if begin == self.header:
            return set(), reached(flow, [begin])
        earlier = reached(flow, [begin], but=self.header)
        if self.header not in reached(flow, [begin]):
            return earlier, set()
        return earlier, reached(flow, [self.header])


def round_counters(ssa: Ssa) -> Iterator[Counter]:
    """Yield the counters of a kernel."""
    flow = ssa.flow
    dominates = tree_of(flow).dominates
    for loop in flow.loops:
        if not _is_by_rounds(flow, loop):
            continue
        trips = trips_of(ssa, loop, dominates)
        if trips is not None:
            phis = [phi for phi in ssa.phis.get(loop.header, ()) if phi.cls is RegClass.S]
            yield Counter(
                loop.header,
                trips.returns + 1,
                {phi: trips.values[phi] for phi in phis if phi in trips.values},
                {
                    phi: steps
                    for phi in phis
                    if phi not in trips.values and (steps := steps_of(phi, loop)) is not None
                },
                frozenset() if loop.parent is None else frozenset(loop.nodes),
            )


def steps_of(phi: Phi, loop: Loop) -> tuple[Value, Value] | None:
    """Return the value that a phi begins with, and the next one; None if there are several."""
    begins, following = (
        {arg for number, arg in phi.args.items() if (number in loop.nodes) is inside}
        for inside in (False, True)
    )
    return (begins.pop(), following.pop()) if len(begins) == len(following) == 1 else None


def _is_by_rounds(flow: Flow, loop: Loop) -> bool:
    """Return whether each iteration of a loop executes one barrier, and others part its runs."""
    barriers = [n for n in loop.nodes if ends_round(flow, n)]
    if loop.is_merged or len(barriers) != 1:
        return False
    leaving = {s for n in loop.nodes for s in flow.nodes[n].successors if s not in loop.nodes}
    if loop.header in reached(flow, leaving):
        return False
    if flow.loop_of[barriers[0]] != loop.number:
        return False  # an iteration may execute it several times
    if not flow.has_own_header(loop) or not flow.has_one_entry(loop):
        return False
    if barriers[0] == loop.header:
        return True
    after = [s for s in flow.nodes[loop.header].successors if s in loop.nodes]
    return loop.header not in after and loop.header not in reached(flow, after)


def tree_of(flow: Flow) -> dominators.DominatorTree:
    """Return the dominators of a flow."""
    return dominators.tree(tuple(node.successors for node in flow.nodes), START)
