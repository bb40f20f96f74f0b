"""Watched accesses at one address, which are marked together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ......asm.flow import dominators
from ......isa.types import Segment
from .....analysis.counting.independence import Reliance
from .....analysis.flow.order import START
from .....analysis.values.numbering import Numbering, numbering_of
from .....analysis.values.ssa import Op
from ...lane_code import LaneCode
from ..addressing.addresses import Addresses
from ..addressing.forms import Form, plus

MOST_GROUPS = 8
"""Addresses of a kernel above which the code at the end of each warp is too long."""


@dataclass(frozen=True)
class Group:
    """The accesses at one address, of which the first one runs for all their lanes."""

    number: int
    param: int
    form: Form
    first: Op

    @property
    def touched(self) -> str:
        """The variable of the lanes that access it, bit l = lane l."""
        return f"touched{self.number}"

    @property
    def stored(self) -> str:
        """The variable of the lanes that store to it."""
        return f"stored{self.number}"

    @property
    def place(self) -> str:
        """The variable of the places, as numbers of the buffer's places."""
        return f"place{self.number}"


def groups_of(lanes: LaneCode, relied: Reliance, addresses: Addresses) -> dict[Op, Group] | None:
    """Return the group of each watched access; None if marks do not do."""
    flow, found, known = lanes.flow, dict[Op, Group](), dict[object, Group]()
    edges = tuple(node.successors for node in flow.nodes)
    parents, shared = dominators.tree(edges, START).parents, numbering_of(lanes.ssa)
    ops = [op for n in flow.order for op in lanes.ssa.ops.get(n, ()) if op.pc in relied.watched]
    for op in ops:
        param = relied.watched[op.pc]
        form = None if op.base is None else addresses.form(op.base)
        form = plus(form, Form(constant=op.address.offset))
        if (
            op.ins.row.segment is not Segment.GLOBAL
            or param is None
            or flow.loop_of[op.node] is not None
            or op.element.size != relied.unit
            or form is None
            or (form.index is not None and form.scale != relied.unit)
        ):
            return None
        key = param, _key(form, shared)
        group = known.get(key)
        if group is None or group.first.node not in _above(parents, op.node):
            group = known[key] = Group(len(known), param, form, op)
        found[op] = group
    return found if len({g.number for g in found.values()}) <= MOST_GROUPS else None


def _key(form: Form, shared: Numbering) -> object:
    """Return what forms share that are the same sum."""
    uniform: dict[object, int] = {}
    for value, factor in form.uniform:
        uniform[shared[value]] = uniform.get(shared[value], 0) + factor
    index = None if form.index is None else shared[form.index]
    return frozenset(uniform.items()), index, form.scale, form.signed, form.constant


def _above(parents: Sequence[int | None], node: int | None) -> Iterator[int]:
    while node is not None:
        yield node
        node = parents[node]
