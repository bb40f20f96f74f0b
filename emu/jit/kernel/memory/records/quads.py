"""Three or four words side by side that each lane loads at a place of its own, or four it stores.

A CPU that gathers slowly loads sixteen bytes a lane and transposes them in the time of one gather.
Stores of sixteen bytes a lane take the place of two scatters in the same way.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ....llvm.function_text import FunctionText
from ....llvm.parts import joined, picked
from ....llvm.text import integer
from ....llvm.vectors import CHUNK, VectorCode

WORDS = 4
"""Words of a load, four bytes each."""

LEAST = 3
"""Words for which a load of four gains. Of two words, gathers as pairs take about as long."""


def windows(places: Collection[int]) -> list[int]:
    """Return the first words of loads that have three or four of some places each.

    They are among these places, but for the fourth word of a load where all are three.
    """
    found: list[int] = []
    for place in sorted(places):
        if found and place < found[-1] + WORDS:
            continue
        start = max(min(places), min(place, max(places) - WORDS + 1))
        if sum(start <= other < start + WORDS for other in places) >= LEAST:
            found.append(start)
    return found


def whole_windows(places: Collection[int]) -> list[int]:
    """Return the first words of four that are among some places, of which no two share one."""
    found: list[int] = []
    for place in sorted(places):
        is_free = not found or place >= found[-1] + WORDS
        if is_free and all(place + i in places for i in range(WORDS)):
            found.append(place)
    return found


def elements(places: Collection[int]) -> int:
    """Return how many words there are from the lowest place to the last one that is read."""
    last = max([max(places), *(start + WORDS - 1 for start in windows(places))])
    return last - min(places) + 1


def places_from(code: FunctionText, base: str, offsets: str) -> list[str]:
    """Return each lane's address, a ptr, given a chunk of offsets in bytes.

    Two offsets are taken from a vector at a time, since each such step takes two instructions.
    """
    t, half = integer(32, CHUNK), integer(64, CHUNK // 2)
    both = code.let(f"bitcast {t} {offsets} to {half}")
    found = []
    for i in range(CHUNK // 2):
        pair = code.let(f"extractelement {half} {both}, i32 {i}")
        lower, upper = code.let(f"and i64 {pair}, 4294967295"), code.let(f"lshr i64 {pair}, 32")
        found += [code.let(f"getelementptr i8, ptr {base}, i64 {at}") for at in (lower, upper)]
    return found


def idle_words(entry: FunctionText) -> str:
    """Return the address of four words, which are zero, for lanes that do not run."""
    idle = entry.let(f"alloca <{WORDS} x i32>, align 16")
    entry.line(f"store <{WORDS} x i32> zeroinitializer, ptr {idle}")
    return idle


def places_of(lanes: VectorCode, hosts: str, mask: str, idle: str) -> list[str]:
    """Return each lane's address, a ptr, given a chunk of them; `idle` if it does not run."""
    code, p = lanes.code, f"<{CHUNK} x ptr>"
    one = code.let(f"insertelement {p} poison, ptr {idle}, i32 0")
    other = code.let(f"shufflevector {p} {one}, {p} poison, <{CHUNK} x i32> zeroinitializer")
    own = code.let(f"select {lanes.mask_type} {mask}, {p} {hosts}, {p} {other}")
    return [code.let(f"extractelement {p} {own}, i32 {lane}") for lane in range(CHUNK)]


def load(code: FunctionText, places: Sequence[str]) -> list[str]:
    """Return four words from each of sixteen addresses on: a chunk for each of the words."""
    records = [code.let(f"load <{WORDS} x i32>, ptr {place}, align 4") for place in places]
    # Part p of row r has the record of lane 4 p + r.
    return _transposed(code, [joined(code, 32, WORDS, records[r::WORDS])[0] for r in range(WORDS)])


def store(code: FunctionText, places: Sequence[str], words: Sequence[str]) -> None:
    """Store a chunk for each of four words to sixteen addresses, one after the other."""
    rows = _transposed(code, words)
    for lane, place in enumerate(places):
        part, row = divmod(lane, WORDS)
        own = picked(
            code, 32, CHUNK, (rows[row], "poison"), range(WORDS * part, WORDS * (part + 1))
        )
        code.line(f"store <{WORDS} x i32> {own}, ptr {place}, align 4")


def _transposed(code: FunctionText, rows: Sequence[str]) -> list[str]:
    """Return four chunks, in each part of which four words of each have been transposed."""
    starts = range(0, CHUNK, WORDS)

    def mixed(a: str, b: str, order: Sequence[int]) -> str:
        own = [i if i < WORDS else i - WORDS + CHUNK for i in order]
        return picked(code, 32, CHUNK, (a, b), [start + i for start in starts for i in own])

    low, high = (0, 4, 1, 5), (2, 6, 3, 7)
    found = []
    for order in (low, high):
        a, b = mixed(rows[0], rows[1], order), mixed(rows[2], rows[3], order)
        found += [mixed(a, b, (0, 1, 4, 5)), mixed(a, b, (2, 3, 6, 7))]
    return found
