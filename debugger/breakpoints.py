"""Breakpoints: where a run stops. A run is recorded, so that all hits of one are known at once.

The hits of a breakpoint are positions, in ascending order, whichever direction the session goes:
the third hit is the third in the run. A watchpoint stops after the instruction that writes,
every other breakpoint before the instruction.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..isa.errors import UsageError
from .expressions import Node, evaluate, parse
from .machine import SEGMENTS, Machine, Paused
from .places import LaneNames, Place
from .timeline import Timeline

Array = np.ndarray


@dataclass(frozen=True)
class Hit:
    """A position at which a breakpoint stops the run, with its warp and lane."""

    position: int
    warp: int
    lane: int


@dataclass
class Breakpoint:
    """A condition to stop on. `find` returns candidates: (position, warp, mask of lanes).

    `text` says where it is, `condition` restricts it to lanes for which an expression is true, and
    `count` to some of its hits: "3", ">=3", "%2". `after` is true for watchpoints.
    """

    number: int
    kind: str
    text: str
    find: Callable[[Timeline, Machine], Iterator[tuple[int, int, int]]]
    after: bool = False
    enabled: bool = True
    condition: str = ""
    count: str = ""
    file: str = ""
    line: int = 0
    problem: str = ""
    """Why the condition could not be evaluated for some lane."""
    _found: list[Hit] = field(default_factory=list, repr=False)
    """The first hits of the run; `_rest` finds those after them."""
    _rest: Iterator[Hit] | None = field(default=None, repr=False)

    def forget(self) -> None:
        """Forget the hits: the run is another one, or the condition is."""
        self._found, self._rest = [], None
        self.problem = ""

    def set_condition(self, text: str) -> None:
        """Set or remove (with an empty text) the condition. Raises UsageError."""
        if text:
            parse(text)
        self.condition = text
        self.forget()

    def set_count(self, text: str) -> None:
        """Set or remove which of the hits stop the run. Raises UsageError."""
        if text:
            count_of(text)
        self.count = text
        self.forget()

    def hits(self, timeline: Timeline, machine: Machine) -> list[Hit]:
        """Return every hit in the run; may move the machine. Raises Paused."""
        self._find(timeline, machine, timeline.n)
        return self._found

    def next_after(self, timeline: Timeline, machine: Machine, position: int) -> Hit | None:
        """Return the first hit after a position; may move the machine. Raises Paused."""
        self._find(timeline, machine, position)
        return next((hit for hit in self._found if hit.position > position), None)

    def last_before(self, timeline: Timeline, machine: Machine, position: int) -> Hit | None:
        """Return the last hit before a position; may move the machine. Raises Paused."""
        self._find(timeline, machine, position)
        return next((hit for hit in reversed(self._found) if hit.position < position), None)

    def _find(self, timeline: Timeline, machine: Machine, position: int) -> None:
        """Find hits until one is after a position, or there are no more."""
        if self._found and self._found[-1].position > position:
            return
        if self._rest is None:
            self._found = []
            self._rest = self._chosen(timeline, machine)
        try:
            for hit in self._rest:
                self._found.append(hit)
                if hit.position > position:
                    return
        except Paused:
            self.forget()  # an iterator that has raised is at its end
            raise

    def _chosen(self, timeline: Timeline, machine: Machine) -> Iterator[Hit]:
        """Yield the hits that the count chooses."""
        chosen = count_of(self.count) if self.count else lambda n: True
        for n, hit in enumerate(self._all(timeline, machine), 1):
            if chosen(n):
                yield hit

    def _all(self, timeline: Timeline, machine: Machine) -> Iterator[Hit]:
        node = parse(self.condition) if self.condition else None
        for position, warp, mask in self.find(timeline, machine):
            lanes = [lane for lane in range(timeline.recording.width) if mask >> lane & 1]
            if node is None:
                yield Hit(position, warp, lanes[0] if lanes else 0)
                continue
            machine.check_pause()
            machine.seek(position)
            for lane in lanes:
                if self._holds(node, LaneNames(machine, timeline, warp, lane)):
                    yield Hit(position, warp, lane)
                    break

    def _holds(self, node: Node, names: LaneNames) -> bool:
        try:
            return bool(evaluate(node, names))
        except UsageError as problem:
            self.problem = self.problem or str(problem)
            return False

    def to_dict(self) -> dict[str, Any]:
        """Return the breakpoint as plain values."""
        return {
            "number": self.number, "kind": self.kind, "text": self.text, "enabled": self.enabled,
            "condition": self.condition, "count": self.count, "file": self.file, "line": self.line,
        }  # fmt: skip


_COUNT = re.compile(r"\s*(>=|>|==|=|<=|<|%)?\s*(\d{1,9})\s*")


def count_of(text: str) -> Callable[[int], bool]:
    """Return which hits a count chooses: `3` the third, `>=3`, `%2` every second one."""
    found = _COUNT.fullmatch(text)
    if found is None or (found[1] == "%" and int(found[2]) == 0):
        raise UsageError(
            f"{text!r} chooses no hits", code="SIM531", hint="give a number, as 3, >=3 or %2"
        )
    number = int(found[2])
    match found[1]:
        case "%":
            return lambda n: n % number == 0
        case ">":
            return lambda n: n > number
        case ">=":
            return lambda n: n >= number
        case "<":
            return lambda n: n < number
        case "<=":
            return lambda n: n <= number
    return lambda n: n == number


Found = Iterator[tuple[int, int, int]]


def issuing(timeline: Timeline, positions: Array) -> Found:
    """Yield instructions that are about to be executed, with the lanes that execute them."""
    for position in positions.tolist():
        yield position, int(timeline.warp[position]), int(timeline.mask[position])


def at_time(timeline: Timeline, t: int) -> Found:
    """Yield the first position at or after a time."""
    position = timeline.first_at(t)
    if position < timeline.n:
        yield position, int(timeline.warp[position]), int(timeline.mask[position])


def after_instants(timeline: Timeline, kind: str, warp: int | None) -> Found:
    """Yield the positions after events of a kind."""
    for position in timeline.instants(kind, warp).tolist():
        own = timeline.warp_of_instant(kind, position) if warp is None else warp
        assert own is not None
        next_own = timeline.next_of(own, position)
        yield position, own, int(timeline.mask[next_own]) if next_own is not None else 0


def memory_writes(timeline: Timeline, machine: Machine, place: Place, size: int) -> Found:
    """Yield the positions after writes to `size` bytes from a place on."""
    writes = machine.writes
    chosen = (
        (writes.segment == SEGMENTS.index(place.where))
        & (writes.place == place.place)
        & (writes.address < np.uint64(place.address + size))
        & (writes.address + writes.size.astype(np.uint64) > np.uint64(place.address))
    )
    positions, lanes = writes.position[chosen], writes.lane[chosen]
    for position in np.unique(positions).tolist():
        mask = 0
        for lane in lanes[positions == position].tolist():
            mask |= 1 << lane
        yield position + 1, int(timeline.warp[position]), mask


def register_changes(
    timeline: Timeline, machine: Machine, register: str, warp: int, lane: int
) -> Found:
    """Yield the positions after instructions that change a register of a lane."""
    for position in timeline.of_lane(warp, lane).tolist():
        ins = timeline.kernel(int(timeline.launch[position]))["instructions"]
        if ins[int(timeline.pc[position])]["dst"] != register:
            continue
        launch = timeline.launch[position]
        if position + 1 < timeline.n and timeline.launch[position + 1] != launch:
            continue  # the launch ends here, and its registers with it
        machine.seek(position)
        flat = machine.first_lane(warp, int(timeline.t[position])) + lane
        before = int(machine.register_bits(register, flat))
        machine.seek(position + 1)
        if int(machine.register_bits(register, flat)) != before:
            yield position + 1, warp, 1 << lane
