"""Tiles of group memory that are copies of global memory, which loads may read in their place.

A kernel of one warp a workgroup often copies a part of a grid into group memory, and then loads
neighbours from there. Where each word of the tile is a word of global memory that the kernel does
not change in between, these loads need no tile. The nodes are executed here for all work-items at
once, as far as follows from their numbers: which lane has stored each word, and how far the places
that the lanes have loaded from are apart.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from math import prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....isa.types import Segment
from ..flow.order import START, Loop
from ..lanes.interior import InteriorShapes
from ..ranges.trips import only_exit
from ..values.item_numbers import calculated
from ..values.lane_sums import (
    Sum,
    arithmetic,
    bits_of,
    constant_sum,
    merged,
    of_numbers,
    of_place,
    of_symbol,
)
from ..values.ssa import Const, Op, Phi, Value
from .forwarded import WORD, Copies, copies_of
from .tile_rows import NONE, Indices, Load, Place, Rows

MOST_STEPS = 600
"""Instructions that are executed, each for all work-items at once: some ten milliseconds."""

MOST_RUNS = 2
"""Runs of a vector, on average; with more, the tile is as fast."""

OVER = -1
"""The node of a work-item that has ended."""

Lanes = NDArray[np.bool_]


class Run(NamedTuple):
    """Lanes of a vector, `first` to before `end`, whose words follow each other from a place on."""

    first: int
    end: int
    place: Place


@dataclass(frozen=True)
class CopiedTile:
    """The loads of group memory that may read global memory in its place."""

    loads: Mapping[tuple[Op, Copies], tuple[tuple[Run, ...], ...]] = field(default_factory=dict)
    """For each vector of the warp its runs."""
    anchors: Mapping[tuple[Op, Copies], tuple[int, ...]] = field(default_factory=dict)
    """Loads of global memory -> the lanes whose places must be known later."""


class _GivesUp(Exception):
    """Some load of group memory has words that are not known to be copies."""


def copied_tile(
    shapes: InteriorShapes, total: int, chunk: int, copied: Collection[int], inside: Collection[Op]
) -> CopiedTile:
    """Return the loads of `total` bytes of group memory that may read global memory.

    The workgroup must be whole, and one warp in vectors of `chunk` lanes. The loops `copied`, by
    number, have a copy for each iteration. Only what the loads `inside` have loaded counts: they
    are in their buffers in all lanes.
    """
    if total % WORD or not _may_be_copy(shapes, inside):
        return CopiedTile()
    try:
        return _Walk(shapes, total, copied, inside).result(chunk)
    except _GivesUp:
        return CopiedTile()


def _may_be_copy(shapes: InteriorShapes, inside: Collection[Op]) -> bool:
    """Return whether all that is stored to group memory has been loaded from global memory."""
    stores = [
        op
        for ops in shapes.ssa.ops.values()
        for op in ops
        if op.ins.row.segment is Segment.GROUP and _changes(op)
    ]
    merged = any(loop.is_merged for loop in shapes.flow.loops)
    return (
        bool(stores)
        and not merged
        and all(isinstance(op.args[0], Phi) or op.args[0] in inside for op in stores)
    )


class _Walk:
    """An execution of the nodes for all work-items."""

    def __init__(
        self, shapes: InteriorShapes, total: int, copied: Collection[int], inside: Collection[Op]
    ) -> None:
        self._shapes, self._ssa, self._flow = shapes, shapes.ssa, shapes.ssa.flow
        self._size = shapes.facts.group_size
        self._count = prod(self._size)
        self._copied, self._inside = copied, inside
        self._heads = {loop.header: loop for loop in self._flow.loops}
        self._node = np.full(self._count, START)
        self._before = np.full(self._count, NONE)
        self._iteration: dict[int, int] = {}
        """Loop number -> its present iteration; that of others than `copied` ends at 1."""
        self._sums: dict[Value, Sum] = {}
        self._known: dict[Value, Lanes] = {}
        """The lanes for which the sums of a value are right."""
        self._symbols = len(self._size)
        """Uniform values so far; the first ones are a workgroup's places in the grid."""
        self._loads: list[Load] = []
        self._loaded: dict[Value, Indices] = {}
        """Value -> for each lane the load that it is the result of."""
        self._load_of = np.full(total // WORD, NONE)
        """Word of group memory -> the load that it is a copy of."""
        self._lane_of = np.zeros(total // WORD, np.int64)
        self._found: dict[tuple[Op, Copies], tuple[Indices, Indices]] = {}
        self._steps = 0

    # --- control

    def run(self) -> None:
        """Execute all nodes. Raises _GivesUp."""
        flow = self._flow
        position = np.array([flow.position.get(n.number, 0) for n in flow.nodes])
        while (running := self._node != OVER).any():
            number = flow.order[int(position[self._node[running]].min())]
            here = self._node == number
            latch_of = flow.nodes[number].latch_of
            if latch_of is not None:
                loop = flow.loops[latch_of]
                self._iteration[loop.number] += 1
                self._node[here] = loop.header
                continue
            self._enter(number, here)
            for op in self._ssa.ops.get(number, ()):
                self._execute(op, here)
            self._leave(number, here)

    def _enter(self, number: int, here: Lanes) -> None:
        """Set the phis of a node; forget at a loop's header what its iterations change."""
        loop = self._heads.get(number)
        if loop is not None and self._before[here][0] not in loop.nodes:
            self._iteration[loop.number] = 0
        is_generic = loop is not None and loop.number not in self._copied
        if loop is not None and is_generic:
            if not (
                self._flow.has_own_header(loop)
                and self._flow.has_one_entry(loop)
                and only_exit(self._flow, loop)
                and loop.number not in self._shapes.divergent_loops
            ):
                raise _GivesUp
            if any(_changes(op) for n in loop.nodes for op in self._ssa.ops.get(n, ())):
                self._load_of[:] = NONE
        new = []
        for phi in self._ssa.phis.get(number, ()):
            if loop is not None and is_generic:
                new.append((phi, self._in_any_iteration(phi, loop, here), here, None))
                continue
            for source, value in phi.args.items():
                along = here & (self._before == source)
                if along.any():
                    new.append((phi, self._of(value, along), along, self._loaded.get(value)))
        for phi, found, along, loaded in new:
            self._set(phi, found, along)
            self._set_loaded(phi, loaded, along)

    def _in_any_iteration(self, phi: Phi, loop: Loop, here: Lanes) -> Sum | None:
        """Return what a phi of a loop's header is, whatever the iteration."""
        if self._shapes.is_uniform(phi):
            return self._symbol(phi)
        outside = [value for source, value in phi.args.items() if source not in loop.nodes]
        inside = [value for source, value in phi.args.items() if source in loop.nodes]
        if len(outside) != 1 or len(inside) != 1 or not isinstance(inside[0], Op):
            return None
        first, step = self._of(outside[0], here), inside[0]
        if step.ins.row.stem != "add" or phi not in step.args or first is None:
            return None
        uniform = all(a is phi or self._shapes.is_uniform(a) for a in step.args)
        return first.plus(self._symbol(phi)) if uniform and step.args[0] != step.args[1] else None

    def _leave(self, number: int, here: Lanes) -> None:
        """Hand lanes on."""
        node, flow = self._flow.nodes[number], self._flow
        last = node.last
        if not node.successors or (last is not None and last.row.stem in ("ret", "trap")):
            self._node[here] = OVER
            return
        self._before[here] = number
        ways = [flow.route(number, target) for target in node.successors]
        if len(ways) == 1:
            self._node[here] = ways[0]
            return
        condition = self._of(self._ssa.conditions[number], here)
        numbers = None if condition is None else condition.numbers
        if numbers is not None:
            self._node[here] = np.where(numbers[here] != 0, ways[1], ways[0])
            return
        left = [flow.left_by(number, target) for target in node.successors]
        if bool(left[0]) == bool(left[1]) or number not in self._shapes.uniform_branches():
            raise _GivesUp
        stays = 0 if left[1] else 1
        loop = left[1 - stays][0]
        if loop.number in self._copied:
            raise _GivesUp
        # Two iterations are executed: what is found must be the same in both.
        self._node[here] = ways[stays if self._iteration[loop.number] == 0 else 1 - stays]

    # --- values

    def _step(self) -> None:
        self._steps += 1
        if self._steps > MOST_STEPS:
            raise _GivesUp

    def _symbol(self, value: Value) -> Sum:
        """Return a new uniform value."""
        self._symbols += 1
        return of_symbol(self._symbols, bits_of(value), self._count)

    def _of(self, value: Value, lanes: Lanes) -> Sum | None:
        """Return what a value is in some lanes; None if it is not known."""
        if isinstance(value, Const):
            return constant_sum(value.bits, bits_of(value), self._count)
        known = self._known.get(value)
        if known is None or (lanes & ~known).any():
            return None
        return self._sums[value]

    def _set(self, value: Value, found: Sum | None, here: Lanes) -> None:
        """Set what a value is in some lanes."""
        known = self._known.get(value)
        if found is None:
            if known is not None:
                self._known[value] = known & ~here
        elif known is None or here.all():
            self._sums[value], self._known[value] = found, here.copy()
        else:
            self._sums[value] = merged(self._sums[value], found, here)
            self._known[value] = known | here

    def _execute(self, op: Op, here: Lanes) -> None:
        row = op.ins.row
        self._step()
        if row.is_memory and row.segment is Segment.GROUP:
            if row.is_load and not row.is_atomic:
                self._load(op, here)
            else:
                self._store(op, here)
        elif _changes(op):
            self._load_of[:] = NONE
        elif op.ins.dst is None:
            return
        elif row.is_memory and row.segment is Segment.GLOBAL:
            self._load_global(op, here)
        else:
            self._set(op, self._computed(op, here), here)

    def _load_global(self, op: Op, here: Lanes) -> None:
        """Note an execution of a load of global memory."""
        self._set(op, self._symbol(op) if self._shapes.is_uniform(op) else None, here)
        address = None if op.base is None else self._of(op.base, here)
        type_, place = op.ins.row.type, op.ins.address
        number = NONE
        if address is not None and op in self._inside and type_ is not None and place is not None:
            address = address.plus(constant_sum(place.offset, 64, self._count))
            if address is not None and type_.size == WORD:
                number = len(self._loads)
                self._loads.append(Load(op, self._copy_at(op.node), address))
        self._set_loaded(op, np.full(self._count, number), here)

    def _set_loaded(self, value: Value, found: Indices | None, here: Lanes) -> None:
        """Note which load a value is the result of, in some lanes."""
        if found is None and value not in self._loaded:
            return
        before = self._loaded.get(value, np.full(self._count, NONE))
        self._loaded[value] = np.where(here, NONE if found is None else found, before)

    def _copy_at(self, node: int) -> Copies:
        loops = self._flow.loops_around(node)
        return copies_of(
            {i.number: self._iteration[i.number] for i in loops if i.number in self._copied}
        )

    def _computed(self, op: Op, here: Lanes) -> Sum | None:
        """Return the sum that an op computes, if it is one."""

        def numbers_of(value: Value) -> NDArray[np.uint32] | None:
            if value.cls.bits > 32:
                return None
            found = self._of(value, here)
            numbers = None if found is None else found.numbers
            return None if numbers is None else numbers.astype(np.uint32)

        shapes = self._shapes
        if op in shapes.same:
            return self._of(op.args[shapes.same[op]], here)
        if shapes.known.get(op) in ("true", "false"):
            return constant_sum(int(shapes.known[op] == "true"), 32, self._count)
        if op.cls.bits <= 32:
            numbers = calculated(op, self._size, numbers_of, whole=True)
            if numbers is not None:
                return of_numbers(numbers)
        if shapes.is_uniform(op):
            return self._symbol(op)
        if op in shapes.rest:
            dividend = self._of(op.args[0], here)
            return None if dividend is None else dividend.plus(self._symbol(op), -1)
        if op.ins.row.stem == "workitemabsid":
            return of_place(op.ins.literals[0], self._size)
        args = [self._of(a, here) for a in op.args]
        known = [a for a in args if a is not None]
        return arithmetic(op, known) if len(known) == len(args) else None

    # --- group memory

    def _words(self, op: Op, here: Lanes) -> Indices | None:
        """Return the words that lanes access; None if they are not known."""
        base = self._of(Const(op.cls, 0) if op.base is None else op.base, here)
        numbers = None if base is None else base.numbers
        if numbers is None or op.element.size != WORD or op.ins.row.is_atomic:
            return None
        places = numbers[here] + op.address.offset
        if (places % WORD).any() or places.min() < 0 or places.max() >= len(self._load_of) * WORD:
            return None
        return places // WORD

    def _store(self, op: Op, here: Lanes) -> None:
        words = self._words(op, here)
        if words is None:
            raise _GivesUp
        loaded = self._loaded.get(op.args[0])
        self._load_of[words] = NONE if loaded is None else loaded[here]
        self._lane_of[words] = np.flatnonzero(here)

    def _load(self, op: Op, here: Lanes) -> None:
        words = self._words(op, here)
        if words is None or (self._load_of[words] == NONE).any():
            raise _GivesUp
        if self._shapes.is_uniform(op) or self._shapes.piece_stride(op) is not None:
            raise _GivesUp  # it is a scalar
        self._set(op, None, here)
        loads, lanes = np.full(self._count, NONE), np.zeros(self._count, np.int64)
        loads[here], lanes[here] = self._load_of[words], self._lane_of[words]
        key = op, self._copy_at(op.node)
        if key in self._found:
            # In another iteration of a loop that is not copied: the same ops and lanes.
            before, lanes_before = self._found[key]
            same = all(
                (a == NONE) == (b == NONE)
                and (a == NONE or self._loads[a][:2] == self._loads[b][:2])
                for a, b in {*zip(before.tolist(), loads.tolist(), strict=True)}
            )
            if not same or (lanes != lanes_before).any():
                raise _GivesUp
        self._found[key] = loads, lanes

    # --- what is found

    def result(self, chunk: int) -> CopiedTile:
        """Return the loads as runs of words of global memory. Raises _GivesUp."""
        self.run()
        rows = Rows(self._loads, self._count)
        found: dict[tuple[Op, Copies], tuple[tuple[Run, ...], ...]] = {}
        count = 0
        for key, (loads, lanes) in self._found.items():
            vectors: list[list[Run]] = [[] for _ in range(self._count // chunk)]
            for first, end in rows.runs(loads, lanes, chunk):
                place = rows.place(int(loads[first]), int(lanes[first]))
                vectors[first // chunk].append(Run(first % chunk, (end - 1) % chunk + 1, place))
                count += 1
            found[key] = tuple(map(tuple, vectors))
        if count > MOST_RUNS * len(found) * (self._count // chunk):
            raise _GivesUp
        return CopiedTile(found, {key: tuple(lanes) for key, lanes in rows.anchors.items()})


def _changes(op: Op) -> bool:
    """Return whether an op may change group memory, or what is in global memory."""
    row = op.ins.row
    is_shared = row.segment in (Segment.GROUP, Segment.GLOBAL)
    return row.is_memory and is_shared and (row.is_atomic or not row.is_load)
