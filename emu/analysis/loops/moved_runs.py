"""Loops that move a run of elements: each iteration copies the next one, or stores the same value.

What decoders do with literals, matches and runs. A lane that runs alone moves many elements at
once, and no branch ends the loop after a number of iterations that differs each time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from ....isa.types import RegClass, Segment, sign_extend
from ..flow.order import Loop
from ..ranges.stepping import counters_of, increment_of, is_invariant
from ..ranges.trips import only_exit
from ..values.ssa import Const, Op, Phi, Ssa, Value, has_effect
from .growth import growth, is_of_header


@dataclass(frozen=True)
class MovedRun:
    """A loop that moves a run of elements, in global and private memory."""

    loop: Loop
    store: Op
    load: Op | None
    """What gives the element that is stored; None if that is the same in all iterations."""
    steps: dict[Phi, int]
    """What an iteration adds to the phis of the header."""

    @property
    def accesses(self) -> frozenset[Op]:
        """What the loop accesses."""
        return frozenset({self.store} if self.load is None else {self.store, self.load})

    @property
    def is_shared(self) -> bool:
        """Whether it accesses global memory, and no private memory."""
        return not any(_is_private(op) for op in self.accesses)

    @property
    def size(self) -> int:
        """Bytes of an element."""
        return size_of(self.store)


def moved_run(ssa: Ssa, loop: Loop) -> MovedRun | None:
    """Return the run that a loop moves; None if it does anything else."""
    flow = ssa.flow
    if not only_exit(flow, loop) or not counters_of(ssa, loop):
        return None
    branches = [n for n in loop.nodes if len(flow.nodes[n].successors) > 1]
    if len(branches) != 1 or not flow.is_innermost(loop):
        return None
    effects = [op for n in loop.nodes for op in ssa.ops.get(n, ()) if has_effect(op)]
    stores = [op for op in effects if op.ins.row.is_store]
    loads = [op for op in effects if op not in stores]
    if len(stores) != 1 or len(loads) > 1 or not all(map(_is_plain, effects)):
        return None
    (store,), load = stores, loads[0] if loads else None
    value = store.args[0]
    if load is None:
        is_moved = is_invariant(value, loop)
    else:
        is_moved = value is load and _has_same_elements(store, load)
    steps = {phi: _step(loop, phi) for phi in ssa.phis.get(loop.header, ())}
    if not is_moved or None in steps.values() or not _is_run(loop, effects):
        return None
    return MovedRun(loop, store, load, {phi: step for phi, step in steps.items() if step})


def moved_runs(ssa: Ssa, loop: Loop) -> list[MovedRun]:
    """Return the runs that a loop and those in it move."""
    inner = (other for other in ssa.flow.loops if other.nodes <= loop.nodes)
    runs = (moved_run(ssa, other) for other in inner)
    return [run for run in runs if run is not None]


def size_of(op: Op) -> int:
    """Return the bytes of an element that an op accesses."""
    assert op.ins.row.type is not None
    return op.ins.row.type.size


def _is_plain(op: Op) -> bool:
    """Return whether an op is a load or store of global or private memory."""
    row = op.ins.row
    is_one = (row.is_load or row.is_store) and not row.is_atomic and row.type is not None
    return is_one and (row.segment is Segment.GLOBAL or _is_private(op))


def _is_private(op: Op) -> bool:
    return op.ins.row.segment is Segment.PRIVATE


def _has_same_elements(store: Op, load: Op) -> bool:
    """Return whether what is stored has the bits that are loaded."""
    stored, loaded = store.ins.row.type, load.ins.row.type
    assert stored is not None
    assert loaded is not None
    same_kind = stored.is_float == loaded.is_float
    return stored.bits == loaded.bits and same_kind and not (stored.is_float and stored.bits < 32)


def _is_run(loop: Loop, accesses: Sequence[Op]) -> bool:
    """Return whether accesses of one size go from element to element, all up or all down.

    Loads from places that the loop computes make no run.
    """
    steps = {
        None if op.base is None else growth(op.base, partial(_grows_by, loop)) for op in accesses
    }
    size = size_of(accesses[0])
    return steps in ({size}, {-size})


def _grows_by(loop: Loop, value: Value) -> int | None:
    """Return what an iteration adds to a phi, and to what a loop does not change."""
    if is_invariant(value, loop):
        return 0
    step = _step(loop, value) if is_of_header(value, loop) else None
    return None if step is None else sign_extend(step, value.cls.bits)


def _step(loop: Loop, phi: Phi) -> int | None:
    """Return what an iteration adds to a phi, if that is a constant."""
    terms = None if phi.cls is RegClass.C else increment_of(loop, phi)
    if terms is None or not all(isinstance(value, Const) for _, value in terms):
        return None
    return sum(sign * value.bits for sign, value in terms if isinstance(value, Const))
