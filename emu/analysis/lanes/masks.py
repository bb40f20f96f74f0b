"""Masks that nodes share, and nodes that never run empty: what generated code need not compute.

Lanes that wait at a node are collected in its mask. Much of that is known beforehand: where all
lanes that diverged at a branch rejoin, the mask is that of the branch. So loops need not collect
the lanes that leave them, and code after a test needs no second test. Where most ways from a branch
lead to one node, its mask is that of the branch without the lanes that went elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from ....asm.flow import dominators
from ....asm.flow.graph import reachable
from ..flow.order import START, Flow, Loop, Node

RESUME = -1
"""The node number of resuming after a barrier: a second start."""


@dataclass(frozen=True)
class Rest:
    """The lanes of a branch that have not gone elsewhere: the mask of one of the nodes after it."""

    branch: int
    elsewhere: frozenset[tuple[int, int]]
    """(source, where its lanes wait) of the ways by which lanes of the branch go elsewhere."""


class Masks:
    """Facts about the masks of nodes, for given waiting sets and nodes that test for emptiness.

    `same` maps a node to an earlier one (or to itself) that has the same mask; `tested` are those
    of the given nodes, and of the latches, that need the test after all. `exits` are, for headers
    of loops that run as one node, the edges by which lanes leave them. If these loops `have_nodes`,
    they run either as one node or node by node, as the header decides in each iteration.
    `rests` are, for nodes with a mask of their own, how it follows from a branch's; their lanes are
    not collected.
    `runs_with` maps a node to an earlier one (or to itself) that runs as often with the same lanes.
    `stops` says whether a warp stops at barriers, and resumes after them.
    """

    def __init__(
        self,
        flow: Flow,
        waits: Mapping[int, frozenset[int]],
        uniform: Iterable[int],
        tested: Iterable[int],
        exits: Mapping[int, Iterable[tuple[int, int]]] | None = None,
        *,
        have_nodes: bool = False,
        stops: bool = True,
    ) -> None:
        self.flow = flow
        self.waits = waits
        self.uniform = frozenset(uniform)
        self._exits_of = {
            header: frozenset(flow.route(*edge) for edge in edges)
            for header, edges in (exits or {}).items()
        }
        """Header of such a loop -> where its lanes wait next."""
        self._have_nodes = have_nodes
        self._stops = stops
        latches = {loop.latch for loop in flow.loops if loop.latch in waits}
        self._asked = latches.union(tested)
        self.same: dict[int, int] = {}
        self.runs_with: dict[int, int] = {}
        for number in flow.order:
            if number in waits:
                self.same[number] = self._same_as(number)
        self.rests = {n: rest for n in self.same if (rest := self._rest_of(n)) is not None}
        self.never_empty = self._never_empty()
        """The nodes whose code runs for at least one lane, because of earlier tests."""
        self.tested = self._asked - self.never_empty

    def shared(self, number: int) -> bool:
        """Return whether a node takes its mask from another one."""
        return self.same[number] != number

    def next_of(self, waits: Iterable[int]) -> int | None:
        """Return the first of the nodes at which lanes may wait."""
        return min(waits, key=self.flow.position.__getitem__, default=None)

    # --- where code continues

    def _exits(self, number: int) -> list[tuple[int | None, bool]]:
        """Return (next node, whether all lanes go there) for each exit of a node's code.

        The jump past an empty node is not among them.
        """
        node, waits = self.flow.nodes[number], self.waits[number]
        if node.latch_of is not None:
            return [(node.successors[0], True)]
        exits: list[tuple[int | None, bool]] = []
        if number in self._exits_of:
            exits = [(self.next_of(waits | self._exits_of[number]), False)]
            if not self._have_nodes:
                return exits
        ways = [self.flow.route(number, successor) for successor in node.successors]
        if not ways or self._is_stop(node):
            return [*exits, (self.next_of(waits), False)]
        if waits and node.last is not None and node.last.row.is_barrier:
            exits.append((self.next_of(waits), False))  # lanes that are missing may run on
        if number in self.uniform or len(ways) == 1:
            nexts = [self.next_of(waits | {way}) for way in ways]
            alike = [(to, to == way not in waits) for to, way in zip(nexts, ways, strict=True)]
            return [*exits, *alike]
        return [*exits, (self.next_of(waits | set(ways)), False)]

    def _skip(self, number: int) -> int | None:
        """Return the node where code continues past an empty node."""
        return self.next_of(self.waits[number]) if number in self._asked else None

    @cached_property
    def _resumed(self) -> frozenset[int]:
        return frozenset(
            self.flow.route(n.number, n.successors[0])
            for n in self.flow.nodes
            if n.number in self.waits and self._is_stop(n)
        )

    def _is_stop(self, node: Node) -> bool:
        """Return whether a warp stops at the end of a node, at a barrier."""
        return self._stops and node.last is not None and node.last.row.is_barrier

    @cached_property
    def _code(self) -> dict[int, set[int]]:
        """Node -> the nodes whose code may run next, with `RESUME` as a node."""
        found: dict[int, set[int]] = {RESUME: set(self._resumed)}
        for number in self.waits:
            nexts = {to for to, _ in self._exits(number)} | {self._skip(number)}
            found[number] = {to for to in nexts if to is not None}
        return found

    @cached_property
    def _lanes(self) -> dict[int, set[int]]:
        """Node -> the nodes at which its lanes wait next."""
        found: dict[int, set[int]] = {}
        for number in self.waits:
            found[number] = set(self._exits_of.get(number, ()))
            if number not in self._exits_of or self._have_nodes:
                found[number] |= self._successors(number)
        return found

    def _successors(self, number: int) -> set[int]:
        return {self.flow.route(number, to) for to in self.flow.nodes[number].successors}

    @cached_property
    def _before(self) -> dict[int, set[int]]:
        """Node -> the nodes whose code may run just before its own."""
        found: dict[int, set[int]] = {number: set() for number in self.waits}
        for source, targets in self._code.items():
            for target in targets:
                found[target].add(source)
        return found

    # --- equal masks

    def _same_as(self, number: int) -> int:
        passed = self._passed_on(number)
        once = passed is not None and len(self._lanes[passed]) == 1
        if passed is None:
            passed = self._branch_that_joins(number)
            once = passed is not None
        if passed is not None and self._part(passed) != self._part(number):
            passed, once = None, False
        self.runs_with[number] = self.runs_with[passed] if once and passed is not None else number
        return number if passed is None else self.same[passed]

    def _part(self, number: int) -> int:
        """Return whether a node is before, in or after the loop that lanes may stay in, if any."""
        refill, position = self.flow.refill, self.flow.position
        if refill is None:
            return 0
        places = (position[refill.header], position[refill.inner_latch] + 1)
        return sum(position[number] >= place for place in places)

    def _passed_on(self, number: int) -> int | None:
        """Return the only preceding node, if all its lanes come from there to this one."""
        if len(self._before[number]) != 1:
            return None
        (before,) = self._before[number]
        if before == RESUME or self.flow.nodes[before].latch_of is not None:
            return None
        whole = all(all_lanes for to, all_lanes in self._exits(before) if to == number)
        return before if whole and self._skip(before) != number else None

    def _branch_that_joins(self, number: int) -> int | None:
        """Return the branch whose lanes, and no others, reach this node in the same iteration."""
        loop = self._loop_around(number)
        branch = self._dominators[number]
        while branch is not None and self._loop_around(branch) is not loop:
            branch = self._dominators[branch]
        is_latch = self.flow.nodes[number].latch_of is not None
        if branch is None or (is_latch and (loop is None or loop.latch != number)):
            return None
        inside, _ = self._iteration(loop)
        between = reachable(self._lanes, self._lanes[branch], inside, {number}) - {number}
        if any(self._loses_lanes(self.flow.nodes[n], inside, loop) for n in {branch} | between):
            return None
        # From an endless loop no lane reaches this node, and the loop may run later.
        if any(self.flow.position[n] > self.flow.position[number] for n in between):
            return None
        return None if self._comes_without(branch, number, loop) else branch

    # --- lanes that have not gone elsewhere

    def _rest_of(self, number: int) -> Rest | None:
        """Return how a node's mask follows from a branch's, if that takes fewer instructions.

        Each way that lanes may take has a mask to be computed. An `if (a && b)` has two ways to
        the other side and one to its own: if that is known, the other one is too.
        """
        loop = self._loop_around(number)
        branch = self._dominators[number]
        if (
            branch is None
            or self.shared(number)
            or self.flow.refill is not None
            or self._loop_around(branch) is not loop
            or any(other.header == number for other in self.flow.loops)
        ):
            return None
        between = {branch} | self._ways_to(number, branch, loop)
        position = self.flow.position
        if any(
            self._loop_around(n) is not loop
            or n in self._exits_of
            or position[n] > position[number]
            or self._is_stop(self.flow.nodes[n])
            for n in between
        ) or self._comes_without(branch, number, loop):
            return None
        ways = [(n, to) for n in between for to in self._lanes[n]]
        here = [way for way in ways if way[1] == number]
        elsewhere = frozenset(way for way in ways if way[1] not in between | {number})
        return Rest(branch, elsewhere) if len(elsewhere) < len(here) else None

    def _loop_around(self, number: int) -> Loop | None:
        """Return the innermost loop of a node."""
        loop = self.flow.loop_of[number]
        return None if loop is None else self.flow.loops[loop]

    def _iteration(self, loop: Loop | None, *ends: int) -> tuple[frozenset[int], set[int]]:
        """Return the nodes of an iteration, or of the kernel, and where it ends."""
        if loop is None:
            return frozenset(self.waits), set(ends)
        return loop.nodes & self.waits.keys(), {loop.latch, *ends}

    def _ways_to(self, number: int, branch: int, loop: Loop | None) -> set[int]:
        """Return the nodes between a branch and a node, in one iteration of their loop."""
        inside, ends = self._iteration(loop, number)
        between = reachable(self._lanes, self._lanes[branch], inside, ends) - {number}
        sources: dict[int, set[int]] = {n: set() for n in {number} | between}
        for n in between - ends:
            for to in self._lanes[n] & sources.keys():
                sources[to].add(n)
        return reachable(sources, sources[number], between)

    def _comes_without(self, branch: int, number: int, loop: Loop | None) -> bool:
        """Return whether lanes or code reach a node in an iteration without those of the branch."""
        inside, ends = self._iteration(loop, branch)
        for ways in (self._lanes, self._code):
            starts = self._entries(ways, inside, loop)
            if ways is self._code and (skip := self._skip(branch)) is not None:
                starts.add(skip)
            if number in reachable(ways, starts & inside, inside, ends):
                return True
        return False

    def _loses_lanes(self, node: Node, inside: frozenset[int], loop: Loop | None) -> bool:
        """Return whether lanes of a node return, leave the loop, or end its iteration."""
        if loop is not None and node.number == loop.latch:
            return True
        if self._is_stop(node) or (node.last is not None and node.last.row.stem == "ret"):
            return True
        if loop is not None and node.number == loop.header:
            # Where the loop runs as one node, none of its other nodes runs, whatever its mask.
            return not self._successors(node.number) <= inside
        return not self._lanes[node.number] <= inside

    def _entries(
        self, ways: Mapping[int, set[int]], inside: frozenset[int], loop: Loop | None
    ) -> set[int]:
        """Return the nodes where an iteration of the loop begins; without one, the whole kernel."""
        if loop is None:
            return {START, *self._resumed}
        return {
            successor
            for source, targets in ways.items()
            if source not in inside or source == loop.latch
            for successor in targets
            if successor in inside
        }

    @cached_property
    def _dominators(self) -> dict[int, int | None]:
        """The immediate dominator of each node, by lanes."""
        ways = (self._lanes.get(n.number, set()) for n in self.flow.nodes)
        edges = tuple(tuple(sorted(targets & self.waits.keys())) for targets in ways)
        parents = dominators.tree(edges, START).parents
        return {number: parents[number] for number in self.waits}

    # --- empty masks

    def _never_empty(self) -> frozenset[int]:
        """Return the nodes whose code runs for at least one lane, because of earlier tests."""
        full = set(self.waits)
        changed = True
        while changed:
            changed = False
            for number in list(full):
                if number != START and not self._is_full(number, full):
                    full.remove(number)
                    changed = True
        return frozenset(full)

    @cached_property
    def run_outside(self) -> frozenset[int]:
        """The nodes of loops whose code may run, for no lane, though no iteration has begun.

        Where loops share a header, lanes of the outer one wait while the inner one runs. So code
        that skips the header continues in the outer loop, whether lanes have entered that or not.
        """
        return frozenset(n for loop in self.flow.loops for n in self._run_outside(loop))

    def _run_outside(self, loop: Loop) -> list[int]:
        """Return the nodes of a loop, but not of loops inside, that may run so; it is tested."""
        inside = loop.nodes & self.waits.keys() - self.never_empty
        empty = inside - self._asked
        # A node with lanes is in an iteration: of tested nodes, only the ways past them matter.
        past = {n: {to for to in (self._skip(n),) if to is not None} for n in inside}
        ways = {n: self._code[n] if n in empty else past[n] for n in inside}
        starts = past.get(loop.header, set()).union(
            *(self._code[n] for n in self.waits.keys() - loop.nodes)
        )
        found = reachable(ways, starts, inside - {loop.header})
        return [n for n in found & empty if self.flow.loop_of[n] == loop.number]

    def _is_full(self, number: int, full: set[int]) -> bool:
        same = self.same[number]
        if same != number and (same in full or same in self._asked):
            return True
        return all(
            source == RESUME
            or (
                self._skip(source) != number
                and (source in full or source in self._asked)
                and all(all_lanes for to, all_lanes in self._exits(source) if to == number)
            )
            for source in self._before[number]
        )
