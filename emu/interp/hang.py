"""Finds out that a launch can never end, and says why: livelock or SIMT deadlock.

A warp that comes back to the same pc with the same lanes and registers, while nobody has changed
memory in between, will do the same for ever. When that holds for every warp that can run, the
launch hangs: no budget has to run out first. Watching costs time, so it begins only after
`PATIENCE` rounds in which no warp returned and no barrier opened.

Registers count only if a branch, memory or a trap within the loop depends on them: a loop that does
nothing but add up is found as well.

If lanes of such warps wait for their turn, a fair scheduler might have let them go on. The oracle
has one: a kernel that finishes there starves under this scheme, which is a SIMT deadlock. Where
the launch is too large for the oracle, the verdict is that this was not decided.

A loop whose state never repeats spends the whole budget. If no store decides what a work-item
executes, native code finds the work-item that does so: `PROBED` instructions are enough to ask it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ...isa.errors import Note
from ...isa.instruction import Instruction, Reg
from ...isa.table import Flags
from ...isa.types import RegClass
from ..engine import overspent
from ..fairness import SecondOpinion
from ..traps import Trap, TrapKind, TrapRecord
from ..wording import lanes_that, lowest, spinning
from .warps import NO_PC

if TYPE_CHECKING:
    from .blocks import Block
    from .interpreter import Interpreter

Array = np.ndarray

NEVER = -1

PATIENCE = 2048
"""Rounds without progress before the detector begins to watch, and for which it first does."""

PAUSE = 3
"""Rounds without watching after each watched one: most long loops end, and watching costs time."""

PROBED = 1 << 16
"""Instructions of a warp before native code is asked whether the budget will run out."""

FIRST_PERIOD = 64
"""Rounds of a warp after which its snapshot is taken anew; doubles each time (Brent)."""


class Snapshots:
    """All warps, each at one moment: where it was, who ran, what its registers held."""

    def __init__(self, interpreter: Interpreter) -> None:
        self._resident, self._warps = interpreter.resident, interpreter.warps
        self._code = interpreter.work.kernel.instructions
        n, width = self._warps.n, self._warps.width
        self._pc = np.full(n, NO_PC)
        self._lanes = np.zeros((n, width), bool)
        self._registers = {
            name: np.zeros((len(r.bits), n, width), r.bits.dtype)
            for name, r in self._resident.registers.items()
        }
        self.writes = np.full(n, NEVER)
        """Stores that had changed memory by then; `NEVER` where there is no snapshot."""
        self._left = np.zeros(n, np.int64)
        self._period = np.zeros(n, np.int64)
        self._start = np.zeros(n, np.int64)
        self._stop = np.zeros(n, np.int64)
        self._rows: dict[tuple[int, int], dict[str, list[int]]] = {}
        self.looping = np.zeros(n, bool)
        """Warps that have come back to where they were."""

    def forget(self) -> None:
        """Begin anew: something went forward."""
        self.writes[:] = NEVER
        self.looping[:] = False

    def look_at(self, warps: Array, start: int, stop: int, writes: int) -> None:
        """Compare warps that have executed the block from `start` to `stop` with their snapshots.

        `writes` counts the stores that have changed memory until now.
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
        over = warps[(self._left[warps] <= 0) & ~self.looping[warps]]
        if over.size:
            self._take(over, writes, self._period[over] * 2)

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
        """Whether the registers that count in what warps have executed are as they were."""
        equal = np.ones(warps.size, bool)
        ranges = set(zip(self._start[warps].tolist(), self._stop[warps].tolist(), strict=True))
        for start, stop in ranges:
            chosen = (self._start[warps] == start) & (self._stop[warps] == stop)
            rows = self._rows.get((start, stop))
            if rows is None:
                rows = self._rows[start, stop] = rows_that_count(self._code[start:stop])
            for name, kept in self._registers.items():
                if rows[name]:
                    index = np.array(rows[name])[:, None], warps[chosen]
                    now, then = self._values(name)[index], kept[index]
                    equal[chosen] &= (now == then).all(axis=(0, 2))
        return equal


class HangDetector:
    """Watches the rounds of one interpreter."""

    def __init__(self, interpreter: Interpreter) -> None:
        self.interpreter = interpreter
        self.opinion = SecondOpinion(interpreter.work)
        # What `clock` reads is in no register.
        self._can_watch = not any(i.row.reads_clock for i in interpreter.work.kernel.instructions)
        self._snapshots: Snapshots | None = None
        self._has_probed = False
        self.restart()

    def restart(self) -> None:
        """Something went forward: a warp returned, a barrier opened, a batch began."""
        self.quiet = 0
        self._watch_for(PATIENCE, PATIENCE)

    def _watch_for(self, rounds: int, start: int) -> None:
        """Begin to watch after `start` quiet rounds, for a number of rounds."""
        self._start, self._stop = start, start + rounds
        self.interpreter.resident.watched_writes = None
        if self._snapshots is not None:
            self._snapshots.forget()

    def after_round(self, warps: Array, block: Block) -> None:
        """Look at the warps that have just run. Raises Trap when nobody can ever go forward."""
        self.quiet += 1
        if self.quiet < self._start or not self._can_watch:
            return
        if self.quiet >= self._stop:
            rounds = self._stop - self._start
            self._watch_for(2 * rounds, self._stop + PAUSE * rounds)
            return
        if self._snapshots is None:
            self._snapshots = Snapshots(self.interpreter)
        seen, resident = self._snapshots, self.interpreter.resident
        if resident.watched_writes is None:
            resident.watched_writes = 0
        writes = resident.watched_writes
        before = np.count_nonzero(seen.looping)
        seen.look_at(warps, block.start, block.stop, writes)
        if np.count_nonzero(seen.looping) > before:
            stuck = seen.looping & (seen.writes == writes)
            if stuck[self.interpreter.warps.pc != NO_PC].all():
                raise self.verdict(TrapKind.LIVELOCK)

    def probe(self, steps: int) -> None:
        """Ask native code once whether a work-item will spend its budget. Raises Trap."""
        # The rest of a small budget is spent as soon.
        if self._has_probed or steps < PROBED or self.interpreter.work.budget < 4 * PROBED:
            return
        self._has_probed = True
        record = overspent(self.interpreter.work)
        if record is not None:
            loop = spinning(self.interpreter.work, 1 << self._lane_of(record), record.pc)
            raise self.interpreter.work.trap(replace(record, detail=f"{record.detail}; {loop}"))

    def _lane_of(self, record: TrapRecord) -> int:
        return record.local % self.interpreter.resident.width

    def verdict(self, kind: TrapKind, record: TrapRecord | None = None) -> Trap:
        """The trap for a launch that does not end: `kind`, unless a fair schedule would end it."""
        it = self.interpreter
        stuck = self._stuck() if record is None else [self._warp_of(record)]
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
        finishes = self.opinion.finishes()
        if finishes:
            kind = TrapKind.SIMT_DEADLOCK if parked or later else TrapKind.UNDECIDED
            notes.append(Note("every work-item finishes when all are scheduled in turn"))
        elif finishes is None and (parked or later or kind is TrapKind.BUDGET):
            kind = TrapKind.UNDECIDED
            notes.append(Note("whether it finishes when all are scheduled in turn is not known"))
        found = record or TrapRecord(kind, int(it.warps.pc[warp]), owner, first + lowest(lanes))
        return it.work.trap(replace(found, kind=kind, detail=detail, notes=tuple(notes)))

    def _stuck(self) -> list[int]:
        assert self._snapshots is not None
        return np.flatnonzero(self._snapshots.looping).tolist()

    def _warp_of(self, record: TrapRecord) -> int:
        resident = self.interpreter.resident
        slot = record.group - resident.first_group
        return slot * resident.warps_per_group + record.local // resident.width


def rows_that_count(code: Sequence[Instruction]) -> dict[str, list[int]]:
    """Return the registers, by class, on which branches, memory or traps in this code depend."""
    counting: set[Reg] = set()
    for ins in code:
        if ins.dst is None or ins.row.is_memory or ins.row.flags & _OUTWARD:
            counting.update(ins.reads())
    before = -1
    while len(counting) > before:
        before = len(counting)
        for ins in code:
            if counting.intersection(ins.writes()):
                counting.update(ins.reads())
    return {c.value: sorted(r.index for r in counting if r.cls is c) for c in RegClass}


_OUTWARD = Flags.MAY_TRAP | Flags.CROSS_LANE
