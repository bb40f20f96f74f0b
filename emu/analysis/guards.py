"""Comparisons that hold wherever a node runs, from the branches that lead to it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ...asm.flow import dominators
from ...isa.types import Type
from .order import START
from .ssa import Op, Ssa, Value

_OPPOSITE = {"lt": "ge", "ge": "lt", "gt": "le", "le": "gt", "eq": "ne", "ne": "eq"}
_MIRRORED = {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le", "eq": "eq"}


@dataclass(frozen=True)
class Guard:
    """`value` has a `relation` (lt le gt ge eq) to `other`, as numbers of an integer type."""

    value: Value
    relation: str
    other: Value
    type: Type


class Guards:
    """The guards of the nodes and edges of a kernel."""

    def __init__(self, form: Ssa) -> None:
        self._form = form
        nodes = form.flow.nodes
        edges = tuple(() if node.latch_of is not None else node.successors for node in nodes)
        self._parents = dominators.tree(edges, START).parents
        self._at: dict[int, tuple[Guard, ...]] = {}

    def at(self, number: int) -> tuple[Guard, ...]:
        """Return what holds when a work-item runs a node."""
        path = []
        above: int | None = number
        while above is not None and above not in self._at:
            path.append(above)
            above = self._parents[above]
        found = self._at[above] if above is not None else ()
        for node in reversed(path):
            parent = self._parents[node]
            if parent is not None and self._form.flow.nodes[node].predecessors == (parent,):
                found = (*found, *self.on(parent, node))
            self._at[node] = found
        return found

    def on(self, source: int, target: int) -> tuple[Guard, ...]:
        """Return what the branch at the end of `source` says about its edge to `target`."""
        condition = self._form.conditions.get(source)
        successors = self._form.flow.nodes[source].successors
        if condition is None or len(successors) != 2:
            return ()
        return tuple(_guards(condition, target == successors[1]))


def _guards(condition: Value, holds: bool) -> Iterator[Guard]:
    """Yield what follows from a condition that holds, or does not."""
    if not isinstance(condition, Op):
        return
    row, args = condition.ins.row, condition.args
    match row.name:
        case "and_b1" | "or_b1":
            if holds == (row.stem == "and"):
                for arg in args:
                    yield from _guards(arg, holds)
            return
        case "not_b1":
            yield from _guards(args[0], not holds)
            return
    stem, _, relation = row.stem.partition("_")
    operand = row.srcs[0].type if row.srcs else None
    if stem != "cmp" or relation not in _OPPOSITE or operand is None:
        return
    if operand.is_float or operand.bits < 32:
        return
    relation = relation if holds else _OPPOSITE[relation]
    if relation != "ne":
        yield Guard(args[0], relation, args[1], operand)
        yield Guard(args[1], _MIRRORED[relation], args[0], operand)
