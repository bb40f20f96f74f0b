"""The lines that an access wants, the lanes that want each, and the steps that its banks need.

Engine code; docs/timing/memory.md, rules 1 and 2. Lanes whose addresses ascend element by
element, the common case, are found by one comparison of vectors. Otherwise the words of each line
are a bit mask over banks, and a byte for each bank counts them, all banks at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..intrinsics import (
    bit,
    bits_of_words,
    count_bits,
    ctz,
    device,
    drop_lowest,
    lanes_in_steps,
    lanes_of_line,
    line_starts,
    low_bits,
    most_in_a_bank,
    most_of_bytes,
    popcount,
    put_sums,
    record,
    table,
    word64,
)

if TYPE_CHECKING:
    from ...machines.machine import Machine
    from ..hooks import State
    from ..state import SPACE_GLOBAL, SPACE_READONLY, group, seg, warp
    from .addresses import READONLY_BASE, lane_address, segment_address

wanted = table("wanted", record(line="i8", lanes="i8"))
"""The lines of the current access."""

lane_place = table("lane_place", record(address="i8"))
"""The addresses of its lanes, if a row of registers does not have them; padded to whole vectors
like such a row."""

BANK_WORDS = 8
bank_counts = table("bank_counts", record(bytes="i8"))
"""The words that an access wants of each of up to 64 banks, a byte each."""

WORD_SHIFT = 2


@device
def coalesce(S: State, w: int, g: int, lanes: int) -> int:
    """Fill `wanted` with an access's lines in the order of their lowest lanes; return how many.

    Group g accesses them for `lanes`. Sets `S.bank_steps`.
    """
    grp = group(S, g)
    row = seg(S, grp.seg)
    row_address = S.p_lane_place
    offset = 0
    if row.space == SPACE_GLOBAL and S.access_is_packed == 0:
        row_address = warp(S, grp.warp).block + row.addr_row
        offset = row.imm
    elif S.access_is_packed == 0:
        segment_addresses(S, grp.seg, grp.warp)
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
        step = word64(row_address, first + 1) - word64(row_address, first)
    base = word64(row_address, first) - first * step
    if lanes_in_steps(row_address, S.width, base, step) & lanes != lanes:
        n = lines_of_each(S, row_address, offset, lanes)
        S.bank_steps = bank_steps(S, row_address, offset, lanes, n)
    else:
        if step == size:
            n = lines_of_run(S, base + offset, ctz(size), lanes)
        elif step == 0:
            n = line_of_all(S, base + offset, lanes)
        elif step >= S.l1d_line_bytes:
            n = lines_of_steps(S, base + offset, step, lanes)
        else:
            n = lines_of_each(S, row_address, offset, lanes)
        S.bank_steps = steps_of_steps(S, step, lanes)
        if S.bank_steps == 0:
            S.bank_steps = bank_steps(S, row_address, offset, lanes, n)
    if row.is_atomic == 1:
        S.bank_steps = most_lanes(S, n)
    return n


@device
def segment_addresses(S: State, s: int, v: int) -> int:
    """Fill `lane_place` with the addresses that all lanes of warp v, active or not, have in s."""
    row = seg(S, s)
    if row.space != SPACE_READONLY or row.addr_row < 0:
        for lane in range(S.width):
            lane_place(S, lane).address = segment_address(S, s, v, lane)
        return 0
    registers = warp(S, v).block + row.addr_row
    put_sums(registers, S.width, READONLY_BASE + row.imm, S.p_lane_place)
    return 0


@device
def lines_of_run(S: State, base: int, size_shift: int, lanes: int) -> int:
    """Fill `wanted` where lane l wants base + (l << size_shift), an element; return how many."""
    n = 0
    rest = lanes
    while rest != 0:
        lane = ctz(rest)
        address = base + (lane << size_shift)
        left = S.l1d_line_bytes - (address & (S.l1d_line_bytes - 1))
        sharers = rest & low_bits(lane + ((left - 1) >> size_shift) + 1)
        wanted(S, n).line = line_of(S, address)
        wanted(S, n).lanes = sharers
        rest &= ~sharers
        n += 1
    return n


@device
def line_of_all(S: State, address: int, lanes: int) -> int:
    """Fill `wanted` where all of `lanes` want one address; return 1, the number of lines."""
    wanted(S, 0).line = line_of(S, address)
    wanted(S, 0).lanes = lanes
    return 1


@device
def lines_of_steps(S: State, base: int, step: int, lanes: int) -> int:
    """Fill `wanted` where lane l wants base + l * step, in a line of its own; return how many."""
    n = 0
    while lanes != 0:
        lane = ctz(lanes)
        lanes = drop_lowest(lanes)
        wanted(S, n).line = line_of(S, base + lane * step)
        wanted(S, n).lanes = bit(lane)
        n += 1
    return n


@device
def lines_of_each(S: State, row_address: int, offset: int, lanes: int) -> int:
    """Fill `wanted` from the addresses of `lanes` in a row; return how many lines they want.

    The lowest lane of a line follows a lane that is not active or has another line. So these are
    looked at in turn, and a host does so at once: it predicts that few of them share a line.
    """
    starts = line_starts(row_address, S.width, offset, S.l1d_line_shift)
    rest = lanes & (starts | ~(lanes << 1))
    seen = 0
    n = 0
    while rest != 0:
        lane = ctz(rest)
        rest = drop_lowest(rest)
        if seen & bit(lane) == 0:
            line = line_of(S, word64(row_address, lane) + offset)
            sharers = lanes_of_line(row_address, S.width, offset, S.l1d_line_shift, line) & lanes
            wanted(S, n).line = line
            wanted(S, n).lanes = sharers
            seen |= sharers
            n += 1
    return n


@device
def line_of(S: State, address: int) -> int:
    """Return the number of the line of an address."""
    return (address >> S.l1d_line_shift) & S.l1d_line_mask


@device
def most_lanes(S: State, n: int) -> int:
    """Return the most lanes that want the same one of n lines."""
    most = 0
    for i in range(n):
        most = max(most, popcount(wanted(S, i).lanes))
    return most


@device
def steps_of_steps(S: State, step: int, lanes: int) -> int:
    """Return the number of different words in the fullest bank if lanes ascend by `step`.

    0 if it is not known. Neighbours are a multiple of 2^k words apart, so that they share 1/2^k of
    the banks in turn.
    """
    if step == 0:
        return 1
    if step & ((1 << WORD_SHIFT) - 1) != 0 or lanes & (lanes + bit(ctz(lanes))) != 0:
        # Lanes share words, or `lanes` has gaps.
        return 1 if step <= 1 << WORD_SHIFT and S.l1d_banks >= S.width and step > 0 else 0
    turns = max(0, S.l1d_bank_shift - (ctz(step) - WORD_SHIFT))
    return (popcount(lanes) + (1 << turns) - 1) >> turns


@device
def bank_steps(S: State, row_address: int, offset: int, lanes: int, n: int) -> int:
    """Return the number of different words that `lanes` want in the fullest bank."""
    if n == 1 and S.l1d_line_words <= S.l1d_banks:
        return 1
    if n == popcount(lanes):
        # Each lane has a line of its own, so that no word is shared.
        return most_in_a_bank(row_address, S.width, offset, S.l1d_banks - 1, lanes)
    for i in range(BANK_WORDS):
        bank_counts(S, i).bytes = 0
    for i in range(n):
        words = bits_of_words(row_address, S.width, offset, S.word_mask, wanted(S, i).lanes)
        for first in range(0, S.l1d_line_words, S.l1d_banks):
            count_bits(S.p_bank_counts, (words >> first) & low_bits(S.l1d_banks))
    return most_of_bytes(S.p_bank_counts)


def setup(machine: Machine) -> dict[str, Any]:
    """Return the geometry of lines and banks."""
    cache = machine.l1d
    words, banks = cache.line >> WORD_SHIFT, machine.l1d_banks
    return {
        "wanted": machine.width,
        "bank_counts": BANK_WORDS,
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
