"""Short loops over the fields of records, which have a copy of their nodes for each iteration.

`for (k = 0; k < 4; k++) sum += a[4 * column + k] * ...` loads four neighbouring words of a record
that each lane has elsewhere. In copies these are accesses at one base with constant offsets, in one
node: fields of a record, which are loaded wide or gathered in pairs. A lane that runs alone has no
counter.
"""

from __future__ import annotations

from functools import partial

from ....isa.types import Segment
from ..flow.order import Loop
from ..values.ssa import Op, Phi, Ssa, Value
from .growth import growth, of_iteration, of_lane

MOST_VALUES = 64
"""Values of which an address is made that are looked at."""

MOST_APART = 16
"""Elements from one lane's record to the next one's, if that is known."""

WORD = 4
"""Bytes of an element: two of them are one element of a gather."""


def loads_records(ssa: Ssa, loop: Loop) -> bool:
    """Return whether a loop loads words that follow each other from a record of each lane.

    It accesses global memory only.
    """
    ops = [op for number in loop.nodes for op in ssa.ops.get(number, ()) if op.ins.row.is_memory]
    if any(op.ins.row.segment is not Segment.GLOBAL for op in ops):
        return False
    for number in loop.nodes:
        for op in ssa.ops.get(number, ()):
            type_, base = op.ins.row.type, op.base
            if base is None or type_ is None or type_.size != WORD or op.ins.row.is_atomic:
                continue
            if growth(base, partial(of_iteration, loop)) != WORD:
                continue
            apart = growth(base, partial(of_lane, ssa)) or 0
            if WORD < apart <= WORD * MOST_APART or (op.ins.row.is_load and _is_loaded(base, loop)):
                return True
    return False


def _is_loaded(value: Value, loop: Loop) -> bool:
    """Return whether a value is made of one that was loaded from memory before a loop."""
    seen, found = {value}, [value]
    while found and len(seen) < MOST_VALUES:
        latest = found.pop()
        if isinstance(latest, Op):
            row = latest.ins.row
            if row.is_memory and row.segment is not Segment.KERNARG:
                return latest.node not in loop.nodes
            args = latest.args
        elif isinstance(latest, Phi):
            args = list(latest.args.values())
        else:
            continue
        found += [arg for arg in args if arg not in seen]
        seen.update(args)
    return False
