"""Kernels whose lanes get their next work-items while others are still in a loop.

Where lanes leave a loop in different iterations, a warp takes as long as its slowest lane. If most
of the time is in such a loop, lanes that have left it can end their work-items and begin others
beside those that are still in it. The kernel then has a loop around it: lanes that return wait at
its header for another work-item. What a work-item has computed before the inner loop, and needs
later, is in phis of that loop's header, where lanes keep it while others begin.

No order of work-items may show, and a trap is found by running them in their order once more: so
nothing that a work-item loads may be stored by another one (`must_be_apart`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from ...isa.instruction import Instruction
from ...isa.program import Kernel
from ...isa.table import Flags
from ...isa.types import RegClass, Segment
from .facts import Facts
from .flow import order
from .flow.order import START, Flow, Loop, Node, Refill
from .lanes.lane_plan import LONG, LONG_UNITS, LanePlan
from .values import construction
from .values.ssa import Op
from .warps.uniformity import Shapes
from .workgroup_steps import Apart, must_be_apart

USUAL = 32
MOST = 64
"""Lanes of a warp whose lanes get work-items one by one, `MOST` if the usual code has as many."""

CHUNK = 16
"""Lanes of a vector of such a warp."""

MOST_INSTRUCTIONS = 100
"""Instructions of such a kernel: it is written twice."""

MOST_ACCESSES = 8
"""Accesses to memory of such a kernel: lanes are not neighbours in this code."""

GATHER = 3
"""Instructions that an element of a gather counts as: some are not in the first cache."""

TOGETHER = 1
"""The lanes from which on the loop runs for all of them: none runs alone."""

IDENTITIES = frozenset({"workitemabsid", "workgroupsize", "gridsize", "gridgroups"})
"""What such a kernel may know of a work-item's place."""

SEGMENTS = frozenset({Segment.GLOBAL, Segment.KERNARG, Segment.READONLY, None})


@dataclass(frozen=True)
class Refilled:
    """The kernel with a loop around it, and what must hold for a launch."""

    shapes: Shapes
    plan: LanePlan
    apart: Apart
    iteration: int
    """What an iteration of the inner loop costs a warp, in instructions of vectors."""
    around: int
    """What the code around it costs a warp."""


def refilled(kernel: Kernel, shapes: Shapes, plan: LanePlan) -> Refilled | None:
    """Return a kernel whose lanes get work-items one by one; None if that is not worth trying.

    `shapes` and `plan` are those of its usual code.
    """
    facts, flow = shapes.facts, shapes.flow
    if facts.counts or plan.sparse or kernel.group_size or kernel.private_size:
        return None
    if facts.width < USUAL:  # What the loop carries does not fit into registers.
        return None
    if len(flow.loops) != 1 or not all(_is_simple(ins) for ins in kernel.instructions):
        return None
    (loop,) = flow.loops
    ops = [op for ops in shapes.ssa.ops.values() for op in ops]
    accesses = [op for op in ops if op.ins.row.segment in (Segment.GLOBAL, Segment.READONLY)]
    if len(ops) > MOST_INSTRUCTIONS or len(accesses) > MOST_ACCESSES:
        return None
    if loop.number not in shapes.divergent_loops or loop.is_merged or not flow.has_one_entry(loop):
        return None
    if any(op.node in loop.nodes and not _is_scattered(op, shapes) for op in accesses):
        return None
    apart = must_be_apart(shapes)
    around = None if apart is None else _with_loop_around(flow, loop)
    if apart is None or around is None:
        return None
    form = construction.build(kernel.instructions, around)
    width = MOST if facts.width >= MOST and facts.chunk == CHUNK else USUAL
    lanes = Facts(
        width, facts.group_size, facts.whole, facts.poison, few_groups=facts.few_groups,
        refills=True, together_from=TOGETHER, chunk=facts.chunk,
    )  # fmt: skip
    new = Shapes(form, lanes)
    assert around.refill is not None
    inner = around.loops[around.refill.loop].nodes
    costs = {n: sum(_cost(op, width) for op in ops) for n, ops in form.ops.items()}
    return Refilled(
        new,
        LanePlan(new),
        apart,
        sum(cost for n, cost in costs.items() if n in inner),
        sum(cost for n, cost in costs.items() if n not in inner),
    )


def _is_simple(ins: Instruction) -> bool:
    """Return whether lanes may do an instruction for any work-items, in any order."""
    row = ins.row
    if row.is_identity and row.stem not in IDENTITIES:
        return False
    if row.is_atomic or row.is_barrier or Flags.CROSS_LANE in row.flags or row.stem == "clock":
        return False
    return row.segment in SEGMENTS


def _is_scattered(op: Op, shapes: Shapes) -> bool:
    """Return whether an access gathers in any case."""
    if op.ins.row.is_store or op.base is None:
        return False
    return shapes.stride(op.base) is None and shapes.piece_stride(op.base) is None


def _cost(op: Op, width: int) -> int:
    """Return how many instructions an op is for a warp of `width` lanes, roughly."""
    row = op.ins.row
    wide = op.cls is RegClass.D or any(a.cls is RegClass.D for a in op.args)
    vectors = width // (CHUNK // 2 if wide else CHUNK)
    if row.segment is Segment.KERNARG:
        return 0
    if row.is_memory:
        return GATHER * width
    return vectors * (LONG if row.unit in LONG_UNITS else 1)


def _with_loop_around(flow: Flow, loop: Loop) -> Flow | None:
    """Return a flow in which lanes that return begin anew; None if that has other loops."""
    nodes = [replace(node) for node in flow.nodes if node.latch_of is None]
    if [node.number for node in nodes] != list(range(len(nodes))):
        return None
    returns = [node for node in nodes if node.last is not None and node.last.row.stem == "ret"]
    if not returns or any(n.last is not None and n.last.row.stem == "trap" for n in nodes):
        return None
    (first,) = nodes[START].successors
    again, end, start = len(nodes), len(nodes) + 1, nodes[first].start
    before = (START, *(node.number for node in returns))
    nodes.append(Node(again, start, start, None, (first, end), before))
    nodes.append(Node(end, start, start, returns[0].last, (), (again,)))
    nodes[START] = replace(nodes[START], successors=(again,))
    for node in returns:
        nodes[node.number] = replace(node, successors=(again,))
    others = tuple(n for n in nodes[first].predecessors if n != START)
    nodes[first] = replace(nodes[first], predecessors=(again, *others))
    found = order.arrange(nodes)
    match sorted(found.loops, key=lambda other: other.parent is not None):
        case [outer, inner] if outer.header == again and inner.header == loop.header:
            found.refill = Refill(again, outer.latch, inner.number, inner.header, inner.latch)
            return found
    return None
