"""Second opinions on a launch that does not end: it is run again, by another engine.

The oracle schedules each work-item alone and in turn. A kernel that finishes there, and not in lock
step, waits for work-items that never run: a SIMT deadlock. One that does not finish there is in a
livelock if the interpreter sees every warp return to an earlier state; else its budget is too
small.
"""

from __future__ import annotations

from dataclasses import replace

from ..isa.program import Kernel
from .analysis.suitability.repeatable import is_repeatable, stored_through
from .analysis.suitability.spin import may_wait
from .engine import Work, engine
from .memory import Buffer, Memory
from .recent import Recent
from .traps import Trap, TrapKind

MAX_COPY = 64 << 20
"""Bytes of buffers that are worth copying before a launch."""

ORACLE_ITEMS = 2048
"""Work-items of the largest launch that the oracle runs again."""

ORACLE_BUDGET = 4_000_000
"""Instructions of all work-items together that the oracle executes."""

VERDICT_BUDGET = 1 << 16
"""Instructions per work-item that the interpreter executes to find out why a launch hangs."""


class SecondOpinion:
    """What other engines find out about a launch: created before it, asked if it does not end.

    The launch is run again only if it is small. The buffers that it changes are copied beforehand
    only if the kernel may wait for a store and may load what it has stored itself.
    """

    def __init__(self, work: Work) -> None:
        self.work = work
        total = sum(b.size for b in work.memory.buffers if b.alive)
        self._small = work.geometry.n_items <= ORACLE_ITEMS and total <= MAX_COPY
        keeps = self._small and _depends_on_changes(work.kernel)
        self._before = {b.base: b.host.copy() for b in _changed(work)} if keeps else {}

    def _memory(self) -> Memory | None:
        """Return memory to run the launch again with; None if the launch is too large.

        A kernel that cannot wait executes the same instructions with the memory that it has
        changed.
        """
        before = {base: host.copy() for base, host in self._before.items()}
        return self.work.memory.copy(before) if self._small else None

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


def _depends_on_changes(kernel: Kernel) -> bool:
    """Return whether a kernel may do something else with the memory that it has changed."""
    found = _DEPENDENT.find(kernel.key)
    if found is None:
        found = _DEPENDENT.keep(kernel.key, may_wait(kernel) and not is_repeatable(kernel))
    return found


_DEPENDENT: Recent[tuple[object, ...], bool] = Recent()
"""By the key of a kernel, which many launches share."""


def _changed(work: Work) -> list[Buffer]:
    """Return the buffers that a launch may change; all of them if that is not known."""
    memory, offsets = work.memory, stored_through(work.kernel)
    pointers = [int.from_bytes(work.kernargs[o : o + 8], "little") for o in offsets or ()]
    found = [memory.find(p) for p in pointers]
    known = [b for b in found if b is not None]
    return known if offsets is not None and len(known) == len(found) else memory.buffers


_ENDLESS = (TrapKind.LIVELOCK, TrapKind.SIMT_DEADLOCK, TrapKind.BUDGET, TrapKind.UNDECIDED)


def verdict(work: Work, memory: Memory) -> Trap | None:
    """Run a launch that does not end in the interpreter, from `memory`, and return why.

    The trap is a livelock, a SIMT deadlock, or a spent budget with the loop that spent it. None
    where the launch ends after all, or with a trap of another kind.
    """
    budget = min(work.budget, VERDICT_BUDGET)
    try:
        engine("interp")(replace(work, memory=memory, budget=budget, kept={}))
    except Trap as trap:
        return trap if trap.record.kind in _ENDLESS else None
    return None
