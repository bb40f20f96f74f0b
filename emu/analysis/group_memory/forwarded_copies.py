"""Loads of group memory that take what was stored, where loops have a copy for each iteration.

The levels of a tree or scan are such copies: in each of them the places of all work-items follow
from their numbers. So the whole tree can be in registers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from ....isa.types import RegClass, Segment
from ..lanes.running import Lanes, RunningLanes
from ..ranges.trips import Trips
from ..values.ssa import Const, Op, Value
from ..warps.uniformity import Shapes
from .flag_counts import FlagCounts
from .forwarded import WORD, Access, Forwarded, Sources, StoredWords, copies_of, shuffles_of

MOST_SOURCES = 6
"""Vectors from which one vector of a load is made."""

MOST_SHUFFLES = 4
"""Permutations for a vector of a load, on average; a gather and a scatter take longer."""

MOST_OF_NEIGHBOURS = 1.5
"""The same for a load of neighbours, which is a wide one in memory."""


def forwarded_in_copies(
    shapes: Shapes,
    copied: Mapping[int, Trips],
    runs_with: Mapping[int, int],
    total: int,
    chunk: int,
) -> Forwarded:
    """Return the loads of `total` bytes of group memory that take stored vectors of `chunk` lanes.

    Loops that are `copied`, by number, have a copy for each iteration. A node runs as often as the
    one that it `runs_with`, with the same lanes. If some load cannot, all stores go to memory as
    well; that pays if most loads would gather.
    """
    walk = _Walk(shapes, copied, runs_with, total, chunk)
    walk.go(list(shapes.flow.order))
    return walk.result()


class _Walk:
    """A walk through the nodes as they are written, with what is known of lanes and memory."""

    def __init__(
        self,
        shapes: Shapes,
        copied: Mapping[int, Trips],
        runs_with: Mapping[int, int],
        total: int,
        chunk: int,
    ) -> None:
        self._shapes, self._flow, self._chunk = shapes, shapes.flow, chunk
        self._lanes = RunningLanes(shapes, copied)
        self._copied, self._runs_with = copied, runs_with
        self._copies: dict[int, int] = {}
        self._words = StoredWords(total)
        self._counts = FlagCounts(shapes)
        self._accessed = np.zeros(total // WORD, np.bool_)
        self._found: dict[Access, Sources] = {}
        self._changes: dict[Access, Mapping[Access, Lanes]] = {}
        self._stores: set[Op] = set()
        self._shuffles, self._most = 0, 0.0
        self._gathers, self._from_memory = 0, 0
        """Vectors that would be gathered, and those that still are loaded from memory."""
        self._is_known = total % WORD == 0

    def result(self) -> Forwarded:
        """Return what was found; nothing if some store is not known, or if it costs too much."""
        if not self._is_known or self._shuffles > self._most:
            return Forwarded()
        if self._from_memory > self._gathers:
            return Forwarded()
        unread = frozenset[Op]() if self._from_memory else frozenset(self._stores)
        words = np.flatnonzero(self._accessed) if unread else None
        return Forwarded(
            self._found,
            unread,
            by_copies=True,
            changes=self._changes,
            words=words,
            ranks=self._counts.ranks,
        )

    def go(self, numbers: Sequence[int]) -> None:
        """Go through nodes in order, and through copies of loops one after the other."""
        at = 0
        while at < len(numbers) and self._is_known:
            loops = [loop for loop in self._flow.loops if loop.header == numbers[at]]
            loop = next((loop for loop in loops if loop.number in self._copied), None)
            if loop is None or loop.number in self._copies:
                self._node(numbers[at])
                at += 1
                continue
            body = numbers[at : at + len(loop.nodes)]
            for copy in range(self._copied[loop.number].returns + 1):
                if copy:
                    self._lanes.repeat(loop)
                    self._counts.repeat(loop)
                self._copies[loop.number] = copy
                self.go(body)
            del self._copies[loop.number]
            at += len(body)

    def _node(self, number: int) -> None:
        lanes, node = self._lanes, self._flow.nodes[number]
        if (other := self._runs_with[number]) != number:
            lanes.share(number, other)
        headers = {loop.number for loop in self._flow.loops if loop.header == number}
        if headers and not any(self._copies.get(header) for header in headers):
            lanes.enter(number)
            self._counts.enter(number, self._copied)
        running = lanes.begin(number)
        if not running.any() or node.latch_of is not None:
            return
        if not headers:
            self._counts.begin(number, running)
        for op in self._shapes.ssa.ops.get(number, ()):
            row = op.ins.row
            if row.is_memory and row.segment is Segment.GROUP:
                self._is_known = self._is_known and self._access(op, number, running)
            else:
                self._counts.calculate(op, running, exact=lanes.is_exact(number))
        ways = lanes.ways(number) if len(node.successors) == 2 else [running] * len(node.successors)
        for i, target in enumerate(node.successors):
            if ways is None or ways[i].any():
                some = running if ways is None else ways[i]
                lanes.take(number, target, some, certainly=ways is not None)
                self._counts.take(number, target, None if ways is None else some)

    def _access(self, op: Op, number: int, running: Lanes) -> bool:
        """Note what an access does; return whether what it stores is known."""
        type_, lanes = op.ins.row.type, self._lanes
        around = {loop.number for loop in self._flow.loops_around(number)}
        if type_ is None or type_.size != WORD or around - self._copies.keys():
            return False
        base = op.base if op.base is not None else Const(RegClass.S, 0)
        found = self._words.words_of(op, lanes.of(base), running)
        words = None if found is None else found[0]
        if words is not None:
            self._accessed[words[running]] = True
        access = Access(op, copies_of(self._copies))
        if op.ins.row.is_load:
            # What lanes get that do not run is never used.
            self._load(access, base, words, running)
            return True
        if words is None:
            return False
        self._stores.add(op)
        if lanes.is_exact(number):
            self._words.store(access, words, running)
            self._counts.store(access)
            return True
        changed = self._words.stored_by_themselves(words, running)
        if changed is not None:
            self._changes[access] = changed
            self._counts.change(changed)
        return changed is not None

    def _load(
        self, access: Access, base: Value, words: NDArray[np.int64] | None, running: Lanes
    ) -> None:
        """Note where the words of a load come from, if they are known."""
        sources = None if words is None else self._words.sources(words, running)
        shuffles = None if sources is None else shuffles_of(sources, self._chunk, MOST_SOURCES)
        vectors = sum(
            running[at : at + self._chunk].any() for at in range(0, len(running), self._chunk)
        )
        if sources is None or shuffles is None:
            self._from_memory += vectors
            self._counts.load(access.op, None, running)
            return
        self._counts.load(access.op, sources, running)
        self._found[access] = sources
        if not self._shapes.is_uniform(base):
            is_wide = self._shapes.stride(base) == WORD
            self._gathers += 0 if is_wide else vectors
            self._shuffles += shuffles
            self._most += vectors * (MOST_OF_NEIGHBOURS if is_wide else MOST_SHUFFLES)
