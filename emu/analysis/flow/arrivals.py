"""Nodes at which lanes may wait while another node runs: those that come later in the order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from .order import START, Flow


def arrivals(
    flow: Flow,
    uniform: Iterable[int],
    exits: Mapping[int, Iterable[tuple[int, int]]] | None = None,
) -> dict[int, frozenset[tuple[int, int]]]:
    """Return for each node (place, source) of lanes that may wait elsewhere while it runs.

    `source` is the node that they left. Each node has one set for all cases, so two places of a
    set need not be occupied at once. Nodes that never run are absent. `uniform` are the nodes whose
    branch sends all lanes the same way. `exits` are, for headers of loops that may run as one node,
    the edges (source, target) by which lanes leave them: by several at once, even if each of these
    sends all lanes the same way.
    """
    same_way = frozenset(uniform)
    found: dict[int, frozenset[tuple[int, int]]] = {START: frozenset()}
    work = [START]

    def run_first(waits: frozenset[tuple[int, int]]) -> None:
        """Note that the first node at which lanes wait runs, while the others wait."""
        if not waits:
            return
        first = min(waits, key=lambda lanes: flow.position[lanes[0]])[0]
        others = frozenset(lanes for lanes in waits if lanes[0] != first)
        known = found.get(first)
        if known is None or not others <= known:
            found[first] = others if known is None else known | others
            work.append(first)

    while work:
        number = work.pop()
        waits = found[number]
        node = flow.nodes[number]
        ways = [(flow.route(number, successor), number) for successor in node.successors]
        if flow.refill is not None and number == flow.refill.inner_latch:
            ways.append((flow.refill.latch, number))
        elif flow.refill is not None and number == flow.refill.latch:
            ways.append((flow.refill.header, number))
        if exits is not None and number in exits:
            left = {(flow.route(source, target), source) for source, target in exits[number]}
            run_first(waits | left)
        if number in same_way:
            for way in ways:
                run_first(waits | {way})
        else:
            run_first(waits | frozenset(ways))
        # If no lane waits at a node after all, it is skipped.
        run_first(waits)
    return found
