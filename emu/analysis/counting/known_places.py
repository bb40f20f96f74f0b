"""Watched accesses whose places follow from the numbers of a launch.

Where neither the addresses of watched accesses nor the branches around them depend on memory, each
launch with the same numbers accesses the same places. A store may be under a condition on what was
loaded from its place: then each such load counts as a store (`Facts.strict`). If no places meet in
one launch, they do not in later ones with these numbers.
"""

from __future__ import annotations

from ....asm.flow.graph import reachable
from ....isa.types import Segment
from ..flow.postdominators import postdominators
from ..values.ssa import Op, Ssa, made_of
from ..warps.influence import Influence
from .independence import Reliance
from .updates import updates_of

_OF_LAUNCH = (Segment.KERNARG, Segment.READONLY)


def arguments_of_places(ssa: Ssa, relied: Reliance) -> tuple[slice, ...] | None:
    """Return the bytes of the arguments on which watched places depend; None if memory decides."""
    if relied.is_kept_to:
        return None
    flow = ssa.flow
    varying = _FromMemory(ssa).varying
    ops = [op for n in flow.order for op in ssa.ops.get(n, ()) if op.ins.row.is_memory]
    for op in ops:
        changes = op.ins.row.segment is Segment.GLOBAL and not op.ins.row.is_load
        if op.pc not in relied.watched and (changes or op.pc in relied.loads):
            return None  # it may be refused for another reason
    updates = updates_of(ssa, flow, relied.watched)
    entered = [op for op in ops if op.pc in relied.watched and op not in updates]
    if any(op.base in varying for op in entered):
        return None
    edges = {node.number: node.successors for node in flow.nodes}
    always = postdominators(flow)
    decided = {op.node for op in entered}
    for number, condition in ssa.conditions.items():
        if condition in varying:
            after = reachable(edges, edges[number], edges)
            if any(n in after and not always[number] >> n & 1 for n in decided):
                return None
    bases = [op.base for op in entered if op.base is not None]
    conditions = [c for c in ssa.conditions.values() if c not in varying]
    found = set[tuple[int, int]]()
    for value in made_of([*bases, *conditions]):
        if isinstance(value, Op) and value.ins.row.segment is Segment.KERNARG:
            address, type_ = value.ins.address, value.ins.row.type
            if address is None or type_ is None or address.base is not None:
                return (slice(None),)
            found.add((address.offset, address.offset + type_.size))
    return tuple(slice(*place) for place in sorted(found))


class _FromMemory(Influence):
    """The values that follow from what memory holds that launches may change."""

    def is_source(self, op: Op) -> bool:
        return op.ins.row.is_memory and op.ins.row.segment not in _OF_LAUNCH
