"""Words of global memory that lanes have loaded, and the rows in which these lie."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..values.lane_sums import Sum
from ..values.ssa import Op
from .forwarded import WORD, Copies

LARGEST_OFFSET = 1 << 20
"""Bytes between two words of one row of global memory."""

NONE = -1
"""In place of a load: it is not known which one a word comes from."""

Indices = NDArray[np.int64]


class Place(NamedTuple):
    """A word of global memory: `offset` bytes from where a lane of a load has its word."""

    anchor: tuple[Op, Copies, int]
    offset: int


class Load(NamedTuple):
    """An execution of a load of global memory."""

    op: Op
    copy: Copies
    address: Sum


class Rows:
    """Words of global memory that are known to be some bytes apart: those of one row."""

    def __init__(self, loads: list[Load], count: int) -> None:
        self._loads, self._count = loads, count
        self._numbers: dict[object, int] = {}
        """Products of a sum, with their factors -> the number of the row that has these."""
        self._found: dict[int, tuple[Indices, Indices]] = {}
        """Load -> the row of each lane's word, and the constant in its address."""
        self._anchors: dict[int, list[tuple[tuple[Op, Copies, int], int]]] = {}
        """Row -> words of it, and the constants in their addresses."""
        self.anchors: dict[tuple[Op, Copies], list[int]] = {}

    def _of(self, number: int) -> tuple[Indices, Indices]:
        """Return the row of each lane's word, and the constant in its address."""
        if number not in self._found:
            terms = self._loads[number].address.terms
            products = [term for term in terms if term]
            factors = np.array([terms[t] for t in products]).reshape(len(products), self._count)
            unique, inverse = np.unique(factors, axis=1, return_inverse=True)
            rows = []
            for column in unique.T.tolist():
                key = frozenset((t, f) for t, f in zip(products, column, strict=True) if f)
                rows.append(self._numbers.setdefault(key, len(self._numbers)))
            each = np.array(rows, np.int64)[inverse.reshape(-1)]
            self._found[number] = each, terms[()].view(np.int64)
        return self._found[number]

    def runs(self, loads: Indices, lanes: Indices, chunk: int) -> list[tuple[int, int]]:
        """Return the first lanes and the ends of words that follow each other in a vector."""
        row, constant = np.full(self._count, NONE), np.zeros(self._count, np.int64)
        for number in sorted({*loads[loads != NONE].tolist()}):  # np.unique would import numpy.ma
            here = loads == number
            rows, constants = self._of(number)
            row[here], constant[here] = rows[lanes[here]], constants[lanes[here]]
        starts = np.ones(self._count, np.bool_)
        starts[1:] = (row[1:] != row[:-1]) | (constant[1:] - constant[:-1] != WORD)
        starts[::chunk] = True
        first = np.flatnonzero(starts)
        pairs = zip(first.tolist(), [*first[1:].tolist(), self._count], strict=True)
        return [(start, end) for start, end in pairs if loads[start] != NONE]

    def place(self, number: int, lane: int) -> Place:
        """Return the place from which a lane has loaded."""
        rows, constants = self._of(number)
        constant = int(constants[lane])
        anchors = self._anchors.setdefault(int(rows[lane]), [])
        for anchor, start in anchors:
            if abs(constant - start) < LARGEST_OFFSET:
                return Place(anchor, constant - start)
        load = self._loads[number]
        anchors.append(((load.op, load.copy, lane), constant))
        self.anchors.setdefault((load.op, load.copy), []).append(lane)
        return Place(anchors[-1][0], 0)
