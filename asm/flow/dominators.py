"""Dominators and post-dominators.

T. Lengauer and R. Tarjan, "A Fast Algorithm for Finding Dominators in a Flowgraph", TOPLAS 1979,
the simple version: kernels with a thousand nested loops are rare, and no reason to wait.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property

from .cfg import Cfg, Walk, reverse
from .graph import Edges


@dataclass(frozen=True)
class DominatorTree:
    """The dominators of the nodes that a root reaches.

    `parents` holds the immediate dominator by node: None for the root and for nodes that it does
    not reach.
    """

    root: int
    parents: tuple[int | None, ...]

    def dominates(self, above: int, below: int) -> bool:
        """Return whether every path from the root to `below` includes `above` (or is `above`)."""
        if self._enter[above] < 0 or self._enter[below] < 0:
            return False
        return self._enter[above] <= self._enter[below] and self._leave[below] <= self._leave[above]

    def child_above(self, above: int, below: int) -> int:
        """Return the child of `above` that dominates `below`, which `above` does strictly."""
        children = self.children[above]
        following = bisect_right(children, self._enter[below], key=self._enter.__getitem__)
        return children[following - 1]

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
                stack += [(child, False) for child in reversed(self.children[node])]
            clock += 1
        return enter, leave


def tree(edges: Edges, root: int) -> DominatorTree:
    """Return the dominator tree of the part of a graph that `root` reaches.

    Nodes are named by their moment in a depth-first walk. The semidominator of a node is the
    earliest from which a path leads to it over later nodes only; a node's dominator is that, or
    the dominator of the node with the earliest semidominator between the two.
    """
    walk = Walk(edges, root)
    n = len(walk.order)
    sources: list[list[int]] = [[] for _ in range(n)]
    for source, node in enumerate(walk.order):
        for target in edges[node]:
            sources[walk.moment[target]].append(source)
    parent = [0, *(walk.moment[walk.parent[node]] for node in walk.order[1:])]
    semi = list(range(n))
    idom = [0] * n
    forest = _Forest(semi)
    dominated: list[list[int]] = [[] for _ in range(n)]
    for node in range(n - 1, 0, -1):
        semi[node] = min(semi[forest.lowest(source)] for source in sources[node])
        dominated[semi[node]].append(node)
        forest.link(node, parent[node])
        for below in dominated[parent[node]]:
            between = forest.lowest(below)
            idom[below] = between if semi[between] < semi[below] else parent[node]
        dominated[parent[node]].clear()
    for node in range(1, n):
        if idom[node] != semi[node]:
            idom[node] = idom[idom[node]]
    parents: list[int | None] = [None] * len(edges)
    for node in range(1, n):
        parents[walk.order[node]] = walk.order[idom[node]]
    return DominatorTree(root, tuple(parents))


class _Forest:
    """Trees of nodes that know the lowest `semi` between themselves and their root."""

    def __init__(self, semi: list[int]) -> None:
        self._semi = semi
        self._above = [-1] * len(semi)
        self._lowest = list(range(len(semi)))

    def link(self, node: int, above: int) -> None:
        """Make the root `node` a child of another node."""
        self._above[node] = above

    def lowest(self, node: int) -> int:
        """Return the node of lowest `semi` from `node` up to its root, without the root."""
        above, lowest, semi = self._above, self._lowest, self._semi
        if above[node] < 0:
            return node
        path = []
        ancestor = node
        while above[above[ancestor]] >= 0:
            path.append(ancestor)
            ancestor = above[ancestor]
        for step in reversed(path):
            if semi[lowest[above[step]]] < semi[lowest[step]]:
                lowest[step] = lowest[above[step]]
            above[step] = above[above[step]]
        return lowest[node]


def dominators(cfg: Cfg) -> DominatorTree:
    """Return the dominators of the reachable blocks, rooted at the entry."""
    return tree(cfg.successors, 0)


def post_dominators(cfg: Cfg) -> DominatorTree:
    """Return the post-dominators of all blocks, unreachable ones too, rooted at the virtual exit.

    A branch around a `trap` is post-dominated by what follows it (see `Cfg.returning`).
    """
    return tree(reverse(cfg.returning), cfg.exit)
