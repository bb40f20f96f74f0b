"""Launches of the oracle that can never end: a state that returns.

The schedule is the same whenever the state is. So a launch hangs if, at two ends of rounds, the
same work-items are at the same pcs with the same registers, and memory has the same bytes. A round
gives each running workgroup one turn. Registers count only if a branch, an address, memory or a
trap depends on them in the code that was executed in between.

A kernel that reads `clock` is not watched, nor is a launch while workgroups have not started: one
of these might do what the others wait for.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from hashlib import blake2b

from ...isa.instruction import Instruction
from ...isa.types import RegClass
from ..engine import Work
from ..loop_conditions import registers_that_matter
from .state import State, Workgroup, WorkItem

PATIENCE = 256
"""Rounds before the first state is kept; the next are kept after twice as many each (Brent)."""

EVERY = 8
"""Rounds from one look to the next: a look may take as long as a round."""


class Repetition:
    """Compares the state at the ends of rounds with one that was kept."""

    def __init__(self, work: Work, first_slots: dict[RegClass, int]) -> None:
        self._work = work
        self._first_slots = first_slots
        self._can_watch = not any(i.row.reads_clock for i in work.kernel.instructions)
        self._rounds = 0
        self._next = PATIENCE
        self._groups = 0
        self._kept: list[tuple[WorkItem, State, int, list[int]]] = []
        self._counts: list[int] = []
        self._memory = b""
        self._executed: list[Instruction] = []
        self._chosen: list[int] = []

    def returns(self, groups: Collection[Workgroup], counts: Sequence[int]) -> bool:
        """Return whether the state at the end of a round is one that was kept.

        `groups` are those that run, in the order of their turns, `counts` says how often each
        instruction was executed.
        """
        self._rounds += 1
        if not self._can_watch or self._rounds < PATIENCE or self._rounds % EVERY:
            return False
        if self._rounds >= self._next:
            self._next = 2 * self._rounds
            self._keep(groups, counts)
            return False
        if not self._kept or self._groups != len(groups):
            return False
        chosen: list[int] | None = None
        for (item, state, pc, slots), now in zip(self._kept, _items(groups), strict=True):
            if now is not item or now.state is not state or now.pc != pc:
                return False
            if chosen is None:
                chosen = self._slots_that_matter(counts)
            if any(slots[slot] != now.slots[slot] for slot in chosen):
                return False
        if self._memory == self._digest(groups):
            return True
        # Memory changes while registers return: not worth a look at all of it every time.
        self._kept = []
        return False

    def _keep(self, groups: Collection[Workgroup], counts: Sequence[int]) -> None:
        self._groups = len(groups)
        self._kept = [(i, i.state, i.pc, i.slots.copy()) for i in _items(groups)]
        self._counts = list(counts)
        self._memory = self._digest(groups)

    def _slots_that_matter(self, counts: Sequence[int]) -> list[int]:
        """Return the slots of the registers that matter to what was executed since the state."""
        code = self._work.kernel.instructions
        executed = [
            ins for ins, before, now in zip(code, self._counts, counts, strict=True) if now > before
        ]
        if executed != self._executed:
            self._executed = executed
            self._chosen = [
                self._first_slots[cls] + index
                for cls, indices in registers_that_matter(executed).items()
                for index in indices
            ]
        return self._chosen

    def _digest(self, groups: Collection[Workgroup]) -> bytes:
        found = blake2b()
        for buffer in self._work.memory.buffers:
            if buffer.alive:
                found.update(buffer.view("uint8").data)
        for group in groups:
            found.update(group.memory)
            for item in group.items:
                found.update(item.private)
        return found.digest()


def _items(groups: Collection[Workgroup]) -> Iterator[WorkItem]:
    """Yield the work-items of workgroups, those that run first: few may, and the others wait."""
    for group in groups:
        yield from group.running
    for group in groups:
        yield from (item for item in group.items if item.state is not State.RUNNING)
