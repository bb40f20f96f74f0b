"""Loads whose lanes are in runs of neighbours, at places that are known but for uniform values.

A workgroup often copies a tile with a halo number by number: work-item i copies number i, i + 256
and so on, of rows that end anywhere in a vector. Where the loop is written once for each iteration,
the row and the column of each lane are known. So its vectors are a masked load for each row.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from typing import NamedTuple

import numpy as np

from .....analysis.ranges.lane_trips import Lanes
from .....analysis.values.item_numbers import Numbers, calculated, of_constant
from .....analysis.values.lane_sums import (
    Sum,
    Term,
    arithmetic,
    of_numbers,
    of_place,
    of_symbol,
)
from .....analysis.values.ssa import Const, Op, Phi, Value
from ....llvm.text import integer
from ...lane_code import POSITION, LaneCode
from ..kernel_memory import KernelMemory

MOST_RUNS = 4
"""Runs of a vector, on average; with more, gathers are as fast."""

VALUES = 3
"""The numbers of uniform values in sums begin here; those below are dimensions of the grid."""


class Run(NamedTuple):
    """Lanes of a vector whose places follow each other."""

    chunk: int
    first: int
    end: int


class Runs:
    """Finds runs of lanes, in the copies of loops that are being written."""

    def __init__(self, lanes: LaneCode, memory: KernelMemory) -> None:
        self._lanes = lanes
        self._trips = memory.ranges.lane_trips if lanes.facts.one_warp else {}
        self._for_running = memory.for_running
        self._size = lanes.facts.group_size
        self._phis = {
            phi: (number, numbers)
            for number, loop in self._trips.items()
            for phi, numbers in loop.phis.items()
        }
        self._sums: dict[Value, Sum | None] = {}
        self._symbols: dict[int, Value] = {}
        self._known: dict[Value, Numbers | None] = {}
        """What has been found of the values that an index is computed from, in one copy."""

    def load(self, op: Op, index: Value, host: str, scale: int, *, signed: bool) -> list[str]:
        """Load an op's elements at the index of each lane, given the place of index 0.

        All of them must be inside, if need be those that run (`KernelMemory.for_running`).
        Returns no vectors if gathers are as fast.
        """
        lanes, code, type_ = self._lanes, self._lanes.code, op.element
        bits = type_.bits
        if not (lanes.facts.one_warp and lanes.facts.whole) or scale != type_.size:
            return []
        self._sums.clear()
        self._known.clear()
        found = self._sum(index, op.node)
        if found is None:
            return []
        runs = list(self._runs(found, self._running(op)))
        if len(runs) > MOST_RUNS * lanes.k:
            return []
        t = integer(bits, lanes.n)
        chunks = ["zeroinitializer"] * lanes.k
        for run in runs:
            number = self._number(found, run.chunk * lanes.n + run.first)
            start = code.let(f"{'sext' if signed else 'zext'} i32 {number} to i64")
            start = code.let(f"sub i64 {start}, {run.first}")
            place = code.let(f"getelementptr i{bits}, ptr {host}, i64 {start}")
            if run.end - run.first == lanes.n:
                chunks[run.chunk] = code.let(f"load {t}, ptr {place}, align {scale}")
                continue
            mask = mask_of_run(lanes.n, run.first, run.end)
            chunks[run.chunk] = lanes.load_masked(bits, place, mask, chunks[run.chunk])
        return chunks

    def numbers(self, op: Op, index: Value, of: Sequence[int]) -> list[str] | None:
        """Return the index of some lanes of an op's place, as i32; None if it is not known."""
        self._sums.clear()
        self._known.clear()
        found = self._sum(index, op.node)
        return None if found is None else [self._number(found, lane) for lane in of]

    def _running(self, op: Op) -> Lanes:
        """Return the lanes that may run an op in the copies that are being written."""
        running = np.ones(prod(self._size), np.bool_)
        for loop in self._lanes.flow.loops_around(op.node):
            trips, copy = self._trips.get(loop.number), self._lanes.copies.get(loop.number)
            if op in self._for_running and trips is not None and copy is not None:
                running = running & trips.running[copy]
        return running

    def _runs(self, found: Sum, running: Lanes) -> Iterator[Run]:
        n, k = self._lanes.n, self._lanes.k
        step = np.ones(n * k, np.bool_)
        for term, numbers in found.terms.items():
            apart = np.diff(numbers[: n * k], prepend=numbers[:1]).astype(np.uint32)
            step &= apart == (0 if term else 1)
        step[1:] &= running[1 : n * k] == running[: n * k - 1]
        for chunk in range(k):
            begins = [i for i in range(n) if not i or not step[chunk * n + i]]
            for first, end in zip(begins, [*begins[1:], n], strict=True):
                if running[chunk * n + first]:
                    yield Run(chunk, first, end)

    def _number(self, found: Sum, lane: int) -> str:
        """Return the index of a lane, an i32."""
        code = self._lanes.code
        total = str(int(found.terms[()][lane]))
        for term, numbers in found.terms.items():
            factor = int(numbers[lane])
            if term and factor:
                product = self._product(term)
                product = code.let(f"mul i32 {product}, {factor}") if factor != 1 else product
                total = code.let(f"add i32 {product}, {total}")
        return total

    def _product(self, term: Term) -> str:
        lanes, code = self._lanes, self._lanes.code
        result = ""
        for number in term:
            if number < VALUES:
                factor = code.let(f"mul i32 {POSITION[number]}, {self._size[number]}")
            else:
                factor = lanes.scalar(self._symbols[number])
            result = code.let(f"mul i32 {result}, {factor}") if result else factor
        return result

    # --- sums

    def _sum(self, value: Value, node: int) -> Sum | None:
        """Return a 32-bit value as a sum, in a node that uses it; None if it is not known.

        Only operands of what the node computes are sure to be in variables there.
        """
        if value not in self._sums:
            self._sums[value] = self._summed(value, node)
        return self._sums[value]

    def _summed(self, value: Value, node: int) -> Sum | None:
        numbers = self._numbers(value)
        if numbers is not None:
            return of_numbers(numbers)
        if self._lanes.shapes.is_uniform(value):
            symbol = VALUES + self._lanes.table.position(value)
            self._symbols[symbol] = value
            return of_symbol(symbol, 32, prod(self._size))
        if not isinstance(value, Op):
            return None
        if value.ins.row.stem == "workitemabsid":
            return of_place(value.ins.literals[0], self._size)
        if value.node != node or value.cls.bits != 32:
            return None
        found = [s for a in value.args if (s := self._sum(a, node)) is not None]
        return arithmetic(value, found) if len(found) == len(value.args) else None

    def _numbers(self, value: Value) -> Numbers | None:
        """Return what all lanes have for a value, if that follows from their numbers."""
        if value not in self._known:
            self._known[value] = self._numbered(value)
        return self._known[value]

    def _numbered(self, value: Value) -> Numbers | None:
        if isinstance(value, Const):
            return of_constant(value, self._size) if value.bits < 1 << 32 else None
        if isinstance(value, Phi):
            loop, numbers = self._phis.get(value, (None, ()))
            copy = self._lanes.copies.get(loop) if loop is not None else None
            return None if copy is None else numbers[copy]
        assert isinstance(value, Op)
        return calculated(value, self._size, self._numbers, whole=True)


def mask_of_run(n: int, first: int, end: int) -> str:
    """Return the mask of n lanes that has those from `first` to before `end`."""
    return f"<{', '.join(f'i1 {str(first <= i < end).lower()}' for i in range(n))}>"
