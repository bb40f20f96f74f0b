"""Workgroups that run as one warp, and kernels that gain by it.

A barrier is nothing then, values stay in registers, and LLVM knows which lanes run. It does not pay
where lanes all do the same between barriers: so many lanes need more registers than there are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import prod

from ....isa.program import Kernel
from ....isa.types import Segment
from ..analysis import analyse
from ..facts import Facts
from ..flow.order import Node
from ..group_memory.forwarded import forwarded
from ..lanes.running import Walk, has_known_lanes
from ..ranges.offset_ranges import Ranges
from ..values.ssa import Op, Phi, live_out
from ..warps.uniformity import Shapes
from .columns import goes_down_columns
from .registers import inner_loops, is_vector, lane_step
from .straight import compares_scalars
from .width import NARROW_CHUNK, USUAL, WIDE

MOST_LANES = 1024
"""Lanes of a workgroup that is run as one warp."""

MANY_LANES = 256
"""Most lanes of a warp with loops that have no copy for each iteration."""

UNROLLED_VECTORS = 5800
"""Most vectors of 16 lanes in the iterations of a loop that are written one after the other."""

LONG_CHUNK_FROM = 1024
"""Lanes of a warp from which on a vector has twice the lanes, so that LLVM has half the work."""

VECTOR = 16
"""Lanes of a vector register of 32-bit elements."""

MOST_VECTORS = 1500
"""Vectors that its instructions may have altogether: they take compile time."""

MOST_KEPT = 2_100
"""The same where warps that take turns would keep vectors in each iteration of a loop."""

MOST_WORDS = 300
"""Instructions of such a kernel."""


def one_warp_facts(
    kernel: Kernel, facts: Facts, gathers_fast: Callable[[], bool] = lambda: False
) -> Facts | None:
    """Return the facts of code that runs a workgroup as one warp, for kernels that gain by it.

    Those have barriers, and lanes that leave loops nearly together. Returns None for others, or
    the facts of warps of 64 lanes if that is known to be better.
    `gathers_fast` says whether gathers are faster on this host than shuffles of many rows.
    """
    items = prod(facts.group_size)
    lanes = _filled_up(items)
    chunk = NARROW_CHUNK if lanes >= LONG_CHUNK_FROM else facts.chunk
    if (
        not any(ins.row.is_barrier for ins in kernel.instructions)
        or lanes % WIDE
        or lanes > MOST_LANES
        or (lanes > items and facts.whole)
        or len(kernel.words) > MOST_WORDS
    ):
        return None
    wide = replace(facts, width=lanes, chunk=chunk, one_warp=True)
    shapes = analyse(kernel).shapes(wide)
    if lanes > items and not _waits_in_all_loops(shapes):
        # What lanes compute between barriers takes longer than these.
        return None
    walk = Walk(shapes, Ranges(shapes).trips) if has_known_lanes(shapes) else None
    if (
        is_long(kernel, wide)
        and not (walk is not None and walk.copied and walk.vectors <= MOST_VECTORS)
        and not (
            lanes <= MANY_LANES and _vectors(kernel, wide) <= MOST_KEPT and _keeps_vectors(shapes)
        )
    ):
        return None
    if lanes <= MANY_LANES and forwarded(shapes, kernel.group_size, chunk).unread:
        # Nothing is in memory that has to wait for a store.
        return wide
    down = bool(wide.piece) and goes_down_columns(shapes)
    if down and shapes.flow.loops and lanes > WIDE and gathers_fast():
        down = False
    if wide.piece and not shapes.flow.loops and (lanes > MANY_LANES or not down):
        return None
    if not all(_is_left_in_order(shapes, n) for n in shapes.divergent_loops):
        return None
    if _repeats_long(shapes):
        return None
    if lanes > WIDE and _sorts_out(shapes):
        # Fewer lanes pass by more of it, and what they add up has registers.
        return replace(facts, width=WIDE)
    if _is_alike(shapes):
        # Warps of fewer lanes have values in registers, and barriers cost them little.
        return None
    if (shapes.divergent_loops or wide.piece) and facts.rows and not down:
        if not analyse(kernel).shapes(facts).divergent_loops and not (
            lanes <= MANY_LANES and _keeps_vectors(shapes)
        ):
            # Each warp is a row, and leaves its loops at once.
            return None
    copied = walk.copied if walk is not None else ()
    if lanes > WIDE and any(
        _scatters(shapes, n) for n in range(len(shapes.flow.loops)) if n not in copied
    ):
        # As many vectors of places and words as these have do not fit into registers.
        return None
    if lanes > MANY_LANES and any(loop.number not in copied for loop in shapes.flow.loops):
        return None
    return wide


def _filled_up(items: int) -> int:
    """Return the lanes of a warp that has all work-items of a workgroup.

    A multiple of `WIDE` with lanes that do not exist, if warps of `USUAL` lanes that take turns
    have as many of these.
    """
    lanes = -(-items // USUAL) * USUAL
    return items if lanes % WIDE else lanes


def is_long(kernel: Kernel, facts: Facts) -> bool:
    """Return whether a workgroup that is one warp has more vectors than most such kernels."""
    return facts.one_warp and _vectors(kernel, facts) > MOST_VECTORS


def _vectors(kernel: Kernel, facts: Facts) -> int:
    """Return how many vectors the instructions of a kernel have altogether."""
    return len(kernel.words) * facts.width // facts.chunk


def _keeps_vectors(shapes: Shapes) -> bool:
    """Return whether warps that take turns would keep vectors in frames in each iteration.

    Such are the planes before and after the one in group memory, in a loop without another inside.
    """
    flow, live = shapes.flow, live_out(shapes.ssa)
    parents = {loop.parent for loop in flow.loops}
    inner = {n for loop in flow.loops if loop.number not in parents for n in loop.nodes}
    return any(
        is_vector(shapes, value)
        for node in flow.nodes
        if node.last is not None and node.last.row.is_barrier and node.number in inner
        for value in live[node.number]
        if isinstance(value, (Op, Phi))
    )


def _sorts_out(shapes: Shapes) -> bool:
    """Return whether data decide what lanes do in a loop without barriers, as in a filter."""
    flow, ssa = shapes.flow, shapes.ssa
    divergent = ssa.conditions.keys() - shapes.uniform_branches()
    return any(
        loop.nodes.issuperset(flow.route(node, to) for to in flow.nodes[node].successors)
        and not (isinstance(op := ssa.conditions[node], Op) and compares_scalars(shapes, op))
        for loop in inner_loops(shapes)
        if not any(_ends_at_barrier(flow.nodes[node]) for node in loop.nodes)
        for node in loop.nodes & divergent
    )


def _repeats_long(shapes: Shapes) -> bool:
    """Return whether lanes leave a loop with another one inside in turn, and none has a barrier.

    Its last iteration is for few lanes, as at the end of a halo: warps without any pass it by. In
    workgroups of two dimensions each warp has some.
    """
    flow = shapes.flow
    if not shapes.facts.rows or any(
        _ends_at_barrier(flow.nodes[n]) for loop in flow.loops for n in loop.nodes
    ):
        return False
    parents = {loop.parent for loop in flow.loops}
    return any(n in parents for n in shapes.divergent_loops)


def _waits_in_all_loops(shapes: Shapes) -> bool:
    """Return whether each inner loop has a barrier, and whether there is one."""
    nodes = shapes.flow.nodes
    waits = [any(_ends_at_barrier(nodes[n]) for n in loop.nodes) for loop in inner_loops(shapes)]
    return bool(waits) and all(waits)


def _ends_at_barrier(node: Node) -> bool:
    return node.last is not None and node.last.row.is_barrier


def _is_alike(shapes: Shapes) -> bool:
    """Return whether all lanes do the same between barriers, and no loop has a barrier.

    There is nothing to know then about which lanes run, and no barrier that a longer warp saves.
    Without a loop, that is code with one barrier, and neighbours in group memory.
    """
    flow, size = shapes.flow, shapes.facts.group_size[0]
    inside = {number for loop in flow.loops for number in loop.nodes}
    barriers = {n.number for n in flow.nodes if _ends_at_barrier(n)}
    if not shapes.facts.whole or size % WIDE or inside & barriers:
        return False
    if inside:
        return inside.isdisjoint(shapes.ssa.conditions.keys() - shapes.uniform_branches())
    return len(barriers) == 1 and all(
        op.base is None or shapes.stride(op.base) in (0, op.ins.row.type.size)
        for ops in shapes.ssa.ops.values()
        for op in ops
        if op.ins.row.is_memory
        and op.ins.row.segment is Segment.GROUP
        and op.ins.row.type is not None
    )


def _scatters(shapes: Shapes, number: int) -> bool:
    """Return whether a loop with a barrier mostly accesses group memory without a step."""
    nodes = shapes.flow.loops[number].nodes
    lasts = (shapes.flow.nodes[node].last for node in nodes)
    if not any(last is not None and last.row.is_barrier for last in lasts):
        return False
    accesses = [
        op
        for node in nodes
        for op in shapes.ssa.ops.get(node, ())
        if op.ins.row.is_memory and op.ins.row.segment is Segment.GROUP
    ]
    scattered = [
        op for op in accesses if op.base is not None and lane_step(shapes, op.base) is None
    ]
    return 2 * len(scattered) > len(accesses)


def _is_left_in_order(shapes: Shapes, number: int) -> bool:
    """Return whether lanes leave a loop by comparisons of what steps from lane to lane.

    They then leave it together but for the last iteration or two.
    """
    loop = shapes.flow.loops[number]
    for node in loop.nodes & shapes.ssa.conditions.keys():
        leaves = any(
            shapes.flow.route(node, s) not in loop.nodes for s in shapes.flow.nodes[node].successors
        )
        condition = shapes.ssa.conditions[node]
        if (
            leaves
            and not shapes.is_uniform(condition)
            and not (isinstance(condition, Op) and compares_scalars(shapes, condition))
        ):
            return False
    return True


def may_unroll(ops: int, facts: Facts) -> bool:
    """Return whether iterations with so many instructions may be written one after the other."""
    return ops * facts.width // VECTOR <= UNROLLED_VECTORS
