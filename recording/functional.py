"""Recordings of the interpreter: every instruction of every warp, under a divergence scheme."""

from __future__ import annotations

from functools import reduce
from operator import add
from typing import Any

import numpy as np

from ..emu.engine import Work
from ..emu.interp.blocks import Block
from ..emu.interp.interpreter import Interpreter
from ..emu.interp.resident import Group
from ..emu.interp.warps import NO_PC
from ..emu.schemes import Scheme
from ..emu.statistics import Statistics
from ..isa.errors import SimtError
from .recorder import Recorder
from .recording import Recording
from .tables import State, text_of


class FunctionalRecorder(Recorder):
    """Records launches: pass `run` in place of an engine, then call `finish`.

    A step is a round of the interpreter: the warps at one pc issue one instruction. Warps are
    numbered over all workgroups of a launch.
    """

    unit = "step"

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._steps = 0
        self._names: list[str] = []
        self._scheme: dict[str, Any] = {}
        self._launched: list[Statistics] = []
        """Statistics of each launch."""

    def run(self, work: Work) -> Statistics:
        """Run a launch and record it; an engine (emu/engine.py)."""
        self.begin_launch(work, self._steps)
        self._scheme = {
            "name": work.scheme.name,
            "knobs": dict(work.scheme.knobs),
            "own": work.scheme.own is not None,
        }
        watched = _Watched(work, self, self._steps)
        try:
            counted = watched.run()
        except BaseException as error:
            self.end_launch(work, error)
            raise
        finally:
            self._steps += watched.rounds
        self.end_launch(work)
        self._launched.append(counted)
        return counted

    def before_step(self, t: int, interpreter: Interpreter) -> None:
        """Hear that step `t` is about to be executed; a debugger may change values now."""

    def finish(self, **facts: Any) -> Recording:
        """Return the recording."""
        total = reduce(add, self._launched or [Statistics()])
        if self.lost:
            self.lost = max(self.lost, total.warp_instructions - len(self.rows.issue))
        counts = {k: v for k, v in total.to_dict().items() if isinstance(v, (int, float))}
        return super().finish(
            kind="functional",
            scheme=self._scheme,
            warps=self._names,
            statistics={"steps": self._steps, **counts},
            **facts,
        )

    def name_warps(self, work: Work) -> None:
        """Name the warps of a launch, as messages do."""
        size = -(-work.geometry.largest_group // work.geometry.width)
        for number in range(len(self._names), work.geometry.n_groups * size):
            self._names.append(f"warp {number % size} of workgroup {number // size}")


class _Watched(Interpreter):
    """An interpreter that reports to a recorder what it does, instruction by instruction."""

    def __init__(self, work: Work, recorder: FunctionalRecorder, before: int) -> None:
        super().__init__(work, every_pc=True)
        self._recorder = recorder
        self._before = before
        self._is_full = False
        recorder.name_warps(work)

    @property
    def _now(self) -> int:
        return self._before + max(0, self.rounds - 1)

    def start(self, first: int) -> None:
        super().start(first)
        state = self.warps
        for warp in np.flatnonzero(state.count).tolist():
            group, local = self.resident.place(warp * state.width)
            number = self._number(warp)
            row = self._now, number, group, local // state.width
            self._recorder.rows.occupant.append(row)
            self._keep(warp)

    def round(self) -> bool:
        self._recorder.before_step(self._before + self.rounds, self)
        if self._is_full:
            return super().round()
        state = self.warps
        before = state.pc.copy(), state.count.copy(), state.waits.copy()
        active = state.active.copy()
        try:
            goes_on = super().round()
        except SimtError as error:
            self._trapped(error)
            raise
        changed = (state.pc != before[0]) | (state.count != before[1]) | (state.waits != before[2])
        for warp in np.flatnonzero(changed).tolist():
            if before[2][warp] and not state.waits[warp]:
                pc = int(state.pc[warp])
                mask = state.mask_of(warp)
                if pc != NO_PC:
                    self._note(warp, "open", pc - 1, mask)
            elif _grew(active[warp], state.active[warp]):
                came = state.masks((state.active[warp] & ~active[warp])[None])[0]
                self._note(warp, "join", int(state.pc[warp]), state.mask_of(warp), came)
            self._keep(warp)
        return goes_on

    def issues(self, block: Block, group: Group) -> None:
        """Record what a round issues, before it is executed."""
        if self._is_full:
            return
        state, recorder = self.warps, self._recorder
        masks = state.masks(state.active[group.warps])
        for warp, mask in zip(group.warps.tolist(), masks, strict=True):
            number = self._number(warp)
            kept = recorder.put_issue(self._now, number, number, block.start, 1, mask)
            if block.last is not None and kept:
                kind = {"ret": "exit", "barrier": "barrier"}.get(block.last.row.stem)
                if kind is not None:
                    recorder.rows.note(self._now, number, kind, block.start, mask)
        self._is_full = recorder.lost > 0 or self._now >= recorder.end

    def diverges(self, warps: np.ndarray, pc: int, masks: list[int]) -> None:
        """Record a branch that divides warps; `masks` are the lanes that take it."""
        for warp, taken in zip(warps.tolist(), masks, strict=True):
            self._note(warp, "diverge", pc, self.warps.mask_of(warp), taken)

    def _trapped(self, error: SimtError) -> None:
        trap = getattr(error, "record", None)
        if trap is None:
            return
        size = self.resident.lanes_per_group
        lane = (trap.group - self.resident.first_group) * size + trap.local
        warp = lane // self.warps.width
        if 0 <= warp < self.warps.n:
            self._note(warp, "trap", trap.pc, 1 << lane % self.warps.width)

    def _note(self, warp: int, kind: str, pc: int, mask: int, other: int = 0) -> None:
        if self._recorder.begin <= self._now < self._recorder.end:
            self._recorder.rows.note(self._now, self._number(warp), kind, pc, mask, other)

    def _number(self, warp: int) -> int:
        return self.resident.first_group * self.resident.warps_per_group + warp

    def _keep(self, warp: int) -> None:
        if self._now < self._recorder.end:
            self._recorder.rows.put_state(self._now, self._number(warp), self._state(warp))

    def _state(self, warp: int) -> State:
        warps = self.warps
        scheme, pc = warps.schemes[warp], int(warps.pc[warp])
        if not warps.live[warp]:
            return {}
        mask = warps.mask_of(warp)
        state: State = {}
        runs = pc != NO_PC and mask
        if scheme is None:
            whole: type[Scheme] = warps.scheme_class
            scheme = whole(mask, warps.options)
        scheme_pc = pc if runs else int(warps.barrier_pc[warp])
        stack = [[_pc(p), _pc(r), text_of(m)] for p, r, m in scheme.stack_rows()]
        if stack and scheme_pc >= 0:
            stack[-1][0] = scheme_pc
        pairs = [[p, text_of(m), q, text_of(n)] for p, m, q, n in scheme.pair_rows()]
        if pairs and scheme_pc >= 0:
            pairs[-1][0] = scheme_pc
        if stack:
            state["stack"] = stack
        if pairs:
            state["pairs"] = pairs
        if runs:
            state["groups"] = [{"id": self._number(warp), "mask": text_of(mask), "pc": pc,
                                "status": "run"}]  # fmt: skip
        elif warps.waits[warp] and scheme_pc >= 0:
            state["groups"] = [{"id": self._number(warp), "mask": text_of(mask), "pc": scheme_pc,
                                "status": "barrier-wait"}]  # fmt: skip
        if not stack and not pairs:
            barriers = {p for p, ins in enumerate(self.work.kernel.instructions)
                        if ins.row.is_barrier}  # fmt: skip
            at_barrier = warps.waits[warp]
            waiting = [
                [text_of(m), p, "barrier-wait" if p in barriers and at_barrier else "ready"]
                for m, p in scheme.parked()
            ]
            if waiting:
                state["waiting"] = waiting
        return state


def _grew(before: np.ndarray, now: np.ndarray) -> bool:
    """Return whether lanes have joined others."""
    return bool(before.any() and (now & ~before).any() and not (before & ~now).any())


def _pc(pc: int) -> int | None:
    return pc if pc >= 0 else None
