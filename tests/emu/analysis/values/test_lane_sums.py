"""Sums of products that lanes calculate from their numbers and from uniform values."""

from __future__ import annotations

import numpy as np

from simtlab.emu.analysis.values.lane_sums import (
    MOST_TERMS,
    Sum,
    constant_sum,
    merged,
    of_numbers,
    of_symbol,
)

LANES = 4
NUMBERS = of_numbers(np.arange(LANES, dtype=np.uint32))
PITCH = of_symbol(7, 32, LANES)
HERE = np.array([True, False, True, False])


def terms(found: Sum | None) -> dict[tuple[int, ...], list[int]]:
    assert found is not None
    return {term: factors.tolist() for term, factors in found.terms.items()}


def number(value: int, bits: int = 32) -> Sum:
    return constant_sum(value, bits, LANES)


def test_a_row_times_a_pitch_and_a_column() -> None:
    row = NUMBERS.times(PITCH)
    assert row is not None
    assert terms(row.plus(NUMBERS)) == {(): [0, 1, 2, 3], (7,): [0, 1, 2, 3]}


def test_sums_wrap_around_as_registers_do() -> None:
    assert terms(number(5).plus(number(6), -1)) == {(): [0xFFFF_FFFF] * LANES}
    assert terms(number(5, 64).plus(number(6, 64), -1)) == {(): [(1 << 64) - 1] * LANES}
    assert terms(PITCH.plus(PITCH, -1)) == {(): [0] * LANES}


def test_known_numbers_are_widened_exactly() -> None:
    assert terms(number(-1).widened(signed=False)) == {(): [0xFFFF_FFFF] * LANES}
    assert terms(number(-1).widened(signed=True)) == {(): [(1 << 64) - 1] * LANES}


def test_a_widened_sum_keeps_its_products_apart() -> None:
    wide = PITCH.widened(signed=False)
    scaled = wide.times(number(4, 64))
    assert scaled is not None
    assert terms(scaled) == {(): [0] * LANES, (-1, 7): [4] * LANES}
    assert scaled.scale == 4
    assert [s and s.scale for s in (scaled.plus(of_symbol(3, 64, LANES)), wide)] == [4, 1]
    assert merged(scaled, wide, HERE).scale == 1
    assert wide.plus(wide) is None
    assert wide.times(of_symbol(3, 64, LANES)) is None
    assert wide.times(number(0, 64)) is None
    assert terms(wide.plus(of_symbol(3, 64, LANES))).keys() == {(), (-1, 7), (3,)}
    assert terms(PITCH.widened(signed=True)).keys() == {(), (-2, 7)}


def test_products_are_short_and_sums_have_few_of_them() -> None:
    square = PITCH.times(PITCH)
    assert square is not None
    assert terms(square.times(PITCH)).keys() == {(7, 7, 7)} | {()}
    assert square.times(square) is None
    total: Sum | None = NUMBERS
    for symbol in range(MOST_TERMS):
        assert total is not None
        total = total.plus(of_symbol(symbol, 32, LANES))
    assert total is None


def test_lanes_have_one_of_two_sums() -> None:
    assert terms(merged(NUMBERS, PITCH, HERE)) == {(): [0, 1, 0, 3], (7,): [1, 0, 1, 0]}
