"""Columns of sixteen rows of sixteen bytes.

Shuffles of two rows at a time would be 64. With four rows in a register, one permutation puts the
bytes of each column together, and two rounds of four the columns of all rows: twelve.
"""

from __future__ import annotations

from collections.abc import Sequence

from ....llvm.function_text import FunctionText
from ....llvm.parts import joined, part, picked
from ....llvm.text import integer

ROWS = 16
"""Rows, and bytes of each."""

_QUARTER = 4
"""Rows in a register."""

_BYTES = ROWS * _QUARTER
_WORDS = _BYTES // 4


def columns(code: FunctionText, rows: Sequence[str]) -> list[str]:
    """Return the columns of rows, all of them vectors of 16 bytes."""
    together = [column + row * ROWS for column in range(ROWS) for row in range(_QUARTER)]
    words = []
    for first in range(0, ROWS, _QUARTER):
        whole, _ = joined(code, 8, ROWS, rows[first : first + _QUARTER])
        bytes_ = picked(code, 8, _BYTES, (whole, "poison"), together)
        words.append(_as(code, bytes_, 8, 32))
    pairs = []
    for a, b in (words[:2], words[2:]):
        for first in (0, _WORDS // 2):
            order = [i + n for i in range(first, first + _WORDS // 2) for n in (0, _WORDS)]
            pairs.append(_as(code, picked(code, 32, _WORDS, (a, b), order), 32, 64))
    found = []
    half = _WORDS // 2
    for a, b in zip(pairs[:2], pairs[2:], strict=True):
        for first in (0, half // 2):
            order = [i + n for i in range(first, first + half // 2) for n in (0, half)]
            four = _as(code, picked(code, 64, half, (a, b), order), 64, 8)
            found += [part(code, 8, _BYTES, four, j * ROWS, ROWS) for j in range(_QUARTER)]
    return found


def _as(code: FunctionText, vector: str, bits: int, to: int) -> str:
    """Return a register's elements of some bits as elements of others."""
    types = (integer(b, 8 * _BYTES // b) for b in (bits, to))
    return code.let(f"bitcast {next(types)} {vector} to {next(types)}")
