"""Neighbouring words that each lane accesses at a place of its own: gathers and scatters of pairs.

`a[i]` and `a[i + 1]`, or two fields of a record, are one element of 64 bits. What a gather takes
depends on the number of its elements, not on their size.
"""

from __future__ import annotations

from collections.abc import Sequence

from ....llvm.text import integer
from ...lane_code import LaneCode
from . import quads

WORD = 4
"""Bytes of the elements that are paired."""


def paired(places: Sequence[int]) -> list[tuple[int, ...]]:
    """Return positions in `places` of pairs of neighbours, the lower one first, and of others."""
    position = {place: i for i, place in reversed(list(enumerate(places)))}
    found: list[tuple[int, ...]] = []
    for place in sorted(position):
        if place not in position:
            continue
        here, after = position.pop(place), position.pop(place + 1, None)
        found.append((here,) if after is None else (here, after))
    return found


def load(
    lanes: LaneCode, places: Sequence[int], hosts: Sequence[str], low: int, *, in_quads: bool
) -> list[list[str]]:
    """Load the words at `places`, given chunks of pointers to the lanes' word at place `low`.

    `in_quads`: three or four of them by a load of each lane, which may read on (`quads.py`).
    """
    code, n = lanes.code, lanes.n
    found: dict[int, list[str]] = {place: [] for place in places}
    starts = quads.windows(places) if in_quads else []
    for start in starts:
        idle = quads.idle_words(lanes.entry)
        for host, mask in zip(hosts, lanes.mask, strict=True):
            own = quads.places_of(lanes, _moved(lanes, host, (start - low) * WORD), mask, idle)
            for place, chunk in enumerate(quads.load(code, own), start):
                if place in found:
                    found[place].append(chunk)
    # Words of two loads are those of the first one.
    found = {place: chunks[: lanes.k] for place, chunks in found.items()}
    others = [place for place in places if not found[place]]
    for pair in [[others[i] for i in pair] for pair in paired(others)]:
        bits, place = 8 * WORD * len(pair), pair[0]
        t, p = integer(bits, n), f"<{n} x ptr>"
        for host, mask in zip(hosts, lanes.mask, strict=True):
            at = _moved(lanes, host, (place - low) * WORD)
            given = f"{p} {at}", f"i32 {WORD}", f"{lanes.mask_type} {mask}", f"{t} zeroinitializer"
            raw = code.call(t, f"llvm.masked.gather.v{n}i{bits}.v{n}p0", *given)
            if len(pair) == 1:
                found[place].append(raw)
                continue
            word = integer(8 * WORD, n)
            upper = code.let(f"lshr {t} {raw}, splat (i64 {8 * WORD})")
            found[place].append(code.let(f"trunc {t} {raw} to {word}"))
            found[place + 1].append(code.let(f"trunc {t} {upper} to {word}"))
    return [found[place] for place in places]


def store(
    lanes: LaneCode,
    places: Sequence[int],
    data: Sequence[Sequence[str]],
    hosts: Sequence[str],
    low: int,
    *,
    in_quads: bool,
) -> None:
    """Store chunks of words at `places`, which no two lanes share in part.

    `in_quads`: four of them by a store of each lane (`quads.py`).
    """
    code, n = lanes.code, lanes.n
    stored: set[int] = set()
    for start in quads.whole_windows(places) if in_quads else ():
        idle, own = quads.idle_words(lanes.entry), range(start, start + quads.WORDS)
        chunks = zip(*(data[places.index(place)] for place in own), strict=True)
        for words, host, mask in zip(chunks, hosts, lanes.mask, strict=True):
            at = _moved(lanes, host, (start - low) * WORD)
            quads.store(code, quads.places_of(lanes, at, mask, idle), words)
        stored |= {*own}
    for pair in paired(places):
        if places[pair[0]] in stored:
            continue
        bits = 8 * WORD * len(pair)
        t, word, p = integer(bits, n), integer(8 * WORD, n), f"<{n} x ptr>"
        columns = zip(*(data[i] for i in pair), strict=True)
        for values, host, mask in zip(columns, hosts, lanes.mask, strict=True):
            value = values[0]
            if len(pair) == 2:
                lower, upper = (code.let(f"zext {word} {v} to {t}") for v in values)
                upper = code.let(f"shl {t} {upper}, splat (i64 {8 * WORD})")
                value = code.let(f"or {t} {lower}, {upper}")
            at = _moved(lanes, host, (places[pair[0]] - low) * WORD)
            given = f"{t} {value}", f"{p} {at}", f"i32 {WORD}", f"{lanes.mask_type} {mask}"
            code.call_void(f"llvm.masked.scatter.v{n}i{bits}.v{n}p0", *given)


def _moved(lanes: LaneCode, pointers: str, bytes_: int) -> str:
    n = lanes.n
    if not bytes_:
        return pointers
    return lanes.code.let(f"getelementptr i8, <{n} x ptr> {pointers}, i64 {bytes_}")
