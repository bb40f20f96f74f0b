"""Lanes at the end of a warp that do not run, and may be outside of a buffer.

In a matrix whose rows are no multiple of a warp's lanes, the last warp of each row loads more than
it needs: what follows in the next row, and after the last row what follows the buffer. Idle lanes
may load that if it is in a page of which the buffer has bytes: the CPU may read all of it. No
result depends on what they load. They store nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...llvm.text import integer
from ..lane_code import LaneCode
from ..memory.addressing.lines import Numbers
from ..memory.addressing.windows import Window

ANYWHERE = 1 << 40
"""More elements than a buffer has."""

SMALLEST_PIECE = 8
"""Lanes of the pieces of a warp whose ends are looked at."""


@dataclass(frozen=True)
class Place:
    """The elements at which neighbours begin, one a lane, and how many places there are for them.

    There is one more for each idle lane at the end of the warp, or piece, of which so many may be
    `outside`, an i64.
    """

    numbers: Numbers
    elements: list[str]
    places: list[str]
    outside: str

    def is_inside(self, idle: Sequence[str] = ()) -> str:
        """Return whether lanes are inside, except those that are `idle`, an i1."""
        numbers, places = self.numbers, self.places
        if idle:
            most, v = numbers.repeated(self.outside), integer(64, numbers.n)
            more = [
                numbers.code.intrinsic("llvm.umin", v, f"{v} {i}", f"{v} {m}")
                for i, m in zip(idle, most, strict=True)
            ]
            places = numbers.do("add", places, more)
        return numbers.all_of([numbers.do("icmp ult", self.elements, places)])


def choose(
    lanes: LaneCode, held: str, places: Sequence[Place], labels: tuple[str, str], *, all_run: bool
) -> None:
    """End a block: continue at the first label if a test holds and neighbours are inside.

    They are so in all lanes, or else in those that run.
    """
    code, (yes, no) = lanes.code, labels
    in_all = code.all_of(held, *(place.is_inside() for place in places))
    if all_run or not places:
        code.branch(in_all, yes, no)
        return
    some = code.fresh_label("o")
    code.branch(in_all, yes, some)
    code.block(some)
    idle: dict[bool, list[str]] = {}
    for place in places:
        pieces = place.numbers.pieces
        if pieces not in idle:
            idle[pieces] = _idle_in_pieces(lanes, place.numbers) if pieces else [_idle(lanes)]
        held = code.all_of(held, place.is_inside(idle[pieces]))
    code.branch(held, yes, no)


def most_outside(
    lanes: LaneCode, window: Window, size: int, together: int, *, is_load: bool
) -> str:
    """Return how many idle lanes' elements may be after the end of a buffer, an i64.

    Computed once per call. None may be if the buffer has fewer elements than lanes are `together`.
    """
    found = window.outside.get((size, together))
    if found is None:
        entry, most = lanes.entry, str(ANYWHERE)
        if is_load:
            left = window.left_of_page(entry)
            most = entry.let(f"lshr i64 {left}, {size.bit_length() - 1}")
        is_enough = entry.let(f"icmp uge i64 {window.size}, {together * size}")
        found = window.outside[size, together] = entry.let(
            f"select i1 {is_enough}, i64 {most}, i64 0"
        )
    return found


def _idle(lanes: LaneCode) -> str:
    """Return how many lanes follow the highest one that runs, an i64."""
    return lanes.code.let(f"sub i64 {lanes.count - 1}, {lanes.highest(lanes.running())}")


def _idle_in_pieces(lanes: LaneCode, numbers: Numbers) -> list[str]:
    """Return the same for each piece of the warp; `ANYWHERE` where none runs."""
    code, n, word = lanes.code, lanes.pieces.n, lanes.word_type
    count, used = int(word[1:]) // n, max(numbers.n, numbers.k)
    t = f"<{count} x i{n}>"
    bits = code.let(f"bitcast {word} {lanes.running()} to {t}")
    idle = code.intrinsic("llvm.ctlz", t, f"{t} {bits}", "i1 false")
    order, v = ", ".join(f"i32 {i}" for i in range(used)), integer(64, used)
    idle = code.let(f"shufflevector {t} {idle}, {t} poison, <{used} x i32> <{order}>")
    idle = code.let(f"zext <{used} x i{n}> {idle} to {v}")
    none = code.let(f"icmp eq {v} {idle}, splat (i64 {n})")
    far = f"{v} splat (i64 {ANYWHERE})"
    idle = code.let(f"select {integer(1, used)} {none}, {far}, {v} {idle}")
    if numbers.n:
        return [idle]
    return [code.let(f"extractelement {v} {idle}, i32 {i}") for i in range(used)]
