"""Control flow of a kernel for generated code: nodes in a linear order, and where lanes may wait.

One scheme covers every graph, reducible or not (after partial control-flow linearisation, Moll and
Hack, and the min-PC rule): lanes that leave a node wait at their next node, and nodes run in one
fixed order, each for all lanes that wait there. An edge that leads back in the order goes to the
*latch* of its loop, a node after the loop's last one from which lanes return to the header; so
loops run until no lane is left in them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from ....asm.flow import graph
from ....isa.instruction import Instruction
from ....isa.types import RegClass, Segment
from .loop_headers import Part

START = 0
"""The node before the first instruction: it is empty and has no predecessor."""


class Step(NamedTuple):
    """An instruction of a node, and what is known about it in this node."""

    pc: int
    known: int | None = None
    """Its result, where that is a constant."""
    cell: tuple[RegClass, int] | None = None
    """The register in place of the private memory that it accesses."""


@dataclass(slots=True)
class Node:
    """Instructions `start` to `stop` (exclusive) that run together; `last` decides what follows.

    `successors` are node numbers: the fall-through first, then the target; each once. A latch has
    no instructions and the header of its loop as its only successor.
    """

    number: int
    start: int
    stop: int
    last: Instruction | None = None
    successors: tuple[int, ...] = ()
    predecessors: tuple[int, ...] = ()
    latch_of: int | None = None
    """The loop that this latch closes."""
    copied: tuple[Step, ...] | None = None
    """What runs in place of the instructions from `start` to `stop`, in copies (copies.py)."""

    @property
    def steps(self) -> Sequence[Step]:
        """The instructions before the one that decides."""
        return (
            [Step(pc) for pc in range(self.start, self.stop)]
            if self.copied is None
            else self.copied
        )

    @property
    def length(self) -> int:
        """Instructions, with the one that decides."""
        length = self.stop - self.start if self.copied is None else len(self.copied)
        return length + (self.last is not None)

    def has(self, pc: int) -> bool:
        """Return whether an instruction is in this node, or would be if it were not empty."""
        if pc == self.start or (pc == self.stop and self.last is not None):
            return True
        return any(step.pc == pc for step in self.steps)


@dataclass(slots=True)
class Loop:
    """A loop: a strongly connected part of the graph with one chosen header and a latch.

    A loop and one inside it may have the same header, but never the same latch.
    """

    number: int
    header: int
    latch: int
    nodes: frozenset[int]
    parent: int | None
    is_merged: bool = False
    """Whether an inner loop with this header is merged with it (loop_headers.py): lanes at one node
    may be in different iterations of the source's loops, and need not meet at a join node."""


@dataclass(frozen=True)
class Refill:
    """Where lanes get their next work-items while others are still in a loop (refilled.py)."""

    node: int
    """The header of the loop around the kernel, at which lanes without a work-item wait."""
    latch: int
    """The latch of the loop around the kernel."""
    loop: int
    """The loop that lanes may still be in: its header keeps them while others get work-items."""
    header: int
    inner_latch: int


@dataclass
class Flow:
    """The nodes of a kernel, their order, their loops, and the nodes at which lanes may wait."""

    nodes: list[Node]
    order: list[int] = field(default_factory=list)
    position: dict[int, int] = field(default_factory=dict)
    loops: list[Loop] = field(default_factory=list)
    loop_of: dict[int, int | None] = field(default_factory=dict)
    """The innermost loop of each node; a latch belongs to the loop that it closes."""
    back: dict[tuple[int, int], int] = field(default_factory=dict)
    """(source, header) of each edge that leads back -> the latch to which its lanes go."""
    refill: Refill | None = None
    """Where lanes get their next work-items, if the kernel has a loop around it."""

    def route(self, source: int, target: int) -> int:
        """Return where lanes on this edge wait: the target, or the latch of its loop."""
        return self.back.get((source, target), target)

    def loops_around(self, node: int) -> list[Loop]:
        """Return the loops that contain a node, innermost first."""
        found = []
        number = self.loop_of[node]
        while number is not None:
            found.append(self.loops[number])
            number = self.loops[number].parent
        return found

    def left_by(self, source: int, target: int) -> list[Loop]:
        """Return the loops that an edge leaves, innermost first."""
        return [loop for loop in self.loops_around(source) if target not in loop.nodes]

    def has_one_entry(self, loop: Loop) -> bool:
        """Return whether lanes enter a loop at its header only."""
        inner = loop.nodes - {loop.header}
        return all(loop.nodes.issuperset(self.nodes[n].predecessors) for n in inner)

    def is_innermost(self, loop: Loop) -> bool:
        """Return whether a loop has no loop inside."""
        return all(other.parent != loop.number for other in self.loops)

    def sides(self, branch: int) -> tuple[set[int], set[int]]:
        """Return the nodes of the sides of a branch, and where control continues after them."""
        last = self.nodes[branch].last
        join = None if last is None else last.join
        skipped, ends = set[int](), set[int]()
        work = list(self.nodes[branch].successors)
        while work:
            node = self.nodes[work.pop()]
            if join is not None and node.has(join):
                ends.add(node.number)
            elif node.number not in skipped:
                skipped.add(node.number)
                work += node.successors
        return skipped, ends

    def has_own_header(self, loop: Loop) -> bool:
        """Return whether no other loop has a loop's header."""
        return sum(other.header == loop.header for other in self.loops) == 1


def build(code: Sequence[Instruction]) -> Flow:
    """Return the flow of a kernel's reachable code, with all loops of the source."""
    return arrange(nodes_of(code))


def rearranged(
    code: Sequence[Instruction], nodes: Sequence[Node], merged: Mapping[int, int] | None = None
) -> Flow:
    """Return the flow of copies of some nodes, without their latches.

    Loops with one header may be merged; `merged` are outer header -> inner header of others that
    are.
    """
    copies = [replace(node) for node in nodes if node.latch_of is None]
    return arrange(copies, costs=costs_of(code, copies), merged=merged)


ACCESS_COST = 8
"""What an access to memory costs, in other instructions, where few lanes run."""


def costs_of(code: Sequence[Instruction], nodes: list[Node]) -> dict[int, int]:
    """Return what nodes cost, in instructions."""
    return {
        node.number: 1
        + sum(
            ACCESS_COST if row.is_memory and row.segment is not Segment.KERNARG else 1
            for row in (code[step.pc].row for step in node.steps)
        )
        for node in nodes
    }


def arrange(
    nodes: list[Node],
    also: Mapping[int, Sequence[int]] | None = None,
    costs: Mapping[int, int] | None = None,
    merged: Mapping[int, int] | None = None,
) -> Flow:
    """Return the flow of some nodes, which latches are added to.

    `also` are edges that no lane takes: the order is as if there were such edges, too. `costs` are
    what nodes cost, if loops with one header may be merged. `merged` are outer header -> inner
    header of others.
    """
    flow = Flow(nodes)
    for node in flow.nodes:
        flow.loop_of[node.number] = None
    edges = {node.number: list(node.successors) for node in flow.nodes}
    for source, targets in (also or {}).items():
        edges[source] += [t for t in targets if t not in edges[source]]
    flow.order = _arrange(flow, edges, _Merging(costs, merged or {}))
    flow.position = {number: index for index, number in enumerate(flow.order)}
    return flow


def nodes_of(code: Sequence[Instruction]) -> list[Node]:
    """Return the nodes of a kernel's reachable code, `START` first."""
    ends = [ins.row.ends_block or ins.row.is_barrier for ins in code]
    starts = graph.leaders([ins.target for ins in code], ends)
    stops = [*starts[1:], len(code)]
    ways: dict[int, tuple[int, ...]] = {}
    for start, stop in zip(starts, stops, strict=True):
        last = code[stop - 1]
        match last.row.stem:
            case "ret" | "trap":
                ways[start] = ()
            case "br":
                assert last.target is not None
                ways[start] = (last.target,)
            case "cbr":
                assert last.target is not None
                ways[start] = tuple(dict.fromkeys((stop, last.target)))
            case _:
                ways[start] = (stop,)
    reached = graph.reachable(ways, [0], ways)
    numbers = {start: i for i, start in enumerate((s for s in starts if s in reached), START + 1)}
    nodes = [Node(START, 0, 0, successors=(START + 1,))]
    for start, stop in zip(starts, stops, strict=True):
        if start in reached:
            last = code[stop - 1]
            decides = last.row.ends_block or last.row.is_barrier
            nodes.append(
                Node(
                    numbers[start],
                    start,
                    stop - 1 if decides else stop,
                    last if decides else None,
                    tuple(numbers[successor] for successor in ways[start]),
                )
            )
    for node in nodes:
        for successor in node.successors:
            nodes[successor].predecessors += (node.number,)
    return nodes


@dataclass(frozen=True)
class _Merging:
    """Which loops are merged."""

    costs: Mapping[int, int] | None
    headers: Mapping[int, int]


def _arrange(flow: Flow, edges: dict[int, list[int]], merging: _Merging) -> list[int]:
    """Return the linear order of the graph; remove the edges back to headers from `edges`."""
    result: list[int] = []
    nodes = [node.number for node in flow.nodes]
    # The parts still to be arranged of each open loop, outermost first, with the loop.
    around: list[tuple[Iterator[list[int]], Loop | None]] = [(_parts(edges, nodes), None)]
    while around:
        parts, outer = around[-1]
        component = next(parts, None)
        if (
            component is not None
            and len(component) == 1
            and component[0] not in edges[component[0]]
        ):
            result += component
        elif component is not None:
            loop = _close(flow, edges, component, outer, merging)
            around.append((_parts(edges, component), loop))
        else:
            around.pop()
            if outer is not None:
                result.append(outer.latch)
                _add_to_parents(flow, outer.number, outer.latch)
    return result


def _parts(edges: dict[int, list[int]], nodes: Sequence[int]) -> Iterator[list[int]]:
    return iter(components(edges, nodes))


def _close(
    flow: Flow,
    edges: dict[int, list[int]],
    component: list[int],
    outer: Loop | None,
    merging: _Merging,
) -> Loop:
    """Make a loop of a component: choose its header and cut the edges back to it."""
    members = frozenset(component)
    header, closing, is_merged = _part(flow, edges, members, merging).choose()
    number = len(flow.loops)
    latch = Node(len(flow.nodes), 0, 0, successors=(header,), latch_of=number)
    parent = None if outer is None else outer.number
    flow.nodes.append(latch)
    nodes = members | {latch.number}
    flow.loops.append(Loop(number, header, latch.number, nodes, parent, is_merged))
    flow.loop_of[latch.number] = number
    flow.loop_of.update(dict.fromkeys(component, number))
    for member in closing:
        edges[member].remove(header)
        flow.back[member, header] = latch.number
    edges[latch.number] = []
    return flow.loops[-1]


def _add_to_parents(flow: Flow, number: int, latch: int) -> None:
    """Add a latch to all loops around its own."""
    parent = flow.loops[number].parent
    while parent is not None:
        flow.loops[parent].nodes |= {latch}
        parent = flow.loops[parent].parent


def _part(
    flow: Flow,
    edges: dict[int, list[int]],
    members: frozenset[int],
    merging: _Merging,
) -> Part:
    nodes = flow.nodes
    has_barrier = any((last := nodes[m].last) is not None and last.row.is_barrier for m in members)
    return Part(
        members,
        edges,
        frozenset(m for m in members if not members.issuperset(nodes[m].predecessors)),
        frozenset(
            m
            for m in members
            if any(t not in members or t not in edges[m] for t in nodes[m].successors)
        ),
        None if has_barrier else merging.costs,
        merging.headers,
    )


def components(edges: Mapping[int, Sequence[int]], nodes: Iterable[int]) -> list[list[int]]:
    """Return strongly connected components in topological order; ties keep the nodes' order.

    Roots are tried from the last node to the first and successors likewise, so that the reversed
    order of completion follows the code.
    """
    backwards = sorted(nodes, reverse=True)
    ways = {node: sorted(edges[node], reverse=True) for node in backwards}
    return [sorted(component) for component in graph.components(ways, backwards)][::-1]
