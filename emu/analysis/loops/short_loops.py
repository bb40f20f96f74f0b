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

MOST_ONCE = 40
"""The same for a loop along a row that is in no other one, whose copies are straight code."""

MOST_AROUND = 24
"""Instructions of an iteration of a loop around one along a row, that one's iteration included."""


def short_loops(code: tuple[Instruction, ...], flow: Flow) -> tuple[set[int], set[int]]:
    """Return the numbers of loops that gain by copies: over fields of records, or in other loops.

    The second ones are along rows. Loops of such rows have copies as well where a third loop loads
    the same rows again, as those around each pixel. How often they repeat is not looked at.
    """
    loops = [loop for loop in flow.loops if _is_short(code, flow, loop, MOST_INSTRUCTIONS)]
    only = [
        loop
        for loop in flow.loops
        if loop.parent is None and _is_short(code, flow, loop, MOST_ONCE)
    ]
    if not (loops or only):
        return set(), set()
    ssa = construction.build(code, flow)
    along = {loop.number for loop in (*loops, *only) if loads_neighbours(ssa, loop)}
    others = [loop for loop in loops if loads_records(ssa, loop) or repeats_loads(ssa, loop)]
    around = {flow.loops[number].parent for number in along}
    others += (
        loop
        for loop in flow.loops
        if loop.number in around and _is_of_rows(code, flow, loop) and repeats_loads(ssa, loop)
    )
    return along | {loop.number for loop in others}, along


def _is_short(code: Sequence[Instruction], flow: Flow, loop: Loop, most: int) -> bool:
    """Return whether an inner loop is short, and accesses global memory without atomics."""
    is_inner = flow.is_innermost(loop)
    return is_inner and _has_few(code, flow, loop, most)


def _is_of_rows(code: Sequence[Instruction], flow: Flow, loop: Loop) -> bool:
    """Return whether a loop is short that has one loop in it."""
    inner = [other for other in flow.loops if other.nodes < loop.nodes]
    return len(inner) == 1 and _has_few(code, flow, loop, MOST_AROUND)


def _has_few(code: Sequence[Instruction], flow: Flow, loop: Loop, most: int) -> bool:
    """Return whether a loop has few instructions, and accesses global memory without atomics."""
    nodes = [flow.nodes[n] for n in loop.nodes]
    inside = [ins for node in nodes for ins in code[node.start : node.stop]]
    accesses = [ins.row for ins in inside if ins.row.is_memory]
    return (
        len(inside) <= most
        and any(row.segment is Segment.GLOBAL for row in accesses)
        and all(map(_is_plain, accesses))
        and not any(ins.row.is_barrier for ins in inside)
    )


def _is_plain(row: Row) -> bool:
    """Return whether an instruction loads what lanes may share, or stores to global memory."""
    if row.is_store:
        return row.segment is Segment.GLOBAL
    return row.is_load and row.segment is not Segment.PRIVATE
