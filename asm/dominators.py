"""Dominators and post-dominators.

K. Cooper, T. Harvey and K. Kennedy, "A Simple, Fast Dominance Algorithm", Rice University 2001:
walk the blocks in reverse postorder and intersect what is known of their predecessors, until
nothing changes. On graphs of a kernel's size it beats the algorithms with better bounds.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from .cfg import Cfg, Edges, reverse, reverse_postorder


@dataclass(frozen=True)
class DominatorTree:
    """Who dominates whom.

    `parents` holds the immediate dominator by node: None for the root and for what it does not
    reach.
    """

    root: int
    parents: tuple[int | None, ...]

    def dominates(self, above: int, below: int) -> bool:
        """Whether every path from the root to `below` goes through `above`; a node does itself."""
        if self._enter[above] < 0 or self._enter[below] < 0:
            return False
        return self._enter[above] <= self._enter[below] and self._leave[below] <= self._leave[above]

    @cached_property
    def children(self) -> Edges:
        """The nodes that each node dominates immediately."""
        result: list[list[int]] = [[] for _ in self.parents]
        for node, parent in enumerate(self.parents):
            if parent is not None:
                result[parent].append(node)
        return tuple(map(tuple, result))

    @property
    def _enter(self) -> list[int]:
        return self._intervals[0]

    @property
    def _leave(self) -> list[int]:
        return self._intervals[1]

    @cached_property
    def _intervals(self) -> tuple[list[int], list[int]]:
        """First and last moment of a walk over the tree by node, -1 for what is not in it."""
        enter, leave = [-1] * len(self.parents), [-1] * len(self.parents)
        clock = 0
        stack = [(self.root, False)]
        while stack:
            node, done = stack.pop()
            if done:
                leave[node] = clock
            else:
                enter[node] = clock
                stack.append((node, True))
                stack += [(child, False) for child in self.children[node]]
            clock += 1
        return enter, leave


def tree(edges: Edges, root: int) -> DominatorTree:
    """The dominator tree of the part of a graph that `root` reaches."""
    order = reverse_postorder(edges, root)
    rank = {node: i for i, node in enumerate(order)}
    before = reverse(edges)
    idom: list[int | None] = [None] * len(edges)
    idom[root] = root

    def intersect(a: int, b: int) -> int:
        while a != b:
            while rank[a] > rank[b]:
                a = _known(idom[a])
            while rank[b] > rank[a]:
                b = _known(idom[b])
        return a

    changed = True
    while changed:
        changed = False
        for node in order[1:]:
            new: int | None = None
            for source in before[node]:
                if idom[source] is not None:
                    new = source if new is None else intersect(source, new)
            if idom[node] != new:
                idom[node] = new
                changed = True
    idom[root] = None
    return DominatorTree(root, tuple(idom))


def _known(node: int | None) -> int:
    assert node is not None
    return node


def dominators(cfg: Cfg) -> DominatorTree:
    """The dominators of the reachable blocks, rooted at the entry."""
    return tree(cfg.successors, 0)


def post_dominators(cfg: Cfg) -> DominatorTree:
    """The post-dominators of all blocks, unreachable ones too, rooted at the virtual exit.

    A branch around a `trap` is post-dominated by what stands behind it (see `Cfg.returning`).
    """
    return tree(reverse(cfg.returning), cfg.exit)
