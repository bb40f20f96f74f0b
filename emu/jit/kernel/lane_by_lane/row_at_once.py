"""Rows of which a lane alone takes many elements at once, by LLVM's vectors of iterations."""

from __future__ import annotations

from .....isa.types import Segment
from ....analysis.lanes.row_results import gathers_row
from ....analysis.values.ssa import Ssa
from ...llvm.toolchain import host_has
from ..loops.hoisted import Hoisted


def takes_row_at_once(ssa: Ssa, hoisted: Hoisted) -> bool:
    """Return whether LLVM can vectorise the version of a lane's loop that tests nothing.

    All loads are of one place or of neighbours, one after the other. The host has masks for
    vectors of all elements.
    """
    loop, counter = hoisted.loop, hoisted.counter
    if not host_has("avx512bw") or counter is None or not hoisted.is_charged:
        return False
    if counter.step != 1 or counter.relation != "lt" or not hoisted.steps():
        return False
    loads = [op for n in loop.nodes for op in ssa.ops.get(n, ()) if op.ins.row.is_memory]
    return all(
        op in hoisted.certain
        and op.ins.row.segment is Segment.GLOBAL
        and hoisted.lines[op].step in (0, op.element.size)
        for op in loads
    ) and gathers_row(ssa, loop)
