"""Words that are two to four elements apart, by a step that is an argument: wide accesses.

`x[i * step]` with a uniform `step` that is known at run time only, as in BLAS, is every `step`-th
word of what follows lane 0's. Few wide loads and permutations take the place of a gather. A store
writes its words under a mask, and leaves those between them alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from .....analysis.values.ssa import Const, Value
from ....llvm.text import integer, mask_constant
from ...lane_code import LaneCode
from ..addressing.near import has_permutes

LARGEST = 4
"""The largest step: a vector has its words in as many vectors of memory."""


@dataclass(frozen=True)
class Stepped:
    """Indices `first + lane * step` of all lanes, whether they run or not."""

    lanes: LaneCode
    step: str
    """An i32."""
    first: str
    """Lane 0's index, an i64."""

    def is_step(self, least: int, most: int) -> str:
        """Return whether the step is between two constants, an i1."""
        code = self.lanes.code
        above = code.let(f"sub i32 {self.step}, {least}")
        return code.let(f"icmp ule i32 {above}, {most - least}")

    def last(self) -> str:
        """Return the last lane's index, an i64; right if the step is small."""
        code = self.lanes.code
        way = code.let(f"mul i64 {self._wide()}, {self.lanes.count - 1}")
        return code.let(f"add i64 {self.first}, {way}")

    def load(self, host: str) -> list[str]:
        """Load a word for each lane, given the host address of lane 0's, a ptr."""
        lanes, code, n = self.lanes, self.lanes.code, self.lanes.n
        v = integer(32, n)
        spread = lanes.chunk_of(32, self.step)
        at = code.let(f"mul {v} {spread}, {lanes.steps(32)[0]}")
        end = lanes.chunk_of(32, code.let(f"mul i32 {self.step}, {n - 1}"))
        masks = [
            code.let(f"icmp ule {v} {_vector(range(first, first + n))}, {end}")
            for first in range(0, LARGEST * n, n)
        ]
        upper = code.let(f"icmp uge {v} {at}, splat (i32 {2 * n})")
        loaded = []
        for chunk in range(lanes.k):
            place = self._place(host, chunk)
            parts = [
                lanes.load_masked(32, one, mask)
                for one, mask in zip(self._vectors(place), masks, strict=True)
            ]
            halves = [self._picked(at, *parts[:2]), self._picked(at, *parts[2:])]
            choice = f"{lanes.mask_type} {upper}, {v} {halves[1]}, {v} {halves[0]}"
            loaded.append(code.let(f"select {choice}"))
        return loaded

    def store(self, data: Sequence[str], host: str) -> None:
        """Store the words of all lanes, which run."""
        lanes, code, n = self.lanes, self.lanes.code, self.lanes.n
        v = integer(32, n)
        parts = []
        for first in range(0, LARGEST * n, n):
            places = range(first, first + n)
            sources, masks = [], []
            for step in range(2, LARGEST + 1):
                sources.append(_vector(min(p // step, n - 1) for p in places))
                masks.append(mask_constant([p % step == 0 and p // step < n for p in places]))
            parts.append((self._chosen(v, sources), self._chosen(lanes.mask_type, masks)))
        for chunk, words in enumerate(data):
            for one, (source, mask) in zip(
                self._vectors(self._place(host, chunk)), parts, strict=True
            ):
                name = "llvm.x86.avx512.permvar.si.512"
                part = code.call(v, name, f"{v} {words}", f"{v} {source}")
                lanes.store_masked(32, part, one, mask)

    def _chosen(self, type_: str, of_step: Sequence[str]) -> str:
        """Return the constant that belongs to the step: the first one for a step of 2."""
        code, found = self.lanes.code, of_step[-1]
        for number in range(len(of_step) - 2, -1, -1):
            is_it = code.let(f"icmp eq i32 {self.step}, {number + 2}")
            found = code.chosen(is_it, type_, of_step[number], found)
        return found

    def _picked(self, at: str, a: str, b: str) -> str:
        v = integer(32, self.lanes.n)
        name = "llvm.x86.avx512.vpermi2var.d.512"
        return self.lanes.code.call(v, name, f"{v} {a}", f"{v} {at}", f"{v} {b}")

    def _wide(self) -> str:
        return self.lanes.code.let(f"zext i32 {self.step} to i64")

    def _place(self, host: str, chunk: int) -> str:
        """Return where a chunk's first word is, a ptr."""
        code = self.lanes.code
        way = code.let(f"mul i64 {self._wide()}, {4 * chunk * self.lanes.n}")
        return code.let(f"getelementptr i8, ptr {host}, i64 {way}")

    def _vectors(self, place: str) -> list[str]:
        return [
            self.lanes.code.let(f"getelementptr i8, ptr {place}, i64 {4 * self.lanes.n * part}")
            for part in range(LARGEST)
        ]


def stepped_of(lanes: LaneCode, index: Value, size: int) -> Stepped | None:
    """Return the lanes' indices as those at a step that only a run shows; None if they are not.

    Not in kernels with loops: their lanes are mostly a row apart, and go through it.
    """
    if not has_permutes(size, lanes.n) or lanes.flow.loops:
        return None
    found = lanes.shapes.distances_of(index)
    if found is None or found.constants.any() or len(found.multiples) != 1 or found.chosen:
        return None
    ((term, numbers),) = found.multiples.items()
    if not bool((numbers == np.arange(len(numbers))).all()):
        return None
    if not all(_is_at_hand(lanes, factor) for factor in term):
        return None
    code = lanes.code
    step = lanes.scalar(term[0])
    for factor in term[1:]:
        step = code.let(f"mul i32 {step}, {lanes.scalar(factor)}")
    first = code.let(f"zext i32 {lanes.extracted0(index)} to i64")
    return Stepped(lanes, step, first)


def _is_at_hand(lanes: LaneCode, value: Value) -> bool:
    known = (value, "value") in lanes.local or value in lanes.table.crossing
    return isinstance(value, Const) or known


def _vector(numbers: Iterable[int]) -> str:
    return f"<{', '.join(f'i32 {number}' for number in numbers)}>"
