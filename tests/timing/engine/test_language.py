"""Engine code as a language, compiled and plain: records, operators, statements, calls."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simtlab.timing.compiler.inspection import CompositionError
from simtlab.timing.compiler.native.entry import ENTRY, Native
from simtlab.timing.compiler.native.translation import native_ir
from simtlab.timing.compiler.native.values import layout_of
from simtlab.timing.engine.intrinsics import device, put64, record, table, word64
from simtlab.timing.engine.plain import PlainState

from ..support.twins import FIELDS, both, compiled

SMALL = st.integers(-9, 9)
CELL = record(wide="i8", narrow="i4", small="i2", tiny="i1")
cell = table("cell", CELL)


@device
def shift_all(S, i):
    cell(S, i).wide += 1
    cell(S, i).narrow -= 5
    cell(S, i).small = cell(S, i).narrow
    cell(S, i).tiny = cell(S, i).wide > 0
    S.x += cell(S, i).small
    return S.x


@device
def shift_twice(S, i):
    return shift_all(S, i) + shift_all(S, 2)


def test_fields_of_all_sizes_read_as_whole_numbers():
    rows, header = np.zeros(3, CELL), np.zeros(2, np.int64)
    header[1] = rows.ctypes.data
    result = compiled(shift_twice)(header.ctypes.data, 1)
    plain_rows, words = np.zeros(3, CELL), np.zeros(2, np.int64)
    S: Any = PlainState(words, FIELDS, {"cell": plain_rows})
    assert result == shift_twice(S, 1) == -5 + -10
    assert (rows == plain_rows).all()
    assert header[0] == words[0]


@device
def arithmetic(S, at):
    a = word64(at, 0)
    b = word64(at, 1)
    c = word64(at, 2)
    put64(at, 3, a + b * c - (a & b | c ^ ~a))
    put64(at, 4, (a // b) * 1000 + a % b if b != 0 else -1)
    put64(at, 5, (a // 4) * 1000 + a % 4 + a // 3 * 100 + a % -7)
    put64(at, 6, (a << 3) + (b >> 1) + (-c) + abs(a) + (+b))
    put64(at, 7, max(a, b, c) * 100 + min(a, b))
    put64(at, 8, (a < b) + 2 * (a <= b) + 4 * (a == b) + 8 * (a != b) + 16 * (a > b >= c))
    put64(at, 9, (a or b) + 10 * (a and b) + 100 * (not a) + 1000 * (a or (b and c)))
    put64(at, 10, int(a < b < c) + bool(a) + True)
    return 0


@given(SMALL, SMALL, SMALL)
def test_operators_give_what_python_gives(a, b, c):
    both(arithmetic, a, b, c, *[0] * 8)


@device
def tangle(S, at):
    """Loops with every way out, names that change, and calls by name."""
    a = word64(at, 0)
    b = word64(at, 1)
    c = word64(at, 2)
    total = 0
    for i in range(a, b):
        if i == c:
            continue
        total = total * 3 + i
        if total > 5000:
            break
        i += 5
    else:
        total += 7
    for i in range(b, a, -2):
        total += i * i
    for i in range(a, b, c):
        total ^= i
    while a != 0:
        a, b = b, a
        if (n := a + b) > 6:
            break
        a = a - 1 if a > 0 else a + 1
        total += n
    else:
        total -= 1
    low, high = (b, c) if b < c else (c, b)
    if not (low == high or low < a < high) and (low != 3 or high == 4):
        total += scaled(b, by=low)
    elif low > 0:
        return total + 1000 * scaled(high)
    put64(at, 3, total + fall(a & 7))
    return total


@device
def scaled(n, by=3):
    return n * by


@device
def fall(n):
    if n <= 0:
        return 0
    return n + fall(n - 1)


@given(SMALL, SMALL, SMALL.filter(bool))
def test_statements_do_what_python_does(a, b, c):
    both(tangle, a, b, c, 0)


def test_code_with_the_lines_of_its_source_does_the_same():
    """What bench/where.py compiles."""
    ir = native_ir(globals(), "tangle", ENTRY, FIELDS, lines=True)
    assert f'!DIFile(filename: "{Path(__file__).name}"' in ir
    words = np.array([5, -3, 2, 0, 5, -3, 2, 0], np.int64)
    answer = Native(lambda: ir, ir)(0, words.ctypes.data)
    assert answer == compiled(tangle)(0, words[4:].ctypes.data)
    assert (words[:4] == words[4:]).all()


@device
def divide(S, b):
    return 5 // b + 7 % b


def test_a_division_by_zero_gives_zero():
    assert [compiled(divide)(0, b) for b in (0, 2, -2)] == [0, 3, -4]


@device
def call_of_all_kinds(S, i):
    return plus_x(S, 1) + plus_x(S, i == i) + plus_x(S, i * 3) + plus_x(S, -1)


@device
def plus_x(S, i):
    return S.x + i


def test_literals_and_truth_values_make_no_second_version():
    header = np.array([10, 0], np.int64)
    assert compiled(call_of_all_kinds)(header.ctypes.data, 1) == 44
    ir = native_ir(globals(), "call_of_all_kinds", "entry", FIELDS)
    assert ir.count('define internal i64 @"plus_x"') == 1


def test_plain_tables_know_their_size():
    S: Any = PlainState(np.zeros(1, np.int64), {"x": 0}, {"cell": np.zeros(3, CELL)})
    with pytest.raises(IndexError, match="record 3 of a table of 3"):
        cell(S, 3)
    with pytest.raises(IndexError, match="record -1"):
        cell(S, -1)


@pytest.mark.parametrize("value", [1.5, np.float64(2), "1"])
def test_plain_words_and_fields_are_integers(value: Any):
    """Compiled code has no others."""
    S: Any = PlainState(np.zeros(1, np.int64), {"x": 0}, {"cell": np.zeros(3, CELL)})
    with pytest.raises(TypeError):
        S.x = value
    with pytest.raises(TypeError):
        cell(S, 0).small = value
    S.x = cell(S, 0).small = 1 << 14
    assert S.x == cell(S, 0).small == 1 << 14
    with pytest.raises(ValueError, match="format"):
        S.x = 1 << 63
    with pytest.raises(ValueError, match="format"):
        cell(S, 0).small = 1 << 15


def test_unknown_fields_are_errors_in_both():
    S: Any = PlainState(np.zeros(1, np.int64), {"x": 0}, {"cell": np.zeros(3, CELL)})
    with pytest.raises(AttributeError, match="'y'"):
        S.y  # noqa: B018
    with pytest.raises(CompositionError, match=r"test_language.py:\d+: cell has no.*'wider'"):
        compiled(widened)
    assert layout_of(CELL) == {
        "wide": (0, 64), "narrow": (8, 32), "small": (12, 16), "tiny": (14, 8)
    }  # fmt: skip


@device
def widened(S, i):
    return cell(S, i).wider
