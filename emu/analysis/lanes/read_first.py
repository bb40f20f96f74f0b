"""Private memory that a work-item may load before it has stored there: the rest need not be zero.

The code of a work-item is executed here as far as it follows from constants: offsets, conditions,
loops with a constant number of iterations. Of an unknown condition both ways are tried. Where a
load has an unknown offset, or too much is unknown, all is needed that has not been stored to.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ....asm.flow.graph import reachable
from ....isa.types import Segment
from ..ranges.trips import computed, is_computed
from ..values.ssa import Const, Op, Phi, Ssa, Value, made_of

MOST_STEPS = 4_000
"""Nodes and instructions that are executed: some milliseconds."""

MOST_FORKS = 3
"""Unknown conditions, one after the other, of which both ways are tried."""


def read_first(ssa: Ssa, total: int) -> int:
    """Return which of `total` bytes of private memory may be loaded before they are stored to.

    Bit b of the result is that of byte b.
    """
    return _Run(ssa, total).result()


@dataclass
class _State:
    """What a work-item has done."""

    node: int
    before: int = -1
    """The node that control came from."""
    stored: int = 0
    """A bit for each byte that it has stored to."""
    known: dict[Value, int] = field(default_factory=dict)


class _Run:
    """The execution of a kernel for one work-item."""

    def __init__(self, ssa: Ssa, total: int) -> None:
        self._ssa, self._flow, self._total = ssa, ssa.flow, total
        self._all = (1 << total) - 1
        self._needed = 0
        self._steps = 0
        accesses = [op for ops in ssa.ops.values() for op in ops if _is_private(op)]
        wanted = _wanted(ssa, accesses)
        self._phis = {n: [p for p in phis if p in wanted] for n, phis in ssa.phis.items()}
        self._ops = {
            n: [op for op in ops if op in wanted or _is_private(op)] for n, ops in ssa.ops.items()
        }
        self._loading = self._leading_to({op.node for op in accesses if not op.ins.row.is_store})

    def _leading_to(self, nodes: set[int]) -> set[int]:
        """Return the nodes from which control may get to some nodes, and these."""
        ways = {n.number: n.predecessors for n in self._flow.nodes}
        return reachable(ways, nodes, ways)

    def result(self) -> int:
        """Return the bytes that may be loaded first."""
        self._run(_State(self._flow.order[0]), MOST_FORKS)
        return self._needed

    def _run(self, state: _State, forks: int) -> None:
        """Execute from a state on, until no load follows that matters."""
        while state.node in self._loading and self._needed | state.stored != self._all:
            self._steps += 1
            if self._steps > MOST_STEPS or not self._execute(state):
                self._needed |= self._all & ~state.stored
                return
            following = self._following(state)
            if len(following) > 1:
                if not forks:
                    self._needed |= self._all & ~state.stored
                    return
                forks -= 1
                for node in following[1:]:
                    self._run(_State(node, state.node, state.stored, dict(state.known)), forks)
            if not following:
                return
            state.before, state.node = state.node, following[0]

    def _execute(self, state: _State) -> bool:
        """Execute a node; return whether all of its loads have known offsets."""
        known, number = state.known, state.node
        phis = [(phi, self._value(known, phi.args.get(state.before))) for phi in self._at(number)]
        for phi, bits in phis:
            _set(known, phi, bits)
        for op in self._ops.get(number, ()):
            self._steps += 1
            if _is_private(op):
                if not self._access(state, op):
                    return False
                continue
            args = [self._value(known, a) for a in op.args] if is_computed(op) else [None]
            are_known = [a for a in args if a is not None]
            _set(known, op, computed(op, are_known) if len(are_known) == len(args) else None)
        return True

    def _at(self, number: int) -> list[Phi]:
        return self._phis.get(number, [])

    def _value(self, known: dict[Value, int], value: Value | None) -> int | None:
        return value.bits if isinstance(value, Const) else known.get(value) if value else None

    def _access(self, state: _State, op: Op) -> bool:
        """Note what is stored to, or loaded; return whether that is known of a load."""
        base = 0 if op.base is None else self._value(state.known, op.base)
        if base is None:
            return op.ins.row.is_store
        start, size = base + op.address.offset, op.element.size
        if 0 <= start <= self._total - size:  # it faults elsewhere
            bits = (1 << size) - 1 << start
            if op.ins.row.is_store:
                state.stored |= bits
            else:
                self._needed |= bits & ~state.stored
        return True

    def _following(self, state: _State) -> list[int]:
        """Return the nodes at which control may continue, of those that lead to loads."""
        node = self._flow.nodes[state.node]
        following = node.successors
        if len(following) > 1:
            condition = self._value(state.known, self._ssa.conditions[state.node])
            if condition is not None:
                following = (following[condition],)
        return [n for n in following if n in self._loading]


def _set(known: dict[Value, int], value: Value, bits: int | None) -> None:
    if bits is None:
        known.pop(value, None)
    else:
        known[value] = bits


def _is_private(op: Op) -> bool:
    return op.ins.row.is_memory and op.ins.row.segment is Segment.PRIVATE


def _wanted(ssa: Ssa, accesses: list[Op]) -> set[Value]:
    """Return the values that offsets and conditions are calculated from."""
    offsets = (op.base for op in accesses if op.base is not None)
    return made_of(
        [*ssa.conditions.values(), *offsets],
        lambda value: isinstance(value, Op) and not is_computed(value),
    )
