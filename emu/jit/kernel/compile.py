"""The native code of a kernel for launches of one shape, from a cache or new."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from math import prod

from ....isa.collection import without_garbage_collection
from ....isa.instruction import Imm
from ....isa.program import Kernel
from ....isa.types import Segment
from ...analysis.analysis import analyse
from ...analysis.facts import (
    FEW_GROUPS,
    OF_ACTIVE_LANES,
    OF_WARPS,
    Facts,
    OwnMemory,
)
from ...analysis.lanes.compaction import may_compact
from ...analysis.suitability.barriers import arrive_whole, has_barriers
from ...analysis.suitability.limits import is_worth_optimising
from ...analysis.widths.columns import column_facts
from ...analysis.widths.few_running import few_running_facts
from ...analysis.widths.one_warp import is_long, one_warp_facts
from ...analysis.widths.row_pieces import row_pieces
from ...analysis.widths.shared_columns import sharing_facts
from ...analysis.widths.turn_tiles import in_row, leaves_in_turn
from ...analysis.widths.width import USUAL, WIDE, best_facts
from ...analysis.workgroup_steps import strips_of
from ...engine import Work
from ...geometry import Geometry
from ...recent import Recent
from ..llvm.toolchain import Compiled, Level, compile_text, function_attributes, host_has
from ..llvm.toolchain import dump as dump_module
from ..runtime.far_rows import takes_many_lines
from ..runtime.gathers import finds_limit, gathers_fast, own_memory, together_from
from ..runtime.helpers import symbols
from ..runtime.in_flight import takes_integers, takes_many
from ..runtime.shifts import SMALL, shifts_fast
from ..runtime.strips import reporting_lowest
from .versions import (
    counting_plan,
    facts_in_turns,
    traced_version,
    version_alone,
    versions_in,
)

_FUNCTION = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)

SMALL_GROUPS = (8, 16)
"""Work-items of workgroups that are one vector: the other lanes of wider warps would not exist."""

LEAST_COUNTED = 8
"""Lanes of the smallest warps of which code that counts runs several at a time."""

MOST_WATCHED = 64
"""Lanes of the widest warps whose accesses are watched, which takes much code."""

QUICK_ABOVE = 150
"""Instructions from which on compile time counts more than the last percent of speed."""

WORD = 4
"""Bytes of the elements of most rows."""

MOST_IN_STRIPS = 1 << 31
"""Workgroups of a launch that may go down the grid first: their numbers and a row have 32 bits."""


@dataclass
class CompiledKernel:
    """A compiled kernel and what it needs."""

    compiled: Compiled
    function: Callable[[int, int, int], int]
    """Runs workgroups: (address of the context block, first, last) -> 1 if one trapped."""
    frame_bytes: int
    watched_by: int = 0
    """A `WatchedBy`, by which the code refuses some launches that exact owners would not; or 0."""


_COMPILED: Recent[tuple[object, ...], CompiledKernel] = Recent()

_GOES_DOWN: Recent[tuple[object, ...], bool] = Recent()


@without_garbage_collection()
def facts_of(kernel: Kernel, geometry: Geometry) -> Facts:
    """Return what code for a launch of this shape may rely on."""
    facts = row_pieces(kernel, _facts_of(kernel, geometry))
    if (_loads_group(kernel) or may_compact(kernel.instructions)) and not gathers_fast():
        facts = replace(facts, slow_gathers=True)
    if may_share_rows(kernel) and shifts_fast():
        facts = replace(facts, shares_rows=1 if shifts_fast(SMALL) else WORD)
        if facts.width > WIDE and analyse(kernel).copies_rows:
            facts = replace(facts, width=WIDE)  # rows of more vectors have no registers
    return replace(facts, strips=True) if _goes_down(kernel, geometry, facts) else facts


def _loads_group(kernel: Kernel) -> bool:
    rows = (ins.row for ins in kernel.instructions)
    return any(row.is_load and row.segment is Segment.GROUP for row in rows)


def may_share_rows(kernel: Kernel) -> bool:
    """Return whether loads may be of nearly the same neighbours, at a glance."""
    addresses = [
        ins.address
        for ins in kernel.instructions
        if ins.row.is_load and ins.row.segment is Segment.GLOBAL and ins.address is not None
    ]
    near: dict[object, set[int]] = {}
    for address in addresses:
        near.setdefault(address.base, set()).add(address.offset)
    adds = any(
        ins.row.stem in ("add", "sub") and ins.srcs and isinstance(ins.srcs[-1], Imm)
        for ins in kernel.instructions
    )
    return any(len(offsets) > 1 for offsets in near.values()) or (adds and bool(addresses))


def _goes_down(kernel: Kernel, geometry: Geometry, facts: Facts) -> bool:
    """Return whether workgroups may go down the grid first."""
    across, down, _ = geometry.groups
    if across == 1 or down == 1 or geometry.n_groups > MOST_IN_STRIPS:
        return False
    key = kernel.key, facts.group_size
    found = _GOES_DOWN.find(key)
    if found is None:
        found = _GOES_DOWN.keep(key, strips_of(analyse(kernel).ssa, facts) is not None)
    return found


def _facts_of(kernel: Kernel, geometry: Geometry) -> Facts:
    own = facts_as_launched(kernel, geometry)
    if own.stack:
        return own
    if _may_be_sparse(kernel):
        own = replace(
            own,
            together_from=together_from(),
            finds_limit=finds_limit(),
            own_memory=own_memory(),
        )
    if depends_on_width(kernel):
        return own
    items = prod(geometry.group_size)
    usual = facts_at(geometry, items if items in SMALL_GROUPS else USUAL)
    usual = replace(
        usual,
        together_from=own.together_from,
        finds_limit=own.finds_limit,
        own_memory=own.own_memory,
    )
    if (columns := column_facts(kernel, usual)) is not None:
        return columns
    if (sharing := sharing_facts(kernel, usual)) is not None:
        return sharing
    if (few := few_running_facts(kernel, usual)) is not None and arrive_whole(kernel, few):
        return few
    # Warps of another width than the launch's must reach barriers whole as well.
    shape = in_row(usual) if leaves_in_turn(kernel, usual) else usual
    narrow = host_has("avx512bw")
    best = best_facts(kernel, shape, narrow, takes_many, takes_integers, takes_many_lines)
    best = replace(best, group_size=usual.group_size)
    has_barrier = any(ins.row.is_barrier for ins in kernel.instructions)
    for found in (one_warp_facts(kernel, usual, gathers_fast) or best, best, usual):
        is_one = has_barrier and prod(geometry.group_size) <= found.width
        facts = replace(found, one_warp=is_one)
        if arrive_whole(kernel, facts):
            return facts
    return own


def facts_for_counting(kernel: Kernel, geometry: Geometry, *, by_batches: bool = False) -> Facts:
    """Return what code that counts may rely on; its warps are one or several of the launch.

    With `by_batches` it relies on batches that load before they store.
    """
    from ...analysis.counting.independence import reliance_of
    from ...analysis.counting.plan import analyse_counting

    counted = geometry.width
    relied = reliance_of(kernel, geometry.group_size, by_batches=by_batches)
    marks = relied is not None and bool(relied.watched)
    if sees_lanes(kernel):
        return replace(facts_as_launched(kernel, geometry), counts=counted, marks=marks)
    items = prod(geometry.group_size)
    if items in SMALL_GROUPS and items < counted and not depends_on_width(kernel):
        counted = items  # the other lanes of the launch's warps do not exist
    own = replace(facts_at(geometry, counted), counts=counted, marks=marks, by_batches=by_batches)
    if relied is not None and relied.loop is not None:
        return own  # each warp has iterations of its own
    usual = facts_of(kernel, geometry)
    own = replace(
        own,
        together_from=usual.together_from,
        finds_limit=usual.finds_limit,
        own_memory=usual.own_memory,
    )
    if usual.width > WIDE and has_barriers(kernel) and not usual.one_warp:
        # Code that counts notes the lanes that wait at a barrier, in a word of 64 bits.
        usual = replace(usual, width=WIDE)
    is_one = usual.one_warp  # a narrower warp would be a part of the workgroup
    if usual.width > USUAL and not is_one and analyse(kernel).lane_plan(usual).sparse:
        # Lanes run alone in warps of the launch only, and together elsewhere: fewer are better.
        usual = replace(usual, width=USUAL)
    best = replace(
        usual,
        counts=counted,
        marks=marks,
        by_batches=by_batches,
        finds_limit=own.finds_limit,
        own_memory=own.own_memory,
        strips=False,
    )
    divides = not (usual.width % counted or counted.bit_count() != 1 or counted < LEAST_COUNTED)
    if divides and not (marks and usual.width > MOST_WATCHED):
        if analyse_counting(kernel, best) is not None:
            return best
    if analyse_counting(kernel, own) is not None:
        return own
    # No layout runs what the stack runs.
    if not divides or usual.width > WIDE or counted % min(best.chunk, best.width):
        best = replace(best, width=counted, whole=own.whole, one_warp=False, row_piece=0)
    splits = replace(best, splits=True)
    return splits if analyse_counting(kernel, splits) is not None else own


def _may_be_sparse(kernel: Kernel) -> bool:
    """Return whether a kernel may have sparse loops, at a glance."""
    code = kernel.instructions
    segments = (Segment.GLOBAL, Segment.GROUP, Segment.PRIVATE)
    accesses = sum(ins.row.is_memory and ins.row.segment in segments for ins in code)
    return accesses > 1 and any(
        ins.target is not None and ins.target <= pc for pc, ins in enumerate(code)
    )


def facts_at(geometry: Geometry, width: int) -> Facts:
    """Return the facts of a launch, if its warps had `width` lanes."""
    whole = prod(geometry.group_size) % width == 0 and all(
        i % g == 0 for i, g in zip(geometry.items, geometry.group_size, strict=True)
    )
    few = max(geometry.groups) <= FEW_GROUPS
    return Facts(width, geometry.group_size, whole, _poison(), few_groups=few)


def facts_as_launched(kernel: Kernel, geometry: Geometry) -> Facts:
    """Return the facts of a launch in its own warps."""
    return replace(facts_at(geometry, geometry.width), stack=sees_lanes(kernel))


def sees_lanes(kernel: Kernel) -> bool:
    """Return whether lanes see which others issue together with them, and what these have."""
    return any(ins.row.stem in OF_ACTIVE_LANES for ins in kernel.instructions)


def keeps_stack(kernel: Kernel, geometry: Geometry) -> bool:
    """Return whether native code runs what the post-dominator stack issues together."""
    from ...analysis.counting.plan import analyse_counting

    facts = facts_as_launched(kernel, geometry)
    key = kernel.key, facts
    found = _KEEPS_STACK.find(key)
    if found is None:
        found = _KEEPS_STACK.keep(key, analyse_counting(kernel, facts) is not None)
    return found


_KEEPS_STACK: Recent[tuple[object, ...], bool] = Recent()


def _poison() -> int | None:
    """Return the pattern of a debug build, which the environment asks for."""
    pattern = os.environ.get("SIMTLAB_POISON")
    return None if pattern is None else int(pattern, 0)


def depends_on_width(kernel: Kernel) -> bool:
    """Return whether results depend on the warp width."""
    return any(ins.row.stem in OF_WARPS for ins in kernel.instructions)


@without_garbage_collection()
def generate(kernel: Kernel, readonly_bytes: int, facts: Facts) -> str:
    """Return the IR text of a kernel: `kernel`, and `frame_bytes` for what a waiting warp keeps."""
    # A launch whose code is cached does without the code generator.
    from ...analysis.refilled import refilled
    from ..llvm.text import ModuleText
    from . import refilling
    from .function import Counted, KernelCode

    analysis, counted = analyse(kernel), None
    if facts.counts or facts.stack:
        from ...analysis.counting.plan import analyse_counting

        analysis = analyse_counting(kernel, facts)
        assert analysis is not None, "run in the interpreter's order"
    if facts.counts:
        from ...analysis.counting.independence import reliance_of
        from ...analysis.counting.plan import CountingAnalysis

        assert isinstance(analysis, CountingAnalysis)
        regions = analysis.regions(facts)
        assert regions is not None
        relied = reliance_of(kernel, facts.group_size, by_batches=facts.by_batches)
        assert relied is not None, "counted in the interpreter's order"
        counted = Counted(regions, relied, analysis.lane_plan(facts))
    usual_facts, alone = versions_in(kernel, analysis, facts)
    shapes = analysis.shapes(usual_facts)
    if counted is None:
        plan = analysis.lane_plan(usual_facts)
    else:
        plan = counting_plan(shapes, counted)
        alone = traced_version(kernel, analysis, facts, counted)
        if alone is not None and facts.own_memory is OwnMemory.ALONE:
            (shapes, plan), alone = alone, None
    module = ModuleText(function_attributes())
    usual = facts_in_turns(kernel, facts)

    def others() -> KernelCode:
        assert usual is not None
        shapes, plan = analysis.shapes(usual), analysis.lane_plan(usual)
        return KernelCode(module, kernel, readonly_bytes, shapes, plan)

    make_others = others if usual else None
    function = KernelCode(module, kernel, readonly_bytes, shapes, plan, counted, make_others)
    giving = refilled(kernel, shapes, plan) if host_has("avx512f") else None
    if alone is not None or plan.finds_limit:
        version = None
        if alone is not None:
            version = KernelCode(module, kernel, readonly_bytes, *alone, counted)
        module.define("kernel", function.fastest(version))
    elif giving is not None:
        usual_code = function.text(kernel=f"define internal i32 @{refilling.IN_ORDER}")
        module.define(refilling.IN_ORDER, usual_code)
        refilling.define(module, kernel, readonly_bytes, giving)
    else:
        module.define("kernel", function.text())
    frame = f"define i64 @frame_bytes() #0 {{\n  ret i64 {function.frame_bytes}\n}}\n"
    module.define("frame_bytes", frame)
    if facts.marks:
        way = min(function.memory.watched_by, default=0)
        module.define("watched_by", f"define i64 @watched_by() #0 {{\n  ret i64 {way}\n}}\n")
    return str(module)


def listing(kernel: Kernel, readonly_bytes: int, facts: Facts, what: str) -> str:
    """Return the optimised IR ("llvm") or assembly ("asm") of a kernel, or an analysis by name."""
    from ...analysis.dump import PASSES, dump

    if what in PASSES:
        return dump(kernel, what, facts)
    return dump_module(generate(kernel, readonly_bytes, facts), what, _level(kernel, facts))


def is_compiled(work: Work, facts: Facts) -> bool:
    """Return whether `compiled` has the code of a kernel in memory."""
    return _COMPILED.find(_key(work, facts)) is not None


def _key(work: Work, facts: Facts) -> tuple[object, ...]:
    kernel = work.kernel
    return (
        *kernel.key,
        kernel.params,
        len(work.program.readonly_data),
        facts,
    )


def compiled(work: Work, facts: Facts) -> CompiledKernel:
    """Return the code of a kernel under some facts, from a cache or new."""
    kernel, key = work.kernel, _key(work, facts)
    found = _COMPILED.find(key)
    if found is None:
        module = compile_text(
            lambda: generate(kernel, len(work.program.readonly_data), facts),
            ["kernel", "frame_bytes", *(["watched_by"] if facts.marks else [])],
            level=_level(kernel, facts),
            key=repr(key),
            symbols=symbols(),
        )
        frame_bytes = ctypes.CFUNCTYPE(ctypes.c_int64)(module["frame_bytes"])()
        way = ctypes.CFUNCTYPE(ctypes.c_int64)(module["watched_by"])() if facts.marks else 0
        function = _FUNCTION(module["kernel"])
        if facts.strips:
            function = reporting_lowest(function)
        code = CompiledKernel(module, function, frame_bytes, way)
        found = _COMPILED.keep(key, code)
    return found


def _level(kernel: Kernel, facts: Facts) -> Level:
    if not is_worth_optimising(kernel):
        return Level.PLAIN
    if len(kernel.words) > QUICK_ABOVE or is_long(kernel, facts):
        return Level.QUICK
    return Level.PAIRED if _has_pairs(kernel, facts) else Level.FULL


def _has_pairs(kernel: Kernel, facts: Facts) -> bool:
    """Return whether lanes may run alone where there are quotients to be paired."""
    if facts.own_memory is OwnMemory.TOGETHER or not kernel.private_size:
        return False
    analysis = analyse(kernel)
    if not _has_quotients(kernel) or version_alone(analysis, facts) is None:
        return False
    usual, alone = versions_in(kernel, analysis, facts)
    return alone is not None or usual.own_memory is OwnMemory.ALONE


def _has_quotients(kernel: Kernel) -> bool:
    """Return whether a kernel has several divisions or roots of floats."""
    rows = (ins.row for ins in kernel.instructions)
    floats = [r for r in rows if r.type is not None and r.type.is_float]
    return sum(r.stem in ("div", "sqrt") for r in floats) > 1
