"""Nodes between barriers."""

from __future__ import annotations

from collections.abc import Collection

from .order import Flow


def ends_round(flow: Flow, number: int) -> bool:
    """Return whether a node ends with a barrier."""
    last = flow.nodes[number].last
    return last is not None and last.row.is_barrier


def reached(flow: Flow, begins: Collection[int], *, but: int | None = None) -> set[int]:
    """Return the nodes that a work-item may run from some nodes on, until the next barrier.

    With `but`, until that node, which is not one of them.
    """
    found, work = set(begins), list(begins)
    while work:
        number = work.pop()
        if ends_round(flow, number):
            continue
        new = set(flow.nodes[number].successors) - found - {but}
        found |= new
        work += new
    return found
