"""Loads whose place the same lanes may store to next: updates, as of a sorting network.

Such a load may be entered as a store at once, and the store then needs no entry of its own. That is
stricter than need be: a lane that does not store seems to have stored.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..flow.order import Flow
from ..values.numbering import Numbering, numbering_of
from ..values.ssa import Op, Ssa


def updates_of(ssa: Ssa, flow: Flow, watched: Mapping[int, int | None]) -> dict[Op, Op]:
    """Return the load before each watched store to its place that has one.

    No barrier, join or loop lies between them: all lanes that store have loaded just before.
    """
    found: dict[Op, Op] = {}
    ops = [op for n in flow.order for op in ssa.ops.get(n, ()) if op.pc in watched]
    shared = numbering_of(ssa)
    for op in ops:
        if op.ins.row.is_store:
            before = _loads_before(op, ssa, flow)
            load = next((load for load in before if _is_same_place(load, op, shared)), None)
            if load is not None and watched.get(load.pc, -1) == watched[op.pc]:
                found[op] = load
    return found


def _loads_before(op: Op, ssa: Ssa, flow: Flow) -> list[Op]:
    """Return the loads that all lanes of an instruction have executed since they were together."""
    number, loads = op.node, list[Op]()
    here = ssa.ops.get(number, ())
    within = list(here)[: list(here).index(op)]
    while True:
        loads += [one for one in within if one.ins.row.is_load]
        before = flow.nodes[number].predecessors
        if len(before) != 1 or (before[0], number) in flow.back:
            return loads
        number = before[0]
        last = flow.nodes[number].last
        if last is not None and last.row.is_barrier:
            return loads
        within = list(ssa.ops.get(number, ()))


def _is_same_place(load: Op, store: Op, shared: Numbering) -> bool:
    a, b = load.ins, store.ins
    assert a.address is not None and b.address is not None
    assert a.row.type is not None and b.row.type is not None
    return (
        load.base is not None
        and store.base is not None
        and shared[load.base] == shared[store.base]
        and a.row.segment is b.row.segment
        and a.address.offset == b.address.offset
        and a.row.type.size == b.row.type.size
    )
