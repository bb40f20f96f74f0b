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

from .cfg import Cfg, Edges, components, reverse_postorder


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
        return any(s in headers for s in self.cfg.flow[block])

    def leaves(self, block: int) -> bool:
        """The branch that ends the block can go out of the innermost loop that contains it."""
        loops = self.around(block)
        return bool(loops) and any(s not in loops[0].body for s in self.cfg.flow[block])

    def delimits(self, pc: int) -> bool:
        """The loop flag: a branch (`br` or `cbr`) that closes or leaves a loop.

        Branches that end a loop's iterations are what MAWS-06 may bypass and what does not stop
        slip (Q-DWS-41). A branch in unreachable code delimits nothing.
        """
        block = self.cfg.block_of[pc]
        return self.cfg.code[pc].row.is_branch and (self.closes(block) or self.leaves(block))


def find(cfg: Cfg) -> Loops:
    """The loops of the reachable code."""
    edges = cfg.flow
    rank = {b: i for i, b in enumerate(reverse_postorder(edges, 0))} if cfg.blocks else {}
    found: list[Loop] = []
    innermost: list[int | None] = [None] * len(cfg.blocks)
    waiting: list[tuple[list[int], Edges, int | None]] = [(sorted(rank), edges, None)]
    while waiting:
        nodes, inner, parent = waiting.pop(0)
        for component in components(inner, nodes):
            if len(component) == 1 and component[0] not in inner[component[0]]:
                continue
            header = min(component, key=rank.__getitem__)
            body = frozenset(component)
            index = len(found)
            found.append(_loop(cfg, header, body, parent))
            for block in body:
                innermost[block] = index
            without = tuple(tuple(t for t in out if t != header) for out in inner)
            waiting.append((sorted(body), without, index))
    return Loops(cfg, tuple(found), tuple(innermost))


def _loop(cfg: Cfg, header: int, body: frozenset[int], parent: int | None) -> Loop:
    latches = tuple(b for b in sorted(body) if header in cfg.flow[b])
    entries = tuple(
        b
        for b in sorted(body)
        if b == header or any(p not in body and p in cfg.reachable for p in cfg.predecessors[b])
    )
    return Loop(header, body, latches, entries, parent)
