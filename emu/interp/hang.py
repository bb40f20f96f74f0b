"""Detection of launches that can never end, and of the reason: livelock or SIMT deadlock.

A warp that returns to the same pc with the same lanes and registers, while memory has not changed
in between, repeats that for ever. When this holds for every warp that can run, the launch hangs,
and no budget has to run out first. Watching costs time, so it begins only after `PATIENCE` rounds
in which no warp returned and no barrier opened.

Registers count only if a branch, memory or a trap within the loop depends on them: a loop that only
adds up is found as well.

If lanes of such warps wait to be scheduled, a fair scheduler might have let them continue. The
oracle has one: a kernel that finishes there starves under this scheme, which is a SIMT deadlock.
Where the launch is too large for the oracle, the verdict is "undecided".

A loop whose state never repeats spends the whole budget. If no store can change what a work-item
executes, native code can find the work-item that will spend its budget. It is asked once a warp has
executed `PROBED` instructions.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...isa.errors import Note
from ...isa.types import RegClass
from ..engine import overspent
from ..loop_conditions import registers_that_matter
from ..second_opinion import SecondOpinion
from ..traps import Trap, TrapKind, TrapRecord
from ..wording import IN_VAIN, lanes_that, lowest, place, spinning
from .batch import Batch
from .blocks import Block
from .warps import NO_PC

Array = np.ndarray

NEVER = -1

PATIENCE = 2048
"""Rounds without progress before the detector begins to watch, and length of its first watch."""

PAUSE = 3
"""Unwatched rounds per watched one: most long loops end, and watching costs time."""

PROBED = 1 << 16
"""Instructions of a warp before native code is asked whether the budget will run out."""

FIRST_PERIOD = 64
"""Rounds of a warp after which its snapshot is retaken; doubles each time (Brent)."""


class Snapshots:
    """A snapshot of every warp: its pc, running lanes and registers at one moment."""

    def __init__(self, batch: Batch) -> None:
        self._resident, self._warps = batch.resident, batch.warps
        self._code = batch.work.kernel.instructions
        n, width = self._warps.n, self._warps.width
        self._pc = np.full(n, NO_PC)
        self._lanes = np.zeros((n, width), bool)
        self._registers = {
            name: np.zeros((len(r.bits), n, width), r.bits.dtype)
            for name, r in self._resident.registers.items()
        }
        self.writes = np.full(n, NEVER)
        """Stores that had changed memory at the snapshot; `NEVER` where there is none."""
        self._left = np.zeros(n, np.int64)
        self._period = np.zeros(n, np.int64)
        self._start = np.zeros(n, np.int64)
        self._stop = np.zeros(n, np.int64)
        self._rows: dict[tuple[int, int], dict[RegClass, list[int]]] = {}
        self.looping = np.zeros(n, bool)
        """Warps that have returned to their snapshot."""

    def forget(self) -> None:
        """Drop all snapshots: a warp has made progress."""
        self.writes[:] = NEVER
        self.looping[:] = False

    def compare(self, warps: Array, start: int, stop: int, writes: int) -> None:
        """Compare warps that have executed the block from `start` to `stop` with their snapshots.

        `writes` counts the stores that have changed memory so far.
        """
        state = self._warps
        warps = warps[state.pc[warps] != NO_PC]
        old = self.writes[warps] != writes
        if old.any():
            self.looping[warps[old]] = False
            self._take(warps[old], writes, FIRST_PERIOD)
            warps = warps[~old]
        self._start[warps] = np.minimum(self._start[warps], start)
        self._stop[warps] = np.maximum(self._stop[warps], stop)
        back = warps[self._pc[warps] == state.pc[warps]]
        if back.size:
            same = (self._lanes[back] == state.active[back]).all(axis=1)
            back = back[same]
        if back.size:
            self.looping[back] = self._are_equal(back)
        self._left[warps] -= 1
        expired = warps[(self._left[warps] <= 0) & ~self.looping[warps]]
        if expired.size:
            self._take(expired, writes, self._period[expired] * 2)

    def _take(self, warps: Array, writes: int, period: int | Array) -> None:
        state = self._warps
        self._pc[warps], self._lanes[warps] = state.pc[warps], state.active[warps]
        for name, kept in self._registers.items():
            kept[:, warps] = self._values(name)[:, warps]
        self.writes[warps] = writes
        self._left[warps] = self._period[warps] = period
        self._start[warps], self._stop[warps] = NO_PC, 0

    def _values(self, name: str) -> Array:
        return self._resident.registers[name].bits.reshape(-1, self._warps.n, self._warps.width)

    def _are_equal(self, warps: Array) -> Array:
        """Return which warps have the registers of their snapshots, as far as they count."""
        equal = np.ones(warps.size, bool)
        ranges = set(zip(self._start[warps].tolist(), self._stop[warps].tolist(), strict=True))
        for start, stop in ranges:
            chosen = (self._start[warps] == start) & (self._stop[warps] == stop)
            rows = self._rows.get((start, stop))
            if rows is None:
                rows = self._rows[start, stop] = registers_that_matter(self._code[start:stop])
            for name, kept in self._registers.items():
                if rows[RegClass(name)]:
                    index = np.array(rows[RegClass(name)])[:, None], warps[chosen]
                    now, then = self._values(name)[index], kept[index]
                    equal[chosen] &= (now == then).all(axis=(0, 2))
        return equal


class HangDetector:
    """Watches the rounds of one batch."""

    def __init__(self, batch: Batch) -> None:
        self._batch = batch
        self.opinion = SecondOpinion(batch.work)
        # The value that `clock` reads is not in a register.
        self._can_watch = not any(i.row.reads_clock for i in batch.work.kernel.instructions)
        self._snapshots: Snapshots | None = None
        self._has_probed = False
        self.restart()

    def restart(self) -> None:
        """Note progress: a warp returned, a barrier opened or a batch began."""
        self.quiet = 0
        self._watch_for(PATIENCE, PATIENCE)

    def _watch_for(self, rounds: int, start: int) -> None:
        """Watch for a number of rounds, after `start` quiet ones."""
        self._start, self._stop = start, start + rounds
        self._batch.resident.watched_writes = None
        if self._snapshots is not None:
            self._snapshots.forget()

    def after_round(self, warps: Array, block: Block) -> None:
        """Check the warps that have just run. Raises Trap when no warp can ever make progress."""
        self.quiet += 1
        if self.quiet < self._start or not self._can_watch:
            return
        if self.quiet >= self._stop:
            rounds = self._stop - self._start
            self._watch_for(2 * rounds, self._stop + PAUSE * rounds)
            return
        if self._snapshots is None:
            self._snapshots = Snapshots(self._batch)
        snapshots, resident = self._snapshots, self._batch.resident
        if resident.watched_writes is None:
            resident.watched_writes = 0
        writes = resident.watched_writes
        before = np.count_nonzero(snapshots.looping)
        snapshots.compare(warps, block.start, block.stop, writes)
        if np.count_nonzero(snapshots.looping) > before:
            stuck = snapshots.looping & (snapshots.writes == writes)
            if stuck[self._batch.warps.pc != NO_PC].all():
                raise self.verdict(TrapKind.LIVELOCK)

    def probe(self, steps: int) -> None:
        """Ask native code once whether a work-item will spend its budget. Raises Trap."""
        # A small budget is spent as quickly as native code could be asked.
        if self._has_probed or steps < PROBED or self._batch.work.budget < 4 * PROBED:
            return
        self._has_probed = True
        record = overspent(self._batch.work)
        if record is not None:
            loop = spinning(self._batch.work, 1 << self._lane_of(record), record.pc)
            raise self._batch.work.trap(
                replace(record, detail=f"{record.detail}; {loop}", loop=loop)
            )

    def _lane_of(self, record: TrapRecord) -> int:
        return record.local % self._batch.resident.width

    def verdict(self, kind: TrapKind, record: TrapRecord | None = None) -> Trap:
        """Return the trap of a launch that does not end: `kind`, unless a fair schedule ends it."""
        batch = self._batch
        stuck = self._stuck() if record is None else [self._warp_of(record)]
        warp = next((w for w in stuck if batch.warps.parked(w)), stuck[0])
        lanes = batch.warps.mask_of(warp)
        owner, first = batch.resident.place(warp * batch.resident.width)
        parked = batch.warps.parked(warp)
        loop = spinning(batch.work, lanes, int(batch.warps.pc[warp]))
        if record is None:
            loop += IN_VAIN
        if parked:
            loop += " while " + ", ".join(
                f"{lanes_that(mask, 'wait')} at {place(batch.work, pc)}" for mask, pc in parked
            )
        detail = loop if record is None else f"{record.detail}; {loop}"
        notes = []
        if len(stuck) > 1:
            notes.append(Note(f"{len(stuck)} warps do this"))
        waiting = int(batch.warps.waits.sum())
        if waiting:
            notes.append(Note(f"{waiting} warps wait at a barrier"))
        not_started = (
            batch.work.geometry.n_groups - batch.resident.first_group - batch.resident.n_groups
        )
        if not_started:
            notes.append(Note(f"{not_started} workgroups have not started"))
        finishes = self.opinion.finishes()
        if finishes:
            kind = TrapKind.SIMT_DEADLOCK if parked or not_started else TrapKind.UNDECIDED
            notes.append(Note("every work-item finishes when all are scheduled in turn"))
        elif finishes is None and (parked or not_started or kind is TrapKind.BUDGET):
            kind = TrapKind.UNDECIDED
            notes.append(Note("whether it finishes when all are scheduled in turn is not known"))
        found = record or TrapRecord(kind, int(batch.warps.pc[warp]), owner, first + lowest(lanes))
        return batch.work.trap(
            replace(found, kind=kind, detail=detail, loop=loop, notes=tuple(notes))
        )

    def _stuck(self) -> list[int]:
        assert self._snapshots is not None
        return np.flatnonzero(self._snapshots.looping).tolist()

    def _warp_of(self, record: TrapRecord) -> int:
        resident = self._batch.resident
        slot = record.group - resident.first_group
        return slot * resident.warps_per_group + record.local // resident.width
