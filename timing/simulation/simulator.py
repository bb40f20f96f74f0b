"""Run launches on a machine: the Python side of the engine.

A `Simulator` is a machine with its clock, caches and counters, which persist from launch to launch.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from ...emu.engine import Interrupted, Work
from ...emu.jit.segments.compile import compile_segments
from ...emu.jit.segments.table import Grain
from ...emu.second_opinion import SecondOpinion
from ...isa.errors import SimtError, UsageError
from ..compiler.checks import raised
from ..compiler.compose import Composition, compose
from ..compiler.engine_state import EngineState
from ..compiler.files import Policy, configured, files_of, grain_of
from ..compiler.inspection import own_files
from ..compiler.launched import Code
from ..engine.intrinsics import NEVER
from ..engine.state import DONE, RUNNING
from ..machines.machine import Machine
from ..results.collect import collect
from ..results.samples import SAMPLE, LaunchCount, Samples, Totals, launch_counts
from ..results.statistics import Statistics
from .books import check, close_early
from .failures import (
    BooksError,
    HookError,
    error_of,
    going_nowhere,
    waiting_too_long,
)
from .scripted import Registers, Script, script_rows, start_with

EVENTS = 1 << 20
"""Events between two checks for Ctrl-C."""

PATIENCE = 1 << 20
"""Events of which at least one must let a lane execute an instruction."""

PLAIN_EVENTS = 1 << 15
"""The limit of both in a plain engine with the user's files, where an event takes long."""

CHECKED_LAUNCHES = frozenset(1 << n for n in range(4, 64, 4))
"""Launches after which the books are checked: a check takes longer than a small launch."""

LONGEST_WAIT = 10**10
"""Cycles within which the next event must come: ten seconds of a machine at 1 GHz."""


class Simulator:
    """A machine under a policy. `plain=True` runs the engine uncompiled.

    `checked=True` checks what hooks do (checks.py), as the plain engine always does, and takes
    about twice the time. `script` holds an adversary's answers (scripted.py). Every `sample` cycles
    a row of the table of intervals is taken (MAWS-16); 0 takes none. An engine that `listens` can
    be recorded (recording/timed.py).
    """

    def __init__(
        self,
        machine: Machine,
        policy: Policy,
        *,
        plain: bool = False,
        checked: bool = False,
        script: Script | None = None,
        sample: int = SAMPLE,
        listens: bool = False,
    ) -> None:
        machine = self.machine = configured(machine, policy)
        self.policy = policy
        self.files = (*files_of(machine, policy), *(("listener",) if listens else ()))
        """The engine files of machine and policy."""
        self.composition: Composition = compose(self.files, plain=plain, checked=checked)
        self.state = EngineState(self.composition, machine)
        self.launches = 0
        self._runs = False  # during a launch, when some cycles have no owner yet
        self._own = own_files(self.composition.files)
        self._broken = False  # the books do not add up, and that was reported
        if script:
            if machine.memory != "adversary":
                raise UsageError("only a machine with memory = 'adversary' takes a script")
            self.state.put_table("script", script_rows(script, self.composition.tables["script"]))
            self.state.S.script_length = len(script)
        self._codes: dict[tuple[object, ...], Code] = {}
        self._loaded: Code | None = None  # the code whose tables the engine has
        self.samples = Samples(self, sample)
        self.state.S.pause_at = self.samples.due
        self._totals: list[Totals] = []  # at the end of each launch
        self.on_progress: Callable[[Simulator], object] = lambda simulator: None
        """Called from time to time while a launch runs."""

    @property
    def cycles(self) -> int:
        """The clock: cycles since the first launch began."""
        return int(self.state.S.now)

    @property
    def width(self) -> int:
        """Lanes of a warp."""
        return self.machine.width

    @property
    def contexts(self) -> int:
        """Work-items that the machine holds at once."""
        return self.machine.contexts

    @property
    def core_contexts(self) -> int:
        """Work-items that a WPU holds at once: the largest workgroup."""
        return self.machine.core_contexts

    @property
    def codes(self) -> Iterable[Code]:
        """The code of every kernel that was launched, in the order of the first launches."""
        return self._codes.values()

    @property
    def loaded(self) -> Code | None:
        """The code whose tables the engine has: that of the last launch."""
        return self._loaded

    @property
    def own_checked(self) -> dict[str, bool]:
        """Whether what hooks do was checked, by the names of the user's engine files."""
        is_checked = "fault" in self.composition.fields
        return {Path(name).name: is_checked for name in self._own}

    # --- a launch

    def run(self, work: Work, registers: Registers | None = None) -> None:
        """Simulate one launch; raises Trap, UsageError, SimulationError, Interrupted.

        BooksError, a SimulationError, is for engine files from outside this package.

        The launch's own warp width is ignored: warps are as wide as the machine's lanes.
        `registers` are the work-items' initial values (scripted.py), zero unless named. Counts up
        to an error are kept.
        """
        geometry = work.geometry
        if geometry.width != self.machine.width:
            geometry = replace(geometry, width=self.machine.width)
            work = replace(work, geometry=geometry)
        workgroup_warps = -(-geometry.largest_group // self.machine.width)
        if workgroup_warps > self.machine.warps:
            raise UsageError(
                f"a workgroup of {geometry.largest_group:,} work-items does not fit: a WPU of "
                f"{self.machine.name!r} holds {self.machine.core_contexts:,}",
                code="SIM611",
                hint=f"a smaller workgroup, or more contexts: --set warps={workgroup_warps}",
            )
        if self.machine.private == "on-chip" and self.machine.private_bytes:
            self._check_private(work)
        code = self._code(work)
        context = code.context(work)
        start = start_with(code.segments, work, registers) if registers else None
        self._begin(work, code, workgroup_warps)
        if start is not None:
            self.state.S.start_fn = ctypes.cast(start, ctypes.c_void_p).value
        opinion = SecondOpinion(work)
        self._runs = True
        executed, checked_at = -1, 0
        is_own = self.composition.plain and self._own
        patience = min(PATIENCE, PLAIN_EVENTS) if is_own else PATIENCE
        try:
            while (status := self._advance(work, code)) == RUNNING:
                self.on_progress(self)
                if self.state.S.events - checked_at >= patience:
                    before, executed = executed, self._executed()
                    checked_at = int(self.state.S.events)
                    if executed == before:
                        raise going_nowhere(self.state, work, code)
            if status != DONE:
                raise error_of(status, self.state, work, code, context.slots, opinion)
        except (KeyboardInterrupt, SimtError) as stop:
            with suppress(BooksError):  # the reason for the stop matters more
                self._end(work, early=True)
            if isinstance(stop, KeyboardInterrupt):
                raise Interrupted(None) from None
            raise
        self._end(work, early=False)

    def _check_private(self, work: Work) -> None:
        wanted, available = work.kernel.private_size, self.machine.private_bytes
        if wanted > available:
            raise UsageError(
                f"kernel {work.kernel.name} has {wanted:,} bytes of private memory a work-item; "
                f"{self.machine.name!r} has {available:,} on chip",
                code="SIM611",
                hint=f"--set private_bytes={wanted}",
            )

    def _code(self, work: Work) -> Code:
        kernel, program = work.kernel, work.program
        key = (
            kernel.name,
            kernel.words,
            kernel.group_size,
            kernel.private_size,
            program.readonly_data,
        )
        code = self._codes.get(key)
        if code is None:
            segments = compile_segments(
                kernel, program, self.machine.width, Grain(grain_of(self.machine, self.policy))
            )
            code = self._codes[key] = Code(segments, work, self.machine, self.composition.tables)
        return code

    def _begin(self, work: Work, code: Code, workgroup_warps: int) -> None:
        S, state = self.state.S, self.state
        if code is not self._loaded:
            self._loaded = code
            state.rows["warp"]["block"] = code.block_addresses
            state.put_table("seg", code.segments.table)
            state.put_table("seg_cycles", code.seg_cycles)
            state.put_table("seg_count", code.seg_count)
            state.put(code.words)
        if "fault" in self.composition.fields:  # of a checked engine
            S.segments, S.fault, S.hook = len(code.segments.table), 0, 0
        state.put(
            {
                "start_fn": code.segments.start,
                "code_base": code.base_in(work.program),
                "workgroups": work.geometry.n_groups,
                "next_workgroup": 0,
                "workgroup_warps": workgroup_warps,
                "workgroup_items": work.geometry.largest_group,
                "launch": self.launches + 1,
                "running": 0,
                "starting": 1,
                "endless": 0,
                "ended": S.now,
                "budget": min(work.budget, NEVER >> 6),  # times 64 lanes it still fits
                "exited_arrive": int(work.exited_arrive),
            }
        )

    def _executed(self) -> int:
        """Return the number of instructions that lanes have executed."""
        return int(self.state.rows["wpu"]["n_thread_instr"].sum())

    def _run_events(self) -> int:
        """Let the engine run; an exception in the user's files becomes an error at its line."""
        if not (self.composition.plain and self._own):
            return self.state.run(EVENTS)
        try:
            return self.state.run(min(EVENTS, PLAIN_EVENTS))
        except Exception as error:
            raise HookError(raised(error, self.state, self._own)) from error

    def _advance(self, work: Work, code: Code) -> int:
        """Let the engine run for a while and return its status; take the samples that are due."""
        status = self._run_events()
        due = min(self.state.columns["next_event"].at)
        if status == RUNNING and self.cycles + LONGEST_WAIT < due < NEVER:
            raise waiting_too_long(due, self.state, work, code)
        # NEVER: that was the last event of the launch, which the engine has not noticed yet.
        while status == RUNNING and self.samples.due <= due < NEVER:
            self.samples.take(self)
        self.state.S.pause_at = self.samples.due
        return status

    def _end(self, work: Work, *, early: bool) -> None:
        """Close the books of a launch that has ended or, if `early`, is given up."""
        self._runs = False
        if early:
            close_early(self.state)
        while self.cycles >= self.samples.due:
            self.samples.take(self)
        self.launches += 1
        self._totals.append(Totals.now(self, work))
        # Later launches add to the same sums, so not every one is checked, except with files of the
        # user, where the launch at fault must be known.
        if self._own or self.launches in CHECKED_LAUNCHES:
            self._check()

    def _check(self) -> None:
        """Check the books. Raises BooksError only once, so that counts can still be reported."""
        if self._broken:
            return
        try:
            check(self.state, ((c.segments.table, c.seg_cycles, c.seg_count) for c in self.codes))
        except AssertionError as wrong:
            if not self._own:
                raise
            self._broken = True
            raise BooksError(self._own, " ".join(str(wrong).split())) from None

    # --- what was counted

    @property
    def launch_counts(self) -> list[LaunchCount]:
        """The counts of each launch up to now."""
        return list(launch_counts(self._totals))

    def counters(self) -> Mapping[str, int]:
        """Return the header's counters: fields whose names begin with `n_`."""
        names = self.composition.fields
        return {n[2:]: int(getattr(self.state.S, n)) for n in names if n.startswith("n_")}

    def statistics(self) -> Statistics:
        """Return all counts up to now."""
        if not self._runs:
            self._check()
        return collect(self)
