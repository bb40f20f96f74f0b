"""Whether a launch that does not end would do so if every work-item had its turn.

The oracle schedules each work-item alone and in turn. A kernel that finishes there, and not in lock
step, waits for somebody who never runs: a SIMT deadlock. One that does not finish there is in a
livelock if the interpreter sees every warp come back to where it was; else its budget is too small.
"""

from __future__ import annotations

from dataclasses import replace

from ..isa.program import Kernel
from ..isa.types import Segment
from .analysis.spin import may_wait
from .engine import Work, engine
from .memory import Memory
from .traps import Trap, TrapKind

MAX_COPY = 64 << 20
"""Bytes of buffers that are worth copying before a launch."""

ORACLE_ITEMS = 2048
ORACLE_BUDGET = 4_000_000
"""Limits of the second opinion: work-items of the launch, and instructions of all of them."""


VERDICT_BUDGET = 1 << 16
"""Instructions per work-item that the interpreter gets to say why a launch hangs."""


class SecondOpinion:
    """Made before a launch, which it can start over if that is small.

    It keeps the memory of one whose kernel may wait for a store, unless that cannot see its own.
    """

    def __init__(self, work: Work) -> None:
        self.work = work
        total = sum(b.size for b in work.memory.buffers if b.alive)
        self._small = work.geometry.n_items <= ORACLE_ITEMS and total <= MAX_COPY
        keeps = self._small and may_wait(work.kernel) and not is_repeatable(work.kernel)
        self._kept = work.memory.copy() if keeps else None

    def _memory(self) -> Memory | None:
        """Return memory to start over with; None if the launch is too large.

        A kernel that cannot wait executes the same with the memory that it has changed.
        """
        if self._kept is not None:
            return self._kept.copy()
        return self.work.memory.copy() if self._small else None

    def finishes(self) -> bool | None:
        """Return whether the launch finishes in the oracle; None if that is not known."""
        if not may_wait(self.work.kernel):
            return False
        memory = self._memory()
        if memory is None:
            return None
        budget = min(self.work.budget, max(1, ORACLE_BUDGET // self.work.geometry.n_items))
        try:
            engine("oracle")(replace(self.work, memory=memory, budget=budget))
        except Trap as trap:
            # A launch that needs more than it is allowed finishes under no schedule.
            decided = budget == self.work.budget or trap.record.kind is not TrapKind.BUDGET
            return False if decided else None
        return True

    def is_livelock(self) -> bool:
        """Return whether no warp can ever continue; False if that is not known."""
        memory = self._memory()
        found = verdict(self.work, memory) if memory is not None else None
        return found is not None and found.record.kind is TrapKind.LIVELOCK


_ENDLESS = (TrapKind.LIVELOCK, TrapKind.SIMT_DEADLOCK, TrapKind.BUDGET, TrapKind.UNDECIDED)


def verdict(work: Work, memory: Memory) -> Trap | None:
    """What the interpreter finds out about a launch that does not end, starting over.

    A livelock, a SIMT deadlock, or who repeats what when the budget, if a smaller one, is spent.
    """
    budget = min(work.budget, VERDICT_BUDGET)
    try:
        engine("interp")(replace(work, memory=memory, budget=budget, kept={}))
    except Trap as trap:
        return trap if trap.record.kind in _ENDLESS else None
    return None


def is_repeatable(kernel: Kernel) -> bool:
    """Whether a launch does the same when it starts over with the memory that it has changed.

    That is so for kernels that do not load from global memory, or do not store there.
    """
    rows = [ins.row for ins in kernel.instructions if ins.row.segment is Segment.GLOBAL]
    loads = any(row.is_load or row.is_atomic for row in rows)
    stores = any(row.is_store or row.is_atomic for row in rows)
    return not (loads and stores)
