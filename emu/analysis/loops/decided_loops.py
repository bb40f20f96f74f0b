"""Short loops whose counters decide what they do, which have copies of their nodes by iteration.

`for (k = 0; k < 3; k++) { word = k == 0 ? first[i] : k == 1 ? second[i] : last; ... }` is straight
code in copies. What it computes stays where it is, where a loop that is not unrolled would move it
to where the next iteration looks for it. LLVM unrolls other loops: those without loops in them, and
without accesses, which have tests.
"""

from __future__ import annotations

from collections.abc import Sequence

from ....isa.instruction import Imm, Instruction
from ....isa.types import Segment
from ..flow.order import Flow, Loop, Node
from .copies import copies_of

MOST_ITERATIONS = 8
"""Iterations of such a loop."""

MOST_INSTRUCTIONS = 320
"""Instructions of a kernel with the copies, without those that compute constants."""


def decided(code: Sequence[Instruction], flow: Flow, tables: bytes) -> list[Node] | None:
    """Return the nodes of a kernel in which counters of short loops decide; None without.

    These are branches and selects. All short loops of such a kernel are copied in which no access
    of shared memory is in more than one copy, and those that decide if they have few such accesses.
    `flow` is that of the source, without merged loops, and `tables` are its readonly data.
    """
    counted = {loop.number for loop in flow.loops if _compares(code, flow, loop, leaves=True)}
    deciding = {
        loop.number
        for loop in flow.loops
        if loop.number in counted
        and _is_kept(code, flow, loop)
        and (_compares(code, flow, loop, leaves=False) or _selects(code, flow, loop))
    }
    if not deciding:
        return None
    most, size = MOST_ITERATIONS, MOST_INSTRUCTIONS
    copies = copies_of(code, flow, counted, most, size, tables=tables, deciding=deciding)
    return None if copies is None or not copies.decide() else copies.nodes()


def _is_kept(code: Sequence[Instruction], flow: Flow, loop: Loop) -> bool:
    """Return whether LLVM does not unroll a loop."""
    nodes = [flow.nodes[number] for number in loop.nodes]
    return not flow.is_innermost(loop) or any(
        ins.row.is_memory and ins.row.segment is not Segment.KERNARG
        for node in nodes
        for ins in code[node.start : node.stop]
    )


def _compares(code: Sequence[Instruction], flow: Flow, loop: Loop, *, leaves: bool) -> bool:
    """Return whether a loop without barriers has a branch on a comparison with a constant.

    The branch `leaves` the loop, or does not.
    """
    nodes = [flow.nodes[number] for number in loop.nodes]
    if any(node.last is not None and node.last.row.is_barrier for node in nodes):
        return False
    for node in nodes:
        if node.last is None or len(node.successors) < 2:
            continue
        ways = [flow.route(node.number, successor) for successor in node.successors]
        if loop.nodes.issuperset(ways) != leaves and any(
            node.last.srcs[0] in ins.writes() and isinstance(ins.srcs[-1], Imm)
            for ins in code[node.start : node.stop]
        ):
            return True
    return False


def _selects(code: Sequence[Instruction], flow: Flow, loop: Loop) -> bool:
    """Return whether a loop selects by a comparison with a constant."""
    compared: set[object] = set()
    for number in sorted(loop.nodes):
        node = flow.nodes[number]
        for ins in code[node.start : node.stop]:
            if ins.row.stem == "select" and ins.srcs[0] in compared:
                return True
            compared.difference_update(ins.writes())
            if ins.row.stem.startswith("cmp_") and isinstance(ins.srcs[-1], Imm):
                compared.update(ins.writes())
    return False
