"""Checks of Python answers in a process of their own, which ends at a time limit.

A scheduler is compiled, and its `setup` is executed, with the rights of the user, as the timing
engine does with every engine file. The process bounds time; it does not protect against malice.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from pydantic import ValidationError

from .answer import Answer, Stop, check_scheduler
from .folder import ExerciseFolder
from .inputs import ExerciseError
from .report import Report

_CHILD = f"{__package__}.child"


def check_in_child(exercise: ExerciseFolder, answer: Answer) -> Report:
    """Check a Python answer in another process. Raises ExerciseError."""
    report = Report.begun(exercise, answer, "time")
    try:
        check_scheduler(answer)
    except Stop as stop:
        report.state, report.message, report.hint = stop.state, stop.message, stop.hint
        return report
    with TemporaryDirectory() as folder:
        source, result = answer.path or Path(folder, "answer.py"), Path(folder, "report.json")
        if answer.path is None:
            source.write_text(answer.text, encoding="utf-8")
        ended = _run(exercise, source, result)
        if ended is None:
            report.message = (
                f"the check was ended after {exercise.definition.seconds} s: the file has an "
                "endless loop, or this computer is slow"
            )
            return report
        return _report_of(report, result, ended)


def _run(exercise: ExerciseFolder, source: Path, result: Path) -> int | None:
    """Run the child; return its exit status, or None if its time was over."""
    command = [sys.executable, "-P", "-m", _CHILD, str(exercise.folder), str(source.resolve()),
               str(result)]  # fmt: skip
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,  # an answer may print without end
        start_new_session=True,
    ) as child:
        try:
            return child.wait(exercise.definition.seconds)
        except subprocess.TimeoutExpired:
            return None
        finally:
            # Its children too; the group is gone if all have ended.
            with suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)


def _report_of(started: Report, result: Path, ended: int) -> Report:
    """Return the report that the child wrote. `started` has the fields that do not depend on it."""
    try:
        text = result.read_text(encoding="utf-8")
    except (OSError, ValueError):
        text = ""
    if text.startswith("E"):
        raise ExerciseError(text[1:])
    try:
        report = Report.model_validate_json(text)
    except ValidationError:
        started.state = "engine"
        started.message = f"the check ended early, with status {ended} of its process"
        started.hint = "does `setup` of the file end the process?"
        return started
    report.file = started.file
    return report
