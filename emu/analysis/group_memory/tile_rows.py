"""Words of global memory that lanes have loaded, and the rows in which these lie.

Rows of a grid are equally far apart: how far, follows from two of them. So few words need places
that are kept, and all others are multiples of such steps away.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..values.lane_sums import Sum, Term, is_widened
from ..values.ssa import Op
from .forwarded import WORD, Copies

LARGEST_OFFSET = 1 << 20
"""Bytes between two words of one row of global memory."""

SMALLEST_SCALE = 2
"""Bytes that a 32-bit index counts at least, if multiples of distances are to be exact."""

MOST_FIRST = 8
"""Words from which steps are counted."""

NONE = -1
"""In place of a load: it is not known which one a word comes from."""

Indices = NDArray[np.int64]


Anchor = tuple[Op, Copies, int]
"""A lane of a load."""

Key = tuple[int, frozenset[tuple[Term, int]]]
"""The scale of a row's addresses, and their products with the factors of these."""


class Step(NamedTuple):
    """How far rows are apart: from the word of one lane to another one's, less a constant."""

    start: Anchor
    end: Anchor
    constant: int


class Place(NamedTuple):
    """A word of global memory: some steps and `offset` bytes from the word of a lane of a load."""

    anchor: Anchor
    offset: int
    steps: tuple[tuple[Step, int], ...] = ()
    """Steps, and how many of each."""


class Load(NamedTuple):
    """An execution of a load of global memory."""

    op: Op
    copy: Copies
    address: Sum


class Rows:
    """Words of global memory that are known to be some bytes apart: those of one row."""

    def __init__(self, loads: list[Load], count: int) -> None:
        self._loads, self._count = loads, count
        self._keys: list[Key] = []
        self._numbers: dict[Key, int] = {}
        """What the addresses of a row have but for constants -> the row's number."""
        self._found: dict[int, tuple[Indices, Indices]] = {}
        """Load -> the row of each lane's word, and the constant in its address."""
        self._places: dict[int, list[tuple[Place, int]]] = {}
        """Row -> words of it, and the constants in their addresses."""
        self._first: list[tuple[Key, Anchor, int]] = []
        """Rows of the first words whose places are kept, and the constants in their addresses."""
        self._steps: dict[Key, Step] = {}
        """What the addresses of a row have more than another one's -> a step."""
        self.anchors: dict[tuple[Op, Copies], list[int]] = {}

    def _of(self, number: int) -> tuple[Indices, Indices]:
        """Return the row of each lane's word, and the constant in its address."""
        if number not in self._found:
            terms, scale = self._loads[number].address.terms, self._loads[number].address.scale
            products = [term for term in terms if term]
            factors = np.array([terms[t] for t in products]).reshape(len(products), self._count)
            unique, inverse = np.unique(factors, axis=1, return_inverse=True)
            rows = []
            for column in unique.T.tolist():
                key = scale, frozenset((t, f) for t, f in zip(products, column, strict=True) if f)
                if key not in self._numbers:
                    self._numbers[key] = len(self._keys)
                    self._keys.append(key)
                rows.append(self._numbers[key])
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
        row, constant = int(rows[lane]), int(constants[lane])
        near = self._near(row, constant)
        if near is not None:
            return near
        place = self._steps_away(row, constant)
        if place is None:
            load = self._loads[number]
            place = Place((load.op, load.copy, lane), 0)
            self.anchors.setdefault((load.op, load.copy), []).append(lane)
            self._learn_steps(self._keys[row], place.anchor, constant)
        self._places.setdefault(row, []).append((place, constant))
        return place

    def _near(self, row: int, constant: int) -> Place | None:
        """Return a place in a row of which some word is known; None if none is near."""
        for place, start in self._places.get(row, ()):
            if abs(constant - start) < LARGEST_OFFSET:
                return place._replace(offset=place.offset + constant - start)
        return None

    def _steps_away(self, row: int, constant: int) -> Place | None:
        """Return a place that is a step away from a word that is known; None if none is.

        Words in one buffer are less than 2^32 bytes apart. So if their numbers are the same
        distance apart modulo 2^32, and count words of two bytes or more, their places are as well.
        """
        for more, step in self._steps.items():
            for sign in (1, -1):
                other = self._numbers.get(_moved(self._keys[row], more, -sign), NONE)
                near = self._near(other, constant)
                if near is not None:
                    counts = dict(near.steps)
                    counts[step] = counts.get(step, 0) + sign
                    return near._replace(steps=tuple((s, n) for s, n in counts.items() if n))
        return None

    def _learn_steps(self, key: Key, anchor: Anchor, constant: int) -> None:
        """Note how far a word whose place is kept is from the first ones of these."""
        for other, start, before in self._first:
            more = _moved(key, other, -1)
            widened = {is_widened(term) for term, _ in more[1]}
            exact = more[0] >= SMALLEST_SCALE if widened == {True} else widened == {False}
            if key[0] == other[0] and exact and abs(constant - before) < LARGEST_OFFSET:
                self._steps.setdefault(more, Step(start, anchor, constant - before))
        if len(self._first) < MOST_FIRST:
            self._first.append((key, anchor, constant))


def _moved(key: Key, more: Key, sign: int) -> Key:
    """Return what addresses of a row have, and `sign` times what others have more."""
    scale, found = key[0], dict(key[1])
    for term, factor in more[1]:
        # An index of 32 bits may have wrapped around before it was scaled.
        modulus = min(scale << 32, 1 << 64) if is_widened(term) else 1 << 64
        found[term] = (found.get(term, 0) + sign * factor) % modulus
    return scale, frozenset((term, factor) for term, factor in found.items() if factor)
