"""Natural loops, their nesting, and which branches close or leave one.

A loop is a strongly connected set of blocks; its header is the block of it that comes first in
reverse postorder. Without the edges to the header the strongly connected sets that are left are
the loops inside it. Where control enters a loop only at its header this gives the natural loops
(those with the same header as one), and the edges to headers are the back edges. A loop with a
second way in is irreducible: the edges to its header are then retreating edges of the walk, and
close it all the same. (P. Havlak, "Nesting of Reducible and Irreducible Loops", TOPLAS 1997.)
"""

from __future__ import annotations

from dataclasses import dataclass

from .cfg import Cfg, Edges, Neighbours, components, reverse, reverse_postorder


@dataclass(frozen=True, slots=True)
class Loop:
    """The blocks of a loop. `entries` are all blocks by which control comes in, header included.

    `latches` have an edge back to the header. `parent` is the index of the loop around it.
    """

    header: int
    body: frozenset[int]
    latches: tuple[int, ...]
    entries: tuple[int, ...]
    parent: int | None

    @property
    def is_irreducible(self) -> bool:
        return len(self.entries) > 1


@dataclass(frozen=True)
class Loops:
    """All loops of the reachable code, outer ones before those inside them."""

    cfg: Cfg
    flow: Edges
    """The edges of the graph, past blocks of nothing but `reconverge`: markers change no loop."""
    all: tuple[Loop, ...]
    innermost: tuple[int | None, ...]
    """The index of the innermost loop around each block, None outside of loops."""

    def around(self, block: int) -> list[Loop]:
        """The loops that contain a block, innermost first."""
        result: list[Loop] = []
        index = self.innermost[block]
        while index is not None:
            result.append(self.all[index])
            index = self.all[index].parent
        return result

    def closes(self, block: int) -> bool:
        """The branch that ends the block can go to the header of a loop that contains it."""
        headers = {loop.header for loop in self.around(block)}
        return any(s in headers for s in self.flow[block])

    def leaves(self, block: int) -> bool:
        """The branch that ends the block can go out of the innermost loop that contains it."""
        loops = self.around(block)
        return bool(loops) and any(s not in loops[0].body for s in self.flow[block])

    def delimits(self, pc: int) -> bool:
        """The loop flag: a branch (`br` or `cbr`) that closes or leaves a loop.

        Branches that end a loop's iterations are what MAWS-06 may bypass and what does not stop
        slip (Q-DWS-41). A branch in unreachable code delimits nothing.
        """
        block = self.cfg.block_of[pc]
        return self.cfg.code[pc].row.is_branch and (self.closes(block) or self.leaves(block))


def find(cfg: Cfg) -> Loops:
    """The loops of the reachable code."""
    if not cfg.blocks:
        return Loops(cfg, cfg.flow, (), ())
    past = [_past_markers(cfg, number) for number in range(len(cfg.flow))]
    edges = tuple(tuple(dict.fromkeys(past[s] for s in out)) for out in cfg.flow)
    rank = {block: i for i, block in enumerate(reverse_postorder(edges, past[0]))}
    found: list[Loop] = []
    innermost: list[int | None] = [None] * len(cfg.blocks)
    come_from = reverse(edges)
    waiting: list[tuple[list[int], Neighbours, int | None]] = [(sorted(rank), edges, None)]
    while waiting:
        nodes, inner, parent = waiting.pop(0)
        for component in components(inner, nodes):
            if len(component) == 1 and component[0] not in inner[component[0]]:
                continue
            header = min(component, key=rank.__getitem__)
            body = frozenset(component)
            index = len(found)
            entries = {b for b in body if any(p in rank and p not in body for p in come_from[b])}
            found.append(_loop(edges, header, body, entries | {header}, parent))
            for block in body:
                innermost[block] = index
            without = {block: tuple(t for t in inner[block] if t != header) for block in body}
            waiting.append((sorted(body), without, index))
    return Loops(cfg, edges, tuple(found), tuple(innermost))


def _past_markers(cfg: Cfg, block: int) -> int:
    """The first block from here on with more than `reconverge` in it."""
    while cfg.flow[block] and all(
        cfg.code[pc].row.stem == "reconverge"
        for pc in range(cfg.blocks[block].start, cfg.blocks[block].end)
    ):
        block = cfg.flow[block][0]
    return block


def _loop(
    edges: Edges, header: int, body: frozenset[int], entries: set[int], parent: int | None
) -> Loop:
    latches = tuple(b for b in sorted(body) if header in edges[b])
    return Loop(header, body, latches, tuple(sorted(entries)), parent)
