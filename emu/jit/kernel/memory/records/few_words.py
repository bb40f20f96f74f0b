"""Small elements of records that are far apart, out of few words that each lane gathers.

A line of text of 19 bytes a lane: a gather takes as long for words as for bytes. So bytes and
16-bit elements that are side by side are gathered as one word, and shifted out of it.
"""

from __future__ import annotations

from collections.abc import Sequence

from ....llvm.text import integer
from ...lane_code import LaneCode

WORD = 4
"""Bytes that are gathered at once."""


def words_of(places: Sequence[int], size: int) -> dict[int, list[int]]:
    """Return where words begin that have all elements at `places`, and the places of each.

    No word ends after the highest place.
    """
    per_word, left = WORD // size, sorted({*places})
    last, found = left[-1] + 1 - per_word, {}
    while left:
        start = min(left[0], last)
        found[start] = [place for place in left if place < start + per_word]
        left = [place for place in left if place >= start + per_word]
    return found


def save_gathers(places: Sequence[int], size: int) -> bool:
    """Return whether words save half of the gathers, and none begins before the lowest place."""
    words, fields = words_of(places, size), {*places}
    return 2 * len(words) <= len(fields) and min(words) == min(fields)


def load(
    lanes: LaneCode, places: Sequence[int], apart: int, size: int, host: str
) -> list[list[str]]:
    """Load the elements at `places` of all lanes, given the host address of lane 0's lowest one.

    The records of all lanes, which are `apart` elements from each other, are inside the buffer.
    Returns chunks of integers of the elements' size for each place.
    """
    code, n, low = lanes.code, lanes.n, min(places)
    found: dict[int, list[str]] = {place: [] for place in places}
    index = f"<{', '.join(f'i32 {lane * apart * size}' for lane in range(n))}>"
    word, element = integer(8 * WORD, n), integer(8 * size, n)
    for start, members in words_of(places, size).items():
        for at in range(0, lanes.count, n):
            byte = (at * apart + start - low) * size
            first = code.let(f"getelementptr i8, ptr {host}, i64 {byte}")
            (cells,) = lanes.places(first, 1, [index])
            raw = lanes.gather(8 * WORD, cells, "splat (i1 true)", "zeroinitializer", size)
            for place in members:
                shift = 8 * size * (place - start)
                moved = raw if not shift else code.let(f"lshr {word} {raw}, splat (i32 {shift})")
                found[place].append(code.let(f"trunc {word} {moved} to {element}"))
    return [found[place] for place in places]
