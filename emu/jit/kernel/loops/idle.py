"""Lanes at the end of a warp that do not run, and may be outside of a buffer.

In a matrix whose rows are no multiple of a warp's lanes, the last warp of each row loads more than
it needs: what follows in the next row, and after the last row what follows the buffer. Idle lanes
may load that if it is in a page of which the buffer has bytes: the CPU may read all of it. No
result depends on what they load. What they would store is not stored.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ....hostmemory import PAGE
from ..lane_code import LaneCode
from ..memory.addressing.addresses import Window


@dataclass(frozen=True)
class Place:
    """The element at which neighbours begin, one a lane, and how many places there are for it.

    There is one more for each idle lane at the warp's end, of which so many may be `outside`.
    """

    element: str
    places: str
    outside: str


def choose(
    lanes: LaneCode, held: str, places: Sequence[Place], labels: tuple[str, str], *, all_run: bool
) -> None:
    """End a block: continue at the first label if a test holds and neighbours are inside.

    They are so in all lanes, or else in those that run.
    """
    code, (yes, no) = lanes.code, labels
    inside = (code.let(f"icmp ult i64 {place.element}, {place.places}") for place in places)
    in_all = code.all_of(held, *inside)
    if all_run or not places:
        code.branch(in_all, yes, no)
        return
    some = code.fresh_label("o")
    code.branch(in_all, yes, some)
    code.block(some)
    idle = _idle_lanes(lanes)
    for place in places:
        may = code.let(f"icmp ule i64 {idle}, {place.outside}")
        more = code.let(f"select i1 {may}, i64 {idle}, i64 0")
        count = code.let(f"add i64 {place.places}, {more}")
        held = code.all_of(held, code.let(f"icmp ult i64 {place.element}, {count}"))
    code.branch(held, yes, no)


def most_outside(lanes: LaneCode, window: Window, size: int, *, is_load: bool) -> str:
    """Return how many idle lanes' elements may be after the end of a buffer, an i64.

    Computed once per call. None may be if the buffer has fewer elements than the warp has lanes.
    """
    found = window.outside.get(size)
    if found is None:
        entry, most = lanes.entry, "-1"
        if is_load:
            end = entry.let(f"add i64 {window.address}, {window.size}")
            page = entry.let(f"and i64 {entry.let(f'sub i64 0, {end}')}, {PAGE - 1}")
            most = entry.let(f"lshr i64 {page}, {size.bit_length() - 1}")
        is_enough = entry.let(f"icmp uge i64 {window.size}, {lanes.count * size}")
        found = window.outside[size] = entry.let(f"select i1 {is_enough}, i64 {most}, i64 0")
    return found


def _idle_lanes(lanes: LaneCode) -> str:
    """Return how many lanes follow the highest one that runs, an i64; not all, if none runs."""
    code, highest = lanes.code, lanes.highest(lanes.running())
    highest = code.intrinsic("llvm.smax", "i64", f"i64 {highest}", "i64 0")
    return code.let(f"sub i64 {lanes.count - 1}, {highest}")
