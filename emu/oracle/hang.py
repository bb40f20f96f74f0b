"""Launches of the oracle that can never end: a state that returns.

The schedule is the same whenever the state is. So a launch hangs if, at two ends of rounds, the
same work-items are at the same pcs with the same registers, and memory has the same bytes. A round
gives each running workgroup one turn. Registers count only if a branch, an address, memory or a
trap depends on them in the code that was executed in between.

A kernel that reads `clock` is not watched, nor is a launch while workgroups have not started: one
of these might do what the others wait for.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from hashlib import blake2b

from ...isa.types import RegClass
from ..engine import Work
from ..loop_conditions import registers_that_matter
from .state import State, Workgroup

PATIENCE = 256
"""Rounds before the first state is kept; the next are kept after twice as many each (Brent)."""

Place = tuple[int, int, State, int]
"""Workgroup, work-item, what it does, and its pc."""


class Repetition:
    """Compares the state at the end of each round with one that was kept."""

    def __init__(self, work: Work, first_slots: dict[RegClass, int]) -> None:
        self._work = work
        self._first_slots = first_slots
        self._can_watch = not any(i.row.reads_clock for i in work.kernel.instructions)
        self._rounds = 0
        self._next = PATIENCE
        self._places: list[Place] = []
        self._slots: list[list[int]] = []
        self._counts: list[int] = []
        self._memory = b""

    def returns(self, groups: Collection[Workgroup], counts: Sequence[int]) -> bool:
        """Return whether the state at the end of a round is one that was kept.

        `groups` are those that run, in the order of their turns, `counts` says how often each
        instruction was executed.
        """
        self._rounds += 1
        if not self._can_watch or self._rounds < PATIENCE:
            return False
        if self._rounds == self._next:
            self._next *= 2
            self._keep(groups, counts)
            return False
        if not self._places or self._places != _places(groups):
            return False
        executed = [
            ins
            for ins, before, now in zip(
                self._work.kernel.instructions, self._counts, counts, strict=True
            )
            if now > before
        ]
        chosen = [
            self._first_slots[cls] + index
            for cls, indices in registers_that_matter(executed).items()
            for index in indices
        ]
        for kept, now in zip(self._slots, _slots(groups), strict=True):
            if any(kept[slot] != now[slot] for slot in chosen):
                return False
        if self._memory == self._digest(groups):
            return True
        # Memory changes while registers return: not worth a look at all of it every round.
        self._places = []
        return False

    def _keep(self, groups: Collection[Workgroup], counts: Sequence[int]) -> None:
        self._places = _places(groups)
        self._slots = [slots.copy() for slots in _slots(groups)]
        self._counts = list(counts)
        self._memory = self._digest(groups)

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


def _places(groups: Iterable[Workgroup]) -> list[Place]:
    return [(group.number, i.local, i.state, i.pc) for group in groups for i in group.items]


def _slots(groups: Iterable[Workgroup]) -> Iterable[list[int]]:
    return (item.slots for group in groups for item in group.items)
