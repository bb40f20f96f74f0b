"""Intrinsics of engine code, compiled and as plain Python: words, bits, lanes, searches, calls."""

from __future__ import annotations

import ctypes
import gc
import weakref
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simtlab.emu.recent import KEPT as KEPT_FUNCTIONS
from simtlab.timing.engine import causes
from simtlab.timing.engine import intrinsics as twins
from simtlab.timing.engine.intrinsics import device

from ..support.twins import both, compiled

WORDS = st.integers(-(1 << 63), (1 << 63) - 1)
SMALL = st.integers(-9, 9)

bit, low_bits, ctz, drop_lowest, popcount, mix = (
    twins.bit, twins.low_bits, twins.ctz, twins.drop_lowest, twins.popcount, twins.mix
)  # fmt: skip
word32, word64, put64, lanes_of_line = (
    twins.word32, twins.word64, twins.put64, twins.lanes_of_line
)  # fmt: skip
prefetch, quotient, inverse_of = twins.prefetch, twins.quotient, twins.inverse_of
find_word, first_least, words_up_to, bits_of_words, most_in_a_bank = (
    twins.find_word, twins.first_least, twins.words_up_to, twins.bits_of_words, twins.most_in_a_bank
)  # fmt: skip
least, line_starts, lanes_in_steps = twins.least, twins.line_starts, twins.lanes_in_steps
put_in_chunk, put_sums, count_lanes = twins.put_in_chunk, twins.put_sums, twins.count_lanes
count_bits, most_of_bytes = twins.count_bits, twins.most_of_bytes
first_least_due, rows_with, add_parts = twins.first_least_due, twins.rows_with, twins.add_parts


@device
def shares(S, at):
    put64(at, 0, quotient(word64(at, 0), word64(at, 1)))
    return 0


@given(st.data(), st.integers(1, 1 << 20) | st.sampled_from([1, 2, 3, 10, 256, (1 << 40) - 1]))
def test_quotients_are_exact_up_to_their_bound(data, divisor):
    bound = (1 << 63) // divisor
    n = data.draw(st.integers(0, bound) | st.integers(max(0, bound - 9), bound))
    n -= n == 1 << 63
    near = n // divisor * divisor  # the first number with this quotient, and the one before it
    for number in {n, near, max(0, near - 1)}:
        assert both(shares, number, inverse_of(divisor))[0] == number // divisor


@device
def fetches(S, at):
    prefetch(word64(at, 0))
    prefetch(at)
    return 0


@given(WORDS)
def test_any_address_can_be_fetched_ahead(address):
    assert both(fetches, address) == [address]


@device
def bits(S, at):
    a = word64(at, 0)
    b = word64(at, 1)
    put64(at, 1, popcount(a))
    put64(at, 2, mix(a, b, word64(at, 2)))
    put64(at, 0, ctz(a))
    put64(at, 3, drop_lowest(a))
    return 0


@given(WORDS, WORDS, WORDS)
def test_bit_tricks(a, b, c):
    found = both(bits, a, b, c, 0)
    assert found == [ctz(a), popcount(a), mix(a, b, c), drop_lowest(a)]
    assert 0 <= found[2] < 1 << 62


@device
def lane_masks(S, at):
    n = word64(at, 0)
    put64(at, 0, bit(n))
    put64(at, 1, low_bits(n))
    put64(at, 2, low_bits(n + 1))
    return 0


@pytest.mark.parametrize("n", range(64))
def test_masks_of_lanes_are_signed_words(n):
    assert both(lane_masks, n, 0, 0) == [bit(n), low_bits(n), low_bits(n + 1)]


@device
def lines(S, at):
    found = lanes_of_line(word64(at, 0), word64(at, 1), word64(at, 2), word64(at, 3), word64(at, 4))
    put64(at, 0, found)
    return 0


@given(st.integers(1, 64), st.integers(2, 12), st.integers(-300, 300), st.data())
def test_lanes_of_a_line(width, shift, offset, data):
    # Rows are padded to whole vectors; words beyond the width belong to no group.
    row = np.full(64, 0x4000, np.int64)
    row[:width] = data.draw(st.lists(st.integers(0x3F00, 0x4100), min_size=width, max_size=width))
    line = (int(row[data.draw(st.integers(0, width - 1))]) + offset) >> shift
    found = both(lines, row.ctypes.data, width, offset, shift, line)[0]
    assert found == lanes_of_line(row.ctypes.data, width, offset, shift, line)
    expected = sum(1 << i for i in range(width) if (int(row[i]) + offset) >> shift == line)
    assert found == twins.signed(expected)


@device
def starts(S, at):
    put64(at, 0, line_starts(word64(at, 0), word64(at, 1), word64(at, 2), word64(at, 3)))
    return 0


@given(st.integers(1, 64), st.integers(2, 12), st.integers(-300, 300), st.data())
def test_lanes_where_a_line_starts(width, shift, offset, data):
    row = np.full(64, 0x4000, np.int64)
    row[:width] = data.draw(st.lists(st.integers(0x3F00, 0x4100), min_size=width, max_size=width))
    found = both(starts, row.ctypes.data, width, offset, shift)[0]
    numbers = [(int(address) + offset) >> shift for address in row[:width]]
    changes = [True, *(a != b for a, b in pairwise(numbers))]
    assert found == twins.signed(sum(1 << i for i, changed in enumerate(changes) if changed))


@device
def steps(S, at):
    put64(at, 0, lanes_in_steps(word64(at, 0), word64(at, 1), word64(at, 2), word64(at, 3)))
    return 0


@given(st.integers(1, 64), WORDS, WORDS | SMALL, st.integers(0, 63))
def test_lanes_whose_words_ascend_in_steps(width, base, step, stray):
    row = np.array([twins.signed(base + step * lane) for lane in range(64)], np.int64)
    row[stray] ^= 1 << 40
    found = both(steps, row.ctypes.data, width, base, step)[0]
    assert found == low_bits(width) & ~bit(stray)


@device
def searches(S, at):
    address = word64(at, 0)
    n = word64(at, 1)
    value = word64(at, 2)
    put64(at, 0, find_word(address, n, value))
    put64(at, 1, first_least(address, n))
    put64(at, 2, words_up_to(address, min(n, 64), value))
    put64(at, 3, least(address, n))
    return 0


@given(st.integers(1, 200), st.booleans(), st.data())
def test_searches_of_words(n, is_flat, data):
    # Vectors read behind the end: what is there is neither found nor least.
    row = np.full(n + 8, -100, np.int64)
    value = st.integers(0, 3) if is_flat else WORDS
    row[:n] = data.draw(st.lists(value, min_size=n, max_size=n))
    wanted = int(data.draw(st.sampled_from([*map(int, row[:n]), -100, 17])))
    found, first, few, lowest = both(searches, row.ctypes.data, n, wanted, 0)
    assert found == next((i for i in range(n) if row[i] == wanted), -1)
    assert first == int(np.argmin(row[:n]))
    assert lowest == row[:n].min()
    mask = sum(1 << i for i in range(min(n, 64)) if row[i] <= wanted)
    assert few == twins.signed(mask)


@device
def search_of_rows(S, at):
    rows = rows_with(word64(at, 0), word64(at, 1), word64(at, 2), word64(at, 3), word64(at, 4))
    put64(at, 0, rows)
    return 0


@given(st.integers(1, 64), st.integers(1, 20), st.data())
def test_rows_with_a_word(width, words, data):
    table_ = np.full((64, words), 7, np.int64)
    table_[:, 0] = data.draw(st.lists(st.integers(-1, 1), min_size=64, max_size=64))
    rows = data.draw(st.integers(0, (1 << width) - 1))
    value = data.draw(st.integers(-1, 1))
    given_words = table_.ctypes.data, 8 * words, width, twins.signed(rows), value
    found = both(search_of_rows, *given_words)[0]
    expected = sum(1 << i for i in range(width) if rows >> i & 1 and table_[i, 0] == value)
    assert found == twins.signed(expected)


@device
def charge(S, at):
    dates, rows = word64(at, 0), word64(at, 6)
    add_parts(
        dates, word64(at, 1), word64(at, 2), word64(at, 3), word64(at, 4), rows, rows + 80,
        word64(at, 5), rows + 160,
    )  # fmt: skip
    return 0


@given(st.lists(st.integers(-3, 9), min_size=7, max_size=7), st.sampled_from([0, 1, 2, 4, 6, 9]))
def test_spans_are_divided_among_causes(numbers, cause):
    """Each cycle from `a` or `b` on has one owner: the part that ends first after it."""
    *dates, ready, end, a, b = numbers
    places, sums = np.array([*dates, 99], np.int64), np.full((3, 10), 100, np.int64)
    given_words = places.ctypes.data, ready, end, cause, a, b, sums.ctypes.data
    expected = np.full((3, 10), 100, np.int64)
    ends = [*zip((*dates, ready), (causes.BANK, causes.MSHR, causes.L2, cause), strict=True)]
    for row, start in zip(expected, (a, a, b), strict=True):
        for cycle in range(start, end):
            row[next((owner for date, owner in ends if cycle < date), causes.READY)] += 1
    both(charge, *given_words)  # which adds twice, as compiled and as plain code
    assert (sums == 2 * expected - 100).all()


@device
def search_of_due(S, at):
    put64(at, 0, first_least_due(word64(at, 0), word64(at, 1), word64(at, 2), word64(at, 3)))
    return 0


@given(st.integers(1, 200), st.integers(0, 4), st.data())
def test_the_least_word_whose_date_has_come(n, t, data):
    # Words behind the end are less, and due; no word is due where all dates are after t.
    words, dates = np.full(n + 8, -100, np.int64), np.full(n + 8, -100, np.int64)
    words[:n] = data.draw(st.lists(st.integers(-2, 2), min_size=n, max_size=n))
    dates[:n] = data.draw(st.lists(st.integers(1, 3) | WORDS, min_size=n, max_size=n))
    found = both(search_of_due, words.ctypes.data, dates.ctypes.data, n, t)[0]
    due = np.flatnonzero(dates[:n] <= t)
    assert found == (due[np.argmin(words[due])] if due.size else -1)


@device
def places(S, at):
    address = word64(at, 0)
    width = word64(at, 1)
    offset = word64(at, 2)
    mask = word64(at, 3)
    lanes = word64(at, 4)
    put64(at, 0, bits_of_words(address, width, offset, mask, lanes))
    put64(at, 1, most_in_a_bank(address, width, offset, mask, lanes))
    return 0


@given(st.integers(1, 64), st.integers(0, 6), st.integers(-64, 64), WORDS, st.data())
def test_words_and_banks_of_lanes(width, log, offset, lanes, data):
    row = np.full(72, 7, np.int64)
    row[:width] = data.draw(st.lists(st.integers(64, 600), min_size=width, max_size=width))
    lanes &= low_bits(width)
    mask = (1 << log) - 1
    banks = [(int(row[i]) + offset >> 2) & mask for i in range(width) if lanes >> i & 1]
    expected = (
        twins.signed(sum(1 << b for b in set(banks))),
        max(map(banks.count, banks), default=0),
    )
    assert both(places, row.ctypes.data, width, offset, mask, lanes)[:2] == list(expected)


@device
def counted_bits(S, address):
    count_bits(address, word64(address, 8))
    count_bits(address, word64(address, 9))
    put64(address, 10, most_of_bytes(address))
    return 0


@given(st.lists(st.integers(0, 200), min_size=64, max_size=64), WORDS, WORDS)
def test_bits_are_counted_in_bytes(counts, first, second):
    packed = np.array(counts, np.uint8).view(np.int64)
    left = np.array(both(counted_bits, *packed.tolist(), first, second, 0))
    sums = [n + (first >> i & 1) + (second >> i & 1) for i, n in enumerate(counts)]
    assert left[:8].view(np.uint8).tolist() == sums
    assert left[10] == max(sums)


@device
def puts(S, at):
    put_in_chunk(word64(at, 0), word64(at, 1), word64(at, 2))
    return 0


@given(st.integers(0, 39), WORDS)
def test_a_word_is_put_among_others(index, value):
    row = np.arange(100, 160)  # a vector is within it, wherever vectors begin
    expected = row.copy()
    expected[8 + index] = value
    both(puts, row[8:].ctypes.data, index, value)
    assert row.tolist() == expected.tolist()


@device
def sums(S, at):
    put_sums(word64(at, 0), word64(at, 1), word64(at, 2), word64(at, 3))
    return 0


@given(st.integers(1, 64), WORDS, st.lists(st.integers(0, 0xFFFF_FFFF), min_size=64, max_size=64))
def test_sums_with_words_of_a_row(width, base, row):
    numbers, found = np.array(row, np.uint32), np.zeros(64, np.int64)
    both(sums, numbers.ctypes.data, width, base, found.ctypes.data)
    expected = [twins.signed(base + n) for n in row[:width]]
    assert found[:width].tolist() == expected
    found[:] = 0
    compiled(sums)(0, np.array([numbers.ctypes.data, width, base, found.ctypes.data]).ctypes.data)
    assert found[:width].tolist() == expected


@device
def counted_lanes(S, at):
    count_lanes(at + 16, word64(at, 0), word64(at, 1))
    return 0


@given(st.integers(1, 64), WORDS)
def test_lanes_are_counted_one_by_one(width, lanes):
    lanes &= low_bits(width)
    found = both(counted_lanes, width, lanes, *range(64))[2:]
    assert found == [i + (lanes >> i & 1) for i in range(64)]


@device
def words(S, address):
    put64(address, 0, word64(address, 1) + word32(address, 2))
    return word64(address, 0)


def test_words_at_an_address():
    assert both(words, 0, -2, 1 << 40) == [-2 + 0xFFFF_FFFE, -2, 1 << 40]
    memory = np.array([0, -2, 1 << 40], np.int64)
    assert compiled(words)(0, memory.ctypes.data) == -2 + 0xFFFF_FFFE


def test_native_code_of_any_number_of_kernels_is_called() -> None:
    """Each call is of another place in memory, as for kernels that come and go."""
    adds = ctypes.CFUNCTYPE(ctypes.c_uint64, ctypes.c_uint64, ctypes.c_uint64)(lambda a, b: a + b)
    address = ctypes.cast(adds, ctypes.c_void_p).value
    assert address is not None
    assert twins.call(address, 3, 4) == 7
    function = weakref.ref(twins._function(address))
    for other in range(1, KEPT_FUNCTIONS + 1):
        twins._function(other)
    gc.collect()
    assert function() is None
    assert twins.call(address, -1, 4) == 3
