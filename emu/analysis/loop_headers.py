"""Where a loop begins: the header of a strongly connected part, and the edges that close it.

Lanes that wait for the next trip of a loop do so at its latch, behind all its nodes; whoever stands
at a node of the loop runs first. That must not tear lanes apart that would meet: where all that
part at a branch come to one node, the *meeting*, before they leave the loop, nobody may run the
meeting while others wait at the latch who have not been there.

So edges back to the header from in front of a meeting close an inner loop, which all leave before
anyone runs the meeting; and a header for which that does not help is not chosen if there is
another. There always seems to be one where loops have one entry each.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from ...asm.flow.graph import reachable


@dataclass(frozen=True)
class Part:
    """A strongly connected part of a graph whose edges to the headers around it are cut.

    `entries` are the members that are entered from outside, `exits` those that leave, be it by an
    edge that is cut.
    """

    members: frozenset[int]
    edges: Mapping[int, Sequence[int]]
    entries: frozenset[int]
    exits: frozenset[int]

    def choose(self) -> tuple[int, list[int]]:
        """The header and the nodes whose edges to it close the loop.

        The first entry in the code that keeps no lanes apart, or any node that does not.
        """
        candidates = [*sorted(self.entries), *sorted(self.members - self.entries)]
        for header in candidates:
            closing = self._closing(header)
            if not self._tears_apart(header, closing):
                return header, closing
        return candidates[0], self._closing(candidates[0])

    def _closing(self, header: int) -> list[int]:
        """The nodes whose edges to the header close this loop, and not one inside it."""
        sources = [m for m in sorted(self.members) if header in self.edges[m]]
        best = sources
        if len(sources) > 1:
            for meeting, bound in self._bound_for.items():
                if header in bound:
                    before = reachable(self._ways, [header], self.members - {meeting})
                    behind = [s for s in sources if s not in before]
                    best = behind if 0 < len(behind) < len(best) else best
        return best

    def _tears_apart(self, header: int, closing: Sequence[int]) -> bool:
        """Whether some may run a meeting while others wait for the header on their way to it."""
        within = {m: [t for t in self._ways[m] if t != header or m not in closing]
                  for m in self.members}  # fmt: skip
        back = _reversed(within)
        for meeting, bound in self._bound_for.items():
            together = bound >= self.entries - {meeting}
            if meeting == header:
                # Those that enter here run it at once, those from other entries in the next trip.
                if together and header in self.entries and len(self.entries) > 1:
                    return True
                continue
            waiting = [s for s in closing if s in bound]
            if not waiting:
                continue
            late = reachable(back, waiting, self.members - {meeting})
            early = reachable(back, [meeting], self.members)
            if late & early & bound or (together and late & self.entries and early & self.entries):
                return True
        return False

    @cached_property
    def _ways(self) -> dict[int, list[int]]:
        return {m: [t for t in self.edges[m] if t in self.members] for m in self.members}

    @cached_property
    def _bound_for(self) -> dict[int, frozenset[int]]:
        """Each node -> the others that cannot leave the part without passing it, if there are."""
        back = _reversed(self._ways)
        found = {}
        for meeting in sorted(self.members) if self.exits else ():
            free = reachable(back, self.exits - {meeting}, self.members - {meeting})
            if bound := self.members - free - {meeting}:
                found[meeting] = bound
        return found


def _reversed(ways: Mapping[int, Iterable[int]]) -> dict[int, list[int]]:
    back: dict[int, list[int]] = {node: [] for node in ways}
    for node, there in ways.items():
        for target in there:
            back[target].append(node)
    return back
