"""Shuffled neighbours in group memory: indices that bit operations make of a work-item's number.

In butterflies and sorting networks the lanes of a vector access words that lie among 32, whatever
the distance. Two wide loads and a permutation cost a third of a gather.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ....llvm.text import integer
from ...lane_code import LaneCode

WORD = 4
"""Bytes of the elements that are permuted."""

WINDOW = 2 * 16
"""Elements that a permutation chooses from."""

READ_BEYOND = WINDOW * WORD
"""Bytes after the segment that may be read."""


@dataclass(frozen=True)
class Shuffled:
    """The offsets of a chunk: a multiple of 64 bytes (an i32), and elements from there on."""

    start: str
    elements: str


def shuffled(lanes: LaneCode, offsets: Sequence[str]) -> list[Shuffled]:
    """Return offsets in bytes, chunk by chunk, as elements from that of lane 0 rounded down on."""
    code, v = lanes.code, integer(32, lanes.n)
    found = []
    for chunk in offsets:
        first = code.let(f"extractelement {v} {chunk}, i32 0")
        start = code.let(f"and i32 {first}, {-(WINDOW // 2 * WORD)}")
        apart = code.let(f"sub {v} {chunk}, {lanes.chunk_of(32, start)}")
        # What is not a multiple of a word becomes huge.
        elements = code.call(
            v, f"llvm.fshl.v{lanes.n}i32", *(f"{v} {x}" for x in (apart, apart, "splat (i32 30)"))
        )
        found.append(Shuffled(start, elements))
    return found


def outside(
    lanes: LaneCode, found: Sequence[Shuffled], offsets: Sequence[str], span: int
) -> list[str]:
    """Return the lanes that are not among the window's elements, or above `span`."""
    code, v = lanes.code, integer(32, lanes.n)
    beyond = []
    for one, offset in zip(found, offsets, strict=True):
        far = code.let(f"icmp uge {v} {one.elements}, splat (i32 {WINDOW})")
        above = code.let(f"icmp ugt {v} {offset}, splat (i32 {span})")
        beyond.append(code.let(f"or {lanes.mask_type} {far}, {above}"))
    return beyond


def load(lanes: LaneCode, found: Sequence[Shuffled], places: Sequence[str]) -> list[str]:
    """Load the elements of all lanes, given the host addresses of the chunks' starts."""
    code, v = lanes.code, integer(32, lanes.n)
    values = []
    for one, place in zip(found, places, strict=True):
        after = code.let(f"getelementptr i8, ptr {place}, i64 {WINDOW // 2 * WORD}")
        a, b = (code.let(f"load {v}, ptr {p}, align {WORD}") for p in (place, after))
        given = (f"{v} {x}" for x in (a, one.elements, b))
        values.append(code.call(v, "llvm.x86.avx512.vpermi2var.d.512", *given))
    return values


def neighbours(lanes: LaneCode, offsets: Sequence[str]) -> tuple[list[str], str]:
    """Return the first offset of each chunk, and whether all have words side by side, an i1.

    They have in the steps of a network or butterfly whose distance is a vector or more.
    """
    code, v = lanes.code, integer(32, lanes.n)
    firsts = [code.let(f"extractelement {v} {chunk}, i32 0") for chunk in offsets]
    steps = ", ".join(f"i32 {lane * WORD}" for lane in range(lanes.n))
    strays = []
    for chunk, first in zip(offsets, firsts, strict=True):
        apart = code.let(f"sub {v} {chunk}, {lanes.chunk_of(32, first)}")
        strays.append(code.let(f"icmp ne {v} {apart}, <{steps}>"))
    return firsts, code.let(f"xor i1 {lanes.any(strays)}, true")
