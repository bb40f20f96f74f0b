"""The width of native code's warps and vectors, where results do not depend on it.

Most kernels do best at 32 lanes in vectors of 16. Twice the lanes are twice the independent work,
which hides the latency of instructions, and half the overhead of a warp. They pay where masks are
few and registers suffice: in loops that all lanes leave together and that move no values through
memory (loops that carry many numbers have registers for 32 lanes or 16), in code without loops and
with one branch at most, and in loops on bytes. All accesses must be wide or of one place, known
beforehand, or a few gathers: twice the loads are under way then. Loops that lanes leave in turn pay
if they wait (`in_turn.py`). If loops load a row a lane, they take 32 lanes, and 16 if they write
one: the lines of more rows may not fit into the sets of the first-level cache that they share. Code
without loops takes 16 lanes where many values are live. Work that is all on narrow lanes takes
vectors of 32 or 64, so that bytes and 16-bit numbers fill registers, and masks of all branches are
few.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import prod
from typing import NamedTuple

from ....isa.program import Kernel
from ....isa.types import RegClass, Segment
from ...recent import Recent
from ..analysis import analyse
from ..facts import Facts
from ..lanes.narrow import NarrowLanes
from ..suitability.barriers import arrive_together, has_barriers
from ..values.ssa import Const, Op, Value, made_of
from ..warps.uniformity import Shapes
from .chains import (
    HALF_OF_FEW,
    LONG,
    MOSTLY,
    waits_for_divisions,
    waits_for_integers,
    waits_for_iterations,
)
from .columns import goes_down_columns
from .far_rows import loads_far_rows
from .flat_rows import shapes_in_rows
from .in_turn import gain_by_lanes, have_many_masks, is_easy, wait_in_turn
from .own_rows import loads_rows, stores_rows
from .registers import (
    MOST_CARRIED,
    MOST_IN_USE,
    are_words_together,
    carried_registers,
    carries_in_registers,
    computes_in_registers,
    is_vector,
    live_in_registers,
    live_registers,
    long_loops,
    loops_fit,
    moves_in_memory,
    reads_in_registers,
    short_loops,
    spills_doubles,
)
from .straight import (
    SHORT_ROW,
    accesses_by_list,
    compares_scalars,
    gains_by_few,
    is_light,
    is_row_of,
    is_short_row,
    waits_long,
)

FEWEST = 8
FEW = 16
USUAL = 32
WIDE = 64
WIDEST = 128

NARROW_CHUNK = 32
"""Lanes of a vector in kernels whose work is in lanes of 8 and 16 bits."""

BYTE_CHUNK = 64
"""Lanes of a vector in kernels whose work is in lanes of 8 bits alone."""

MOST_GATHERS = 2
"""Gathers in code of 64 lanes: each has the code of four vectors, on two sides or three."""

MOST_IN_LOOPS = 6
"""The same in loops that have registers beside them."""

MOST_PRIVATE = 1 << 15
"""Bytes of private memory of a warp of 128 lanes: a part of a first-level cache."""

MOST_BESIDE_ROWS = 1 << 14
"""The same where the lines of far rows, which are in few sets, pass through that cache."""

MOST_IN_WIDEST = 80
"""Instructions of a kernel with 128 lanes, which take compile time."""


class Choice(NamedTuple):
    """Lanes of a warp and of a vector."""

    width: int
    chunk: int
    if_many: int
    """Lanes of a warp where many vectors are computed in the time of few."""
    if_integers: int = 0
    """The same where many vectors of integers are, if that matters."""
    if_lines: int = 0
    """The same where many lines of a far row are loaded in less time than few twice."""


def best_facts(
    kernel: Kernel,
    facts: Facts,
    narrow: bool,
    takes_many: Callable[[], bool] = lambda: False,
    takes_integers: Callable[[], bool] = lambda: False,
    takes_lines: Callable[[], bool] = lambda: False,
) -> Facts:
    """Return the facts with the best width and chunk, given those with warps of the usual width.

    `narrow` says whether the CPU compares bytes and 16-bit numbers into masks, and `takes_many`
    whether it computes eight vectors in little more time than four, `takes_integers` whether eight
    of integers. `takes_lines` says whether it loads rows far apart by eight lines sooner than by
    four. These are asked if it matters.
    """
    if prod(facts.group_size) % WIDE:
        return facts
    key = (kernel.key, facts.group_size, facts.whole, facts.few_groups, narrow)
    found = _FOUND.find(key)
    if found is None:
        wide = replace(facts, width=WIDE)
        shapes = analyse(kernel).shapes(wide)
        rows = shapes_in_rows(shapes)
        chosen = _choose(rows, facts.chunk, narrow)
        if rows is not shapes and chosen.width == WIDE:
            chosen = chosen._replace(if_many=WIDE, if_lines=0)  # rows may be short
        if max(chosen.if_many, chosen.if_lines) > WIDE and not _may_be_widest(kernel, facts):
            chosen = chosen._replace(if_many=chosen.width, if_lines=0)
        if kernel.private_size * WIDEST > MOST_BESIDE_ROWS:
            chosen = chosen._replace(if_lines=0)
        if wide.rows != facts.rows and not _gains_by_two_rows(shapes):
            chosen = Choice(USUAL, facts.chunk, USUAL)
        found = _FOUND.keep(key, chosen)
    width = found.width
    if found.if_many != width and takes_many():
        width = found.if_many
    elif found.if_integers and takes_integers():
        width = found.if_integers
    elif found.if_lines and takes_lines():
        width = found.if_lines
    return replace(facts, width=width, chunk=found.chunk)


def _may_be_widest(kernel: Kernel, facts: Facts) -> bool:
    """Return whether a kernel may have warps of 128 lanes, each a part of a row."""
    return (
        prod(facts.group_size) % WIDEST == 0
        and facts.rows
        and replace(facts, width=WIDEST).rows
        and kernel.private_size * WIDEST <= MOST_PRIVATE
        and len(kernel.instructions) <= MOST_IN_WIDEST
        # The lanes that wait at a barrier are noted in a word of 64 bits.
        and (not has_barriers(kernel) or arrive_together(analyse(kernel).ssa, facts))
    )


def _gains_by_two_rows(shapes: Shapes) -> bool:
    """Return whether warps of two rows, which take turns, load less than two warps of one row.

    What is the same for a column of a tile is loaded once for both rows.
    """
    return _is_tiled(shapes) and (bool(shapes.flow.loops) or goes_down_columns(shapes))


_FOUND: Recent[tuple[object, ...], Choice] = Recent()


def _choose(shapes: Shapes, chunk: int, narrow: bool) -> Choice:
    """Return the lanes of a warp and of a vector."""
    lanes = _usual_lanes(shapes)
    spills = not carries_in_registers(shapes, WIDE) and reads_in_registers(shapes, lanes)
    usual = Choice(lanes, min(chunk, lanes), lanes)
    wide = usual if spills else Choice(WIDE, chunk, WIDE)
    if _is_tiled(shapes) and not shapes.flow.loops:
        return wide
    nodes = _inner_nodes(shapes)
    hard = [op for n in nodes for op in shapes.ssa.ops.get(n, ()) if not is_easy(shapes, op)]
    is_straight = not shapes.flow.loops
    if hard:
        if stores_rows(shapes):
            return Choice(FEW, chunk, FEW)
        if loads_rows(shapes):
            return usual
        if _left_in_turn(shapes):
            if narrow and have_many_masks(shapes):
                return Choice(USUAL, NARROW_CHUNK, USUAL)
            return wide if gain_by_lanes(shapes) else usual
        if shapes.facts.piece or not all(_is_gather(op) for op in hard):
            return usual
        if is_straight:
            few = len(hard) <= MOST_GATHERS and not is_short_row(shapes)
            return wide if few and is_light(shapes) else usual
        if any(_is_clamped(shapes, op) for op in hard):
            return usual
        most = MOST_IN_LOOPS if live_in_registers(shapes, WIDE) else MOST_GATHERS
        return wide if len(hard) <= most else usual
    bits = _narrow_bits(shapes, nodes) if narrow else None
    if bits is not None:
        widest = WIDEST if loops_fit(shapes, WIDEST, bits) else WIDE
        return Choice(WIDE, BYTE_CHUNK if bits == 8 else NARROW_CHUNK, widest)
    if not is_straight:
        if spills or moves_in_memory(shapes, WIDE) or spills_doubles(shapes, WIDE):
            loops = long_loops(shapes)
            waits = all(waits_for_iterations(shapes, loop, MOSTLY) for loop in loops)
            integers = WIDE if _wait_for_integers(shapes, lanes) else 0
            return usual._replace(if_many=WIDE if waits else lanes, if_integers=integers)
        if not _left_in_turn(shapes):
            if loads_far_rows(shapes) and loops_fit(shapes, WIDEST, 32):
                waits = any(waits_for_divisions(shapes, loop) for loop in long_loops(shapes))
                return wide._replace(if_lines=WIDEST, if_many=WIDEST if waits else WIDE)
            return wide._replace(if_many=WIDEST if _gain_by_most(shapes) else WIDE)
        if not gain_by_lanes(shapes):
            return usual
        return wide._replace(if_many=WIDEST if wait_in_turn(shapes, WIDEST) else WIDE)
    if not is_light(shapes):
        return usual._replace(if_many=WIDE) if waits_long(shapes) else usual
    if is_short_row(shapes):
        return usual._replace(if_many=WIDE) if is_row_of(shapes, SHORT_ROW) else usual
    # Masks of edges are a large part of what a warp computes that runs at half the speed.
    all_branches = len(shapes.ssa.conditions.keys() - shapes.uniform_branches())
    return wide if all_branches <= 1 else Choice(USUAL, chunk, WIDE)


def _gain_by_most(shapes: Shapes) -> bool:
    """Return whether loops that lanes leave together gain by `WIDEST` lanes, where many are taken.

    They have registers, or wait so long that values may go through memory.
    """
    return loops_fit(shapes, WIDEST, 32) or all(
        are_words_together(shapes, loop)
        and waits_for_iterations(shapes, loop, LONG)
        and live_registers(shapes, loop, WIDE, 32) <= MOST_IN_USE
        for loop in long_loops(shapes)
    )


def _wait_for_integers(shapes: Shapes, lanes: int) -> bool:
    """Return whether the loops that have no registers for `WIDE` lanes wait for integers."""
    return not _left_in_turn(shapes) and all(
        waits_for_integers(shapes, loop, lanes)
        for loop in long_loops(shapes)
        if carried_registers(shapes, loop, WIDE, 32) > MOST_CARRIED
    )


def _usual_lanes(shapes: Shapes) -> int:
    """Return the lanes of a warp where 64 do not pay."""
    if not shapes.facts.piece and not shapes.flow.loops:
        return FEW if gains_by_few(shapes) or accesses_by_list(shapes) else USUAL
    if shapes.facts.piece:
        return USUAL
    if carries_in_registers(shapes, USUAL):
        return FEW if _gain_by_registers(shapes) else USUAL
    if reads_in_registers(shapes, FEW):
        return FEW
    return FEWEST if computes_in_registers(shapes, FEWEST) else USUAL


def _gain_by_registers(shapes: Shapes) -> bool:
    """Return whether loops on 64-bit numbers have registers for all that is live in `FEW` lanes.

    They have none for that in `USUAL` lanes, and do not wait for the iteration before in fewer.
    """
    return (
        not _left_in_turn(shapes)
        and computes_in_registers(shapes, FEW)
        and not computes_in_registers(shapes, USUAL)
        and not any(waits_for_iterations(shapes, loop, HALF_OF_FEW) for loop in long_loops(shapes))
    )


def _left_in_turn(shapes: Shapes) -> set[int]:
    """Return the loops that lanes leave in turn, but for short ones beside others."""
    return shapes.divergent_loops - {loop.number for loop in short_loops(shapes)}


def _inner_nodes(shapes: Shapes) -> list[int]:
    """Return the nodes inside loops, where time is spent; all nodes if there are no loops.

    In loops that are short beside others little time is spent.
    """
    inside = {number for loop in shapes.flow.loops for number in loop.nodes}
    inside -= {number for loop in short_loops(shapes) for number in loop.nodes}
    return [n for n in shapes.flow.order if n in inside or not shapes.flow.loops]


def _is_tiled(shapes: Shapes) -> bool:
    """Return whether rows are shorter than a warp and warps take turns: fewer are better."""
    return shapes.facts.piece != 0 and any(
        node.last is not None and node.last.row.is_barrier for node in shapes.flow.nodes
    )


_BITWISE = frozenset({"and", "or", "xor", "shr"})


def _is_gather(op: Op) -> bool:
    """Return whether an op loads from addresses that are not made by bit operations.

    Those are often near each other: 32 lanes need one permutation, and 64 lanes a gather.
    """
    row = op.ins.row
    if not row.is_load or row.segment is not Segment.GLOBAL or op.base is None:
        return False
    return not any(_makes_near(value) for value in made_of([op.base], _is_load))


def _is_clamped(shapes: Shapes, op: Op) -> bool:
    """Return whether an access is of neighbours but in warps at edges, as a place that is clamped.

    There it gathers, and fewer lanes are in shorter warps at edges.
    """
    if op.base is None:
        return False
    varying = [
        value
        for value in made_of([op.base], _is_load)
        if isinstance(value, Op) and not shapes.is_uniform(value)
    ]
    return not any(map(_is_load, varying)) and any(
        value.ins.row.stem in ("min", "max", "select") for value in varying
    )


def _is_load(value: Value) -> bool:
    return isinstance(value, Op) and value.ins.row.is_load


def _makes_near(value: Value) -> bool:
    """Return whether a value is a bit operation on more than what floats were converted to."""
    if not isinstance(value, Op) or value.ins.row.stem not in _BITWISE:
        return False
    parts = made_of(value.args, _is_from_float)
    return any(not isinstance(a, Const) and not (isinstance(a, Op) and a.args) for a in parts)


def _is_from_float(value: Value) -> bool:
    if not isinstance(value, Op) or value.ins.row.stem != "cvt":
        return False
    source = value.ins.row.srcs[0].type
    return source is not None and source.is_float


def _narrow_bits(shapes: Shapes, nodes: list[int]) -> int | None:
    """Return the most bits of the lanes in which nodes compute; None if some are not narrow."""
    lanes = NarrowLanes(shapes)
    ops = [op for n in nodes for op in shapes.ssa.ops.get(n, ()) if is_vector(shapes, op)]
    phis = [phi for n in nodes for phi in shapes.ssa.phis.get(n, ()) if is_vector(shapes, phi)]
    bits = [found.bits for op in ops if (found := lanes.of(op)) is not None]
    if not (
        bits
        and all(lanes.is_narrow(op) or compares_scalars(shapes, op) for op in ops)
        and all(phi.cls is RegClass.C or lanes.is_narrow(phi) for phi in phis)
    ):
        return None
    return max(bits)
