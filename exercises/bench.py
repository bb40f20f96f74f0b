"""The bench on which an answer runs: the interpreter with its checks, and the machine."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ..emu.checks import Checks
from ..emu.module import Module
from ..isa.errors import SimtError, UsageError
from ..programs.runner import PlainLauncher
from ..programs.workload import Data, Mismatch, check
from .answer import Answer, check_scheduler, kernels
from .folder import ExerciseFolder
from .inputs import ExerciseError, expected, made

if TYPE_CHECKING:
    from ..recording.recorder import Recorder
    from ..recording.recording import Recording
    from ..timing.machines.machine import Machine
    from ..timing.simulation.simulator import Simulator


_IN_TURN = {"memory": "ideal", "scheduler": "gto", "wpus": 1, "l1d.hit_latency": 1}
"""Fields of a machine whose warp continues until it ends, or waits at a barrier.

Between two barriers each warp runs alone. So work-items that use what others store, without a
barrier between, find it missing, however lucky the schedule of other machines may be.
"""


@dataclass
class Run:
    """One finished run of an answer."""

    data: Data
    pristine: Data
    launcher: PlainLauncher
    mismatches: list[Mismatch]


@dataclass
class Bench:
    """An answer that can be run: its kernels, and the machine with its scheduler."""

    exercise: ExerciseFolder
    module: Module
    machine: Machine
    checks: Checks = field(default_factory=lambda: Checks(arrays=True))

    @classmethod
    def of(cls, exercise: ExerciseFolder, answer: Answer, folder: Path) -> Bench:
        """Return the bench of an answer; `folder` is for a scheduler. Raises Stop."""
        own: dict[str, object] = {}
        if exercise.is_scheduler:
            check_scheduler(answer)
            path = answer.path
            if path is None:
                path = folder / "answer.py"
                path.write_text(answer.text, encoding="utf-8")
            own["scheduler"] = str(path.resolve())  # by this name its compiled code is cached
            module = Module(exercise.program)
        else:
            module = kernels(answer, exercise.program)
        return cls(exercise, module, machine_of(exercise, own))

    def simulator(self) -> Simulator:
        """Return a cold machine."""
        return _simulator(self.exercise, self.machine)

    def recording(self, size: dict[str, int], seed: int, most: int) -> Recording:
        """Run a case on a cold machine and return what happened in it, at most `most` issues."""
        from ..recording.timed import TimedRecorder

        simulator = _simulator(self.exercise, self.machine, listens=True)
        recorder = TimedRecorder(simulator, self.exercise.name, most=most)
        self.run(size, seed, simulator, recorder=recorder)
        return recorder.finish()

    def in_turn(self) -> Simulator:
        """Return a machine on which warps run one after the other, from barrier to barrier."""
        from ..timing.machines.machine import load

        width = self.machine.width
        return _simulator(self.exercise, load("gpu-small", {**_IN_TURN, "width": width}))

    def simulator_of(self, where: str) -> Simulator | None:
        """Return the machine of a case (`Case.where`); None for the interpreter."""
        if where == "interpreter":
            return None
        return self.in_turn() if where == "in turn" else self.simulator()

    def run(
        self,
        size: dict[str, int],
        seed: int,
        simulator: Simulator | None = None,
        checks: Checks | None = None,
        recorder: Recorder | None = None,
    ) -> Run:
        """Run a case on a machine, perhaps recorded, or in the interpreter with its checks.

        Raises Trap and other errors of a run, and ExerciseError.
        """
        exercise = self.exercise
        data = made(exercise.inputs, exercise.folder, size, seed)
        pristine = copy.deepcopy(data)
        budget = exercise.definition.budget
        if simulator is None:
            launcher = PlainLauncher(
                self.module,
                warp=self.machine.width,
                budget=budget,
                executor=(checks or self.checks).executor,
            )
        else:
            launcher = PlainLauncher.on(simulator, self.module, budget=budget)
            if recorder is not None:
                launcher.executor = recorder.run
        try:
            exercise.inputs.launch(launcher, data)
        except UsageError:
            raise
        except (KeyError, TypeError, AttributeError, IndexError) as error:
            raise ExerciseError(
                f"{exercise.folder}: the launch fails: {type(error).__name__}: {error}"
            ) from None
        wanted = expected(exercise.inputs, exercise.folder, pristine)
        workload = replace(exercise.workload, reference=lambda _: wanted)
        mismatches = check(workload, data, pristine)
        return Run(data, pristine, launcher, mismatches)

    def baseline_cycles(self) -> int | None:
        """Return the cycles of the scored run under the scheduler that is to be beaten."""
        score = self.exercise.definition.score
        if score.baseline is None:
            return None
        machine = machine_of(self.exercise, {"scheduler": score.baseline})
        simulator = _simulator(self.exercise, machine)
        self.run(dict(score.size), 0, simulator)
        return simulator.cycles


def machine_of(exercise: ExerciseFolder, own: dict[str, object]) -> Machine:
    """Return the machine of an exercise, with fields replaced. Raises ExerciseError."""
    from ..timing.machines.machine import load

    score = exercise.definition.score
    try:
        return load(score.machine, {**score.set, **own})
    except SimtError as error:
        raise ExerciseError(f"{exercise.folder}: score: {error.first.message}") from None


def _simulator(exercise: ExerciseFolder, machine: Machine, *, listens: bool = False) -> Simulator:
    from ..timing.compiler.files import find
    from ..timing.simulation.simulator import Simulator

    return Simulator(machine, find(exercise.definition.score.policy), listens=listens)
