"""Comparisons that hold wherever a node runs, from the branches that lead to it."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from ....asm.flow import dominators
from ....isa.types import Type
from ..flow.order import START
from ..values.ssa import Op, Ssa, Value

_OPPOSITE = {"lt": "ge", "ge": "lt", "gt": "le", "le": "gt", "eq": "ne", "ne": "eq"}
_MIRRORED = {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le", "eq": "eq"}


@dataclass(frozen=True)
class Guard:
    """`value` has a `relation` (lt le gt ge eq) to `other`, as numbers of an integer type."""

    value: Value
    relation: str
    other: Value
    type: Type


MOST_PARTS = 64
"""Parts of a condition that are looked at."""


class Guards:
    """The guards of the nodes and edges of a kernel."""

    def __init__(self, form: Ssa) -> None:
        self._form = form
        nodes = form.flow.nodes
        edges = tuple(() if node.latch_of is not None else node.successors for node in nodes)
        self.tree = dominators.tree(edges, START)
        """The dominators of nodes, where backward edges end at their latch."""
        self._at: dict[int, tuple[Guard, ...]] = {}

    def at(self, number: int) -> tuple[Guard, ...]:
        """Return what holds when a work-item runs a node."""
        path = []
        above: int | None = number
        while above is not None and above not in self._at:
            path.append(above)
            above = self.tree.parents[above]
        found = self._at[above] if above is not None else ()
        for node in reversed(path):
            parent = self.tree.parents[node]
            if parent is not None and self._form.flow.nodes[node].predecessors == (parent,):
                found = (*found, *self.on(parent, node))
            self._at[node] = found
        return found

    def on(self, source: int, target: int) -> tuple[Guard, ...]:
        """Return what follows from the branch at the end of `source` on its edge to `target`."""
        condition = self._form.conditions.get(source)
        successors = self._form.flow.nodes[source].successors
        if condition is None or len(successors) != 2:
            return ()
        return tuple(_guards(condition, target == successors[1]))


def _guards(condition: Value, holds: bool) -> Iterator[Guard]:
    """Yield what follows from a condition that holds, or does not."""
    work = deque([(condition, holds)])
    seen = set(work)
    while work and len(seen) <= MOST_PARTS:
        value, holds = work.popleft()
        if not isinstance(value, Op):
            continue
        name = value.ins.row.name
        if name == "not_b1":
            parts = [(value.args[0], not holds)]
        elif name == ("and_b1" if holds else "or_b1"):
            parts = [(arg, holds) for arg in value.args]
        else:
            yield from _comparison(value, holds)
            continue
        new = [part for part in parts if part not in seen]
        seen.update(new)
        work += new


def _comparison(op: Op, holds: bool) -> tuple[Guard, ...]:
    """Return what follows for both operands of a comparison of integers of 32 bits or more."""
    row = op.ins.row
    stem, _, relation = row.stem.partition("_")
    operand = row.srcs[0].type if row.srcs else None
    if stem != "cmp" or relation not in _OPPOSITE or operand is None:
        return ()
    relation = relation if holds else _OPPOSITE[relation]
    if operand.is_float or operand.bits < 32 or relation == "ne":
        return ()
    a, b = op.args
    return Guard(a, relation, b, operand), Guard(b, _MIRRORED[relation], a, operand)
