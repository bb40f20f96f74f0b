"""What a divergent branch makes a warp run before its lanes re-converge, and whether in one piece.

The stack runs one side of a divergent branch to the re-convergence point, then the other. Native
code runs each node once, for all lanes that wait at it. Both run the same nodes for the same lanes
if two paths of a warp are never at one node before they re-converge. `region` proves that for one
branch. A side has the nodes that lanes may run until they re-converge or are at the branch again:

1. No node is on both sides.
2. At most one side returns to the branch, in a loop that the other side leaves. Lanes of the first
   wait at a latch before they return, and this latch comes after all nodes of the other side.
3. All lanes wait for the others in one place, which comes after all nodes of both sides.

Paths to traps do not count: a launch that traps has no statistics.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ....asm.flow.graph import reachable
from ..flow.order import Flow, Node


@dataclass(frozen=True)
class Region:
    """The sides of a branch: those of the fall-through and of the target.

    `join` is the node where their lanes re-converge, None if they return without that. `returns`
    says which sides lead back to the branch, `is_whole` whether all conditions hold, and `meets`
    whether the last one does.
    """

    branch: int
    join: int | None
    sides: tuple[frozenset[int], frozenset[int]]
    returns: tuple[bool, bool]
    is_whole: bool
    meets: bool

    @property
    def nodes(self) -> frozenset[int]:
        """The nodes that run before lanes re-converge, the branch itself if it runs again."""
        both = self.sides[0] | self.sides[1]
        return both | {self.branch} if any(self.returns) else both


def returning(nodes: Sequence[Node]) -> frozenset[int]:
    """Return the nodes from which lanes can reach a `ret`."""
    ends = (n.number for n in nodes if n.last is not None and n.last.row.stem == "ret")
    ways = {n.number: n.predecessors for n in nodes}
    return frozenset(reachable(ways, ends, ways))


def region(flow: Flow, branch: int, alive: frozenset[int]) -> Region:
    """Return the region of a branch; `alive` are the nodes that `returning` finds."""
    fall, taken = (_Side(flow, branch, to, alive) for to in flow.nodes[branch].successors)
    sides = frozenset(fall.nodes), frozenset(taken.nodes)
    joins = fall.joins | taken.joins
    places = _ways(flow, {branch, *sides[0], *sides[1]}, joins)
    inside = sides[0] | sides[1] | {branch}
    meets = (
        len(joins) <= 1
        and len(places) <= 1
        and all(_ends(flow, inside) < flow.position[place] for place in places)
    )
    whole = (
        meets
        and not sides[0] & sides[1]
        and not (fall.returns and taken.returns)
        and (not fall.returns or _is_left_first(flow, branch, sides[0], sides[1]))
        and (not taken.returns or _is_left_first(flow, branch, sides[1], sides[0]))
    )
    join = min(joins, default=None)
    return Region(branch, join, sides, (fall.returns, taken.returns), whole, meets)


class _Side:
    """The nodes from one successor of a branch to the re-convergence point or to the branch."""

    def __init__(self, flow: Flow, branch: int, start: int, alive: frozenset[int]) -> None:
        last = flow.nodes[branch].last
        join_pc = None if last is None else last.join
        self.nodes: set[int] = set()
        self.joins: set[int] = set()
        self.returns = False
        work = [start]
        while work:
            number = work.pop()
            if number in self.nodes or number not in alive:
                continue
            if flow.nodes[number].start == join_pc:
                self.joins.add(number)
            elif number == branch:
                self.returns = True
            else:
                self.nodes.add(number)
                work += flow.nodes[number].successors


def _ways(flow: Flow, sources: Iterable[int], targets: Iterable[int]) -> set[int]:
    """Return where lanes wait that go from some nodes to others."""
    wanted = set(targets)
    return {
        flow.route(source, to)
        for source in sources
        for to in flow.nodes[source].successors
        if to in wanted
    }


def _ends(flow: Flow, inside: Iterable[int]) -> int:
    """Return the last position at which lanes are while they stay in some nodes; -1 for none."""
    nodes = set(inside)
    last = nodes | _ways(flow, nodes, nodes)
    return max((flow.position[n] for n in last), default=-1)


def _is_left_first(flow: Flow, branch: int, around: frozenset[int], out: frozenset[int]) -> bool:
    """Return whether lanes have run `out` before others return to the branch through `around`."""
    inside = around | {branch}
    latches = {
        way
        for way in _ways(flow, inside, inside)
        if flow.nodes[way].latch_of is not None
        and flow.position[flow.nodes[way].successors[0]] <= flow.position[branch]
    }
    end = _ends(flow, out)
    return all(flow.position[latch] > end for latch in latches)
