"""Registers and memory at any position: a replay with checkpoints to go back to.

Checkpoints lie at multiples of an interval. Where they take more than `MOST_BYTES`, every second
one is dropped and the interval doubles, so that a step back costs at most one interval.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..isa.errors import SimtError
from ..recording.recording import Recording
from ..recording.replay import Snapshot, Step
from .edits import Edit

Array = np.ndarray

MOST_BYTES = 256 << 20
FIRST_INTERVAL = 256


@dataclass(frozen=True)
class Writes:
    """Every lane's store and atomic of a run, in the order of execution, as columns.

    `lane` is that of the warp, `segment` an index into `SEGMENTS`. `place` is the workgroup of an
    access to group memory, the flat lane of one to private memory, and 0 for global memory.
    """

    position: Array
    lane: Array
    address: Array
    size: Array
    segment: Array
    place: Array


SEGMENTS = ("global", "group", "private")


class Paused(SimtError):
    """A pause was asked for while instructions were executed; the machine is between two."""

    code = "SIM430"


class Machine:
    """The recorded machine at a position; `seek` moves it."""

    def __init__(
        self,
        recording: Recording,
        edits: Sequence[Edit] = (),
        *,
        most_bytes: int = MOST_BYTES,
        interval: int = FIRST_INTERVAL,
        asked: Callable[[], bool] = lambda: False,
    ) -> None:
        """Begin at position 0. What executes raises Paused between two instructions if `asked`."""
        self._asked = asked
        self.recording = recording
        self._edits = sorted(edits, key=lambda edit: edit.position)
        self._replay = recording.replay()
        self._most_bytes = most_bytes
        self._interval = interval
        self._checkpoints: dict[int, Snapshot] = {}
        self._writes: Writes | None = None
        self._goes_through(0)

    @property
    def position(self) -> int:
        """The number of executed instructions."""
        return self._replay.position

    @property
    def checkpoints(self) -> list[int]:
        """The positions of the checkpoints."""
        return sorted(self._checkpoints)

    def seek(self, position: int) -> None:
        """Go to a position, forwards or backwards."""
        nearest = max((p for p in self._checkpoints if p <= position), default=-1)
        if position < self.position or nearest > self.position:
            self._replay.restore(self._checkpoints[nearest])
            self._apply_edits(nearest)
        while self.position < position:
            nearest = self.position // self._interval * self._interval + self._interval
            self._goes_through(min(nearest, position))

    def _goes_through(self, position: int) -> None:
        """Execute up to a position, and keep a checkpoint there where one is due."""
        for edit in self._edits:
            if self.position < edit.position < position:
                self._run(edit.position)
                self._apply_edits(edit.position)
        self._run(position)
        if position % self._interval == 0 and position not in self._checkpoints:
            self._keep(position)
        self._apply_edits(position)

    def _run(self, position: int) -> None:
        for _ in self._replay.advance(position):
            self.check_pause()

    def check_pause(self) -> None:
        """Raise Paused if a pause is asked for."""
        if self._asked():
            raise Paused("interrupted", code=Paused.code)

    def _keep(self, position: int) -> None:
        # Edits at the position itself are not part of a checkpoint: they are applied again.
        snapshot = self._checkpoints[position] = self._replay.snapshot()
        total = sum(s.size for s in self._checkpoints.values())
        while total > self._most_bytes and len(self._checkpoints) > 1:
            self._interval *= 2
            for p in [p for p in self._checkpoints if p % self._interval]:
                total -= self._checkpoints.pop(p).size
        assert snapshot.position == position

    def _apply_edits(self, position: int) -> None:
        for edit in self._edits:
            if edit.position == position:
                edit.apply(self._replay.code.resident, self._replay.memory)

    # --- values

    def first_lane(self, warp: int, t: int) -> int:
        """Return the flat number of lane 0 of the warp in a context at `t`; -1 for none."""
        return self._replay.first_lane(warp, t)

    def register_bits(self, register: str, lanes: slice | Array | int) -> Array:
        """Return the bits of a register, as `$s3`, in some flat lanes."""
        bank = self._replay.code.resident.registers[register[1]]
        return bank.bits[int(register[2:]), lanes]

    def registers(self, warp: int, t: int) -> dict[str, Array]:
        """Return the registers of the warp that is in a context at `t`; empty for none."""
        first = self.first_lane(warp, t)
        if first < 0:
            return {}
        lanes = slice(first, first + self.recording.width)
        return {
            f"${cls}{number}": bank.bits[number, lanes].copy()
            for cls, bank in self._replay.code.resident.registers.items()
            for number in range(len(bank.bits))
        }

    def global_bytes(self, address: int, size: int) -> Array | None:
        """Return bytes of a buffer as an array that shares memory; None where there is none."""
        buffer = self._replay.memory.find(address, size)
        if buffer is None:
            return None
        start = address - buffer.base
        return buffer.host[start : start + size]

    def segment_bytes(self, segment: str, place: int) -> Array:
        """Return the group memory of a workgroup, or the private memory of a flat lane."""
        code = self._replay.code
        kernel, resident = code.work.kernel, code.resident
        if segment == "group":
            size, memory = kernel.group_size, resident.group_memory
        elif segment == "private":
            size, memory = kernel.private_size, resident.private_memory
        else:
            return np.frombuffer(code.work.program.readonly_data, np.uint8)
        return memory[place * size : (place + 1) * size]

    def item(self, flat_lane: int) -> int:
        """Return the flat absolute id of the work-item in a flat lane."""
        return int(self._replay.code.resident.identity("workitemflatabsid", 0)[flat_lane])

    def place(self, flat_lane: int) -> tuple[int, int]:
        """Return (workgroup, flat local id) of a flat lane."""
        return self._replay.code.resident.place(flat_lane)

    def has_started(self, flat_lane: int) -> bool:
        """Return whether there is a work-item in a flat lane."""
        return bool(self._replay.code.resident.started.reshape(-1)[flat_lane])

    # --- all writes

    @property
    def writes(self) -> Writes:
        """Every write to memory of the run. The first use executes all of it."""
        if self._writes is None:
            self._writes = self._find_writes()
        return self._writes

    def _find_writes(self) -> Writes:
        """Execute the whole run once and return what it stores where."""
        replay = self.recording.replay()
        total = int(self.recording.issues["n"].sum())
        parts: list[tuple[Array, ...]] = []
        for stop in sorted({*(edit.position for edit in self._edits), total}):
            for step in replay.advance(stop):
                self.check_pause()
                if step.stored is not None:
                    parts.append(self._row(step, replay.position - 1, replay.code))
            for edit in self._edits:
                if edit.position == stop:
                    edit.apply(replay.code.resident, replay.memory)
        if not parts:
            return Writes(*[np.zeros(0, np.int64)] * 6)
        return Writes(*map(np.concatenate, zip(*parts, strict=True)))

    @staticmethod
    def _row(step: Step, position: int, code: Any) -> tuple[Array, ...]:
        ins, lanes = code.instructions[step.pc], step.lanes
        assert step.address is not None
        segment = SEGMENTS.index(ins.address.segment.value)
        place = np.zeros(lanes.size, np.int64)
        if segment == SEGMENTS.index("group"):
            place = lanes // code.resident.lanes_per_group
        elif segment == SEGMENTS.index("private"):
            place = lanes
        one = np.ones(lanes.size, np.int64)
        columns = (
            one * position, lanes % code.resident.width, step.address,
            one * ins.row.type.size, one * segment, place,
        )  # fmt: skip
        if ins.row.stem != "atomic_cas" or step.written is None or step.stored is None:
            return columns
        # A comparison that failed has written nothing: its lane has seen what is there now.
        low = np.uint64((1 << ins.row.type.bits) - 1)
        wrote = (step.written & low) != step.stored
        return tuple(column[wrote] for column in columns)
