"""The nodes that every path from a node to the end of a kernel passes."""

from __future__ import annotations

from collections.abc import Iterable

from ....asm.flow import dominators
from ....asm.flow.cfg import reverse
from .order import Flow


def bits(numbers: Iterable[int]) -> int:
    """Return numbers as the bits of an integer."""
    return sum(1 << n for n in numbers)


def postdominators(flow: Flow) -> dict[int, int]:
    """Return for each node the others that every path from it to an end passes, as bits.

    A node that cannot reach an end has none. In a merged loop, only the nodes count that all lanes
    pass in the same iteration: a path that begins the next one leaves the loop here.
    """
    exit_ = len(flow.nodes)
    real = [node for node in flow.nodes if node.latch_of is None]
    ways_out = {
        loop.latch: [t for n in loop.nodes for t in flow.nodes[n].successors if t not in loop.nodes]
        for loop in flow.loops
        if loop.is_merged
    }
    edges: list[tuple[int, ...]] = [()] * (exit_ + 1)
    for node in real:
        ways = dict.fromkeys(node.successors or (exit_,))
        for successor in node.successors:
            if out := ways_out.get(flow.route(node.number, successor)):
                del ways[successor]
                ways.update(dict.fromkeys(out))
        edges[node.number] = tuple(ways)
    tree = dominators.tree(reverse(tuple(edges)), exit_)
    found = {node.number: 0 for node in real}
    waiting = list(tree.children[exit_])
    while waiting:
        number = waiting.pop()
        for child in tree.children[number]:
            found[child] = found[number] | 1 << number
            waiting.append(child)
    return found
