"""Intrinsics: compiled code and its twins in plain Python give the same numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simtlab.timing.compiler import numba_types as compiled
from simtlab.timing.compiler.numba_types import compile_device, register_table, state_at
from simtlab.timing.engine import intrinsics as twins
from simtlab.timing.engine.intrinsics import PlainState, record, table

WORDS = st.integers(-(1 << 63), (1 << 63) - 1)
CELL = record(wide="i8", narrow="i4", small="i2", tiny="i1")
cell = table("cell", CELL)
register_table(cell)

bit, low_bits, ctz, drop_lowest, popcount, mix = (
    twins.bit, twins.low_bits, twins.ctz, twins.drop_lowest, twins.popcount, twins.mix
)  # fmt: skip
word32, word64, put64, lanes_of_line = (
    twins.word32, twins.word64, twins.put64, twins.lanes_of_line
)  # fmt: skip
find_word, first_least, words_up_to, bits_of_words, most_in_a_bank = (
    twins.find_word, twins.first_least, twins.words_up_to, twins.bits_of_words, twins.most_in_a_bank
)  # fmt: skip
state = state_at({"x": 0, "p_cell": 1})


def native(f: Callable[..., Any]) -> Any:
    return numba.njit(f)


@native
def bits(a, b, c):
    return ctz(a), popcount(a), drop_lowest(a), mix(a, b, c)


@given(WORDS, WORDS, WORDS)
def test_bit_tricks(a, b, c):
    assert bits(a, b, c) == (ctz(a), popcount(a), drop_lowest(a), mix(a, b, c))
    assert 0 <= mix(a, b, c) < 1 << 62


@native
def lane_masks(n):
    return bit(n), low_bits(n), low_bits(n + 1)


@pytest.mark.parametrize("n", range(64))
def test_masks_of_lanes_are_signed_words(n):
    assert lane_masks(n) == (bit(n), low_bits(n), low_bits(n + 1))


@native
def lines(address, width, offset, shift, line):
    return lanes_of_line(address, width, offset, shift, line)


@given(st.integers(1, 64), st.integers(2, 12), st.integers(-300, 300), st.data())
def test_lanes_of_a_line(width, shift, offset, data):
    # Rows are padded to whole vectors; words beyond the width belong to no group.
    row = np.full(64, 0x4000, np.int64)
    row[:width] = data.draw(st.lists(st.integers(0x3F00, 0x4100), min_size=width, max_size=width))
    line = (int(row[data.draw(st.integers(0, width - 1))]) + offset) >> shift
    found = lines(row.ctypes.data, width, offset, shift, line)
    assert found == lanes_of_line(row.ctypes.data, width, offset, shift, line)
    expected = sum(1 << i for i in range(width) if (int(row[i]) + offset) >> shift == line)
    assert found == twins.signed(expected)


@native
def searches(address, n, value):
    return find_word(address, n, value), first_least(address, n)


@native
def up_to(address, n, limit):
    return words_up_to(address, n, limit)


@given(st.integers(1, 200), st.booleans(), st.data())
def test_searches_of_words(n, is_flat, data):
    # Vectors read behind the end: what is there is neither found nor least.
    row = np.full(n + 8, -100, np.int64)
    value = st.integers(0, 3) if is_flat else WORDS
    row[:n] = data.draw(st.lists(value, min_size=n, max_size=n))
    wanted = int(data.draw(st.sampled_from([*map(int, row[:n]), -100, 17])))
    found, least = searches(row.ctypes.data, n, wanted)
    assert found == find_word(row.ctypes.data, n, wanted)
    assert found == next((i for i in range(n) if row[i] == wanted), -1)
    assert least == first_least(row.ctypes.data, n) == int(np.argmin(row[:n]))
    n = min(n, 64)
    mask = sum(1 << i for i in range(n) if row[i] <= wanted)
    assert up_to(row.ctypes.data, n, wanted) == twins.signed(mask)
    assert words_up_to(row.ctypes.data, n, wanted) == twins.signed(mask)


@native
def places(address, width, offset, mask, lanes):
    return (
        bits_of_words(address, width, offset, mask, lanes),
        most_in_a_bank(address, width, offset, mask, lanes),
    )


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
    arguments = row.ctypes.data, width, offset, mask, lanes
    assert places(*arguments) == expected
    assert (bits_of_words(*arguments), most_in_a_bank(*arguments)) == expected


@native
def words(address, i):
    put64(address, 0, word64(address, i) + word32(address, 2 * i))
    return word64(address, 0)


def test_words_at_an_address():
    memory = np.array([0, -2, 1 << 40], np.int64)
    assert words(memory.ctypes.data, 1) == -2 + 0xFFFF_FFFE
    assert memory[0] == -2 + 0xFFFF_FFFE
    twins.put64(memory.ctypes.data, 2, -7)
    assert (twins.word64(memory.ctypes.data, 2), twins.word32(memory.ctypes.data, 4)) == (
        -7, 0xFFFF_FFF9
    )  # fmt: skip


def shift_all(S, i):
    cell(S, i).wide += 1
    cell(S, i).narrow -= 5
    cell(S, i).small = cell(S, i).narrow
    cell(S, i).tiny = cell(S, i).wide > 0
    S.x += cell(S, i).small
    return S.x


compiled_shift = compile_device(shift_all)


@native
def shift_at(header, i):
    return compiled_shift(state(header), i) + compiled_shift(state(header), 2)


def test_fields_of_all_sizes_read_as_whole_numbers():
    rows, header = np.zeros(3, CELL), np.zeros(2, np.int64)
    header[1] = rows.ctypes.data
    result = shift_at(header.ctypes.data, 1)
    plain_rows, words = np.zeros(3, CELL), np.zeros(2, np.int64)
    S: Any = PlainState(words, {"x": 0, "p_cell": 1}, {"cell": plain_rows})
    assert result == shift_all(S, 1) + shift_all(S, 2) == -5 + -10
    assert (rows == plain_rows).all()
    assert header[0] == words[0]


def test_literals_and_truth_values_make_no_second_version():
    @compile_device
    def f(S, i):
        return S.x + i

    @numba.njit
    def g(header):
        S = state(header)
        return f(S, 1) + f(S, True) + f(S, np.int32(3)) + f(S, -1)

    header = np.array([10, 0], np.int64)
    assert g(header.ctypes.data) == 44
    assert len(f.signatures) == 1


def test_plain_tables_know_their_size():
    S: Any = PlainState(np.zeros(1, np.int64), {"x": 0}, {"cell": np.zeros(3, CELL)})
    with pytest.raises(IndexError, match="record 3 of a table of 3"):
        cell(S, 3)
    with pytest.raises(IndexError, match="record -1"):
        cell(S, -1)


def test_unknown_fields_are_errors_in_both():
    S: Any = PlainState(np.zeros(1, np.int64), {"x": 0}, {"cell": np.zeros(3, CELL)})
    with pytest.raises(KeyError):
        S.y  # noqa: B018
    with pytest.raises(numba.TypingError, match="wider"):
        native(lambda header: cell(state(header), 0).wider)(0)
    assert compiled.layout_of(CELL) == {
        "wide": (0, 64), "narrow": (8, 32), "small": (12, 16), "tiny": (14, 8)
    }  # fmt: skip
