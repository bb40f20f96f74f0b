"""What work-items are charged for their instructions in loops, and where.

An iteration is charged at the latch, for all lanes that are there, and never with more than each of
them has executed: with the shortest path from the header to the latch. Where the longest path is
more than a third longer, nodes beside the paths that all lanes take are charged when they run.
Iterations of inner loops are charged at the latches of these; paths run through them once. Where
lanes enter a loop beside its header, paths from there count as well.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from .order import Flow, Loop

MOST_ROUNDS = 32
"""Nodes of a loop that are chosen one by one; after that all beside the common path are charged."""


@dataclass(frozen=True)
class Charges:
    """Instructions by loop number and by node number.

    `iteration` is charged at a loop's latch (0 where nodes are charged on all paths), `node` where
    a node runs. `most` are the instructions of all nodes of a loop: no iteration without inner
    loops executes more.
    """

    iteration: Mapping[int, int]
    node: Mapping[int, int]
    most: Mapping[int, int]


def charges_of(flow: Flow, at_exit: Iterable[int] = ()) -> Charges:
    """Return what the loops of a kernel are charged.

    The loops `at_exit`, by number, are charged when they are left: no node in them is.
    """
    kept = {n for number in at_exit for n in flow.loops[number].nodes}
    lengths = {node.number: 0 if node.latch_of is not None else node.length for node in flow.nodes}
    charged: set[int] = set()
    paths = {loop.number: _Paths(flow, loop) for loop in flow.loops}
    for loop in sorted(flow.loops, key=lambda loop: len(loop.nodes)):
        _choose(paths[loop.number], lengths, charged, kept)
    left = {n: 0 if n in charged else length for n, length in lengths.items()}
    return Charges(
        {number: found.lengths(left)[0] for number, found in paths.items()},
        {n: lengths[n] for n in sorted(charged)},
        {loop.number: sum(lengths[n] for n in loop.nodes) for loop in flow.loops},
    )


def _choose(
    paths: _Paths, lengths: Mapping[int, int], charged: set[int], kept: Collection[int]
) -> None:
    """Add nodes, but none of `kept`, to `charged` until the lengths of a loop's paths are alike."""
    kept = paths.common.union(kept)
    for rounds in range(MOST_ROUNDS + 1):
        left = {n: 0 if n in charged else length for n, length in lengths.items()}
        shortest, longest, along = paths.lengths(left)
        if 3 * longest <= 4 * shortest:
            return
        beside = [n for n in along if left[n] and n not in kept]
        if rounds == MOST_ROUNDS:
            charged |= {n for n in paths.order if left[n] and n not in kept}
        elif beside:
            charged.add(max(beside, key=left.__getitem__))
        else:
            return


class _Paths:
    """The paths of an iteration, from where lanes enter a loop to its latch."""

    def __init__(self, flow: Flow, loop: Loop) -> None:
        self._loop = loop
        ways: dict[int, list[int]] = {}
        for number in loop.nodes | {loop.latch}:
            node = flow.nodes[number]
            targets = (flow.route(number, s) for s in node.successors if node.latch_of is None)
            ways[number] = [t for t in targets if t in loop.nodes or t == loop.latch]
        place = flow.position.__getitem__
        entries = {loop.header} | {
            n for n in loop.nodes if not loop.nodes.issuperset(flow.nodes[n].predecessors)
        }
        reached, leading = set(entries), {loop.latch}
        for number in sorted(ways, key=place):
            if number in reached:
                reached.update(ways[number])
        for number in sorted(ways, key=place, reverse=True):
            if leading.intersection(ways[number]):
                leading.add(number)
        self.order = sorted(reached & leading, key=place)
        """The nodes on paths, in the order of the flow, in which all edges lead on."""
        inside = set(self.order)
        self._entries = [n for n in self.order if n in entries]
        self._ways = {n: [t for t in ways[n] if t in inside] for n in self.order}
        self.common = self._common()
        """The nodes that all paths have."""

    def _common(self) -> frozenset[int]:
        """Return the nodes past which no edge leads."""
        rank = {n: i for i, n in enumerate(self.order)}
        found, farthest = set(), max((rank[n] for n in self._entries), default=0)
        for number in self.order:
            if farthest <= rank[number]:
                found.add(number)
            farthest = max([farthest, *(rank[t] for t in self._ways[number])])
        return frozenset(found)

    def lengths(self, of: Mapping[int, int]) -> tuple[int, int, Iterable[int]]:
        """Return the lengths of the shortest and of a longest path, and the nodes of that one."""
        if not self._entries:
            return 0, 0, ()
        shortest: dict[int, int] = {}
        longest: dict[int, int] = {}
        following: dict[int, int] = {}
        for number in reversed(self.order):
            ways = self._ways[number]
            if ways:
                following[number] = max(ways, key=longest.__getitem__)
            shortest[number] = of[number] + min((shortest[t] for t in ways), default=0)
            longest[number] = of[number] + max((longest[t] for t in ways), default=0)
        least = min(shortest[n] for n in self._entries)
        start = max(self._entries, key=longest.__getitem__)
        path = [start]
        while path[-1] in following:
            path.append(following[path[-1]])
        return least, longest[start], path
