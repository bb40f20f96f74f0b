"""Loads that all rows of a grid share: a bias, or a weight, for each column.

In an array that ends with its row, the last warp of each row has idle lanes beyond the end. They
may load what is in a page of which the buffer has bytes, as in loops (`loops/idle.py`).
"""

from __future__ import annotations

from dataclasses import replace

from .....analysis.values.ssa import Op, Value, made_of
from .....hostmemory import PAGE
from ...lane_code import LaneCode
from .addresses import Addresses
from .windows import Place, Window


def is_shared_by_rows(lanes: LaneCode, op: Op) -> bool:
    """Return whether a load outside of loops is the same in all rows of a grid of several."""
    if not op.ins.row.is_load or op.base is None or lanes.flow.loop_of[op.node] is not None:
        return False
    rows = {value for value in lanes.ssa.values() if _is_of_row(value)}
    return bool(rows) and rows.isdisjoint(made_of([op.base]))


def _is_of_row(value: Value) -> bool:
    """Return whether a value is the place of a work-item in another dimension than the first."""
    if not isinstance(value, Op) or not value.ins.row.is_identity:
        return False
    return "flat" in value.ins.row.stem or any(value.ins.literals)


def in_running_lanes(addresses: Addresses, window: Window, size: int, place: Place) -> Place:
    """Return a place of neighbours that is inside if all lanes are, or else those that run.

    Other lanes may read on if the buffer's last page has as many bytes after it as the elements of
    a warp. A new block begins.
    """
    lanes, entry, code = addresses.lanes, addresses.lanes.entry, addresses.lanes.code
    end = entry.let(f"add i64 {window.address}, {window.size}")
    after = entry.let(f"and i64 {entry.let(f'sub i64 0, {end}')}, {PAGE - 1}")
    reads_on = entry.let(f"icmp uge i64 {after}, {size * lanes.count}")
    before, some, found = code.current_block, code.fresh_label("o"), code.fresh_label("o")
    code.branch(place.inside, found, some)
    code.block(some)
    last = code.let(f"mul i64 {lanes.highest(lanes.running())}, {size}")
    ends = place.offset(), code.let(f"add i64 {place.offset()}, {last}")
    inside = code.all_of(
        reads_on, *(addresses.place_at(end, window, size, size).inside for end in ends)
    )
    code.jump(found)
    code.block(found)
    both = code.phi("i1", ("true", before), (inside, some))
    return replace(place, inside=both)
