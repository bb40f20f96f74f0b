"""Plans that bring elements to the lanes that want them: wide accesses and shuffles of two vectors.

Where the distances between a warp's lanes are known, so is which element each lane wants. A tile
that is read by columns is then read by rows and transposed in registers, in as many shuffles of two
vectors as a butterfly has; elements at every second place are two wide loads and a shuffle.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

LANES = 16
"""Elements of most vectors."""

Labels = Sequence[int | None]
"""The elements of a vector; None where any will do."""


@dataclass(frozen=True)
class Shuffle:
    """A vector whose elements come from one vector, or from two (counted on from the first)."""

    first: int
    second: int
    order: tuple[int | None, ...]


@dataclass
class Route:
    """Shuffles, and the vectors in which the results are.

    The given vectors have the numbers from 0 on; each shuffle has the next one.
    """

    shuffles: list[Shuffle] = field(default_factory=list)
    results: list[int] = field(default_factory=list)


def route(given: Sequence[Labels], wanted: Sequence[Labels]) -> Route:
    """Return how the wanted vectors are made of the given ones, which have all their elements."""
    plan = _Plan(given)
    plan.results = [-1] * len(wanted)
    plan.make(list(range(len(given))), list(enumerate(wanted)))
    return Route(plan.shuffles, plan.results)


class _Plan:
    """A route in the making."""

    def __init__(self, given: Sequence[Labels]) -> None:
        self.lanes = len(given[0])
        self.vectors = [tuple(labels) for labels in given]
        self.shuffles: list[Shuffle] = []
        self.results: list[int] = []

    def make(self, vectors: list[int], wanted: list[tuple[int, Labels]]) -> None:
        """Make some results of some vectors: halves of them of fewer and fuller vectors."""
        needed = {label for _, labels in wanted for label in labels if label is not None}
        vectors = self._without_copies(vectors, needed)
        single = len(wanted) == 1
        while (pair := self._pair(vectors, needed, most=2 if single else 1)) is not None:
            vectors = pair
        if single:
            ((number, labels),) = wanted
            self.results[number] = self._exactly(vectors, labels)
            return
        half = len(wanted) // 2
        self.make(vectors, wanted[:half])
        self.make(vectors, wanted[half:])

    def _without_copies(self, vectors: list[int], needed: set[int]) -> list[int]:
        """Return the vectors that have an element which is needed and in none before."""
        found, left = [], set(needed)
        for vector in vectors:
            here = left.intersection(self.vectors[vector])
            if here:
                found.append(vector)
                left -= here
        return found

    def _pair(self, vectors: list[int], needed: set[int], most: int) -> list[int] | None:
        """Return the vectors with neighbours put together whose needed elements fit into one.

        None if none do, or if there are `most` at most.
        """
        found: list[int] = []
        waiting = list(vectors)
        while waiting:
            one = waiting.pop(0)
            if waiting and len(waiting) + 1 + len(found) > most:
                kept = self._needed(one, needed)
                more = [x for x in self._needed(waiting[0], needed) if x not in kept]
                if len(kept) + len(more) <= self.lanes:
                    found.append(self._merge(one, waiting.pop(0), [*kept, *more]))
                    continue
            found.append(one)
        return found if len(found) < len(vectors) else None

    def _needed(self, vector: int, needed: set[int]) -> list[int]:
        return [x for x in self.vectors[vector] if x is not None and x in needed]

    def _merge(self, first: int, second: int, labels: Sequence[int | None]) -> int:
        labels = [*labels, *[None] * (self.lanes - len(labels))]
        place: dict[int | None, int] = {}
        for base, vector in ((0, first), (self.lanes, second)):
            for at, label in enumerate(self.vectors[vector]):
                place.setdefault(label, base + at)
        order = tuple(None if label is None else place[label] for label in labels)
        self.shuffles.append(Shuffle(first, second, order))
        self.vectors.append(tuple(labels))
        return len(self.vectors) - 1

    def _exactly(self, vectors: list[int], labels: Labels) -> int:
        """Return a vector with elements where they are wanted, made of one or two vectors."""
        first, second = vectors[0], vectors[-1]
        have = self.vectors[first]
        if first == second and all(
            want is None or want == got for want, got in zip(labels, have, strict=True)
        ):
            return first
        return self._merge(first, second, labels)


def windows(elements: Sequence[int], exact: bool, n: int = LANES) -> list[tuple[int, int]]:
    """Return (first, number) of runs of elements, each a power of two long, in which all lie.

    They have `n` elements at most. If `exact`, runs have no other elements. Otherwise one that is
    not full may have up to n - 1 others after its last one.
    """
    runs: list[list[int]] = []
    for element in sorted(set(elements)):
        if (
            runs
            and (element == runs[-1][1] if exact else element < runs[-1][0] + n)
            and (element - runs[-1][0] < n)
        ):
            runs[-1][1] = element + 1
        else:
            runs.append([element, element + 1])
    found = []
    for first, end in runs:
        start = first
        while start < end:
            size = min(1 << (end - start - 1).bit_length(), n)
            while exact and start + size > end:
                size //= 2
            found.append((start, size))
            start += size
    return found


def rows(elements: Sequence[int], n: int = LANES) -> list[tuple[int, int]]:
    """Return windows that begin where runs of neighbours do, if these are about as few."""
    packed, apart = windows(elements, exact=False, n=n), _by_runs(elements, n)
    return apart if len(apart) <= 2 * len(packed) else packed


def _by_runs(elements: Sequence[int], n: int) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    ordered = sorted(set(elements))
    start = 0
    for i, element in enumerate(ordered):
        last = i + 1 == len(ordered)
        if last or ordered[i + 1] != element + 1 or i + 1 - start == n:
            found.append((ordered[start], 1 << (i - start).bit_length()))
            start = i + 1
    return found
