"""Group memory that a workgroup stores to before its first barrier: it need not be zero before.

The code up to the first barrier is executed here for all work-items of a workgroup, as far as it
follows from their numbers: addresses, conditions, loops through a tile. What all work-items then
have surely stored is seen by whatever runs after the barrier. Conditions on other values are left
open: the stores that depend on them do not count.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import prod

import numpy as np
from numpy.typing import NDArray

from ....isa.types import Segment
from ...geometry import Dim3
from ..flow.order import START
from ..values.item_numbers import Numbers, computed, is_arithmetic, of_constant, of_identity
from ..values.ssa import Const, Op, Ssa, Value, made_of

MOST_STEPS = 400
"""Instructions that are executed, each for many work-items at once: some milliseconds."""

MOST_FORKS = 3
"""Conditions, one inside of another, of which both results are tried."""

OVER = -1
"""The node of a work-item that is at a barrier, or has ended."""

UNKNOWN = -1
"""The node that a work-item comes from, where it may be any."""

NONE, SEVERAL = -1, -2
"""In place of the work-item that has stored to a byte."""

Bytes = NDArray[np.bool_]
"""For each byte of group memory."""

Items = NDArray[np.bool_]
"""For each work-item of a workgroup."""


class _GivesUp(Exception):
    """What is loaded before the first barrier, or where control goes, is not known."""


def stored_first(ssa: Ssa, group_size: Dim3, total: int) -> Bytes:
    """Return which of `total` bytes of group memory are stored to before any load sees them.

    All work-items of a workgroup must reach each barrier together, and workgroups be whole.
    """
    try:
        return _Run(ssa, group_size, total).result()
    except _GivesUp:
        return np.zeros(total, np.bool_)


@dataclass
class _State:
    """What work-items have done: a number for each of them where nothing else is said."""

    node: NDArray[np.int64]
    before: NDArray[np.int64]
    """The node that control came from."""
    owner: NDArray[np.int64]
    """Byte -> the only work-item that has stored to it, `NONE` or `SEVERAL`."""
    needed: Bytes
    """Bytes that are loaded, and that the same work-item has not stored to before."""
    numbers: dict[Value, Numbers] = field(default_factory=dict)
    known: dict[Value, Items] = field(default_factory=dict)
    reaches_barrier: bool = False

    def copy(self) -> _State:
        """Return a copy that shares nothing with this one."""
        return _State(
            self.node.copy(),
            self.before.copy(),
            self.owner.copy(),
            self.needed.copy(),
            {value: numbers.copy() for value, numbers in self.numbers.items()},
            {value: items.copy() for value, items in self.known.items()},
            self.reaches_barrier,
        )


class _Run:
    """The execution of a kernel's code up to the first barrier."""

    def __init__(self, ssa: Ssa, group_size: Dim3, total: int) -> None:
        self._ssa, self._flow, self._size, self._total = ssa, ssa.flow, group_size, total
        self._items = prod(group_size)
        self._wanted = _wanted(ssa)
        nodes = range(len(ssa.flow.nodes))
        self._position = np.array([ssa.flow.position.get(n, 0) for n in nodes], np.int64)
        self._steps = 0

    def result(self) -> Bytes:
        """Return the bytes that are stored to first. Raises _GivesUp."""
        state = _State(
            np.full(self._items, START, np.int64),
            np.full(self._items, UNKNOWN, np.int64),
            np.full(self._total, NONE, np.int64),
            np.zeros(self._total, np.bool_),
        )
        return self._from(state, MOST_FORKS)

    def _from(self, state: _State, forks: int) -> Bytes:
        """Return the bytes that are stored to first, from a state on."""
        while (running := state.node != OVER).any():
            number = self._flow.order[int(self._position[state.node[running]].min())]
            here = state.node == number
            self._enter(state, number, here)
            for op in self._ssa.ops.get(number, ()):
                self._execute(state, op, here)
            both = self._leave(state, number, here)
            if both is not None:
                if not forks or bool((running & ~here).any()):
                    raise _GivesUp
                return self._from(both[0], forks - 1) & self._from(both[1], forks - 1)
        if not state.reaches_barrier:
            # Nothing follows that loads.
            return ~state.needed
        return (state.owner != NONE) & ~state.needed

    # --- values

    def _enter(self, state: _State, number: int, here: Items) -> None:
        """Set the phis of a node, all at once."""
        new = []
        for phi in self._ssa.phis.get(number, ()):
            if phi not in self._wanted:
                continue
            numbers, known = np.zeros(self._items, np.uint32), np.zeros(self._items, np.bool_)
            for source, value in phi.args.items():
                along = here & (state.before == source)
                got, is_known = self._value(state, value)
                numbers[along], known[along] = got[along], is_known[along]
            new.append((phi, numbers, known))
        for phi, numbers, known in new:
            self._set(state, phi, here, numbers, known)

    def _set(
        self, state: _State, value: Value, here: Items, numbers: Numbers, known: Items
    ) -> None:
        if value not in state.numbers:
            state.numbers[value] = np.zeros(self._items, np.uint32)
            state.known[value] = np.zeros(self._items, np.bool_)
        state.numbers[value][here] = numbers[here]
        state.known[value][here] = known[here]

    def _value(self, state: _State, value: Value) -> tuple[Numbers, Items]:
        """Return a value of all work-items, and of which of them it is known."""
        if isinstance(value, Const):
            return of_constant(value, self._size), np.ones(self._items, np.bool_)
        if value in state.numbers:
            return state.numbers[value], state.known[value]
        return np.zeros(self._items, np.uint32), np.zeros(self._items, np.bool_)

    def _execute(self, state: _State, op: Op, here: Items) -> None:
        row = op.ins.row
        if row.is_memory and row.segment is Segment.GROUP:
            self._access(state, op, here)
            return
        if op not in self._wanted:
            return
        self._step()
        if row.is_identity:
            found = of_identity(op, self._size, whole=True)
            if found is not None:
                self._set(state, op, here, found, here)
                return
        elif is_arithmetic(op):
            args = [self._value(state, a) for a in op.args]
            known = np.logical_and.reduce([here, *(is_known for _, is_known in args)])
            self._set(state, op, here, computed(op, [numbers for numbers, _ in args]), known)
            return
        self._set(state, op, here, np.zeros(self._items, np.uint32), ~here)

    def _step(self) -> None:
        self._steps += 1
        if self._steps > MOST_STEPS:
            raise _GivesUp

    # --- memory

    def _access(self, state: _State, op: Op, here: Items) -> None:
        """Note what work-items store to or load from."""
        self._step()
        row, size = op.ins.row, op.element.size
        base = Const(op.cls, 0) if op.base is None else op.base
        numbers, known = self._value(state, base)
        is_store = not row.is_load and not row.is_atomic
        if not is_store and bool((here & ~known).any()):
            raise _GivesUp
        items = np.flatnonzero(here & known)
        starts = numbers[items].astype(np.int64) + op.address.offset
        if starts.size and not 0 <= starts.min() <= starts.max() <= self._total - size:
            raise _GivesUp
        for byte in range(size):
            places = starts + byte
            if is_store:
                others = (state.owner[places] != NONE) & (state.owner[places] != items)
                state.owner[places] = items
                # Of several that store to one place in this instruction, one is left.
                shared = places[others | (state.owner[places] != items)]
                state.owner[shared] = SEVERAL
            else:
                state.needed[places[state.owner[places] != items]] = True

    # --- control

    def _leave(self, state: _State, number: int, here: Items) -> tuple[_State, _State] | None:
        """Hand work-items on; return two states if both results of a condition must be tried."""
        node = self._flow.nodes[number]
        last = node.last
        if last is not None and last.row.is_barrier:
            state.reaches_barrier = True
            state.node[here] = OVER
            return None
        if not node.successors or (last is not None and last.row.stem in ("ret", "trap")):
            state.node[here] = OVER
            return None
        state.before[here] = number
        if len(node.successors) == 1:
            state.node[here] = node.successors[0]
            return None
        numbers, known = self._value(state, self._ssa.conditions[number])
        self._step()
        state.node[here] = np.where(numbers != 0, node.successors[1], node.successors[0])[here]
        open_ = here & ~known
        return self._pass(state, number, open_) if open_.any() else None

    def _pass(self, state: _State, branch: int, items: Items) -> tuple[_State, _State] | None:
        """Take work-items past what depends on an unknown condition, if no barrier is there."""
        flow = self._flow
        skipped, ends = flow.sides(branch)
        lasts = [flow.nodes[n].last for n in skipped]
        if len(ends) > 1:
            raise _GivesUp
        if any(last is not None and last.row.is_barrier for last in lasts):
            # All work-items get to the barrier, or none: the condition is the same for them.
            if not bool((items == (state.before == branch) & (state.node != OVER)).all()):
                raise _GivesUp
            ways = []
            for successor in flow.nodes[branch].successors:
                way = state.copy()
                way.node[items] = successor
                ways.append(way)
            return ways[0], ways[1]
        for number in skipped:
            for op in self._ssa.ops.get(number, ()):
                row = op.ins.row
                if (
                    row.is_memory
                    and row.segment is Segment.GROUP
                    and (row.is_load or row.is_atomic)
                ):
                    raise _GivesUp
            for value in (*self._ssa.ops.get(number, ()), *self._ssa.phis.get(number, ())):
                if value in state.known:
                    state.known[value][items] = False
        state.before[items] = UNKNOWN
        state.node[items] = ends.pop() if ends else OVER
        return None


def _wanted(ssa: Ssa) -> set[Value]:
    """Return the values that places in group memory and conditions are calculated from."""
    places = (
        op.base
        for ops in ssa.ops.values()
        for op in ops
        if op.ins.row.is_memory and op.ins.row.segment is Segment.GROUP and op.base is not None
    )
    return made_of(
        [*ssa.conditions.values(), *places],
        lambda value: isinstance(value, Op) and not is_arithmetic(value),
    )
