"""Recordings of the timing engine: issues, accesses, waits and the state of every warp context.

The engine calls the recorder at every event (engine/listener.py), and the recorder reads the
engine's tables, which are as the event has left them.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from ..emu.engine import Work
from ..emu.jit.segments.warp_block import Header
from ..isa.errors import SimtError
from ..timing.compiler.compose import compose
from ..timing.engine.account import EV_ACCESS, EV_BRANCH, EV_DISPATCH, EV_ISSUE, EV_JOIN
from ..timing.engine.causes import BANK, BARRIER, L2, MSHR, NAMES, READY
from ..timing.engine.groups import NO_SLOT, WAITS_FOR_SLOT
from ..timing.engine.intrinsics import NEVER as NO_TIME
from ..timing.engine.state import ACCESS, DONE, ISSUE, RUNNING
from ..timing.simulation.books import groups_of
from ..timing.simulation.scripted import Registers
from ..timing.simulation.simulator import Simulator
from .recorder import Recorder
from .recording import Recording
from .tables import EVERYTHING, State, text_of

_DRAWN = ("stacks", "dual_path", "local_stack", "splits")
"""Engine files whose tables are read here, rather than through their `waiting_lanes`."""

_LISTENER = ctypes.CFUNCTYPE(ctypes.c_uint64, ctypes.c_uint64, ctypes.c_uint64, ctypes.c_uint64)


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
        self._is_packed = "issue/packed" in simulator.files
        self._table_entries = _entries_of(simulator)
        # Multithreading-aware subdivision orders splits by the instructions they have issued.
        self._counts = "policy/maws" in simulator.files
        self._waiting_lanes = [
            f
            for f in simulator.composition.waiting_lanes
            if f.__code__.co_filename.replace("\\", "/").rsplit("/", 1)[-1][:-3] not in _DRAWN
        ]
        self._names = [
            f"WPU {v // machine.warps}, warp context {v % machine.warps}"
            for v in range(machine.wpus * machine.warps)
        ]
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
                self._heard(what & 0xFF, what >> 8, _signed(g), _signed(t))
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
        rows = self._state.rows
        grp = rows["group"][g]
        lead = rows["group"][int(grp["lead"])]
        row = self._segment(lead["seg"])
        v, number = int(grp["warp"]), int(lead["seq"])
        mask = int(rows["part"]["chosen"][g] if self._is_packed else grp["mask"]) & EVERYTHING
        n, first = int(row["n_instr"]), int(row["first_pc"])
        if self.put_issue(t, v, number, first, n, mask):
            self._issued += n
            last = self._kinds[first + n - 1]
            if last in ("exit", "barrier"):
                self.rows.note(t + n - 1, v, last, first + n - 1, mask)
        self._since[number] = self._issued_at = t + n
        if self._continues[w]:
            # The segment before has had its consequences: branches, joins.
            self._keep(w, t - 1, g)
        self._keep(w, t, g)
        self._continues[w] = self._has_issued = True

    def _access(self, w: int, g: int, t: int) -> None:
        S, rows = self._state.S, self._state.rows
        grp = rows["group"][g]
        lead = rows["group"][int(grp["lead"])]
        v, number = int(grp["warp"]), int(lead["seq"])
        mask, hits = int(S.accessed) & EVERYTHING, int(S.access_hits) & EVERYTHING
        pc = int(self._segment(lead["seg"])["last_pc"])
        launch = len(self._launches) - 1
        if self._is_open(t):
            self.rows.access.append((t, v, number, launch, pc, mask, hits & mask, -1))
            if mask & ~hits:
                self.rows.note(t, v, "miss", pc, mask, mask & ~hits)
        self._since[number] = t + 1

    def _waited(self, g: int, t: int) -> None:
        rows = self._state.rows
        grp, ready = rows["group"][g], int(rows["ready_at"]["t"][g])
        v, number = int(grp["warp"]), int(grp["seq"])
        if self._is_open(t):
            self._occupy(v, t)
        since = self._since.get(number)
        self._since[number] = t
        if since is None or not self._is_open(t):
            return
        row = self._segment(grp["seg"])
        pc = int(row["last_pc"] if grp["at_memory"] else row["first_pc"])
        launch = len(self._launches) - 1
        for until, cause in (
            (int(grp["until_bank"]), BANK),
            (int(grp["until_mshr"]), MSHR),
            (int(grp["until_l2"]), L2),
            (ready, int(grp["cause"])),
            (t, READY),
        ):
            until = min(until, t)
            if until > since:
                mask = int(grp["mask"]) & EVERYTHING
                self.rows.wait.append((since, until, v, number, launch, pc, mask, cause))
                since = until

    def _branch(self, g: int) -> None:
        """Record the branch that group g has issued, if it divides the group."""
        if g < 0 or not self._is_open(self._issued_at - 1):
            return
        grp = self._state.rows["group"][g]
        row, v = self._segment(grp["seg"]), int(grp["warp"])
        code = self._sim.loaded
        assert code is not None
        mask = int(grp["mask"]) & EVERYTHING
        taken = int(code.blocks[v].view("u8")[int(row["cond_row"]) // 8]) & mask
        if taken not in (0, mask) and row["target"] != row["next"]:
            self.rows.note(self._issued_at - 1, v, "diverge", int(row["last_pc"]), mask, taken)

    def _join(self, h: int, t: int) -> None:
        """Record that group h, which joins another, issues the last instruction of that one."""
        other = self._state.rows["group"][h]
        pc, v = int(self._segment(other["seg"])["last_pc"]), int(other["warp"])
        self.put_issue(t, v, int(other["seq"]), pc, 1, int(other["mask"]))

    def _turn(self, w: int, t: int) -> None:
        """Record the states of WPU w's warps after an event of it."""
        event = int(self._state.rows["wpu"]["event"][w])
        if not self._has_issued:
            self._keep(w, t)
        elif event not in (ACCESS, ISSUE):
            self._keep(w, int(self._state.rows["next_event"]["at"][w]) - 1)
        self._continues[w] = event == ISSUE
        self._has_issued = False

    def _note_trap(self, error: BaseException) -> None:
        S = self._state.S
        if isinstance(error, SimtError) and int(S.status) not in (RUNNING, DONE):
            v = int(self._state.rows["group"]["warp"][int(S.trap_g)])
            pc = int(self._segment(S.trap_seg)["last_pc"])
            self.rows.note(int(S.now), v, "trap", pc, int(S.trap_lanes))

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
        rows, warps, width = self._state.rows, self._sim.machine.warps, self._sim.machine.width
        for v in range(w * warps, (w + 1) * warps):
            groups = slice(v * width, (v + 1) * width)
            seen = (
                rows["warp"][v].tobytes(),
                rows["group"][groups].tobytes(),
                rows["ready_at"][groups].tobytes(),
                running if running >= 0 and self._issues_with(running, groups) else -1,
            )
            if self._seen.get(v) == seen:
                continue
            self._seen[v] = seen
            self._occupy(v, t + 1)
            self._compare(v, t)
            self.rows.put_state(t, v, self._state_of(v, running))

    def _issues_with(self, running: int, groups: slice) -> bool:
        """Return whether one of the groups issues together with `running`."""
        leads = self._state.rows["group"]["lead"]
        return bool((leads[groups] == leads[running]).any())

    def _occupy(self, v: int, t: int) -> None:
        """Note which warp of which workgroup is in a context, where it is another one now.

        A warp that has just begun is charged for nothing yet, so that `busy` is when it began.
        """
        place = -1, -1
        code = self._sim.loaded
        if self._state.rows["warp"]["live"][v] and code is not None:
            block = code.blocks[v].view("i8")
            place = int(block[Header.GROUP]), int(block[Header.WARP])
            t = max(int(self._state.rows["warp"]["busy"][v]), self.begin)
        if self._occupied.get(v, (-1, -1)) != place:
            self._occupied[v] = place
            self.rows.occupant.append((t, v, *place))

    def _compare(self, v: int, t: int) -> None:
        """Note splits, merges, joins and opened barriers since the last comparison of warp v."""
        rows = self._state.rows
        every = [g for g in groups_of(self._state, v) if rows["group"]["mask"][g]]
        masks = {int(rows["group"]["seq"][g]): int(rows["group"]["mask"][g]) & EVERYTHING
                 for g in every}  # fmt: skip
        before, self._before[v] = self._before.get(v, {}), masks
        parked: dict[int, int] = {}
        for g in every:
            number, pc = int(rows["group"]["seq"][g]), self._pc(g)
            mask, old = masks[number], before.get(number)
            lead = int(rows["group"]["lead"][g])
            if rows["ready_at"]["t"][lead] >= NO_TIME and rows["group"]["cause"][lead] == BARRIER:
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

    def _state_of(self, v: int, running: int) -> State:
        rows, state = self._state.rows, State()
        if not rows["warp"]["live"][v]:
            return state
        depth = int(rows["warp"]["depth"][v])
        if "side" in rows:
            pairs = [list(self._pair(v, level)) for level in range(depth)]
            if pairs:
                state["pairs"] = pairs
        elif depth:
            first = v * int(self._state.S.stack_depth)
            state["stack"] = [self._entry(r) for r in rows["stack"][first : first + depth]]
        groups = [g for g in groups_of(self._state, v) if rows["group"]["mask"][g]]
        if groups:
            order = sorted(groups, key=lambda g: _lowest(int(rows["group"]["mask"][g])))
            state["groups"] = [self._group(g, running) for g in order]
        waiting = [[text_of(m), pc, why] for m, pc, why in self._waiting(v, groups)]
        if waiting:
            state["waiting"] = waiting
        if n := self._table_entries(v):
            state["entries"] = n
        return state

    def _group(self, g: int, running: int) -> dict[str, Any]:
        rows = self._state.rows
        it = rows["group"][int(rows["group"]["lead"][g])]
        ready = int(rows["ready_at"]["t"][int(rows["group"]["lead"][g])])
        found: dict[str, Any] = {
            "id": int(it["seq"]), "mask": text_of(int(rows["group"]["mask"][g])), "pc": self._pc(g),
        }  # fmt: skip
        if running >= 0 and int(rows["group"]["lead"][g]) == int(rows["group"]["lead"][running]):
            found["status"] = "run"
        elif it["slot"] == WAITS_FOR_SLOT:
            found["status"] = "slotless"
        elif ready >= NO_TIME:
            found["status"] = "barrier-wait" if it["cause"] == BARRIER else "parked"
        elif it["slot"] == NO_SLOT:
            found["status"] = "held"
        else:
            found["status"], found["ready"] = "wait", ready
            found["cause"] = NAMES[int(it["cause"])]
            parts = [
                [int(it[until]), NAMES[cause]]
                for until, cause in (("until_bank", BANK), ("until_mshr", MSHR), ("until_l2", L2))
                if it[until]
            ]
            if parts:
                found["parts"] = parts
        if self._counts:
            found["count"] = int(rows["group"]["count"][g])
        if "local_level" in rows:
            first = g * int(self._state.S.local_depth)
            depth = int(rows["local_level"][g]["n"])
            if depth:
                found["stack"] = [self._entry(r) for r in rows["local"][first : first + depth]]
        return found

    def _pair(self, v: int, level: int) -> Iterator[Any]:
        """Yield pc and mask of the current side of an entry, then of the other one."""
        entries = int(self._state.S.entries)
        sides = self._state.rows["side"][2 * (v * entries + level) :][:2]
        current = int(self._state.rows["pair"]["current"][v * entries + level])
        for side in (sides[current], sides[1 - current]):
            yield self._first_pc(int(side["seg"]))
            yield text_of(int(side["mask"]))

    def _waiting(self, v: int, groups: list[int]) -> Iterator[tuple[int, int | None, str]]:
        rows = self._state.rows
        if "gathering" in rows:
            gathered = rows["gathering"][v]
            if gathered["waiting"]:
                top = v * int(self._state.S.stack_depth) + int(rows["warp"]["depth"][v]) - 1
                joins = rows["stack"][top]["rpc"] == gathered["seg"]
                pc = self._first_pc(int(gathered["seg"]))
                yield int(gathered["waiting"]), pc, "rpc-wait" if joins else "branch-wait"
            if gathered["barrier"]:
                pc = int(self._segment(gathered["barrier_seg"])["last_pc"])
                yield int(gathered["barrier"]), pc, "barrier-wait"
        placed = 0
        for g in groups:
            placed |= int(rows["group"]["mask"][g])
        live = int(rows["warp"]["live"][v])
        for waiting_lanes in self._waiting_lanes:
            for mask, segment, has_issued in waiting_lanes(rows, self._state.S, v):
                lanes = int(mask) & live & ~placed
                placed |= lanes
                if lanes:
                    row = self._segment(int(segment))
                    pc = int(row["last_pc" if has_issued else "first_pc"])
                    why = "barrier-wait" if has_issued else "rpc-wait"
                    yield lanes, pc, why if len(groups) or has_issued else "parked"

    def _entry(self, row: Any) -> list[Any]:
        pcs = [self._first_pc(int(row["seg"])), self._first_pc(int(row["rpc"]))]
        return [*pcs, text_of(int(row["mask"]))]

    def _pc(self, g: int) -> int:
        it = self._state.rows["group"][int(self._state.rows["group"]["lead"][g])]
        return int(self._segment(it["seg"])["last_pc" if it["at_memory"] else "first_pc"])

    def _first_pc(self, segment: int) -> int | None:
        return None if segment < 0 else int(self._segment(segment)["first_pc"])

    def _segment(self, number: Any) -> Any:
        return self._state.rows["seg"][int(number)]


def _entries_of(simulator: Simulator) -> Callable[[int], int]:
    """Return a function that counts the entries of the warp-split table that a warp takes."""
    if "entries_of" not in vars(simulator.composition.namespace):
        return lambda v: 0
    function = vars(compose(simulator.files, plain=True).namespace)["entries_of"]
    return lambda v: int(function(simulator.state.S, v))


def _signed(word: int) -> int:
    return word - (1 << 64) if word >> 63 else word


def _lowest(mask: int) -> int:
    return mask & -mask & EVERYTHING
