"""The masks of an iteration from which all that is counted of it follows.

A *row* has the masks of one iteration of a loop, or of the code outside of loops: those of nodes
with counts of their own, and of both sides of each branch that may diverge. Where lanes reach
such a branch, their mask is that of either side, so few must be kept. What the stack would do
follows from them:

- A branch diverges if both of its sides have lanes.
- The top entry has a PC to compare with if lanes of the warp are missing. So each branch must have
  a re-convergence point.
- The depth at a node is that at the beginning of the iteration, and more for each branch that has
  diverged before in this iteration, with the node on one of its sides.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from ..flow.order import Flow, Loop
from .regions import Region

LEVELS = 2, 1
"""Entries that a divergent branch adds to the stack for the lanes of its sides."""

Mask = int | tuple[int, int]
"""That of a node, or of a side of a branch."""

Chain = tuple[tuple[int, int], ...]
"""(branch, entries of the stack if it has diverged)."""


class Row:
    """The masks of an iteration of one loop, or of the code outside of loops."""

    def __init__(self, loop: Loop | None, branches: Collection[int]) -> None:
        self.loop = loop
        self.branches = tuple(branches)
        """The branches that may diverge, in order."""
        self.masks: dict[Mask, int | None] = {}
        """The branch of whose sides each mask is either one; None for those that are kept."""
        self.nodes: dict[int, Mask] = {}
        """The masks of nodes with counts of their own."""
        self.deepest: dict[int, tuple[Chain, int]] = {}
        """What each branch's depth is made of, and the entries that it adds if it diverges."""
        self.after: Chain = ()
        """What the depth at the loop's next iteration is made of."""

    @property
    def kept(self) -> list[Mask]:
        """The masks that are kept."""
        return [mask for mask, known in self.masks.items() if known is None]


class Rows:
    """The rows of a kernel, by the number of their loop; None for the code outside of loops.

    `runs_with` maps nodes to those whose counts they share; `leaders` are the nodes that have
    counts. Warps may stop in the middle of an iteration if it `stops`.
    """

    def __init__(
        self,
        flow: Flow,
        regions: Mapping[int, Region],
        runs_with: Mapping[int, int],
        leaders: Collection[int],
        *,
        stops: bool,
    ) -> None:
        self._flow, self._regions = flow, regions
        self._runs_with, self._leaders, self._stops = runs_with, leaders, stops
        self.of: dict[int | None, Row] = {}
        for loop in (None, *flow.loops):
            number = None if loop is None else loop.number
            ends = [b for b in flow.order if b in regions and flow.loop_of[b] == number]
            self.of[number] = Row(loop, ends)
        for number, row in self.of.items():
            self._add_masks(number, row)
            row.deepest = {b: (self._chain(number, b), self._most(b)) for b in row.branches}
            row.after = tuple(
                (b, LEVELS[side])
                for b in row.branches
                for side in (0, 1)
                if regions[b].returns[side]
            )
        self.noted = frozenset(
            branch
            for node in flow.nodes
            for way in node.successors
            for branch, _ in self._noted_for(node.number, flow.route(node.number, way))
        )
        """Branches of which it must be known at once whether they have diverged."""

    def _add_masks(self, number: int | None, row: Row) -> None:
        """Add the masks of sides, then those of nodes to which other lanes go as well."""
        nodes, loop_of = self._flow.nodes, self._flow.loop_of
        branch_of: dict[int, int] = {}
        """Node with counts of its own -> a branch that ends it."""
        for b in () if self._stops else row.branches:
            leader = self._runs_with.get(b)
            if leader is not None and loop_of[leader] == number:
                branch_of.setdefault(leader, b)
        for b in row.branches:
            for side, to in enumerate(nodes[b].successors):
                alone = nodes[to].predecessors == (b,) and self._runs_with.get(to) == to
                alone = alone and loop_of[to] == number
                row.masks[b, side] = branch_of.get(to) if alone else None
                if alone and to in self._leaders:
                    row.nodes[to] = b, side
        for leader in self._leaders:
            if loop_of[leader] == number and leader not in row.nodes:
                row.nodes[leader] = leader
                row.masks[leader] = branch_of.get(leader)

    def _noted_for(self, source: int, way: int) -> Chain:
        entry = self.entry(source, way)
        return () if entry is None else entry[1]

    @property
    def size(self) -> int:
        """How many masks there are."""
        return sum(len(row.masks) for row in self.of.values())

    @property
    def do(self) -> bool:
        """Return whether all that is counted follows from the masks of these rows."""
        return all(map(self._is_in_row, self._regions.values())) and all(
            self._flow.has_one_entry(loop) for loop in self._flow.loops
        )

    def _is_in_row(self, region: Region) -> bool:
        """Return whether a branch adds nothing to the depth of the stack in rows around its own."""
        number = self._flow.loop_of[region.branch]
        if region.join is None or number is None:
            return region.join is not None
        outside = region.nodes - self._flow.loops[number].nodes
        # There lanes may run that have left the loop by another branch. Nothing asks how deep.
        return not any(n in self._regions or self.headed(n) for n in outside)

    def headed(self, node: int) -> list[Loop]:
        """Return the loops with this header, outermost first."""
        return [loop for loop in reversed(self._flow.loops_around(node)) if loop.header == node]

    def entry(self, source: int, way: int) -> tuple[int | None, Chain, list[Loop]] | None:
        """Return what the depth is made of where lanes reach a header: row and chain.

        The last are the loops of which a first iteration begins, or the next one at a latch. None
        if lanes do not go to a header from outside or from a latch.
        """
        loops = self.headed(way)
        closed = self._flow.nodes[source].latch_of
        if closed is not None:
            inner = [loop for loop in loops if loop.nodes <= self._flow.loops[closed].nodes]
            return closed, self.of[closed].after, inner
        entered = [loop for loop in loops if source not in loop.nodes]
        if not entered:
            return None
        outer = entered[0].parent
        return outer, self._chain(outer, way), entered

    def _most(self, branch: int) -> int:
        # A side that is at the re-convergence point at once is not on the stack if it is first.
        first = self._flow.nodes[branch].successors[0]
        return 1 if first == self._regions[branch].join else 2

    def _chain(self, row: int | None, node: int) -> Chain:
        """Return what the depth at a node is made of, beside that at the beginning of a row."""
        found = []
        for b in self.of[row].branches:
            for side in (0, 1):
                if node in self._reached(row, b, side):
                    found.append((b, LEVELS[side]))
        return tuple(found)

    def _reached(self, row: int | None, branch: int, side: int) -> set[int]:
        """Return the nodes of a side that its lanes may run in the same iteration."""
        nodes, loop = self._flow.nodes, self.of[row].loop
        inside = self._regions[branch].sides[side]
        ends = set[int]() if loop is None else {loop.header}
        found, work = set[int](), [nodes[branch].successors[side]]
        while work:
            node = work.pop()
            if node in inside and node not in found and node not in ends:
                found.add(node)
                work += nodes[node].successors
        return found
