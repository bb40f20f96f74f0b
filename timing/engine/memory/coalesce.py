"""Lanes to lines: which lines an access wants, for which lanes, and how many steps banks need.

Engine code; docs/timing/memory.md, rules 1 and 2. Lanes that run upwards element by element, the
common case, are found by one comparison of vectors. Otherwise the words of each line are a bit mask
over banks, and masks are added up in planes: plane i has bit i of each bank's count.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..intrinsics import (
    bit,
    bits_of_words,
    ctz,
    device,
    drop_lowest,
    lanes_in_steps,
    lanes_of_line,
    low_bits,
    most_in_a_bank,
    popcount,
    record,
    table,
    word64,
)

if TYPE_CHECKING:
    from ...machines.machine import Machine
    from ..hooks import State
    from ..state import SPACE_GLOBAL, group, seg, warp
    from .addresses import lane_address, segment_address

wanted = table("wanted", record(line="i8", lanes="i8"))
"""The lines of the access that is looked at."""

lane_place = table("lane_place", record(address="i8"))
"""Where its lanes are, if that is no row of registers; padded to whole vectors like a row."""

plane = table("plane", record(bits="i8"))

N_PLANES = 7  # up to 64 words in one bank
WORD_SHIFT = 2


@device
def coalesce(S: State, w: int, g: int, lanes: int) -> int:
    """Fill `wanted` in the order of the lowest lanes; how many lines. Sets S.bank_steps."""
    it = group(S, g)
    row = seg(S, it.seg)
    at = S.p_lane_place
    offset = 0
    if row.space == SPACE_GLOBAL and S.access_is_packed == 0:
        at = warp(S, it.warp).block + row.addr_row
        offset = row.imm
    elif S.access_is_packed == 0:
        # All lanes, whoever takes part: that needs no branch.
        for lane in range(S.width):
            lane_place(S, lane).address = segment_address(S, it.seg, it.warp, lane)
    else:
        rest = lanes
        while rest != 0:
            lane = ctz(rest)
            rest = drop_lowest(rest)
            lane_place(S, lane).address = lane_address(S, g, lane)
    size = row.lane_bytes
    first = ctz(lanes)
    step = size
    others = drop_lowest(lanes)
    if others != 0 and ctz(others) == first + 1:
        step = word64(at, first + 1) - word64(at, first)
    base = word64(at, first) - first * step
    if lanes_in_steps(at, S.width, base, step) & lanes != lanes:
        n = lines_of_each(S, at, offset, lanes)
        S.bank_steps = bank_steps(S, at, offset, lanes, n)
    else:
        if step == size:
            n = lines_of_run(S, base + offset, ctz(size), lanes)
        elif step >= S.l1d_line_bytes:
            n = lines_of_steps(S, base + offset, step, lanes)
        else:
            n = lines_of_each(S, at, offset, lanes)
        S.bank_steps = steps_of_steps(S, step, lanes)
        if S.bank_steps == 0:
            S.bank_steps = bank_steps(S, at, offset, lanes, n)
    if row.is_atomic == 1:
        S.bank_steps = most_lanes(S, n)
    return n


@device
def lines_of_run(S: State, base: int, size_shift: int, lanes: int) -> int:
    """Lane l wants an element at base + (l << size_shift)."""
    n = 0
    rest = lanes
    while rest != 0:
        lane = ctz(rest)
        address = base + (lane << size_shift)
        left = S.l1d_line_bytes - (address & (S.l1d_line_bytes - 1))
        mine = rest & low_bits(lane + ((left - 1) >> size_shift) + 1)
        wanted(S, n).line = (address >> S.l1d_line_shift) & S.l1d_line_mask
        wanted(S, n).lanes = mine
        rest &= ~mine
        n += 1
    return n


@device
def lines_of_steps(S: State, base: int, step: int, lanes: int) -> int:
    """Lane l wants what is at base + l * step, each a line of its own."""
    n = 0
    while lanes != 0:
        lane = ctz(lanes)
        lanes = drop_lowest(lanes)
        wanted(S, n).line = ((base + lane * step) >> S.l1d_line_shift) & S.l1d_line_mask
        wanted(S, n).lanes = bit(lane)
        n += 1
    return n


@device
def lines_of_each(S: State, at: int, offset: int, lanes: int) -> int:
    """Lanes want whatever their words at `at` say."""
    n = 0
    rest = lanes
    while rest != 0:
        line = ((word64(at, ctz(rest)) + offset) >> S.l1d_line_shift) & S.l1d_line_mask
        mine = lanes_of_line(at, S.width, offset, S.l1d_line_shift, line) & rest
        wanted(S, n).line = line
        wanted(S, n).lanes = mine
        rest &= ~mine
        n += 1
    return n


@device
def most_lanes(S: State, n: int) -> int:
    """The most lanes that want the same line."""
    most = 0
    for i in range(n):
        most = max(most, popcount(wanted(S, i).lanes))
    return most


@device
def steps_of_steps(S: State, step: int, lanes: int) -> int:
    """The number of different words in the fullest bank where lanes go up in steps; 0 if unknown.

    Neighbours are a multiple of 2^k words apart, so that they take turns at 1/2^k of the banks.
    """
    if step == 0:
        return 1
    if step & ((1 << WORD_SHIFT) - 1) != 0 or lanes & (lanes + bit(ctz(lanes))) != 0:
        # Lanes share words, or some are missing.
        return 1 if step <= 1 << WORD_SHIFT and S.l1d_banks >= S.width and step > 0 else 0
    turns = max(0, S.l1d_bank_shift - (ctz(step) - WORD_SHIFT))
    return (popcount(lanes) + (1 << turns) - 1) >> turns


@device
def bank_steps(S: State, at: int, offset: int, lanes: int, n: int) -> int:
    """The number of different words in the fullest bank."""
    if n == 1 and S.l1d_line_words <= S.l1d_banks:
        return 1
    if n == popcount(lanes):
        # A line a lane: nobody shares a word.
        return most_in_a_bank(at, S.width, offset, S.l1d_banks - 1, lanes)
    for i in range(N_PLANES):
        plane(S, i).bits = 0
    for i in range(n):
        words = bits_of_words(at, S.width, offset, S.word_mask, wanted(S, i).lanes)
        for first in range(0, S.l1d_line_words, S.l1d_banks):
            count_words(S, (words >> first) & low_bits(S.l1d_banks))
    banks = low_bits(S.l1d_banks)
    most = 0
    for i in range(N_PLANES - 1, -1, -1):
        fuller = banks & plane(S, i).bits
        if fuller != 0:
            banks = fuller
            most += 1 << i
    return most


@device
def count_words(S: State, words: int) -> int:
    """Add one to the banks of a mask."""
    i = 0
    while words != 0:
        it = plane(S, i)
        carry = it.bits & words
        it.bits ^= words
        words = carry
        i += 1
    return 0


def setup(machine: Machine) -> dict[str, Any]:
    """Geometry of lines and banks."""
    cache = machine.l1d
    words, banks = cache.line >> WORD_SHIFT, machine.l1d_banks
    return {
        "wanted": machine.width,
        "plane": N_PLANES,
        "word_mask": max(words, banks) - 1,
        "lane_place": machine.width + 8,
        "bank_steps": 1,
        "l1d_line_shift": cache.line_shift,
        "l1d_line_mask": (1 << 64 - cache.line_shift) - 1,
        "l1d_line_bytes": cache.line,
        "l1d_line_words": words,
        "l1d_banks": banks,
        "l1d_bank_shift": banks.bit_length() - 1,
    }
