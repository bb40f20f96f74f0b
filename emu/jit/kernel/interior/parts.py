"""Warps in which rows end, part by part: the lanes of one row after those of another.

Kernels that take a flat number apart (`i % w`, `i / w`) have rows that are no whole warps. Where
one ends within a warp, what would be neighbours are gathers, and what would be a scalar is a
vector. So such a warp runs its lanes up to the end of each row by themselves: the quotients are
scalars then, and accesses are wide, under a mask. A part may be at an edge of the grid: comparisons
are vectors.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

from .....isa.types import RegClass
from ....analysis.facts import OF_WARPS
from ....analysis.lanes.interior import Assumed, InteriorShapes
from ....analysis.lanes.lane_plan import LONG, LONG_UNITS, LanePlan
from ....analysis.ranges.offset_ranges import Ranges
from ....analysis.values.ssa import Op, sources_of
from ....analysis.warps.uniformity import LaneShapes, Shapes
from ...llvm.vectors import Chunks
from ..lane_code import LaneCode
from ..memory.kernel_memory import KernelMemory
from ..variables import Variables
from ..workgroups.identity import Warp
from .bounds import ONE, Conditions
from .given_spans import Scope
from .vectors import reads_bits
from .version import ask, emit_edge_nodes, is_small

ITEM = "%cut"
"""The work-item at which the running part begins, an i64."""

NEXT = f"{ITEM}.next"
"""That of the part after it."""

HEAD, OVER, OTHERS = "cut_head", "cut_over", "cut_end"
"""The labels of the loop over parts: of its head, of a part's end, and of what runs otherwise."""

LEAST_ROW = 16
"""Work-items of a row, and half a warp at least: shorter ones would be more parts than they save.
Rows of 17 in warps of 32 take 0.66 to 0.85 of the time, rows of 12 about the same."""

MOST_COMPUTED = 6
"""Instructions of arithmetic for each gather that is saved: all parts of a warp compute them. With
60 of them, 8 divisions among these, rows of 100 took 1.5 times as long, rows of 17 four times."""


class _Part(NamedTuple):
    """A part of a warp, and what is known of it under some conditions."""

    warp: Warp
    lanes: LaneCode
    end: str
    """The work-item after its last one, an i64."""
    conditions: Conditions
    assumed: Assumed
    inside: frozenset[Op]
    """Accesses that are inside in its lanes."""
    shapes: InteriorShapes


@dataclass(frozen=True)
class Parts:
    """The parts of the warps of a kernel."""

    _lanes: LaneCode
    """The code of all warps."""
    _lanes_of: Callable[[Warp], LaneCode]
    _begin: Callable[[str, str], Warp]
    """Starts a warp at a work-item of the workgroup, up to before another one, both i64."""
    _memory: KernelMemory

    def emit(self, warp: Warp, counters: str) -> tuple[Variables, Chunks] | None:
        """Append the loop over the parts of a warp; it continues at `warp_over`.

        What follows runs the lanes that are left where a part may not run so. Returns the variables
        of the parts, and the mask of these lanes; None, and appends no block, if there are none.
        """
        lanes, code = self._lanes, self._lanes.code
        first, items = (code.let(f"zext i32 {n} to i64") for n in (warp.first, warp.group.items))
        last = code.let(f"add i64 {first}, {lanes.facts.width}")
        last = code.intrinsic("llvm.umin", "i64", f"i64 {last}", f"i64 {items}")
        before, mark = code.current_block, len(code.lines)
        code.jump(HEAD)
        code.block(HEAD)
        code.phi("i64", (first, before), (NEXT, OVER), name=ITEM)
        part = self._begin_part(last)
        if part is None:
            del code.lines[mark:]
            code.current_block = before
            return None
        part.conditions.branch("cut_body", OTHERS)
        code.block("cut_body")
        variables = self._emit_nodes(part, counters)
        code.block(OVER)
        code.let(f"add i64 {part.end}, 0", NEXT)
        code.branch(code.let(f"icmp ult i64 {NEXT}, {last}"), HEAD, "warp_over")
        code.block(OTHERS)
        done = code.let(f"trunc i64 {code.let(f'sub i64 {ITEM}, {first}')} to i32")
        left = lanes.each("icmp uge", 32, warp.lane, lanes.spread(32, done))
        return variables, lanes.combine("and", left, warp.existing)

    def _begin_part(self, last: str) -> _Part | None:
        """Append what a part is, which ends before `last` (an i64); None if it gains too little."""
        code, divisions = self._lanes.code, divisions_of(self._lanes.shapes)
        start = self._begin(ITEM, last)
        # All that one work-item has is one value.
        _, _, alone = ask(self._lanes_of(start), start, self._memory, Scope(running=ONE))
        rows = alone.rows_of(divisions).values()
        running = code.let(f"sub i64 {last}, {ITEM}")
        for row in rows:
            left = code.let(f"zext i32 {row.left} to i64")
            running = code.intrinsic("llvm.umin", "i64", f"i64 {running}", f"i64 {left}")
        end = code.let(f"add i64 {ITEM}, {running}")
        warp = self._begin(ITEM, end)
        lanes = self._lanes_of(warp)
        conditions, assumed, decisions = ask(lanes, warp, self._memory, Scope(running=running))
        numbers = {op.args[0] for op in divisions if lanes.shapes.stride(op.args[0]) == 1}
        least = max(LEAST_ROW, lanes.facts.width // 2) * len(numbers)
        for row in rows:
            conditions.require(code.let(f"icmp uge i32 {row.size}, {least}"))
        decisions.decide_all(divisions)
        inside = decisions.inside()
        facts = replace(lanes.facts, begins_anywhere=True)
        shapes = InteriorShapes(lanes.ssa, facts, assumed)
        # Rows of what has been divided before, as of `(x + 1) % w`, end where no part does.
        others = any(shapes.stride(op.args[0]) and op.args[0] not in numbers for op in divisions)
        if not rows or others or depends_on_start(shapes) or not saves_gathers(inside, shapes):
            return None
        return _Part(warp, lanes, end, conditions, assumed, inside, shapes)

    def _emit_nodes(self, part: _Part, counters: str) -> Variables:
        """Append the nodes of a part."""
        inside, plan = part.inside, LanePlan(part.shapes)
        memory = replace(
            self._memory,
            ranges=Ranges(part.shapes),
            last_readers=plan.last_readers,
            for_running=inside,
        )
        return emit_edge_nodes(
            inside, plan, part.lanes, part.warp, memory, counters, OVER, part.assumed
        )


def may_have_parts(shapes: Shapes, memory: KernelMemory) -> bool:
    """Return whether rows may end within warps, and nothing shows how these are cut."""
    facts, ssa = shapes.facts, shapes.ssa
    ops = [v for v in ssa.values() if isinstance(v, Op)]
    return (
        facts.rows
        and not (facts.piece or facts.one_warp or facts.refills or facts.counts)
        and not (memory.private_bytes or memory.group_bytes)
        and not any(op.ins.row.stem in OF_WARPS or op.ins.row.is_atomic for op in ops)
        and is_small(ssa)
        and bool(divisions_of(shapes))
    )


def divisions_of(shapes: LaneShapes) -> list[Op]:
    """Return quotients and remainders that have neither one value nor a step in a warp."""
    return [
        op
        for op in shapes.ssa.values()
        if isinstance(op, Op)
        and op.ins.row.stem in ("div", "rem")
        and op.cls is RegClass.S
        and (op.ins.row.type is None or not op.ins.row.type.is_float)
        and shapes.stride(op) is None
        and shapes.is_uniform(op.args[1])
    ]


def saves_gathers(inside: frozenset[Op], shapes: InteriorShapes) -> bool:
    """Return whether accesses that are no gathers in parts outweigh what these compute again."""
    divided = {*shapes.rest, *shapes.known}
    saved = sum(
        op.base is not None and not sources_of(op.base).isdisjoint(divided) for op in inside
    )
    computed = sum(
        LONG if op.ins.row.unit in LONG_UNITS else 1
        for op in shapes.ssa.values()
        if isinstance(op, Op)
        and not (op.ins.row.is_memory or op.ins.row.is_identity or op.parts)
        and not shapes.is_uniform(op)
        and shapes.stride(op) is None
    )
    return computed <= MOST_COMPUTED * saved


def depends_on_start(shapes: InteriorShapes) -> bool:
    """Return whether what is known of some value holds where warps begin at multiples only."""
    ops = (op for ops in shapes.ssa.ops.values() for op in ops)
    divided = {*shapes.rest, *shapes.known}
    return any(op not in divided and reads_bits(shapes, op) for op in ops)
