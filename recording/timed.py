"""Recordings of the timing engine: issues, accesses, waits and the state of every warp context.

The engine calls the recorder at every event (engine/listener.py), and the recorder reads the
engine's tables, which are as the event has left them.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..emu.engine import Work
from ..emu.jit.segments.warp_block import Header
from ..isa.errors import SimtError
from ..timing.engine.account import EV_ACCESS, EV_BRANCH, EV_DISPATCH, EV_ISSUE, EV_JOIN
from ..timing.engine.causes import BANK, BARRIER, L2, MSHR, NAMES, READY
from ..timing.engine.intrinsics import NEVER as NO_TIME
from ..timing.engine.intrinsics import word64
from ..timing.engine.state import ACCESS, DONE, ISSUE, RUNNING
from ..timing.simulation.books import groups_of
from ..timing.simulation.scripted import Registers
from ..timing.simulation.simulator import Simulator
from ..timing.simulation.standing import mask_of, ready_at
from ..timing.simulation.wording import context_name
from .recorder import Recorder
from .recording import Recording
from .warp_states import WarpStates

_LISTENER = ctypes.CFUNCTYPE(ctypes.c_uint64, ctypes.c_uint64, ctypes.c_int64, ctypes.c_int64)


class TimedRecorder(Recorder):
    """Records the launches of a simulator that listens: call this `run` in place of that one's."""

    unit = "cycle"

    def __init__(self, simulator: Simulator, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        if "listener" not in simulator.files:
            raise ValueError("only a simulator that listens can be recorded")
        self._sim = simulator
        self._state = simulator.state
        self._listener = _LISTENER(self._hear)
        self._failure: BaseException | None = None
        machine = simulator.machine
        self._states = WarpStates(simulator)
        self._columns = columns = simulator.state.columns
        self._group, self._warp = columns["group"], columns["warp"]
        self._is_packed = "issue/packed" in simulator.files
        self._issuing = columns["part"].chosen if self._is_packed else self._group.mask
        """Group -> its lanes that issue."""
        self._raw = [
            tuple(
                _bytes_of(simulator.state.rows[table], v, size)
                for table, size in (
                    ("warp", 1), ("group", machine.width), ("ready_at", machine.width)
                )
            )
            for v in range(machine.wpus * machine.warps)
        ]  # fmt: skip
        """Warp -> its rows in the engine's tables."""
        self._names = [context_name(v, machine.warps) for v in range(machine.wpus * machine.warps)]
        self._continues = [False] * machine.wpus
        """Whether a WPU's current event continues with the group that issued last."""
        self._has_issued = False
        self._since: dict[int, int] = {}
        """Number of a group -> the time up to which its rows are complete."""
        self._seen: dict[int, tuple[Any, ...]] = {}
        """Warp -> its rows in the engine's tables when they were last looked at."""
        self._before: dict[int, dict[int, int]] = {}
        """Warp -> group -> mask at that time."""
        self._barriers: dict[int, dict[int, int]] = {}
        """Warp -> groups that wait at a barrier, with its pc."""
        self._occupied: dict[int, tuple[int, int]] = {}
        self._issued_at = 0
        """The time of the last instruction that was issued."""
        self._issued = 0

    # --- running

    def run(self, work: Work, registers: Registers | None = None) -> None:
        """Simulate a launch and record it. Takes and raises what `Simulator.run` does."""
        shaped = replace(work, geometry=replace(work.geometry, width=self._sim.machine.width))
        self.begin_launch(shaped, self._sim.cycles)
        S = self._state.S
        S.listener = ctypes.cast(self._listener, ctypes.c_void_p).value
        S.listen_begin, S.listen_end = self.begin, min(self.end, NO_TIME)
        try:
            self._sim.run(work, registers)
        except BaseException as error:
            self._note_trap(error)
            self.end_launch(shaped, error)
            raise
        finally:
            S.listen_end = 0
        self.end_launch(shaped)
        if self._failure is not None:
            raise self._failure
        if self._is_open(self._sim.cycles - 1):
            for v in range(len(self._names)):
                self._occupy(v, self._sim.cycles)

    def finish(self, **facts: Any) -> Recording:
        """Return the recording."""
        sim = self._sim
        counts = sim.statistics()
        if self.lost:
            self.lost = counts.warp_instructions - self._issued
        return super().finish(
            kind="timing",
            machine=sim.machine.model_dump(mode="json"),
            policy=sim.policy.name,
            warps=self._names,
            causes=list(NAMES),
            statistics={
                "cycles": counts.cycles,
                "warp_instructions": counts.warp_instructions,
                "thread_instructions": counts.thread_instructions,
                **{f"slots: {name}": int(n) for name, n in counts.issue_slots.items()},
                **{name: int(n) for name, n in sim.counters().items()},
            },
            **facts,
        )

    def _is_open(self, now: int) -> bool:
        return self.begin <= now < self.end and self.lost == 0

    # --- events of the engine

    def _hear(self, what: int, g: int, t: int) -> int:
        """Take an event from the engine. An exception must not pass through native code."""
        try:
            if self.lost == 0 and self._failure is None:
                self._heard(what & 0xFF, what >> 8, g, t)
        except BaseException as failure:
            self._failure = failure
        if self.lost or self._failure is not None:
            self._state.S.listen_end = 0  # the rest of the run is not slowed down
        return 0

    def _heard(self, kind: int, w: int, g: int, t: int) -> None:
        if kind == EV_ISSUE:
            self._issue(w, g, t)
        elif kind == EV_ACCESS:
            self._access(w, g, t)
        elif kind == EV_DISPATCH:
            self._waited(g, t)
        elif kind == EV_BRANCH:
            self._branch(g)
        elif kind == EV_JOIN:
            self._join(g, t)
        else:
            self._turn(w, t)

    def _issue(self, w: int, g: int, t: int) -> None:
        group, segments = self._group, self._columns["seg"]
        lead = group.lead[g]
        s, v, number = group.seg[lead], group.warp[g], group.seq[lead]
        mask, n, first = mask_of(self._issuing[g]), segments.n_instr[s], segments.first_pc[s]
        if self.put_issue(t, v, number, first, n, mask):
            self._issued += n
            last = self._kinds[first + n - 1]
            if last in ("exit", "barrier"):
                self.rows.note(t + n - 1, v, last, first + n - 1, mask)
        self._since[number] = self._issued_at = t + n
        # A segment that ended in the cycle before has had its consequences: branches, joins.
        has_ended = self._continues[w] and self._is_open(t - 1)
        self._keep(w, t - 1 if has_ended else t, g)
        self._continues[w] = self._has_issued = True

    def _access(self, w: int, g: int, t: int) -> None:
        S, group = self._state.S, self._group
        lead = group.lead[g]
        v, number = group.warp[g], group.seq[lead]
        mask, hits = mask_of(S.accessed), mask_of(S.access_hits)
        pc = self._columns["seg"].last_pc[group.seg[lead]]
        launch = len(self._launches) - 1
        if self._is_open(t):
            self.rows.access.append((t, v, number, launch, pc, mask, hits & mask))
            if mask & ~hits:
                self.rows.note(t, v, "miss", pc, mask, mask & ~hits)
        self._since[number] = t + 1

    def _waited(self, g: int, t: int) -> None:
        group = self._group
        v, number, s = group.warp[g], group.seq[g], group.seg[g]
        is_open = self._is_open(t)
        if is_open:
            self._occupy(v, t)
        since = self._since.get(number)
        self._since[number] = t
        if since is None or not is_open:
            return
        segments = self._columns["seg"]
        pc = segments.last_pc[s] if group.at_memory[g] else segments.first_pc[s]
        launch = len(self._launches) - 1
        for until, cause in (
            (group.until_bank[g], BANK),
            (group.until_mshr[g], MSHR),
            (group.until_l2[g], L2),
            (self._columns["ready_at"].t[g], group.cause[g]),
            (t, READY),
        ):
            until = min(until, t)
            if until > since:
                mask = mask_of(group.mask[g])
                self.rows.wait.append((since, until, v, number, launch, pc, mask, cause))
                since = until

    def _branch(self, g: int) -> None:
        """Record the branch that group g has issued, if it divides the group."""
        if g < 0 or not self._is_open(self._issued_at - 1):
            return
        segments, s, v = self._columns["seg"], self._group.seg[g], self._group.warp[g]
        mask = mask_of(self._group.mask[g])
        taken = word64(self._warp.block[v], segments.cond_row[s] // 8) & mask
        if taken not in (0, mask) and segments.target[s] != segments.next[s]:
            self.rows.note(self._issued_at - 1, v, "diverge", segments.last_pc[s], mask, taken)

    def _join(self, h: int, t: int) -> None:
        """Record that group h, which joins another, issues the last instruction of that one."""
        group = self._group
        pc = self._columns["seg"].last_pc[group.seg[h]]
        self.put_issue(t, group.warp[h], group.seq[h], pc, 1, group.mask[h])

    def _turn(self, w: int, t: int) -> None:
        """Record the states of WPU w's warps after an event of it."""
        event = self._columns["wpu"].event[w]
        if not self._has_issued:
            self._keep(w, t)
        elif event not in (ACCESS, ISSUE):
            self._keep(w, self._columns["next_event"].at[w] - 1)
        self._continues[w] = event == ISSUE
        self._has_issued = False

    def _note_trap(self, error: BaseException) -> None:
        S = self._state.S
        if isinstance(error, SimtError) and S.status not in (RUNNING, DONE):
            v = self._group.warp[S.trap_g]
            pc = self._columns["seg"].last_pc[S.trap_seg]
            self.rows.note(S.now, v, "trap", pc, S.trap_lanes)

    # --- states

    def begin_launch(self, work: Work, t: int) -> None:
        """Note a launch that begins at `t`."""
        super().begin_launch(work, t)
        kernel = self._kernels[self._launches[-1]["kernel"]]
        self._kinds = [i["kind"] for i in kernel["instructions"]]
        self._continues = [False] * len(self._continues)
        for found in (self._since, self._seen, self._before, self._barriers):
            found.clear()

    def _keep(self, w: int, t: int, running: int = -1) -> None:
        """Record the states of WPU w's warps at the end of cycle t, in which `running` issues."""
        if not self._is_open(t):
            return
        warps, issuing = self._sim.machine.warps, self._issuing_warps(running)
        for v in range(w * warps, (w + 1) * warps):
            warp, groups, ready_times = self._raw[v]
            seen = (
                warp.tobytes(), groups.tobytes(), ready_times.tobytes(),
                running if v in issuing else -1,
            )  # fmt: skip
            if self._seen.get(v) == seen:
                continue
            self._seen[v] = seen
            self._occupy(v, t + 1)
            existing = [g for g in groups_of(self._state, v) if self._group.mask[g]]
            self._compare(v, t, existing)
            self.rows.put_state(t, v, self._states.of(v, existing, running))

    def _issuing_warps(self, running: int) -> set[int]:
        """Return the warps with a group that issues together with `running` (-1: none)."""
        width = self._sim.machine.width
        if running < 0:
            return set()
        if not self._is_packed:
            return {running // width}
        leads = self._state.rows["group"]["lead"]
        return set((np.flatnonzero(leads == leads[running]) // width).tolist())

    def _occupy(self, v: int, t: int) -> None:
        """Note which warp of which workgroup is in a context, where it is another one now.

        A warp that has just begun is charged for nothing yet, so that `busy` is when it began.
        """
        place = -1, -1
        if self._warp.live[v]:
            block = self._warp.block[v]
            place = word64(block, Header.GROUP), word64(block, Header.WARP)
            t = max(self._warp.busy[v], self.begin)
        if self._occupied.get(v, (-1, -1)) != place:
            self._occupied[v] = place
            self.rows.occupant.append((t, v, *place))

    def _compare(self, v: int, t: int, groups: Sequence[int]) -> None:
        """Note splits, merges, joins and opened barriers since the last comparison of warp v."""
        group, state = self._group, self._state
        masks = {group.seq[g]: mask_of(group.mask[g]) for g in groups}
        before, self._before[v] = self._before.get(v, {}), masks
        parked: dict[int, int] = {}
        for g in groups:
            number, pc = group.seq[g], self._states.pc_of(g)
            mask, old = masks[number], before.get(number)
            if group.cause[group.lead[g]] == BARRIER and ready_at(state, g) >= NO_TIME:
                parked[number] = pc
            elif number in self._barriers.get(v, {}):
                self.rows.note(t, v, "open", self._barriers[v][number], mask)
            if old is None:
                for lanes in before.values():
                    if lanes & mask == mask and lanes != mask:
                        self.rows.note(t, v, "split", pc, lanes, mask)
            elif came := mask & ~old if mask & old == old else 0:
                for other, lanes in before.items():
                    if other not in masks and lanes and lanes & came == lanes:
                        self.rows.note(t, v, "merge", pc, mask, lanes)
                        came &= ~lanes
                if came:
                    self.rows.note(t, v, "join", pc, mask, came)
        self._barriers[v] = parked


def _bytes_of(rows: np.ndarray, v: int, size: int) -> memoryview:
    """Return the bytes of the records of warp v in a table with `size` of them for each warp."""
    return rows[v * size : (v + 1) * size].view(np.uint8).data
