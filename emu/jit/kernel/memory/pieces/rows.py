"""Where the pieces of a warp are, counted from the first one: two tests serve all of them.

In rows of 16 work-items, `n * y + x` is `n` more from piece to piece. If the lowest and the highest
of these numbers have not wrapped around and their places are inside a buffer, all others are, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .....analysis.values.ssa import Value
from .....analysis.warps.distances import Distances, Term
from ....llvm.function_text import FunctionText
from ...lane_code import LaneCode


@dataclass(frozen=True)
class PieceRows:
    """The numbers of the pieces' first lanes (i64), as they are if 32 bits have room for them."""

    code: FunctionText
    numbers: PieceSums
    apart: Distances

    @cached_property
    def lowest(self) -> str:
        """The lowest number that there may be."""
        return self._extreme(np.minimum)

    @cached_property
    def highest(self) -> str:
        """The highest number that there may be."""
        return self._extreme(np.maximum)

    def fits(self, *, signed: bool, more: int) -> list[str]:
        """Return tests (i1) that no number, with `more` added to it, wraps around."""
        code = self.code
        first, last = (-(1 << 31), (1 << 31) - 1) if signed else (0, (1 << 32) - 1)
        tests = [code.let(f"icmp sle i64 {self.highest}, {last - more}")]
        if self.lowest != self.numbers.start:
            tests.append(code.let(f"icmp sge i64 {self.lowest}, {first}"))
        return tests

    def offsets(self, distance: str, scale: int) -> list[str]:
        """Return `distance` plus `scale` times each number.

        Distances are scaled, not numbers: hosts then are few registers and factors of addresses.
        """
        code, numbers, apart = self.code, self.numbers, self.apart

        def scaled(number: str) -> str:
            return code.let(f"mul i64 {number}, {scale}")

        start = code.let(f"add i64 {distance}, {scaled(numbers.start)}")
        places = PieceSums(code, start, [scaled(step) for step in numbers.steps])
        return [
            places.at(int(constant) * scale, [int(n[piece]) for n in apart.multiples.values()])
            for piece, constant in enumerate(apart.constants)
        ]

    def _extreme(self, which: np.ufunc) -> str:
        factors = [int(which.reduce(n)) for n in self.apart.multiples.values()]
        return self.numbers.at(int(which.reduce(self.apart.constants)), factors)


class PieceSums:
    """Sums of a start, multiples of some steps, and a constant (i64); parts are shared."""

    def __init__(self, code: FunctionText, start: str, steps: Sequence[str]) -> None:
        self._code, self.start, self.steps = code, start, steps
        self._known: dict[tuple[int, ...], str] = {(): start}

    def at(self, constant: int, factors: Sequence[int]) -> str:
        """Return the sum with the steps times `factors`, and a constant."""
        code, total = self._code, self.start
        for i, (step, factor) in enumerate(zip(self.steps, factors, strict=True), 1):
            if not factor:
                continue
            key = (*factors[:i],)
            if key not in self._known:
                product = code.let(f"mul i64 {step}, {factor}") if factor != 1 else step
                self._known[key] = code.let(f"add i64 {total}, {product}")
            total = self._known[key]
        return code.let(f"add i64 {total}, {constant}") if constant else total


def piece_rows(
    lanes: LaneCode, index: Value, scale: int, size: int, *, signed: bool
) -> PieceRows | None:
    """Return the numbers of the pieces for an index into elements of `size`, if they are known.

    Distances must be multiples of an element, if they are counted in units of `scale` bytes.
    """
    found = lanes.shapes.distances_of(index)
    if found is None or not 0 < scale <= LARGEST_SCALE:
        return None
    apart = _of_pieces(lanes, found)
    odd = any(int(c) * scale % size for c in apart.constants)
    if odd or (apart.multiples and scale % size):
        return None
    firsts = lanes.firsts(index)
    code = lanes.code
    steps: list[str] = []
    for term in apart.multiples:
        alone = _piece_with_one(apart, term)
        if alone is None:
            return None
        piece, sign = alone
        step = code.let(f"sub i32 {firsts[piece]}, {firsts[0]}")
        step = code.let(f"sub i32 {step}, {int(apart.constants[piece])}")
        if sign < 0:
            step = code.let(f"sub i32 0, {step}")
        steps.append(code.let(f"zext i32 {step} to i64"))
    start = code.let(f"{'sext' if signed else 'zext'} i32 {firsts[0]} to i64")
    return PieceRows(code, PieceSums(code, start, steps), apart)


LARGEST_SCALE = 1 << 16
"""The largest scale of an index: numbers below 2^32 times it are far below 2^64."""


def whole_chunks(lanes: LaneCode, index: Value, step: int) -> frozenset[int]:
    """Return the chunks all of whose lanes are neighbours, `step` apart, not only in its pieces."""
    found = lanes.shapes.distances_of(index)
    if found is None or not step:
        return frozenset()
    per_chunk, apart = lanes.n // lanes.pieces.n, _of_pieces(lanes, found)
    steps = np.arange(per_chunk) * (step * lanes.pieces.n)

    def follow(chunk: int) -> bool:
        here = slice(chunk * per_chunk, (chunk + 1) * per_chunk)
        constants = apart.constants[here]
        return bool((constants - constants[0] == steps).all()) and all(
            bool((n[here] == n[here][0]).all()) for n in apart.multiples.values()
        )

    return frozenset(filter(follow, range(lanes.k)))


def _of_pieces(lanes: LaneCode, found: Distances) -> Distances:
    """Return the distances of the pieces' first lanes."""
    firsts = slice(0, lanes.count, lanes.pieces.n)
    multiples = {term: numbers[firsts] for term, numbers in found.multiples.items()}
    return Distances(found.constants[firsts], {t: m for t, m in multiples.items() if m.any()})


def _piece_with_one(apart: Distances, term: Term) -> tuple[int, int] | None:
    """Return a piece that is one multiple of a product away, and of no other, and the sign."""
    for piece, factor in enumerate(apart.multiples[term]):
        others = (n[piece] for t, n in apart.multiples.items() if t != term)
        if abs(int(factor)) == 1 and not any(others):
            return piece, int(factor)
    return None
