"""The check of an answer: its runs against the reference, then its score on a machine."""

from __future__ import annotations

import os
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from ..emu.traps import Trap, TrapKind
from ..isa.errors import Outcome, SimtError
from .answer import Answer, Stop, read
from .bench import Bench
from .folder import ExerciseFolder
from .inputs import ExerciseError
from .limited import check_in_child
from .measures import measured
from .pictures import Picture, draw
from .report import Case, Place, Report, Target, points_of
from .wrong import explained

if TYPE_CHECKING:
    from ..timing.simulation.simulator import Simulator

_HANGS = {TrapKind.BUDGET, TrapKind.SIMT_DEADLOCK, TrapKind.LIVELOCK, TrapKind.UNDECIDED}


def check(
    exercise: ExerciseFolder, answer: str | os.PathLike[str] | Answer, *, here: bool = False
) -> Report:
    """Check an answer; see `Exercise.check`.

    A scheduler is Python code and may not end, so it is checked in a process of its own, except
    where `here` says that this is that process.
    """
    found = read(answer)
    if exercise.is_scheduler and not here:
        report = check_in_child(exercise, found)
    else:
        report = _checked(exercise, found)
    report._picture = lambda: _picture(exercise, found, report)
    return report


def _checked(exercise: ExerciseFolder, answer: Answer) -> Report:
    definition = exercise.definition
    report = Report.begun(exercise, answer, "passed")
    try:
        with TemporaryDirectory() as folder:
            _run_all(exercise, answer, report, Path(folder))
    except Stop as stop:
        report.state, report.message, report.hint = stop.state, stop.message, stop.hint
        report.diagnostics = stop.diagnostics
        return report
    report.points = points_of(report.targets, definition.points)
    missed = [target.measure for target in report.targets if not target.met]
    required = [t.measure for t in report.targets if t.required and not t.met]
    report.passed = not required
    if required:
        report.state = "targets"
        report.message = (
            f"the result is right, but the exercise asks for more: {_and(required)} "
            f"miss{'es' if len(required) == 1 else ''} the target"
        )
    elif missed:
        report.message = f"the result is right; {_and(missed)} could still be better"
    else:
        report.message = "the result is right, and every target is met"
    return report


def _run_all(exercise: ExerciseFolder, answer: Answer, report: Report, folder: Path) -> None:
    """Run all cases, then the one that is scored. Raises Stop at the first that fails."""
    bench = Bench.of(exercise, answer, folder)
    places: list[Place] = ["machine"]
    if not exercise.is_scheduler:
        places = ["interpreter", "in turn"] if exercise.definition.in_turn else ["interpreter"]
    for where in places:
        for size, seed in exercise.cases:
            _run_case(bench, report, size, seed, where)
    simulator = _run_case(bench, report, dict(exercise.definition.score.size), 0, "machine")
    assert simulator is not None
    report.score = measured(simulator.statistics(), bench.baseline_cycles())
    for target in exercise.definition.targets:
        value = report.score.get(target.measure)
        report.targets.append(Target(**target.model_dump(), value=value, met=target.is_met(value)))


def _run_case(
    bench: Bench, report: Report, size: dict[str, int], seed: int, where: Place
) -> Simulator | None:
    """Run one case and add it to the report. Raises Stop where it fails."""
    case = Case(size=size, seed=seed, where=where, passed=False)
    report.cases.append(case)
    try:
        simulator = bench.simulator_of(where)
        run = bench.run(size, seed, simulator)
    except SimtError as error:
        if isinstance(error, ExerciseError) or error.outcome is Outcome.INTERRUPTED:
            raise
        raise _stopped(case, error, bench.exercise.definition.budget) from None
    if run.mismatches:
        case.first_wrong, case.message = explained(bench, run, size, seed)
        raise Stop("wrong", case.message, hint=_hint(bench, case))
    case.passed = True
    return simulator


def _hint(bench: Bench, case: Case) -> str:
    if case.where == "interpreter" or bench.exercise.is_scheduler:
        return ""
    return (
        "this was right when all warps ran at the same speed: do work-items use the same memory "
        "without a barrier (or an atomic) between them?"
    )


def _stopped(case: Case, error: SimtError, budget: int) -> Stop:
    """Return the end of a check whose run ended with an error."""
    where = f"with {case.title}"
    if isinstance(error, Trap) and error.record.kind in _HANGS:
        state, what = "hang", f"{where} the kernel does not end"
    elif isinstance(error, Trap):
        state, what = "trap", f"{where} the kernel traps"
    else:
        state, what = "engine", f"{where} the simulation fails"
    line = f" (line {error.first.span.line})" if error.first.span else ""
    notes = [note.message for note in error.first.notes[:1]] if state == "trap" else []
    case.message = "; ".join([f"{what}{line}: {error.first.message}", *notes])
    hint = ""
    if isinstance(error, Trap) and error.record.kind is TrapKind.BUDGET:
        hint = f"a work-item may execute {budget:,} instructions in this exercise"
    return Stop(state, case.message, error, hint)


def _and(words: list[str]) -> str:
    return " and ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))


def _picture(exercise: ExerciseFolder, answer: Answer, report: Report) -> Picture:
    with TemporaryDirectory() as folder:
        return draw(exercise, answer, report, Path(folder))
