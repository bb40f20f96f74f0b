"""Copies of the ways to dispatches, in loops of one lane (analysis/lanes/dispatch.py).

A jump through a table leads to the cases. At the end of each of them is a copy of the way back to
the comparisons, without cold sides: where a test fails, the node begins once more at the code that
has them. Nothing on a way is stored, so that changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Protocol

from ....analysis.flow.order import Loop
from ....analysis.lanes.dispatch import Dispatch, Edge, dispatches
from ....analysis.lanes.short_sides import short_side
from ....analysis.values.ssa import Ssa
from ..lane_code import LaneCode


class Nodes(Protocol):
    """What emits the nodes of a loop for one lane."""

    version: str
    """The prefix of labels."""

    def with_cold_sides(self, number: int) -> str:
        """Return the label of a node in code with cold sides."""
        ...

    def begin_node(self, number: int) -> None:
        """Append a node, up to its branch."""
        ...

    def begin_iteration(self, loop: Loop) -> None:
        """Append a latch."""
        ...

    def leave(self, number: int) -> None:
        """End a node."""
        ...

    def follow(self, source: int, target: int) -> None:
        """Follow an edge."""
        ...

    def owe(self, number: int) -> None:
        """Note that a node is to be charged."""
        ...


def found_dispatches(ssa: Ssa, loop: Loop) -> list[Dispatch]:
    """Return the dispatches of a loop, but those with sides that are written without branches."""
    return [
        found
        for found in dispatches(ssa, loop)
        if not any(
            short_side(ssa, loop, number) is not None
            for number in {*found.comparisons, *chain.from_iterable(found.ways)}
        )
    ]


class Dispatched:
    """Emits the dispatches of a version of a loop; `one` is the code of the lane."""

    def __init__(self, one: LaneCode, nodes: Nodes, found: Sequence[Dispatch]) -> None:
        self.one = one
        self.nodes = nodes
        self.tables = {dispatch.comparisons[0]: dispatch for dispatch in found}
        """Dispatches by their nodes."""
        self._ways = {way[0]: way for dispatch in found for way in dispatch.ways}
        """The ways to them, by their first nodes."""
        self._copies: dict[int, str] = {}
        """The labels of copies of nodes, while a way is copied."""

    def has(self, number: int) -> bool:
        """Return whether a node is the first one of a dispatch."""
        return number in self.tables

    def label(self, number: int) -> str:
        """Return the label of a node, or of its copy on the way that is being copied."""
        return self._copies.get(number, f"{self.nodes.version}{number}")

    def continue_at(self, number: int, source: int) -> None:
        """Jump to a node from another one, or append a copy of the way that begins there.

        Copies lead past the nodes of ways; these run where a test of a copy has failed.
        """
        is_seldom = source in self._ways and source not in self.tables
        if self._copies or is_seldom or number not in self._ways:
            self.one.code.jump(self.label(number))
        else:
            self._copy(self._ways[number])

    def leave(self, number: int) -> Iterable[int]:
        """End the node of a dispatch, append its cases, and return the nodes that are not needed.

        These do nothing but compare, and the jump through the table is in their place.
        """
        dispatch = self.tables[number]
        first, *others = dispatch.comparisons
        self._jump_through(dispatch)
        owing = {first: [], **{n: others[:i] for i, n in enumerate(others, 1)}}
        for edge in dict.fromkeys([*dispatch.cases.values(), dispatch.otherwise]):
            self.one.local.clear()
            self.one.code.block(self._edge_label(edge))
            for compared in owing[edge[0]]:
                self.nodes.owe(compared)
            self.nodes.follow(*edge)
        return others

    def _copy(self, way: Sequence[int]) -> None:
        """Append a copy of a way to a dispatch."""
        one, nodes = self.one, self.nodes
        self._copies = {n: one.code.fresh_label("d") for n in way}
        one.code.jump(self._copies[way[0]])
        for number in way:
            one.otherwise = nodes.with_cold_sides(number)
            latch_of = one.flow.nodes[number].latch_of
            if latch_of is not None:
                nodes.begin_iteration(one.flow.loops[latch_of])
                continue
            nodes.begin_node(number)
            if number == way[-1]:
                self._jump_through(self.tables[number])
            else:
                nodes.leave(number)
        one.otherwise = ""
        self._copies = {}

    def _jump_through(self, dispatch: Dispatch) -> None:
        """End a node with a jump through a table."""
        one, code, cases = self.one, self.one.code, dispatch.cases
        low, span = min(cases), max(cases) - min(cases)
        number = code.let(f"sub i32 {one.scalar(dispatch.value)}, {low}")
        beyond, go = code.let(f"icmp ugt i32 {number}, {span}"), code.fresh_label("d")
        code.branch(beyond, self._edge_label(dispatch.otherwise), go)
        code.block(go)
        edges = [cases.get(low + i, dispatch.otherwise) for i in range(span + 1)]
        wide = code.let(f"zext i32 {number} to i64")
        code.jump_through(wide, [self._edge_label(edge) for edge in edges])

    def _edge_label(self, edge: Edge) -> str:
        return f"{self.nodes.version}edge{edge[0]}_{edge[1]}"
