"""Finds out that a launch can never end, and says why: livelock or SIMT deadlock.

A warp that comes back to the same pc with the same lanes and registers, while nobody has changed
memory in between, will do the same for ever. When that holds for every warp that can run, the
launch hangs: no budget has to run out first. Watching costs time, so it begins only after
`PATIENCE` rounds in which no warp returned and no barrier opened.

If lanes of such warps wait for their turn, a fair scheduler might have let them go on. The oracle
has one: a kernel that finishes there starves under this scheme, which is a SIMT deadlock.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ...isa.errors import Note
from ..fairness import SecondOpinion, lanes_that, lowest, spinning
from ..traps import Trap, TrapKind, TrapRecord
from .warps import NO_PC

if TYPE_CHECKING:
    from .interpreter import Interpreter

PATIENCE = 2048
"""Rounds without progress before the detector begins to watch."""

FIRST_PERIOD = 64
"""Rounds of a warp after which its snapshot is taken anew; doubles each time (Brent)."""


@dataclass(slots=True)
class Snapshot:
    """A warp at one moment: where it is, who runs, what its registers hold."""

    pc: int
    lanes: bytes
    registers: tuple[bytes, ...]
    writes: int
    left: int
    period: int


class HangDetector:
    """Watches the rounds of one interpreter."""

    def __init__(self, interpreter: Interpreter) -> None:
        self.interpreter = interpreter
        self.opinion = SecondOpinion(interpreter.work)
        self.restart()

    def restart(self) -> None:
        """Something went forward: a warp returned, a barrier opened, a batch began."""
        self.quiet = 0
        self.snapshots: dict[int, Snapshot] = {}
        self.looping: set[int] = set()
        self.interpreter.resident.watched_writes = None

    def after_round(self, warps: np.ndarray) -> None:
        """Look at the warps that have just run. Raises Trap when nobody can ever go forward."""
        self.quiet += 1
        if self.quiet < PATIENCE:
            return
        resident = self.interpreter.resident
        if resident.watched_writes is None:
            resident.watched_writes = 0
        found = len(self.looping)
        for warp in warps.tolist():
            self._look_at(warp)
        if len(self.looping) > found and self.looping >= self.interpreter.warps.runnable():
            raise self.verdict(TrapKind.LIVELOCK)

    def _look_at(self, warp: int) -> None:
        it = self.interpreter
        writes = it.resident.watched_writes
        assert writes is not None
        old = self.snapshots.get(warp)
        if old is not None and old.writes != writes:
            self.looping.discard(warp)
            old = None
        pc = int(it.warps.pc[warp])
        if pc == NO_PC:
            return
        if old is None:
            self.snapshots[warp] = self._snapshot(warp, FIRST_PERIOD)
            return
        if pc == old.pc and it.warps.active[warp].tobytes() == old.lanes:
            if self._registers(warp) == old.registers:
                self.looping.add(warp)
                return
            self.looping.discard(warp)
        old.left -= 1
        if old.left == 0 and warp not in self.looping:
            self.snapshots[warp] = self._snapshot(warp, old.period * 2)

    def _snapshot(self, warp: int, period: int) -> Snapshot:
        it = self.interpreter
        writes = it.resident.watched_writes
        assert writes is not None
        return Snapshot(
            int(it.warps.pc[warp]),
            it.warps.active[warp].tobytes(),
            self._registers(warp),
            writes,
            period,
            period,
        )

    def _registers(self, warp: int) -> tuple[bytes, ...]:
        width = self.interpreter.resident.width
        own = slice(warp * width, (warp + 1) * width)
        return tuple(r.bits[:, own].tobytes() for r in self.interpreter.resident.registers.values())

    def verdict(self, kind: TrapKind, record: TrapRecord | None = None) -> Trap:
        """The trap for a launch that does not end: `kind`, unless a fair schedule would end it."""
        it = self.interpreter
        stuck = sorted(self.looping) if record is None else [self._warp_of(record)]
        warp = next((w for w in stuck if it.warps.parked(w)), stuck[0])
        lanes = it.warps.mask_of(warp)
        owner, first = it.resident.place(warp * it.resident.width)
        parked = it.warps.parked(warp)
        detail = spinning(it.work, lanes, int(it.warps.pc[warp]))
        if record is None:
            detail += " without changing anything"
        else:
            detail = f"{record.detail}; {detail}"
        if parked:
            detail += " while " + ", ".join(
                f"{lanes_that(mask, 'wait')} at {it.where(pc)}" for mask, pc in parked
            )
        notes = []
        if len(stuck) > 1:
            notes.append(Note(f"{len(stuck)} warps do so"))
        waiting = int(it.warps.waits.sum())
        if waiting:
            notes.append(Note(f"{waiting} warps wait at a barrier"))
        later = it.work.geometry.n_groups - it.resident.first_group - it.resident.n_groups
        if later:
            notes.append(Note(f"{later} workgroups have not started"))
        if (parked or later) and self.opinion.finishes():
            kind = TrapKind.SIMT_DEADLOCK
            notes.append(Note("every work-item finishes when all are scheduled in turn"))
        found = record or TrapRecord(kind, int(it.warps.pc[warp]), owner, first + lowest(lanes))
        return it.work.trap(replace(found, kind=kind, detail=detail, notes=tuple(notes)))

    def _warp_of(self, record: TrapRecord) -> int:
        resident = self.interpreter.resident
        slot = record.group - resident.first_group
        return slot * resident.warps_per_group + record.local // resident.width
