"""The control flow of a kernel, laid out so that native code runs what the stack runs.

Where the stack runs a block once for each path that reaches it, native code would run it once for
all of their lanes. Two changes prevent that, until every divergent branch has a whole region
(regions.py):

- A block that both sides of a branch reach before they re-converge is *cloned*: each side has its
  own. The blocks after `a` and `b` of `if (a && b)` are an example.
- Code between the exit of a loop and the re-convergence point, such as that before a `break`,
  becomes a part of the loop: lanes that leave run it before the others begin the next iteration.

Some kernels cannot be laid out so, such as a loop whose two sides both reach the next iteration
and may both leave it. Others would become too large.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from ....isa.instruction import Instruction
from ..flow.order import Flow, Node, arrange, nodes_of
from .regions import Region, region, returning

MOST_ROUNDS = 200
"""Changes to the graph of a kernel, after which it is left as it is."""

MOST_GROWTH = 4
"""How many times as many instructions a kernel may have with its clones."""

GROWTH_OF_SMALL = 400
"""Instructions that any kernel may have with its clones."""


@dataclass
class _Graph:
    """Nodes before their order is known; `also` are edges that only the order sees."""

    nodes: list[Node]
    also: dict[int, set[int]]

    def flow(self) -> Flow:
        """Return the nodes in their order."""
        copies = [
            Node(n.number, n.start, n.stop, n.last, n.successors, n.predecessors)
            for n in self.nodes
        ]
        return arrange(copies, {n: sorted(to) for n, to in self.also.items()})

    def clone(self, shared: frozenset[int], broken: Region, side: int) -> None:
        """Give one side of a branch its own copies of the `shared` nodes."""
        numbers = {n: len(self.nodes) + i for i, n in enumerate(sorted(shared))}

        def own(ways: Sequence[int]) -> tuple[int, ...]:
            return tuple(numbers.get(way, way) for way in ways)

        for old, new in numbers.items():
            node = self.nodes[old]
            self.nodes.append(Node(new, node.start, node.stop, node.last, own(node.successors)))
            if old in self.also:
                self.also[new] = set(own(tuple(self.also[old])))
        for number in broken.sides[side] - shared:
            self.nodes[number].successors = own(self.nodes[number].successors)
        branch = self.nodes[broken.branch]
        ways = list(branch.successors)
        ways[side] = numbers.get(ways[side], ways[side])
        branch.successors = tuple(ways)
        for node in self.nodes:
            node.predecessors = ()
        for node in self.nodes:
            for successor in node.successors:
                self.nodes[successor].predecessors += (node.number,)


def stack_flow(code: Sequence[Instruction], divergent: Collection[int]) -> Flow | None:
    """Return a flow in which the branches at these pcs have whole regions; None if not found."""
    graph = _Graph(nodes_of(code), {})
    limit = max(GROWTH_OF_SMALL, MOST_GROWTH * len(code))
    for _ in range(MOST_ROUNDS):
        flow = graph.flow()
        broken = first_broken(flow, _branches_at(flow, divergent))
        if broken is None:
            return flow
        if not _repair(graph, flow, broken):
            return None
        if sum(n.stop - n.start + 1 for n in graph.nodes) > limit:
            return None
    return None


def _branches_at(flow: Flow, pcs: Collection[int]) -> list[int]:
    """Return the branches at some pcs, the last in the order first: those inside of others."""
    return [
        n
        for n in reversed(flow.order)
        if len(flow.nodes[n].successors) == 2 and flow.nodes[n].stop in pcs
    ]


def first_broken(flow: Flow, branches: Collection[int]) -> Region | None:
    """Return the first region that is not whole, of those of some branches."""
    alive = returning(flow.nodes)
    for branch in branches:
        found = region(flow, branch, alive)
        if branch in alive and not found.is_whole:
            return found
    return None


def _repair(graph: _Graph, flow: Flow, broken: Region) -> bool:
    """Change the graph so that a region is whole, or nearer to that; False if it cannot be."""
    fall, taken = broken.sides
    shared = fall & taken
    if shared:
        graph.clone(shared, broken, 1 if len(taken) <= len(fall) else 0)
        return True
    if all(broken.returns) or not any(broken.returns):
        return False
    return _extend(graph, flow, broken.branch, taken if broken.returns[0] else fall)


def _extend(graph: _Graph, flow: Flow, branch: int, out: frozenset[int]) -> bool:
    """Make the nodes that lanes run after leaving a loop at a branch a part of the loop."""
    loops = flow.loops_around(branch)
    outside = [loop for loop in loops if not out <= loop.nodes]
    if not outside:
        return False
    header = outside[0].header
    changed = False
    for number in out:
        ways = flow.nodes[number].successors
        if not ways or any(to not in out for to in ways):
            known = graph.also.setdefault(number, set())
            changed |= header not in known
            known.add(header)
    return changed
