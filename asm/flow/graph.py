"""Graph algorithms that the assembler and the analyses of kernels share."""

from __future__ import annotations

from collections.abc import Container, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

Edges = tuple[tuple[int, ...], ...]
"""The neighbours of every node, by number."""

Neighbours = Edges | Mapping[int, Sequence[int]]
"""The neighbours of all nodes, or of those of a part of the graph."""

Fact = TypeVar("Fact", bound=Hashable)


def leaders(targets: Iterable[int | None], ends: Sequence[bool]) -> list[int]:
    """Return where straight runs of code begin: at 0, at targets, and after each end of a run.

    `ends` says of each instruction whether it ends a run; targets outside of the code are left out.
    """
    starts = {0, *(pc for pc in targets if pc is not None)}
    starts.update(pc + 1 for pc, ends_run in enumerate(ends) if ends_run)
    return sorted(pc for pc in starts if 0 <= pc < len(ends))


def components(edges: Neighbours, nodes: Iterable[int]) -> list[list[int]]:
    """Return the strongly connected components of the subgraph over `nodes`, successors first.

    Roots are tried in the order of `nodes`, and successors in that of `edges`. R. Tarjan,
    "Depth-First Search and Linear Graph Algorithms", SIAM J. Comput. 1972; the recursion is
    spelled out because a kernel may have more blocks than Python has stack frames.
    """
    roots = list(nodes)
    inside = set(roots)
    index: dict[int, int] = {}
    low: dict[int, int] = {}
    open_: list[int] = []
    is_open: set[int] = set()
    result: list[list[int]] = []
    walk: list[tuple[int, Iterator[int]]] = []

    def enter(node: int) -> None:
        index[node] = low[node] = len(index)
        open_.append(node)
        is_open.add(node)
        walk.append((node, iter(edges[node])))

    for root in roots:
        if root not in index:
            enter(root)
        while walk:
            node, targets = walk[-1]
            for target in targets:
                if target not in inside:
                    continue
                if target not in index:
                    enter(target)
                    break
                if target in is_open:
                    low[node] = min(low[node], index[target])
            else:
                walk.pop()
                if walk:
                    above = walk[-1][0]
                    low[above] = min(low[above], low[node])
                if low[node] == index[node]:
                    component: list[int] = []
                    while not component or component[-1] != node:
                        component.append(open_.pop())
                        is_open.discard(component[-1])
                    result.append(component)
    return result


def reachable(
    ways: Mapping[int, Iterable[int]],
    starts: Iterable[int],
    inside: Container[int],
    stop: Container[int] = (),
) -> set[int]:
    """Return what is reached from some nodes within a part of a graph, the nodes included.

    Paths end at the nodes of `stop`.
    """
    found = {start for start in starts if start in inside}
    work = list(found)
    while work:
        node = work.pop()
        for target in ways[node] if node not in stop else ():
            if target in inside and target not in found:
                found.add(target)
                work.append(target)
    return found


def live_before(
    nodes: Sequence[int],
    successors: Mapping[int, Iterable[int]],
    reads: Mapping[int, frozenset[Fact]],
    writes: Mapping[int, frozenset[Fact]],
) -> dict[int, frozenset[Fact]]:
    """Return what is read from each node on before it is written.

    `reads` is what a node reads before it writes it. Least time is taken where `nodes` are in the
    order of execution.
    """
    live = {node: reads[node] for node in nodes}
    changed = True
    while changed:
        changed = False
        for node in reversed(nodes):
            after = frozenset[Fact]().union(*(live[target] for target in successors[node]))
            new = reads[node] | (after - writes[node])
            if new != live[node]:
                live[node] = new
                changed = True
    return live
