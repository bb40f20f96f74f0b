"""What the native code of a launch may rely on: widths, workgroups, what the host does well."""

from __future__ import annotations

import os
from dataclasses import replace
from math import prod

from ....isa.collection import without_garbage_collection
from ....isa.instruction import Imm
from ....isa.program import Kernel
from ....isa.table import Row
from ....isa.types import Segment
from ...analysis.analysis import analyse
from ...analysis.facts import (
    FEW_GROUPS,
    NEVER_TOGETHER,
    OF_ACTIVE_LANES,
    OF_WARPS,
    Facts,
)
from ...analysis.lanes.compaction import may_compact
from ...analysis.lanes.only_counted import has_only_counted
from ...analysis.lanes.sparse import writes_a_text
from ...analysis.suitability.barriers import arrive_whole, has_barriers
from ...analysis.suitability.limits import backward_branches
from ...analysis.widths.columns import column_facts
from ...analysis.widths.few_running import few_running_facts
from ...analysis.widths.one_warp import one_warp_facts
from ...analysis.widths.registers import reads_in_registers
from ...analysis.widths.row_pieces import row_pieces
from ...analysis.widths.row_warps import row_warp_facts
from ...analysis.widths.shared_columns import sharing_facts
from ...analysis.widths.thirds import THREE_VECTORS, thirds_facts
from ...analysis.widths.triangles import triangle_facts
from ...analysis.widths.turn_tiles import in_row, leaves_in_turn
from ...analysis.widths.width import USUAL, WIDE, best_facts
from ...analysis.workgroup_steps import strips_of
from ...geometry import Geometry
from ...recent import Recent
from ..llvm.toolchain import host_has
from ..runtime.far_rows import takes_many_lines
from ..runtime.gathers import VARIABLE as LOOPS
from ..runtime.gathers import finds_limit, gathers_fast, own_memory, together_from
from ..runtime.in_flight import takes_integers, takes_many
from ..runtime.shifts import SMALL, WORDS, shifts_fast

SMALL_GROUPS = (8, 16)
"""Work-items of workgroups that are one vector: the other lanes of wider warps would not exist."""

LEAST_COUNTED = 8
"""Lanes of the smallest warps of which code that counts runs several at a time."""

MOST_WATCHED = 64
"""Lanes of the widest warps whose accesses are watched, which takes much code."""

MOST_IN_STRIPS = 1 << 31
"""Workgroups of a launch that may go down the grid first: their numbers and a row have 32 bits."""

WORD_BITS = 32

MANY_TEXTS = 16
"""Running lanes from which on vectors are faster than lanes alone that write a text each."""

LEAST_OF_RECORD = 3
"""Words of a record that are loaded together (memory/records/quads.py)."""

STORED_OF_RECORD = 4
"""Words of a record that are stored together."""

_GOES_DOWN: Recent[tuple[object, ...], bool] = Recent()


@without_garbage_collection()
def facts_of(kernel: Kernel, geometry: Geometry, *, counts: bool = False) -> Facts:
    """Return what code for a launch of this shape may rely on.

    Code that `counts` runs warps of the launch, or several at a time.
    """
    facts = row_pieces(kernel, _facts_of(kernel, geometry))
    if not (counts or facts.stack or depends_on_width(kernel)):
        facts = row_warp_facts(kernel, facts)
        is_alone = facts.finds_limit and facts.together_from == NEVER_TOGETHER
        if is_alone and any(_stores_small(ins.row) for ins in kernel.instructions):
            facts = _with_texts_together(kernel, facts)
    if _may_gather(kernel) and not gathers_fast():
        facts = replace(facts, slow_gathers=True)
    if may_share_rows(kernel) and shifts_fast():
        least = SMALL if shifts_fast(SMALL) else WORDS
        facts = replace(facts, shares_rows=least.size)
        if facts.width > USUAL and analyse(kernel).copies_rows:
            facts = _with_rows_in_registers(kernel, facts)
    return replace(facts, strips=True) if _goes_down(kernel, geometry, facts) else facts


def _with_rows_in_registers(kernel: Kernel, facts: Facts) -> Facts:
    """Return facts under which rows that loads share have registers, with all that loops read."""
    widest = replace(facts, width=min(facts.width, WIDE))
    shapes = analyse(kernel).shapes(widest)
    if reads_in_registers(shapes, widest.width) or not reads_in_registers(shapes, USUAL):
        return widest
    return replace(facts, width=USUAL)


def _stores_small(row: Row) -> bool:
    """Return whether an instruction stores elements that lanes store one after the other."""
    return row.is_store and row.type is not None and row.type.bits < WORD_BITS


def _with_texts_together(kernel: Kernel, facts: Facts) -> Facts:
    """Return facts under which many lanes run sparse loops together, if each writes a text."""
    analysis = analyse(kernel)
    sparse, shapes = analysis.lane_plan(facts).sparse, analysis.shapes(facts)
    if sparse and all(writes_a_text(shapes, loop) for loop in sparse.values()):
        return replace(facts, together_from=MANY_TEXTS)
    return facts


def _may_gather(kernel: Kernel) -> bool:
    """Return whether code may have other ways than gathers and scatters, at a glance."""
    accesses = [ins.row for ins in kernel.instructions if ins.row.is_memory]
    words = [
        row.is_load
        for row in accesses
        if row.segment is Segment.GLOBAL and row.type is not None and row.type.bits == WORD_BITS
    ]
    return (
        any(row.is_load and row.segment is Segment.GROUP for row in accesses)
        or words.count(True) >= LEAST_OF_RECORD
        or words.count(False) >= STORED_OF_RECORD
        or may_compact(kernel.instructions)
    )


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
    if (thirds := _in_three_vectors(kernel, geometry)) is not None:
        return thirds
    items = prod(geometry.group_size)
    usual = facts_at(geometry, items if items in SMALL_GROUPS else USUAL)
    usual = _with_loops_of(own, usual)
    if (columns := column_facts(kernel, usual)) is not None:
        return columns
    if (thirds := thirds_facts(kernel, usual)) is not None:
        return thirds
    if (sharing := sharing_facts(kernel, usual)) is not None:
        return sharing
    for few in (few_running_facts(kernel, usual), triangle_facts(kernel, usual)):
        if few is not None and arrive_whole(kernel, few):
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


def _in_three_vectors(kernel: Kernel, geometry: Geometry) -> Facts | None:
    """Return the facts of warps of 48 lanes, for such rows if longer ones have 64; else None.

    A warp of 64 lanes would leave a vector idle. Without loops longer rows may have 32 lanes as
    well: the second warp of a row would be half empty.
    """
    across, *others = geometry.group_size
    if across != THREE_VECTORS or has_barriers(kernel):
        return None
    wide = _facts_of(kernel, replace(geometry, group_size=(WIDE, *others)))
    least = WIDE if backward_branches(kernel) else USUAL
    if not least <= wide.width <= WIDE or THREE_VECTORS % wide.chunk:
        return None  # not four vectors
    own = facts_at(geometry, THREE_VECTORS)
    return replace(
        wide,
        width=own.width,
        group_size=own.group_size,
        whole=own.whole,
        few_groups=own.few_groups,
    )


def _with_loops_of(source: Facts, facts: Facts) -> Facts:
    """Return facts under which sparse loops, and loops over private memory, run as under others."""
    return replace(
        facts,
        together_from=source.together_from,
        finds_limit=source.finds_limit,
        own_memory=source.own_memory,
    )


def facts_for_counting(
    kernel: Kernel, geometry: Geometry, *, by_batches: bool = False, watches: bool = False
) -> Facts:
    """Return what code that counts may rely on; its warps are one or several of the launch.

    With `by_batches` it relies on batches that load before they store. With `watches` it watches
    places that it could test as well.
    """
    # A new launch asks several times, and may take less time than that.
    key = id(kernel), id(geometry), by_batches, watches, os.environ.get(LOOPS)
    found = _COUNTING.find(key)
    if found is None:
        facts = _for_counting(kernel, geometry, by_batches=by_batches, watches=watches)
        found = _COUNTING.keep(key, (facts, kernel, geometry))
    return found[0]


_COUNTING: Recent[tuple[object, ...], tuple[Facts, Kernel, Geometry]] = Recent(1)
"""The last facts, with what they are of: while these are kept, nothing else has their ids."""


def _for_counting(kernel: Kernel, geometry: Geometry, *, by_batches: bool, watches: bool) -> Facts:
    from ...analysis.counting.independence import reliance_of
    from ...analysis.counting.plan import analyse_counting

    counted = geometry.width
    group_size = geometry.group_size
    relied = reliance_of(kernel, group_size, by_batches=by_batches, watches=watches)
    marks = relied is not None and bool(relied.watched)
    if sees_lanes(kernel):
        launched = facts_as_launched(kernel, geometry)
        return replace(launched, counts=counted, marks=marks, watches=watches)
    items = prod(geometry.group_size)
    if items in SMALL_GROUPS and items < counted and not depends_on_width(kernel):
        counted = items  # the other lanes of the launch's warps do not exist
    own = replace(
        facts_at(geometry, counted),
        counts=counted,
        marks=marks,
        by_batches=by_batches,
        watches=watches,
    )
    if relied is not None and relied.loop is not None:
        return own  # each warp has iterations of its own
    usual = facts_of(kernel, geometry, counts=True)
    if usual.width == THREE_VECTORS:
        whole = facts_at(geometry, USUAL).whole
        usual = replace(usual, width=USUAL, whole=whole)  # whole warps of the launch
    own = _with_loops_of(usual, own)
    if usual.width > WIDE and has_barriers(kernel) and not usual.one_warp:
        # Code that counts notes the lanes that wait at a barrier, in a word of 64 bits.
        usual = replace(usual, width=WIDE)
    is_one = usual.one_warp  # a narrower warp would be a part of the workgroup
    width = usual.width
    analysis = analyse(kernel)
    runs_alone = analysis.lane_plan(usual).sparse or has_only_counted(analysis.ssa)
    if width > USUAL and not is_one and runs_alone:
        # Lanes run alone in warps of the launch only, and together elsewhere: fewer are better.
        usual = replace(usual, width=USUAL)
    best = replace(
        usual,
        counts=counted,
        marks=marks,
        by_batches=by_batches,
        watches=watches,
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
    # No layout runs what the stack runs, and lanes do not run alone.
    best = replace(best, width=width)
    if not divides or width > WIDE or counted % min(best.chunk, best.width):
        best = replace(best, width=counted, whole=own.whole, one_warp=False, row_piece=0)
    splits = replace(best, splits=True)
    return splits if analyse_counting(kernel, splits) is not None else own


def _may_be_sparse(kernel: Kernel) -> bool:
    """Return whether a kernel may have sparse loops, at a glance."""
    code = kernel.instructions
    segments = (Segment.GLOBAL, Segment.GROUP, Segment.PRIVATE)
    accesses = sum(ins.row.is_memory and ins.row.segment in segments for ins in code)
    return accesses > 1 and backward_branches(kernel) > 0


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
