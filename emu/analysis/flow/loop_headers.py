"""The headers of loops: where a strongly connected part begins, and which edges close it.

Lanes that wait for the next iteration of a loop do so at its latch, after all its nodes; lanes at
a node of the loop run first. Lanes that diverged must rejoin: if all sides of a branch reach one
node, the *join node*, before they leave the loop, none may run the join node while others still
wait at the latch and have not reached it.

So an edge back to the header that comes before a join node closes an inner loop, which all lanes
leave before any of them runs the join node. A header for which that does not help is not chosen if
there is another one. There always seems to be one where loops have one entry each.

Unless there is a barrier, lanes need not wait for each other at a join node. Where the code from
there on is short, the inner loop and the outer one may be *merged*: lanes that have passed the join
node begin the next iteration with those that have not reached it. A warp then repeats as often as
one lane in total, and not as often as the slowest lane of each iteration.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from ....asm.flow.graph import reachable

MOST_AROUND = 2
"""How many times as much as an inner loop the code around it may cost that is merged with it.

That code then runs, for some lanes, in nearly every iteration. But without that, the inner loop
does: it is the side of an iteration that some of a warp's lanes take nearly always, and more than
once where others take it then. So the header would run two or more times in each iteration."""


@dataclass(frozen=True)
class Part:
    """A strongly connected part of a graph whose edges to the headers around it are cut.

    `entries` are the members that are entered from outside, `exits` those with an edge out of the
    part or an edge that is cut. `costs` are the members' costs, if loops with one header may be
    merged; `merged` are outer header -> inner header of others that are (merging.py).
    """

    members: frozenset[int]
    edges: Mapping[int, Sequence[int]]
    entries: frozenset[int]
    exits: frozenset[int]
    costs: Mapping[int, int] | None = None
    merged: Mapping[int, int] = field(default_factory=dict)

    def choose(self) -> tuple[int, list[int], bool]:
        """Return the header, the nodes whose edges to it close the loop, and if this merges loops.

        The header is the first entry in the code that separates no lanes, or else any such node.
        """
        if self.costs is not None and len(self.entries) == 1:
            (entry,) = self.entries
            header = self.merged.get(entry, entry)
            if header != entry:
                return header, [m for m in sorted(self.members) if header in self.edges[m]], True
            sources = [m for m in sorted(self.members) if header in self.edges[m]]
            closing = self._closing(header)
            if len(closing) < len(sources) and self._is_short(header, closing, self.costs):
                return header, sources, True
        candidates = [*sorted(self.entries), *sorted(self.members - self.entries)]
        for header in candidates:
            closing = self._closing(header)
            if not self._separates_lanes(header, closing):
                return header, closing, False
        return candidates[0], self._closing(candidates[0]), False

    def _is_short(self, header: int, closing: Sequence[int], costs: Mapping[int, int]) -> bool:
        """Return whether the code around the inner loop costs little beside an iteration of it.

        A loop in that code costs much.
        """
        within = {m: [t for t in self._ways[m] if t != header or m not in closing]
                  for m in self.members}  # fmt: skip
        back = _reversed(within)
        inner = reachable(within, [header], self.members) & reachable(back, [header], self.members)
        around = self.members - inner
        if any(m in reachable(self._ways, self._ways[m], around) for m in around):
            return False
        return sum(costs[m] for m in around) <= MOST_AROUND * sum(costs[m] for m in inner)

    def _closing(self, header: int) -> list[int]:
        """Return the nodes whose edges to the header close this loop, and not one inside it."""
        sources = [m for m in sorted(self.members) if header in self.edges[m]]
        best = sources
        if len(sources) > 1:
            for join, bound in self._bound_for.items():
                if header in bound:
                    before = reachable(self._ways, [header], self.members - {join})
                    later = [s for s in sources if s not in before]
                    best = later if 0 < len(later) < len(best) else best
        return best

    def _separates_lanes(self, header: int, closing: Sequence[int]) -> bool:
        """Return whether lanes may run a join node while others wait at the latch before it."""
        within = {m: [t for t in self._ways[m] if t != header or m not in closing]
                  for m in self.members}  # fmt: skip
        back = _reversed(within)
        for join, bound in self._bound_for.items():
            together = bound >= self.entries - {join}
            if join == header:
                # Lanes that enter here run it at once, those from other entries an iteration later.
                if together and header in self.entries and len(self.entries) > 1:
                    return True
                continue
            waiting = [s for s in closing if s in bound]
            if not waiting:
                continue
            late = reachable(back, waiting, self.members - {join})
            early = reachable(back, [join], self.members)
            if late & early & bound or (together and late & self.entries and early & self.entries):
                return True
        return False

    @cached_property
    def _ways(self) -> dict[int, list[int]]:
        return {m: [t for t in self.edges[m] if t in self.members] for m in self.members}

    @cached_property
    def _bound_for(self) -> dict[int, frozenset[int]]:
        """Node -> the others that cannot leave the part without passing it, if any."""
        back = _reversed(self._ways)
        found = {}
        for join in sorted(self.members) if self.exits else ():
            free = reachable(back, self.exits - {join}, self.members - {join})
            if bound := self.members - free - {join}:
                found[join] = bound
        return found


def _reversed(ways: Mapping[int, Iterable[int]]) -> dict[int, list[int]]:
    back: dict[int, list[int]] = {node: [] for node in ways}
    for node, targets in ways.items():
        for target in targets:
            back[target].append(node)
    return back
