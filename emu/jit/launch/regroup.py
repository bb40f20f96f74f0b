"""Workgroups of another shape, in kernels that do not read the shape.

A warp is fastest along a row of the grid. Where the rows of workgroups are shorter than a warp, and
work-items know their places in the grid only, native code divides the launch into workgroups that
are rows. If such a kernel goes down columns of memory, they are tiles of 16 x 16; if it takes
places apart by three, rows are of warps of 48; if all rows load the same in its loops, a workgroup
is four rows of 32; if lanes leave loops in turn, it is eight wide. What is reported, as in a trap,
is the workgroup and work-item of the launch.
"""

from __future__ import annotations

from dataclasses import replace
from math import gcd

from ....isa.program import Kernel
from ....isa.types import Segment
from ...analysis.analysis import analyse
from ...analysis.facts import ABSOLUTE
from ...analysis.suitability.limits import backward_branches
from ...analysis.values.ssa import Op
from ...analysis.widths.columns import COLUMNS, column_facts
from ...analysis.widths.shared_columns import ROWS_OF_COLUMNS, sharing_facts
from ...analysis.widths.thirds import THIRDS, THREE_VECTORS, goes_by_thirds
from ...analysis.widths.turn_tiles import turn_tile
from ...geometry import Geometry
from ...recent import Recent
from ...traps import TrapRecord
from ..kernel.launch_facts import facts_at, facts_of
from .parts import part_of
from .places import by_absolute_ids

ROWS = (1024, 512, 256, 128, 64)
"""Work-items of a row; of one shape, so that grids of many sizes share their code."""

LONG_ROWS = (4096, 2048)
"""The same for long rows of the grid, in kernels without loops: beginning a row takes as long as
some interior warps."""

USUAL = 256

SHORT = 512
"""Work-items of the longest row of a grid that gets rows of its own length in warps of 64."""

SHORT_WARP = 32
"""Lanes of a warp where those of 64 would be half empty."""

MANY = 12
"""Accesses of global memory from which on a row of 64 takes much longer than to find its edges."""

FEWER = 0.9
"""The part of a row in warps of 64 that one in warps of 32 takes at most, to be faster."""

LEAST_USED = 0.75
"""The least part of lanes that must be work-items, where a row of the grid ends within a warp."""


def as_run(kernel: Kernel, geometry: Geometry, *, in_parts: bool = True) -> tuple[Kernel, Geometry]:
    """Return the kernel and the workgroups that native code runs in place of a launch's.

    Without `in_parts` they are no parts of these that share group memory (`parts.py`).
    """
    if in_parts and kernel.group_size:
        own = by_absolute_ids(kernel, geometry.group_size, keeps_items=True)
        if (part := part_of(own, geometry)) is not None:
            return own, replace(geometry, group_size=part)
    if kernel.group_size == 0 and not any(ins.row.is_barrier for ins in kernel.instructions):
        kernel = by_absolute_ids(kernel, geometry.group_size)
    return kernel, regrouped(kernel, geometry)


def regrouped(kernel: Kernel, geometry: Geometry) -> Geometry:
    """Return the launch in the workgroups that native code runs."""
    if not is_unseen(kernel):
        return geometry
    across = geometry.items[0]
    if across % COLUMNS[0] == 0 and geometry.items[1] % COLUMNS[1] == 0:
        tiles = replace(geometry, group_size=COLUMNS)
        if column_facts(kernel, facts_at(tiles, geometry.width)) is not None:
            return tiles
    if across % ROWS_OF_COLUMNS[0] == 0 and geometry.items[1] % ROWS_OF_COLUMNS[1] == 0:
        tiles = replace(geometry, group_size=ROWS_OF_COLUMNS)
        if sharing_facts(kernel, facts_at(tiles, geometry.width)) is not None:
            return tiles
    if across >= THREE_VECTORS and goes_by_thirds(kernel):
        least = min((row for row in THIRDS if row >= across), default=THIRDS[0])
        row = next((row for row in THIRDS if across % row == 0), least)
        return replace(geometry, group_size=(row, 1, 1))
    if (tile := turn_tile(kernel, facts_at(geometry, geometry.width), geometry.items)) is not None:
        return replace(geometry, group_size=tile)
    row = next((row for row in ROWS if across % row == 0), None)
    # A workgroup with loops may run for long, and Ctrl-C waits for its end.
    has_loops = backward_branches(kernel) > 0
    short = _short_row(kernel, geometry, has_loops) if geometry.items[1:] != (1, 1) else None
    if short is not None:
        return _in_rows(geometry, short)
    if not has_loops and across > ROWS[0] and kernel.private_size == 0:
        long = (r for r in LONG_ROWS if across % r == 0)
        row = next(long, None) or min((r for r in LONG_ROWS if r >= across), default=LONG_ROWS[0])
    elif not has_loops and (row is None or row < USUAL):
        # A row that is not whole has warps for its work-items only.
        row = min((row for row in ROWS if row >= across), default=ROWS[0])
        if LEAST_USED * row <= across and row < USUAL and _gains_by_one_row(kernel, geometry, row):
            # Interior warps, and vectors beside them, are found in workgroups of one row.
            return replace(geometry, group_size=(row, 1, 1))
    if facts_at(geometry, max(ROWS[-1], geometry.width)).rows:
        # Beginning a workgroup takes as long as a short warp.
        if row is None or row <= geometry.group_size[0] or has_loops:
            return geometry
    elif across < LEAST_USED * ROWS[-1] * -(-across // ROWS[-1]):
        row = -(-across // SHORT_WARP) * SHORT_WARP
        if row <= geometry.group_size[0] or across < LEAST_USED * row:
            return geometry
        return _in_rows(geometry, row)
    return _in_rows(geometry, row or USUAL)


def _short_row(kernel: Kernel, geometry: Geometry, has_loops: bool) -> int | None:
    """Return the work-items of a row that a short row of the grid fills, in warps of 64, 48 or 32.

    In workgroups of 256, warps of 128 would be half empty. None if these are no fewer lanes.
    Without loops they are one warp of 48, or None: warps of 32 fill rows of 96. Warps of 32 also
    are faster where of 64 lanes at the end of a short row half would be idle.
    """
    across = geometry.items[0]
    row = -(-across // ROWS[-1]) * ROWS[-1]
    thirds = -(-across // THREE_VECTORS) * THREE_VECTORS
    most = SHORT if has_loops else THREE_VECTORS
    if 8 * thirds <= 7 * row and LEAST_USED * thirds <= across <= most:
        if facts_of(kernel, _in_rows(geometry, THREE_VECTORS)).width == THREE_VECTORS:
            return THREE_VECTORS
    odd = row % ROWS[-2] != 0
    if not (has_loops and odd and LEAST_USED * row <= across <= SHORT):
        return None
    half = -(-across // SHORT_WARP) * SHORT_WARP
    return half if half <= FEWER * row and _has_wide_warps(kernel, geometry, row) else row


def _has_wide_warps(kernel: Kernel, geometry: Geometry, row: int) -> bool:
    """Return whether warps of a row have 64 lanes in the usual vectors, not in those of bytes."""
    facts = facts_of(kernel, _in_rows(geometry, row))
    return facts.width == ROWS[-1] and facts.chunk == facts_at(geometry, facts.width).chunk


def _in_rows(geometry: Geometry, row: int) -> Geometry:
    """Return a launch in workgroups of as many rows of the grid as have the usual work-items.

    Each has one row where the grid's end within a warp: warps lie in rows that are whole only.
    """
    across, down, _ = geometry.items
    most = 1 << (max(USUAL // row, 1).bit_length() - 1)
    rows = gcd(down, most) if across % row == 0 else 1
    return replace(geometry, group_size=(row, rows, 1))


_EDGES: Recent[tuple[object, ...], bool] = Recent()


def _gains_by_one_row(kernel: Kernel, geometry: Geometry, row: int) -> bool:
    """Return whether a row has edges besides its end, and work beside the search for these."""
    accesses = sum(ins.row.segment is Segment.GLOBAL for ins in kernel.instructions)
    return (row > ROWS[-1] or accesses >= MANY) and _has_edges(kernel, geometry)


def _has_edges(kernel: Kernel, geometry: Geometry) -> bool:
    """Return whether lanes of a row are compared with more than its end, or clamped."""
    facts = facts_at(replace(geometry, group_size=(ROWS[-1], 1, 1)), SHORT_WARP)
    key = kernel.key, facts
    found = _EDGES.find(key)
    if found is None:
        shapes = analyse(kernel).shapes(facts)
        ops = (op for ops in shapes.ssa.ops.values() for op in ops)
        decided = sum(_decides(op) and any(not shapes.is_uniform(a) for a in op.args) for op in ops)
        found = _EDGES.keep(key, decided > 1)
    return found


def _decides(op: Op) -> bool:
    """Return whether an op compares or clamps integers."""
    row = op.ins.row
    type_ = row.srcs[0].type if row.srcs else None
    is_integer = type_ is not None and not type_.is_float
    return is_integer and row.stem.startswith(("cmp", "min", "max"))


def is_unseen(kernel: Kernel) -> bool:
    """Return whether a kernel does the same in workgroups of any shape."""
    return kernel.group_size == 0 and not any(
        (ins.row.is_identity and ins.row.stem not in ABSOLUTE)
        or ins.row.is_barrier
        or ins.row.segment is Segment.GROUP
        for ins in kernel.instructions
    )


def as_launched(record: TrapRecord, run: Geometry, launched: Geometry) -> TrapRecord:
    """Return a trap of a launch that was `run` in other workgroups, by those of the launch."""
    if run == launched:
        return record
    place = run.absolute_id(record.group, record.local)
    sizes = zip(place, launched.group_size, strict=True)
    position, local = zip(*(divmod(at, size) for at, size in sizes), strict=True)
    gx, gy, _ = launched.groups
    group = position[0] + gx * (position[1] + gy * position[2])
    sx, sy, _ = launched.current_size(group)
    return replace(record, group=group, local=local[0] + sx * (local[1] + sy * local[2]))
