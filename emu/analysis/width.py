"""The width of native code's warps and vectors, where results do not depend on it.

Most kernels do best at 32 lanes in vectors of 16. Twice the lanes are twice the independent work,
which hides the latency of instructions, and half the overhead of a warp. They pay where masks are
few and registers suffice: in loops that all lanes leave together, in code without loops and with
one branch at most, and in loops on bytes. All accesses must be wide or of one place, known
beforehand; loops that all lanes leave together may gather as well, since twice the loads are under
way then. Work that is all on narrow lanes takes vectors of 32, so that bytes and 16-bit numbers
fill registers.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import accumulate
from math import prod

from ...isa.program import Kernel
from ...isa.types import B1, RegClass, Segment
from ..recent import Recent
from .analysis import analyse
from .facts import Facts
from .lanes.narrow import NarrowLanes
from .order import Loop
from .ranges.offset_ranges import Ranges
from .ssa import Const, Op, Phi, Value
from .uniformity import Shapes

USUAL = 32
WIDE = 64

NARROW_CHUNK = 32
"""Lanes of a vector in kernels whose work is in lanes of 8 and 16 bits."""

BYTE_CHUNK = 64
"""Lanes of a vector in kernels whose work is in lanes of 8 bits alone."""

MOST_LIVE = 7
"""Values in vectors at a time, in 64 lanes without a loop: each takes four registers of 32."""

MUCH = 8
"""Computing instructions for each such value, from which on more of them do no harm."""

MOST_GATHERS = 2
"""Gathers in loops of 64 lanes: each has the code of four vectors, on two sides or three."""

LEAST_WARPS = 4
"""Warps of 64 lanes of a row with edges. In fewer, half of the lanes or more are in such warps."""

MOST_PARTS = 64
"""Comparisons of one condition that are looked at."""

MOST_STRAIGHT = 300
"""Instructions without a loop from which on compile time, twice as long, counts more."""


def best_facts(kernel: Kernel, facts: Facts, narrow: bool) -> Facts:
    """Return the facts with the best width and chunk, given those with warps of the usual width.

    `narrow` says whether the CPU compares bytes and 16-bit numbers into masks.
    """
    if prod(facts.group_size) % WIDE:
        return facts
    key = (kernel.words, facts.group_size, facts.whole, facts.few_groups, narrow)
    found = _FOUND.find(key)
    if found is None:
        wide = replace(facts, width=WIDE)
        chosen = _choose(analyse(kernel).shapes(wide), facts.chunk, narrow)
        found = _FOUND.keep(key, chosen if wide.rows == facts.rows else (USUAL, facts.chunk))
    width, chunk = found
    return replace(facts, width=width, chunk=chunk)


MOST_LANES = 1024
"""Lanes of a workgroup that is run as one warp."""

MANY_LANES = 256
"""Lanes of a warp from which on loops must be unrolled, so that LLVM knows which lanes run."""

UNROLLED_VECTORS = 5800
"""Most vectors of 16 lanes in the iterations of a loop that are written one after the other."""

LONG_CHUNK_FROM = 1024
"""Lanes of a warp from which on a vector has twice the lanes, so that LLVM has half the work."""

VECTOR = 16
"""Lanes of a vector register of 32-bit elements."""

MOST_VECTORS = 1500
"""Vectors that its instructions may have altogether: they take compile time."""


def one_warp_facts(kernel: Kernel, facts: Facts) -> Facts | None:
    """Return the facts of code that runs a workgroup as one warp, for kernels that gain by it.

    Those have barriers, and lanes that leave loops nearly together. Returns None for others.
    """
    lanes = prod(facts.group_size)
    chunk = NARROW_CHUNK if lanes >= LONG_CHUNK_FROM else facts.chunk
    if (
        not any(ins.row.is_barrier for ins in kernel.instructions)
        or lanes % WIDE
        or lanes > MOST_LANES
        or len(kernel.words) * lanes // chunk > MOST_VECTORS
    ):
        return None
    wide = replace(facts, width=lanes, chunk=chunk, one_warp=True)
    shapes = analyse(kernel).shapes(wide)
    if wide.piece and not shapes.flow.loops and not _goes_down_columns(shapes):
        return None
    if not all(_is_left_in_order(shapes, n) for n in shapes.divergent_loops):
        return None
    if shapes.divergent_loops and facts.rows and not analyse(kernel).shapes(facts).divergent_loops:
        # Each warp is a row, and leaves its loops at once.
        return None
    if lanes > MANY_LANES and not all(_is_unrolled(shapes, loop) for loop in shapes.flow.loops):
        return None
    return wide


def _goes_down_columns(shapes: Shapes) -> bool:
    """Return whether lanes of a row access group memory in other steps than words, all known.

    The words of all rows then come out of few wide accesses.
    """
    for ops in shapes.ssa.ops.values():
        for op in ops:
            row, base = op.ins.row, op.base
            if not row.is_memory or row.segment is not Segment.GROUP or base is None:
                continue
            assert row.type is not None
            found = shapes.distances_of(base)
            if (
                found is not None
                and not found.multiples
                and shapes.piece_stride(base) not in (0, row.type.size)
            ):
                return True
    return False


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
            and not (isinstance(condition, Op) and _compares_scalars(shapes, condition))
        ):
            return False
    return True


def _is_unrolled(shapes: Shapes, loop: Loop) -> bool:
    """Return whether a loop's iterations are few, and their number is known."""
    trips = Ranges(shapes).trips.get(loop.number)
    if trips is None:
        return False
    ops = sum(len(shapes.ssa.ops.get(number, ())) for number in loop.nodes)
    if shapes.facts.width >= LONG_CHUNK_FROM and _carries_vectors(shapes, loop):
        return False
    return may_unroll((trips.returns + 1) * ops, shapes.facts)


def _carries_vectors(shapes: Shapes, loop: Loop) -> bool:
    """Return whether an iteration computes with vectors of the one before.

    In long warps these are more than there are registers, which takes LLVM long.
    """
    phis = {p for p in shapes.ssa.phis.get(loop.header, ()) if _is_vector(shapes, p)}
    return any(a in phis for n in loop.nodes for op in shapes.ssa.ops.get(n, ()) for a in op.args)


def may_unroll(ops: int, facts: Facts) -> bool:
    """Return whether iterations with so many instructions may be written one after the other."""
    return ops * facts.width // VECTOR <= UNROLLED_VECTORS


_FOUND: Recent[tuple[object, ...], tuple[int, int]] = Recent()


def _choose(shapes: Shapes, chunk: int, narrow: bool) -> tuple[int, int]:
    """Return the lanes of a warp and of a vector."""
    if _is_tiled(shapes) and not shapes.flow.loops:
        return WIDE, chunk
    nodes = _inner_nodes(shapes)
    hard = [op for n in nodes for op in shapes.ssa.ops.get(n, ()) if not _is_easy(shapes, op)]
    if hard:
        together = shapes.flow.loops and not shapes.divergent_loops and not shapes.facts.piece
        gathers = len(hard) <= MOST_GATHERS and all(_is_gather(op) for op in hard)
        return WIDE if together and gathers else USUAL, chunk
    if not shapes.flow.loops and _divergent_branches(shapes) > 1:
        return USUAL, chunk
    bits = _narrow_bits(shapes, nodes) if narrow else None
    if bits is not None:
        return WIDE, BYTE_CHUNK if bits == 8 else NARROW_CHUNK
    if shapes.flow.loops:
        return USUAL if shapes.divergent_loops else WIDE, chunk
    short = len(shapes.ssa.values()) <= MOST_STRAIGHT and not _is_short_row(shapes)
    return WIDE if short and _has_registers(shapes) else USUAL, chunk


def _divergent_branches(shapes: Shapes) -> int:
    """Return how many branches may diverge; in long rows, without those at the edges of a grid.

    Interior warps, which are most of a long row, have no masks for these.
    """
    branches = shapes.ssa.conditions.keys() - shapes.uniform_branches()
    size = shapes.facts.group_size
    if size[1:] != (1, 1) or size[0] < LEAST_WARPS * WIDE:
        return len(branches)
    return sum(not _is_of_places(shapes, shapes.ssa.conditions[n]) for n in branches)


def _is_of_places(shapes: Shapes, condition: Value) -> bool:
    """Return whether a condition compares places in the grid with what is the same for all."""
    work, seen = [condition], 0
    while work:
        value = work.pop()
        seen += 1
        if shapes.is_uniform(value):
            continue
        if not isinstance(value, Op) or seen > MOST_PARTS:
            return False
        if value.ins.row.type is B1:
            work += value.args
        elif not _compares_scalars(shapes, value):
            return False
    return True


def _is_short_row(shapes: Shapes) -> bool:
    """Return whether workgroups are rows of few warps, and the first and last are at edges."""
    size = shapes.facts.group_size
    is_row = size[1:] == (1, 1) and size[0] < LEAST_WARPS * WIDE
    return is_row and bool(shapes.ssa.conditions.keys() - shapes.uniform_branches())


def _inner_nodes(shapes: Shapes) -> list[int]:
    """Return the nodes inside loops, where time is spent; all nodes if there are no loops."""
    inside = {number for loop in shapes.flow.loops for number in loop.nodes}
    return [n for n in shapes.flow.order if n in inside or not shapes.flow.loops]


def _is_tiled(shapes: Shapes) -> bool:
    """Return whether rows are shorter than a warp and warps take turns: fewer are better."""
    return shapes.facts.piece != 0 and any(
        node.last is not None and node.last.row.is_barrier for node in shapes.flow.nodes
    )


def _is_easy(shapes: Shapes, op: Op) -> bool:
    """Return whether an op accesses neighbouring places or one place for all lanes, or none."""
    row = op.ins.row
    if not row.is_memory or row.segment is Segment.KERNARG:
        return True
    if row.is_atomic or row.type is None:
        return False
    if row.segment is Segment.PRIVATE:
        return op.base is None or shapes.is_uniform(op.base)
    return op.base is None or _step(shapes, op.base) in (0, row.type.size)


_BITWISE = frozenset({"and", "or", "xor", "shr"})


def _is_gather(op: Op) -> bool:
    """Return whether an op loads from addresses that are not made by bit operations.

    Those are often near each other: 32 lanes need one permutation, and 64 lanes a gather.
    """
    row = op.ins.row
    if not row.is_load or row.segment is not Segment.GLOBAL:
        return False
    work: list[Value] = [op.base] if op.base is not None else []
    seen = set(work)
    while work:
        value = work.pop()
        if not isinstance(value, Op) or value.ins.row.is_load:
            continue
        if value.ins.row.stem in _BITWISE:
            return False
        work += [a for a in value.args if a not in seen]
        seen.update(value.args)
    return True


def _step(shapes: Shapes, address: Value) -> int | None:
    """Return how far the addresses of neighbouring lanes are apart, where no index wraps around."""
    step = shapes.piece_stride(address)
    if step is not None or not (isinstance(address, Op) and address.parts):
        return step
    args = [_step(shapes, a) for a in address.args]
    if None in args:
        return None
    constants = [a.bits if isinstance(a, Const) else None for a in address.args]
    match address.ins.row.stem, args, constants:
        case "cvt", [int(a)], _:
            return a
        case "add", [int(a), int(b)], _:
            return a + b
        case "sub", [int(a), int(b)], _:
            return a - b
        case "shl", [int(a), _], [_, int(k)]:
            return a << (k & 63)
        case "mul", [int(a), _], [_, int(k)]:
            return a * k
        case "mul", [_, int(b)], [int(k), _]:
            return b * k
        case "mad", [int(a), _, int(c)], [_, int(k), _]:
            return a * k + c
        case "mad", [_, int(b), int(c)], [int(k), _, _]:
            return b * k + c
    return None


def _narrow_bits(shapes: Shapes, nodes: list[int]) -> int | None:
    """Return the most bits of the lanes in which nodes compute; None if some are not narrow."""
    lanes = NarrowLanes(shapes)
    ops = [op for n in nodes for op in shapes.ssa.ops.get(n, ()) if _is_vector(shapes, op)]
    phis = [phi for n in nodes for phi in shapes.ssa.phis.get(n, ()) if _is_vector(shapes, phi)]
    bits = [found.bits for op in ops if (found := lanes.of(op)) is not None]
    if not (
        bits
        and all(lanes.is_narrow(op) or _compares_scalars(shapes, op) for op in ops)
        and all(phi.cls is RegClass.C for phi in phis)
    ):
        return None
    return max(bits)


def _is_vector(shapes: Shapes, value: Op | Phi) -> bool:
    """Return whether a value takes vectors; one that steps from lane to lane has a scalar."""
    if isinstance(value, Op) and value.ins.dst is None:
        return False
    return _step(shapes, value) is None


def _compares_scalars(shapes: Shapes, op: Op) -> bool:
    """Return whether an op compares work-item ids with a bound, or the like."""
    return op.cls is RegClass.C and all(_step(shapes, a) is not None for a in op.args)


def _has_registers(shapes: Shapes) -> bool:
    """Return whether code without loops gains by 64 lanes, as far as registers go.

    A value lives from its place to its last use in the linear order. Values that do not stay in
    registers cost little among much more arithmetic.
    """
    values = shapes.ssa.values()
    place = {value: i for i, value in enumerate(values)}
    last: dict[Value, int] = {}
    computed = 0
    for value in values:
        assert isinstance(value, (Op, Phi))
        computed += isinstance(value, Op) and not value.ins.row.has_address
        for a in value.args.values() if isinstance(value, Phi) else value.args:
            if not isinstance(a, Const):
                last[a] = max(last.get(a, 0), place[value])
    changes = [0] * (len(values) + 1)
    for value, end in last.items():
        assert isinstance(value, (Op, Phi))
        if value.cls is not RegClass.C and _is_vector(shapes, value):
            size = value.cls.bits // 32
            changes[place[value]] += size
            changes[max(end, place[value])] -= size
    most = max(accumulate(changes))
    return most <= MOST_LIVE or most * MUCH <= computed
