"""Loads of group memory whose words are known to come from certain stores and lanes.

Where a workgroup is one warp, a tile that is stored and then loaded at places that follow from the
numbers of work-items need not go through memory: each vector of a load is made of what has been
stored, which is in registers. In memory such a load would mostly begin in one store's words and end
in another's, and CPUs let it wait until both have reached the cache.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....isa.types import Segment
from ..flow.order import START, Flow
from ..ranges.trips import only_exit
from ..values.item_numbers import KnownNumbers, Numbers, Results
from ..values.ssa import Const, Op, Ssa, Value
from ..warps.uniformity import Shapes

WORD = 4
"""Bytes of an element that is forwarded."""

MOST_SOURCES = 3
"""Vectors from which one vector of a load is made."""

MOST_SHUFFLES = 3
"""Permutations for two vectors of a load, on average; more take longer than memory."""

NONE = -1
"""In place of a store: it is not known which one has written the word."""

Lanes = NDArray[np.bool_]

Copies = tuple[tuple[int, int], ...]
"""Numbers of loops, and of the copies of these that an access is in; none where it is in one."""


def copies_of(written: Mapping[int, int]) -> Copies:
    """Return the copies of loops that are being written, given by the loops' numbers."""
    return tuple(sorted(written.items()))


class Access(NamedTuple):
    """An access of group memory, in some copies of loops."""

    op: Op
    copies: Copies = ()


@dataclass(frozen=True)
class Sources:
    """The store that each lane's word of a load comes from, and the lane that has stored it."""

    stores: tuple[Access, ...]
    store_of: NDArray[np.int64]
    """Lane -> position in `stores`; `NONE` where the lane does not run."""
    lane_of: NDArray[np.int64]
    zero: Lanes | None = None
    """Lanes whose words are never stored; None if there are none."""


@dataclass(frozen=True)
class Rank:
    """How many lanes have a flag: of those before this one, or of all, as a uniform value."""

    flag: Op
    """Makes 1 of the lanes' condition and 0 of its opposite; all lanes run it, once."""
    inclusive: bool = False
    """Whether this lane counts as well."""
    of_all: bool = False


class OwnStore(NamedTuple):
    """A store to words that one lane each stores to."""

    name: Op
    """A store to the same words, which is their name."""
    lanes: Lanes
    """The lanes that may run it."""


@dataclass(frozen=True)
class Forwarded:
    """The loads of a kernel that take what has been stored, and the stores that they take from."""

    loads: Mapping[Access, Sources] = field(default_factory=dict)
    unread: frozenset[Op] = frozenset()
    """Stores to places inside of group memory, from which nothing loads."""
    by_copies: bool = False
    """Whether an access is another one in each copy of a loop."""
    changes: Mapping[Access, Mapping[Access, Lanes]] = field(default_factory=dict)
    """Stores of some lanes, as data decide -> earlier stores by the lanes of whose words they are.

    Each of these lanes has stored its word itself before, and may store to it again.
    """

    words: NDArray[np.int64] | None = field(default=None, compare=False)
    """The words of group memory that all accesses together may have, where these are known."""

    own: Mapping[Op, OwnStore] = field(default_factory=dict)
    """Stores to words of each lane's own (own_words.py)."""

    outside: frozenset[Op] = frozenset()
    """Loads of such words of which some lanes may be outside of group memory."""

    ranks: Mapping[Value, Rank] = field(default_factory=dict)
    """Values that count the flags of lanes (flag_counts.py)."""

    @cached_property
    def stores(self) -> frozenset[Access]:
        """The stores whose data later loads take."""
        return frozenset(store for sources in self.loads.values() for store in sources.stores)


class StoredWords:
    """The store that has written each word of group memory last, and its lane."""

    def __init__(self, total: int) -> None:
        self._store_of = np.full(total // WORD, NONE)
        self._lane_of = np.zeros(total // WORD, np.int64)
        self._stores: list[Access] = []

    def forget(self, words: NDArray[np.int64] | None = None) -> None:
        """Note that some words, by default all, have come from anywhere."""
        if words is None:
            self._store_of[:] = NONE
        else:
            self._store_of[words] = NONE

    def store(self, access: Access, words: NDArray[np.int64], lanes: Lanes) -> None:
        """Let lanes store to their words."""
        self._store_of[words[lanes]] = len(self._stores)
        self._lane_of[words[lanes]] = np.flatnonzero(lanes)
        self._stores.append(access)

    def sources(self, words: NDArray[np.int64], lanes: Lanes) -> Sources | None:
        """Return where the words of lanes come from; None if that is not known of all."""
        store_of = np.full(len(words), NONE)
        lane_of = np.zeros(len(words), np.int64)
        store_of[lanes], lane_of[lanes] = self._store_of[words[lanes]], self._lane_of[words[lanes]]
        if (store_of[lanes] == NONE).any():
            return None
        used = np.flatnonzero(np.bincount(store_of[lanes]))  # np.unique would import numpy.ma
        position = np.zeros(len(self._stores), np.int64)
        position[used] = np.arange(len(used))
        store_of[lanes] = position[store_of[lanes]]
        return Sources(tuple(self._stores[n] for n in used), store_of, lane_of)

    def stored_by_themselves(
        self, words: NDArray[np.int64], lanes: Lanes
    ) -> Mapping[Access, Lanes] | None:
        """Return which lanes' words come from which stores, if each lane has stored its own."""
        sources = self.sources(words, lanes)
        if sources is None or (sources.lane_of != np.arange(len(lanes)))[lanes].any():
            return None
        return {store: sources.store_of == at for at, store in enumerate(sources.stores)}

    def words_of(
        self, op: Op, base: Numbers | None, lanes: Lanes | None
    ) -> tuple[NDArray[np.int64], Lanes] | None:
        """Return the words that lanes access, and which may run; None if that is not known.

        `base` are the numbers of the address register, `lanes` those that run, None if any may.
        """
        if base is None or op.ins.row.is_atomic:
            return None
        bytes_ = base.astype(np.int64) + op.address.offset
        some = np.ones(len(bytes_), np.bool_) if lanes is None else lanes
        ran = bytes_[some]
        if ran.size and not (
            0 <= ran.min() and ran.max() <= len(self._store_of) * WORD - op.element.size
        ):
            return None
        if (ran % op.element.size).any():
            return None
        return bytes_ // WORD, some


def shuffles_of(sources: Sources, chunk: int, most: int) -> int | None:
    """Return the permutations that make the vectors of a load, of `chunk` lanes each.

    None if one of them is made of more than `most` vectors.
    """
    shuffles = 0
    for first in range(0, len(sources.store_of), chunk):
        here = slice(first, first + chunk)
        stores, lanes = sources.store_of[here], sources.lane_of[here]
        runs = stores != NONE
        vectors = {*zip(stores[runs].tolist(), (lanes[runs] // chunk).tolist(), strict=True)}
        if len(vectors) > most:
            return None
        in_place = (lanes[runs] % chunk == np.flatnonzero(runs)).all()
        shuffles += len(vectors) - 1 if len(vectors) > 1 else int(bool(vectors) and not in_place)
    return shuffles


def forwarded(shapes: Shapes, total: int, chunk: int) -> Forwarded:
    """Return the loads of `total` bytes of group memory that take stored vectors of `chunk` lanes.

    The workgroup must be whole, and one warp.
    """
    flow, facts = shapes.flow, shapes.facts
    if not (facts.one_warp and facts.whole) or total % WORD:
        return Forwarded()
    if not all(map(flow.has_one_entry, flow.loops)):
        return Forwarded()
    return _Walk(shapes, total, chunk).result()


class _Walk:
    """A walk through the nodes in order, with what is known of lanes, values and group memory."""

    def __init__(self, shapes: Shapes, total: int, chunk: int) -> None:
        self._shapes, self._chunk = shapes, chunk
        self._ssa: Ssa = shapes.ssa
        self._flow: Flow = shapes.flow
        self._numbers = KnownNumbers(Results(shapes.facts.group_size, whole=True))
        self._none = np.zeros(prod(shapes.facts.group_size), np.bool_)
        self._arriving: dict[int, dict[int, Lanes | None]] = {START: {NONE: ~self._none}}
        """Node -> node that lanes come from -> these lanes, None if any may come."""
        self._skipped: dict[int, set[int]] = {}
        """Node where the sides of a branch meet -> nodes of the sides."""
        self._open: set[int] = set()
        """Nodes of sides that any lanes may run."""
        self._words = StoredWords(total)
        self._storing = {
            loop.number for loop in self._flow.loops if any(map(self._changes, loop.nodes))
        }
        """Loops that change group memory."""
        self._found: dict[Access, Sources] = {}
        self._inside: set[Op] = set()
        """Stores that are known to be inside."""
        self._reads_memory = False

    def _changes(self, number: int) -> bool:
        rows = (op.ins.row for op in self._ssa.ops.get(number, ()))
        return any(
            row.is_memory and row.segment is Segment.GROUP and not row.is_load for row in rows
        )

    def result(self) -> Forwarded:
        """Return the loads that take what has been stored, and the stores that need no memory."""
        around: frozenset[int] = frozenset()
        for number in self._flow.order:
            here = frozenset(loop.number for loop in self._flow.loops_around(number))
            if (around ^ here) & self._storing:
                self._words.forget()
            around = here
            lanes = self._lanes_at(number)
            for phi in self._ssa.phis.get(number, ()):
                if all(loop.header != number for loop in self._flow.loops):
                    self._numbers.set(phi, self._numbers.of_all(phi.args.values()))
            for op in self._ssa.ops.get(number, ()):
                self._execute(op, lanes)
            self._leave(number, lanes)
        if self._reads_memory:
            return Forwarded()
        return Forwarded(self._found, frozenset(self._inside))

    # --- lanes

    def _lanes_at(self, number: int) -> Lanes | None:
        """Return the lanes that run a node whenever it runs; None if any may."""
        if number in self._open or any(
            loop.is_merged or loop.number in self._shapes.divergent_loops
            for loop in self._flow.loops_around(number)
        ):
            return None
        ways = self._arriving.get(number, {})
        skipped = self._skipped.get(number, set())
        lanes = self._none.copy()
        for source, some in ways.items():
            if source in skipped:
                continue
            if some is None:
                return None
            lanes |= some
        return lanes

    def _take(self, source: int, target: int, lanes: Lanes | None) -> None:
        if (source, target) not in self._flow.back:
            self._arriving.setdefault(target, {})[source] = lanes

    def _leave(self, number: int, lanes: Lanes | None) -> None:
        node, flow = self._flow.nodes[number], self._flow
        if node.latch_of is not None:
            return
        if len(node.successors) < 2:
            for target in node.successors:
                self._take(number, target, lanes)
            return
        condition = self._numbers.of(self._ssa.conditions[number])
        if condition is not None and lanes is not None:
            taken = condition.astype(np.bool_)
            for target, some in zip(node.successors, (lanes & ~taken, lanes & taken), strict=True):
                self._take(number, target, some)
            return
        left = [flow.left_by(number, flow.route(number, t)) for t in node.successors]
        if number in self._shapes.uniform_branches() and bool(left[0]) != bool(left[1]):
            for target, loops in zip(node.successors, left, strict=True):
                only = all(only_exit(flow, loop) for loop in loops)
                self._take(number, target, lanes if only else None)
            return
        self._pass(number, lanes)

    def _pass(self, branch: int, lanes: Lanes | None) -> None:
        """Let any lanes go to the sides of a branch, and its own lanes to where they meet."""
        flow = self._flow
        skipped, ends = flow.sides(branch)
        self._open |= skipped
        inside = [loop.nodes for loop in flow.loops_around(branch)[:1]]
        lasts = [flow.nodes[n].last for n in skipped]
        meet = (
            len(ends) == 1
            and all(nodes.issuperset(skipped | ends) for nodes in inside)
            and not any(last is not None and last.row.stem in ("ret", "trap") for last in lasts)
            and all(flow.position[n] > flow.position[branch] for n in ends)
        )
        for end in ends:
            self._take(branch, end, lanes if meet else None)
            if meet:
                self._skipped.setdefault(end, set()).update(skipped)

    # --- memory

    def _execute(self, op: Op, lanes: Lanes | None) -> None:
        row = op.ins.row
        if row.is_memory and row.segment is Segment.GROUP:
            if not row.is_load:
                self._store(op, lanes)
            elif not self._load(op, lanes):
                self._reads_memory = True
        else:
            self._numbers.calculate(op)

    def _places(self, op: Op, lanes: Lanes | None) -> tuple[NDArray[np.int64], Lanes] | None:
        base = op.base if op.base is not None else Const(op.cls, 0)
        return self._words.words_of(op, self._numbers.of(base), lanes)

    def _store(self, op: Op, lanes: Lanes | None) -> None:
        found, size = self._places(op, lanes), op.element.size
        self._reads_memory |= op.ins.row.is_atomic
        if found is None:
            self._words.forget()
            return
        words, some = found
        self._inside.add(op)
        if lanes is None or size != WORD:
            for more in range(max(1, size // WORD)):
                self._words.forget(words[some] + more)
            return
        self._words.store(Access(op), words, some)

    def _load(self, op: Op, lanes: Lanes | None) -> bool:
        """Note where the words of a load come from; return whether it takes them from there."""
        shapes, found = self._shapes, self._places(op, lanes)
        if (
            found is None
            or op.element.size != WORD
            or op.base is None
            or shapes.is_uniform(op.base)
        ):
            return False
        words, some = found
        if not some.any() or shapes.piece_stride(op.base) == 0:
            return False
        sources = self._words.sources(words, some)
        if sources is None:
            return False
        shuffles = shuffles_of(sources, self._chunk, MOST_SOURCES)
        if shuffles is None or 2 * shuffles > MOST_SHUFFLES * (len(words) // self._chunk):
            return False
        self._found[Access(op)] = sources
        return True
