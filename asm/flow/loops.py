"""Natural loops, their nesting, and which branches close or leave one.

A loop is a strongly connected set of blocks; its header is the block of it to which a depth-first
walk comes first. Without the edges to the header the strongly connected sets that are left are
the loops inside it. Where control enters a loop only at its header this gives the natural loops
(those with the same header as one), and the edges to headers are the back edges. A loop with a
second way in is irreducible: the edges to its header are then retreating edges of the walk, and
close it all the same. (P. Havlak, "Nesting of Reducible and Irreducible Loops", TOPLAS 1997.)
"""

from __future__ import annotations

from dataclasses import dataclass

from .cfg import Cfg, Edges, Walk, reverse


@dataclass(frozen=True, slots=True)
class Loop:
    """The `latches` have an edge back to the header; `parent` is the index of the loop around."""

    header: int
    latches: tuple[int, ...]
    parent: int | None


@dataclass(frozen=True)
class Loops:
    """All loops of the reachable code, each before those inside it, which follow at once."""

    cfg: Cfg
    flow: Edges
    """The edges of the graph, past blocks of nothing but `reconverge`: markers change no loop."""
    all: tuple[Loop, ...]
    innermost: tuple[int | None, ...]
    """The index of the innermost loop around each block, None outside of loops."""
    last_inside: tuple[int, ...]
    """By loop: the index of the last loop inside it, or its own if there is none."""
    loop_of_header: dict[int, int]

    def contains(self, loop: int, block: int) -> bool:
        """Return whether a block lies in the loop of this index."""
        innermost = self.innermost[block]
        return innermost is not None and loop <= innermost <= self.last_inside[loop]

    def around(self, block: int) -> list[Loop]:
        """Return the loops that contain a block, innermost first."""
        result: list[Loop] = []
        index = self.innermost[block]
        while index is not None:
            result.append(self.all[index])
            index = self.all[index].parent
        return result

    def closes(self, block: int) -> bool:
        """Return the branch that ends the block can go to the header of a loop that contains it."""
        loops = (self.loop_of_header.get(s) for s in self.flow[block])
        return any(loop is not None and self.contains(loop, block) for loop in loops)

    def leaves(self, block: int) -> bool:
        """Return whether the block's branch can leave the innermost loop that contains it."""
        loop = self.innermost[block]
        return loop is not None and any(not self.contains(loop, s) for s in self.flow[block])

    def delimits(self, pc: int) -> bool:
        """Return the loop flag: a branch (`br` or `cbr`) that closes or leaves a loop.

        Branches that end a loop's iterations are what MAWS-06 may bypass and what does not stop
        slip (Q-DWS-41). A branch in unreachable code delimits nothing.
        """
        block = self.cfg.block_of[pc]
        return self.cfg.code[pc].row.is_branch and (self.closes(block) or self.leaves(block))


def find(cfg: Cfg) -> Loops:
    """Return the loops of the reachable code."""
    if not cfg.blocks:
        return Loops(cfg, cfg.flow, (), (), (), {})
    past = _past_markers(cfg)
    edges = tuple(tuple(dict.fromkeys(past[s] for s in out)) for out in cfg.flow)
    walk = Walk(edges, past[0])
    before = tuple(tuple(b for b in sources if b in walk.moment) for sources in reverse(edges))
    latches, around = _nesting(walk, before)
    return _number(cfg, edges, walk, latches, around)


def _past_markers(cfg: Cfg) -> list[int]:
    """Return, for each block, the first block from it on that has more than markers."""
    past = list(range(len(cfg.flow)))
    for block in reversed(cfg.blocks):
        is_empty = all(cfg.code[pc].row.is_marker for pc in range(block.start, block.end))
        if is_empty and cfg.flow[block.number]:
            past[block.number] = past[block.number + 1]
    return past


def _nesting(walk: Walk, before: Edges) -> tuple[dict[int, tuple[int, ...]], dict[int, int]]:
    """Return the latches by header, and the header of the loop around each block or inner header.

    Headers are taken from the last to the first. A loop that is found becomes one node, its
    header, for the loops around it: `outermost` leads there (union-find with halved paths).
    """
    latches: dict[int, tuple[int, ...]] = {}
    around: dict[int, int] = {}
    outermost = {block: block for block in walk.order}

    def outer(block: int) -> int:
        while outermost[block] != block:
            outermost[block] = block = outermost[outermost[block]]
        return block

    ways_in: dict[int, set[int]] = {}
    for header in reversed(walk.order):
        back = [b for b in before[header] if walk.is_behind(b, header)]
        ways_in[header] = set(before[header]).difference(back)
        if not back:
            continue
        latches[header] = tuple(back)
        inside: set[int] = set()
        waiting = [outer(block) for block in back]
        while waiting:
            block = waiting.pop()
            if block == header or block in inside:
                continue
            inside.add(block)
            for source in ways_in[block]:
                if walk.is_behind(outer(source), header):
                    waiting.append(outer(source))
                else:
                    ways_in[header].add(source)
        for block in inside:
            around[block] = outermost[block] = header
    return latches, around


def _number(
    cfg: Cfg,
    edges: Edges,
    walk: Walk,
    latches: dict[int, tuple[int, ...]],
    around: dict[int, int],
) -> Loops:
    """Return the loops in an order in which those inside a loop follow it."""
    inner: dict[int | None, list[int]] = {}
    for header in reversed(walk.order):
        if header in latches:
            inner.setdefault(around.get(header), []).append(header)
    order: list[int] = []
    waiting = inner.get(None, [])
    while waiting:
        order.append(waiting.pop())
        waiting += inner.get(order[-1], [])
    index = {header: i for i, header in enumerate(order)}
    found = tuple(Loop(h, latches[h], index.get(around.get(h, -1))) for h in order)
    last = list(range(len(found)))
    for i in reversed(range(len(found))):
        parent = found[i].parent
        if parent is not None:
            last[parent] = max(last[parent], last[i])
    innermost: list[int | None] = [None] * len(cfg.blocks)
    for block in walk.order:
        innermost[block] = index.get(block, index.get(around.get(block, -1)))
    return Loops(cfg, edges, found, tuple(innermost), tuple(last), index)
