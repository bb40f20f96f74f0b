"""The control-flow graph of a kernel: basic blocks, edges and a virtual exit.

The graph works on anything that has a row and a target: the assembler's drafts and decoded code.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from ...isa.instruction import WORD_BYTES
from ...isa.table import Row
from .graph import Edges, components, leaders


class Step(Protocol):
    """What the graph needs to know of an instruction. Targets are PCs in words."""

    @property
    def row(self) -> Row: ...

    @property
    def target(self) -> int | None: ...


@dataclass(frozen=True, slots=True)
class Block:
    """The instructions from `start` up to, not including, `end`: entered first, left last."""

    number: int
    start: int
    end: int

    @property
    def last(self) -> int:
        """PC of the instruction that decides where control goes."""
        return self.end - 1

    def __len__(self) -> int:
        return self.end - self.start


@dataclass(frozen=True)
class Cfg:
    """Blocks in layout order; block 0 is the entry and number `exit` the virtual exit.

    `successors` lists the fall-through before the taken side, each block once, so a branch whose
    two sides are equal has one successor. Every `ret` and `trap` leads to the exit, and so does a
    way that leaves the code, which the verifier refuses later. `endless` are the last blocks in
    layout order of the strongly connected components that nothing leaves: each has one more edge
    to the exit, which no execution takes, so that every block has a post-dominator.
    """

    code: Sequence[Step]
    blocks: tuple[Block, ...]
    successors: Edges
    endless: frozenset[int]
    block_of: tuple[int, ...]
    """The number of the block in which each PC lies."""

    @property
    def exit(self) -> int:
        """The number of the virtual exit, one above the last block."""
        return len(self.blocks)

    @cached_property
    def returning(self) -> Edges:
        """The successors without edges into blocks from which only traps are reached.

        A trap ends the launch, so no lane waits for lanes that trap. Inside such blocks the edges
        stay as they are.
        """
        traps = {b.number for b in self.blocks if self.code[b.last].row.is_trap}
        edges = tuple(() if b in traps else out for b, out in enumerate(self.successors))
        survive = reach(reverse(edges), (self.exit,))
        return tuple(
            tuple(t for t in out if t in survive) if block in survive else out
            for block, out in enumerate(self.successors)
        )

    @cached_property
    def flow(self) -> Edges:
        """The successors that an execution can reach: no exit, no edge out of an endless loop."""
        return tuple(
            tuple(s for s in successors if s != self.exit) for successors in self.successors
        )

    @cached_property
    def reachable(self) -> frozenset[int]:
        """The blocks that a path from the entry reaches."""
        return reach(self.flow, (0,)) if self.blocks else frozenset()

    @property
    def unreachable(self) -> tuple[Block, ...]:
        """The blocks that no path from the entry reaches, in layout order."""
        return tuple(b for b in self.blocks if b.number not in self.reachable)

    def __str__(self) -> str:
        return "\n".join(self._line(block) for block in self.blocks)

    def _line(self, block: Block) -> str:
        def name(number: int) -> str:
            return "exit" if number == self.exit else f"B{number}"

        first, last = block.start * WORD_BYTES, block.last * WORD_BYTES
        to = " ".join(map(name, self.successors[block.number]))
        notes = ""
        if block.number in self.endless:
            notes += "  (endless)"
        if block.number not in self.reachable:
            notes += "  (unreachable)"
        ending = self.code[block.last].row.name
        return f"B{block.number:<4} 0x{first:02x}..0x{last:02x}  {ending:<10} -> {to}{notes}"


def build(code: Sequence[Step]) -> Cfg:
    """Return the graph of a kernel's code."""
    n = len(code)
    starts = leaders([ins.target for ins in code], [ins.row.ends_block for ins in code])
    ends = [*starts[1:], n]
    blocks = tuple(
        Block(i, start, end)
        for i, (start, end) in enumerate(zip(starts, ends, strict=True if n else False))
    )
    block_of = tuple(b.number for b in blocks for _ in range(len(b)))
    plain = tuple(_successors(code, block, block_of, len(blocks)) for block in blocks)
    plain += ((),)
    endless = _endless(plain)
    successors = tuple((*out, len(blocks)) if i in endless else out for i, out in enumerate(plain))
    return Cfg(code, blocks, successors, endless, block_of)


def _successors(
    code: Sequence[Step], block: Block, block_of: tuple[int, ...], exit_: int
) -> tuple[int, ...]:
    last = code[block.last]
    ways: list[int] = []
    if last.row.falls_through:
        ways.append(block.end)
    if last.target is not None:
        ways.append(last.target)
    found = [block_of[pc] if 0 <= pc < len(code) else exit_ for pc in ways]
    return tuple(dict.fromkeys(found)) or (exit_,)


def _endless(edges: Edges) -> frozenset[int]:
    """Return the last block of each strongly connected component that no edge leaves."""
    exit_ = len(edges) - 1
    result: set[int] = set()
    for component in components(edges, range(len(edges))):
        inside = set(component)
        if exit_ not in inside and all(t in inside for s in component for t in edges[s]):
            result.add(max(component))
    return frozenset(result)


def reverse(edges: Edges) -> Edges:
    """Return the graph with every edge reversed."""
    result: list[list[int]] = [[] for _ in edges]
    for source, targets in enumerate(edges):
        for target in targets:
            result[target].append(source)
    return tuple(map(tuple, result))


def reach(
    edges: Edges, starts: Iterable[int], avoiding: frozenset[int] = frozenset()
) -> frozenset[int]:
    """Return the nodes that paths from `starts` reach without entering `avoiding`."""
    seen: set[int] = set()
    waiting = [s for s in starts if s not in avoiding]
    while waiting:
        node = waiting.pop()
        if node not in seen:
            seen.add(node)
            waiting += [t for t in edges[node] if t not in avoiding and t not in seen]
    return frozenset(seen)


class Walk:
    """A depth-first walk of what `root` reaches, the fall-through before the taken side.

    `order` lists the nodes as the walk reaches them, `moment` is the index of each in it, `parent`
    the node from which it was found, and `end` the index of the last one found from it on.
    """

    def __init__(self, edges: Edges, root: int) -> None:
        self.order = [root]
        self.moment = {root: 0}
        self.parent: dict[int, int] = {}
        self.end: dict[int, int] = {}
        stack = [(root, iter(edges[root]))]
        while stack:
            node, rest = stack[-1]
            for following in rest:
                if following not in self.moment:
                    self.moment[following] = len(self.order)
                    self.order.append(following)
                    self.parent[following] = node
                    stack.append((following, iter(edges[following])))
                    break
            else:
                self.end[node] = len(self.order) - 1
                stack.pop()

    def is_behind(self, node: int, above: int) -> bool:
        """Return whether the walk found `node` from `above` on, or they are the same."""
        return self.moment[above] <= self.moment[node] <= self.end[above]
