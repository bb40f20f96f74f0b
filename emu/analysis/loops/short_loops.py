"""Short inner loops that have a copy of their nodes for each iteration before any other analysis.

LLVM would unroll most of them, but only after all that is known about loops has been found.
"""

from __future__ import annotations

from collections.abc import Sequence

from ....isa.instruction import Instruction
from ....isa.table import Row
from ....isa.types import Segment
from ..flow.order import Flow, Loop
from ..values import construction
from .record_loops import loads_records
from .repeated_loads import repeats_loads
from .row_loops import loads_neighbours

MOST_ITERATIONS = 8
"""Iterations of such a loop."""

MOST_INSTRUCTIONS = 16
"""Instructions of an iteration."""


def short_loops(code: tuple[Instruction, ...], flow: Flow) -> tuple[set[int], set[int]]:
    """Return the numbers of loops that gain by copies: over fields of records, or in other loops.

    The second ones are along rows. How often they repeat is not looked at.
    """
    loops = [loop for loop in flow.loops if _is_short(code, flow, loop)]
    if not loops:
        return set(), set()
    ssa = construction.build(code, flow)
    along = {loop.number for loop in loops if loads_neighbours(ssa, loop)}
    others = (loop for loop in loops if loads_records(ssa, loop) or repeats_loads(ssa, loop))
    return along | {loop.number for loop in others}, along


def _is_short(code: Sequence[Instruction], flow: Flow, loop: Loop) -> bool:
    """Return whether an inner loop is short, and accesses global memory without atomics."""
    if any(other.parent == loop.number for other in flow.loops):
        return False
    nodes = [flow.nodes[n] for n in loop.nodes]
    inside = [ins for node in nodes for ins in code[node.start : node.stop]]
    accesses = [ins.row for ins in inside if ins.row.is_memory]
    return (
        len(inside) <= MOST_INSTRUCTIONS
        and any(row.segment is Segment.GLOBAL for row in accesses)
        and all(map(_is_plain, accesses))
        and not any(ins.row.is_barrier for ins in inside)
    )


def _is_plain(row: Row) -> bool:
    """Return whether an instruction loads what lanes may share, or stores to global memory."""
    if row.is_store:
        return row.segment is Segment.GLOBAL
    return row.is_load and row.segment is not Segment.PRIVATE
