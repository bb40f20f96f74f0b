"""Where the pieces of a warp are, counted from the first one: two tests serve all of them.

In rows of 16 work-items, `n * y + x` is `n` more from piece to piece. If the lowest and the highest
of these numbers have not wrapped around and their places are inside a buffer, all others are, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ....analysis.values.ssa import Value
from ....analysis.warps.distances import Distances, Numbers
from ..lane_code import LaneCode


@dataclass(frozen=True)
class PieceRows:
    """The numbers of the pieces' first lanes (i64), as they are if 32 bits have room for them."""

    numbers: Sequence[str]
    lowest: str
    highest: str

    def fits(self, lanes: LaneCode, *, signed: bool, more: int) -> list[str]:
        """Return tests (i1) that no number, with `more` added to it, wraps around."""
        first, last = (-(1 << 31), (1 << 31) - 1) if signed else (0, (1 << 32) - 1)
        tests = [lanes.code.let(f"icmp sle i64 {self.highest}, {last - more}")]
        if self.lowest != self.numbers[0]:
            tests.append(lanes.code.let(f"icmp sge i64 {self.lowest}, {first}"))
        return tests


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
    steps: list[tuple[str, Numbers]] = []
    for value, numbers in apart.multiples.items():
        alone = _piece_with_one(apart, value)
        if alone is None:
            return None
        piece, sign = alone
        step = code.let(f"sub i32 {firsts[piece]}, {firsts[0]}")
        step = code.let(f"sub i32 {step}, {int(apart.constants[piece])}")
        if sign < 0:
            step = code.let(f"sub i32 0, {step}")
        steps.append((code.let(f"zext i32 {step} to i64"), numbers))
    start = code.let(f"{'sext' if signed else 'zext'} i32 {firsts[0]} to i64")
    known: dict[tuple[int, ...], str] = {(0,) * (1 + len(steps)): start}

    def number(constant: int, factors: Sequence[int]) -> str:
        key = (constant, *factors)
        if key not in known:
            total = start
            for (step, _), factor in zip(steps, factors, strict=True):
                if factor:
                    product = code.let(f"mul i64 {step}, {factor}") if factor != 1 else step
                    total = code.let(f"add i64 {total}, {product}")
            known[key] = code.let(f"add i64 {total}, {constant}") if constant else total
        return known[key]

    def bound(which: np.ufunc) -> str:
        return number(int(which.reduce(apart.constants)), [int(which.reduce(n)) for _, n in steps])

    numbers = [
        number(int(c), [int(n[piece]) for _, n in steps]) for piece, c in enumerate(apart.constants)
    ]
    return PieceRows(numbers, bound(np.minimum), bound(np.maximum))


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
    n = lanes.pieces.n
    multiples = {value: numbers[::n] for value, numbers in found.multiples.items()}
    return Distances(found.constants[::n], {v: m for v, m in multiples.items() if m.any()})


def _piece_with_one(apart: Distances, value: Value) -> tuple[int, int] | None:
    """Return a piece that is one multiple of a value away, and of no other, and the sign."""
    for piece, factor in enumerate(apart.multiples[value]):
        others = (n[piece] for v, n in apart.multiples.items() if v is not value)
        if abs(int(factor)) == 1 and not any(others):
            return piece, int(factor)
    return None
