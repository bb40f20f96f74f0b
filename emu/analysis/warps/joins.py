"""Nodes at which lanes join that a divergent branch has sent different ways."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..flow.order import Flow


def join_nodes(flow: Flow, passed: Mapping[int, int], branch: int) -> set[int]:
    """Return the nodes at which lanes join that left a branch by different sides.

    Each successor starts a label; a node that two labels reach is a join and passes on its own
    label, so that all nodes after the branch's post-dominator carry one label only. `passed` are
    the post-dominators of each node, as bits.
    """
    joins: set[int] = set()
    nodes = _side_nodes(flow, passed[branch], branch)
    while True:
        conflict = _label(flow, branch, nodes, joins)
        if conflict is None:
            return joins
        joins.add(conflict)


def _side_nodes(flow: Flow, passed: int, branch: int) -> list[int]:
    """Return the nodes that labels of a branch can reach and where they can join, in order.

    Where both sides run forward to one later node in the order, all lanes join there before it
    runs, and no node after it can be a join of this branch. Otherwise all nodes.
    """
    after = flow.order[flow.position[branch] + 1 :]
    join = next((n for n in after if passed >> n & 1), None)
    if join is None:
        return flow.order
    found = {join}
    work = [branch]
    while work:
        number = work.pop()
        for successor in flow.nodes[number].successors:
            if flow.position[flow.route(number, successor)] > flow.position[join]:
                return flow.order
            if successor not in found:
                found.add(successor)
                work.append(successor)
    return sorted(found, key=flow.position.__getitem__)


def _label(flow: Flow, branch: int, nodes: Sequence[int], joins: set[int]) -> int | None:
    """Spread labels from a branch, adding to `joins` where two arrive at an unlabelled node.

    Returns one node that had its label before a second one arrived, such as the header of a
    loop; None where there is none. Only one, since its new label may also be the next node's.
    A loop may be entered after its header in the order, so one pass does not reach all nodes.
    """
    labels: dict[int, int] = {}
    while True:
        stable, conflict = True, None
        for number in nodes:
            arriving = _arriving(flow, branch, number, labels)
            if number not in labels:
                if len(arriving) > 1:
                    joins.add(number)
                if arriving:
                    labels[number] = number if number in joins else arriving.pop()
                    stable = False
            elif len(arriving) > 1 and number not in joins and conflict is None:
                conflict = number
        if stable:
            return conflict


def _arriving(flow: Flow, branch: int, number: int, labels: dict[int, int]) -> set[int]:
    """Return the labels that arrive at a node."""
    node = flow.nodes[number]
    found = {labels[p] for p in node.predecessors if p != branch and p in labels}
    return found | {number} if branch in node.predecessors else found
