"""The places of group memory that work-items access, as far as these follow from their numbers.

A place that does not may be anywhere within the bounds of its address, or at multiples of a stride
from its work-item's number (`strides.py`). Which work-items run an access follows from branches on
numbers. With a counter of rounds (`round_counter.py`), all of this is known for each iteration.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from ...geometry import Dim3
from ..values.item_numbers import Numbers, calculated, of_constant
from ..values.ssa import Const, Op, Phi, Ssa, Value
from .round_counter import Counter, tree_of
from .strides import Strides

_SEVERAL = -1
"""In place of the number of a work-item: several may access a byte."""

Bytes = npt.NDArray[np.int64]
"""The bytes of an access, in the last dimension."""

_Number = TypeVar("_Number", bound=np.generic)

DEEPEST = 32
"""Operations of the longest calculation that is followed."""

MOST_BYTES = 1 << 17
"""Bytes that one access may have, of all work-items of a workgroup."""

MOST_FOLLOWED = 128
"""Iterations in which what each work-item takes along to the next one is followed."""


@dataclass(frozen=True)
class Access:
    """The places of an access: by iteration (one without a counter), work-item and byte."""

    places: Bytes
    """Of one work-item where all of them may access all of these bytes."""
    runs: npt.NDArray[np.bool_]
    """Whether a work-item may run it, by iteration and work-item."""

    @property
    def is_own(self) -> bool:
        """Whether it is known which work-item accesses which byte."""
        return not self._has_all or bool((self.runs.sum(1) <= 1).all())

    @property
    def _has_all(self) -> bool:
        return self.places.shape[1] < self.runs.shape[1]

    def during(self, counter: Counter, *, is_later: bool) -> Access:
        """Return the same by the iteration in which a barrier has been passed; -1: before the loop.

        A later access is one of the next iteration.
        """
        if len(self.places) == len(self.runs) == 1:
            return self
        nothing = (0, 1) if is_later else (1, 0)
        rounds, runs = counter.iterations, _by_round(self.runs, counter.iterations, nothing)
        if self._has_all:
            return Access(self.places, runs)
        return Access(_by_round(self.places, rounds, nothing), runs)

    def case(self, number: int) -> tuple[Bytes, Bytes]:
        """Return the bytes that are accessed in an iteration, and by which work-item."""
        runs = self.runs[number if len(self.runs) > 1 else 0]
        items = np.flatnonzero(runs)
        if self._has_all:
            places = self.places[0, 0, : self.places.shape[2] if items.size else 0]
            return places, np.full(places.size, items[0] if items.size == 1 else _SEVERAL)
        places = self.places[number if len(self.places) > 1 else 0][items]
        return places.ravel(), np.repeat(items, places.shape[1])


def _by_round(
    part: npt.NDArray[_Number], rounds: int, nothing: tuple[int, int]
) -> npt.NDArray[_Number]:
    """Return a part of an access for each iteration, with zeros for so many before and after."""
    each = np.broadcast_to(part, (rounds, *part.shape[1:]))
    return np.pad(each, (nothing, *((0, 0) for _ in part.shape[1:])))


class Places:
    """The places that work-items access, as far as these follow from their numbers."""

    def __init__(
        self,
        ssa: Ssa,
        group_size: Dim3,
        group_bytes: int,
        counter: Counter | None,
        given: Mapping[Op, range] | None = None,
    ) -> None:
        """`given` has the bytes that some accesses may have."""
        self._ssa, self._size, self._bytes = ssa, group_size, group_bytes
        self._given = given or {}
        self._tree = tree_of(ssa.flow)
        self._known: dict[Value, Numbers | None] = {}
        if counter is not None:
            self._known |= _columns(counter.values)
            if counter.iterations <= MOST_FOLLOWED:
                self._known |= self._followed(counter)

    def of(self, op: Op) -> Access:
        """Return the places of an access, or the bounds of these."""
        address, type_ = op.ins.address, op.ins.row.type
        assert address is not None
        assert type_ is not None
        if op in self._given:
            return Access(np.array(self._given[op])[None, None], self._runs(op.node))
        base: Numbers | None = np.zeros(prod(self._size), np.uint32)
        if op.base is not None:
            base = self._number(op.base, DEEPEST)
        if base is None:
            assert op.base is not None
            return Access(self._possible(op, op.base, address.offset), self._runs(op.node))
        places = np.atleast_2d(self._of_all(base)).astype(np.int64) + address.offset
        return Access(places[:, :, None] + np.arange(type_.size), self._runs(op.node))

    def may_be_anywhere(self, op: Op) -> bool:
        """Return whether it is a load whose places do not follow from numbers."""
        if op in self._given or op.base is None or not op.ins.row.is_load:
            return False
        return self._number(op.base, DEEPEST) is None

    def _possible(self, op: Op, base: Value, offset: int) -> Bytes:
        """Return the bytes that an access may have: of each work-item, or of all of them."""
        type_, strides = op.ins.row.type, self._strides
        assert type_ is not None
        least, most = strides.bounds(base, op.node, DEEPEST)
        # Beyond the group's memory it would trap.
        end = min(most + offset + type_.size, self._bytes)
        first = min(max(least + offset, 0), end)
        numbers, stride = strides.of(base, DEEPEST)
        starts = (numbers.astype(np.int64) + offset - first) % max(stride, 1)
        count = -(-(end - first) // max(stride, 1))
        all_bytes = np.arange(first, end)[None, None]
        if (starts == starts[0]).all() or starts.size * count * type_.size > MOST_BYTES:
            return all_bytes
        each = np.arange(first, end, stride) + starts[:, None]
        each = np.where(each < end, each, each[:, :1])
        return (each[:, :, None] + np.arange(type_.size)).reshape(1, starts.size, -1)

    @cached_property
    def _strides(self) -> Strides:
        items = prod(self._size)
        return Strides(self._ssa, items, lambda value: self._number(value, DEEPEST))

    def _followed(self, counter: Counter) -> dict[Value, Numbers]:
        """Return what phis that differ among work-items are in each iteration, if that is known."""
        now: dict[Phi, Numbers] = {}
        for phi, (begin, _) in counter.others.items():
            number = self._number(begin, DEEPEST)
            if number is not None:
                now[phi] = self._of_all(number)
        each = [now]
        for number in range(counter.iterations - 1 if now else 0):
            once = copy(self)
            once._known = {**now, **_columns({p: [v[number]] for p, v in counter.values.items()})}
            found = {phi: once._number(counter.others[phi][1], DEEPEST) for phi in now}
            now = {phi: once._of_all(n).ravel() for phi, n in found.items() if n is not None}
            each.append(now)
        return {phi: np.array([numbers[phi] for numbers in each]) for phi in now}

    def _of_all(self, numbers: Numbers) -> Numbers:
        """Return numbers with one for each work-item, of which a counter has one for all."""
        return np.broadcast_to(numbers, (*numbers.shape[:-1], prod(self._size)))

    def _runs(self, number: int | None) -> npt.NDArray[np.bool_]:
        """Return which work-items may run a node, as far as branches on numbers say."""
        flow = self._ssa.flow
        runs = np.ones((1, prod(self._size)), np.bool_)
        while number is not None:
            before = flow.nodes[number].predecessors
            condition = self._ssa.conditions.get(before[0]) if len(before) == 1 else None
            if condition is not None and len(flow.nodes[before[0]].successors) == 2:
                decided = self._number(condition, DEEPEST)
                if decided is not None:
                    side = flow.nodes[before[0]].successors.index(number)
                    runs = runs & ((self._of_all(decided) != 0) == bool(side))
            number = self._tree.parents[number]
        return runs

    def _number(self, value: Value, depth: int) -> Numbers | None:
        if value in self._known:
            return self._known[value]
        if isinstance(value, Const):
            return of_constant(value, self._size)
        if not isinstance(value, Op) or not depth:
            return None
        self._known[value] = calculated(
            value, self._size, lambda arg: self._number(arg, depth - 1), whole=False
        )
        return self._known[value]


def _columns(values: Mapping[Phi, Sequence[int]]) -> dict[Value, Numbers]:
    """Return values that are the same in all work-items, with a row for each iteration."""
    return {phi: np.array(each, np.uint32)[:, None] for phi, each in values.items()}
