"""Grades of a class: a folder for each student, with an answer for each exercise in it."""

from __future__ import annotations

import csv
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..isa.errors import UsageError
from .exercise import Exercise
from .index import catalogue
from .inputs import ExerciseError
from .report import Report

COLUMNS = ("student", "exercise", "file", "state", "passed", "points", "max_points", "message")


@dataclass(frozen=True)
class Submission:
    """One exercise of one student; `report` is None if there is no file for it."""

    student: str
    exercise: Exercise
    report: Report | None

    def row(self) -> dict[str, object]:
        """Return the line of the CSV file, by `COLUMNS`."""
        fixed: dict[str, object] = {"student": self.student, "exercise": self.exercise.name}
        if self.report is None:
            return {
                **fixed, "file": "", "state": "missing", "passed": False, "points": 0,
                "max_points": self.exercise.definition.points, "message": "the file is missing",
            }  # fmt: skip
        names = ("file", "state", "passed", "points", "max_points", "message")
        return fixed | {name: getattr(self.report, name) for name in names}

    def to_dict(self) -> dict[str, object]:
        """Return the row for JSON, with the whole `report` (null without a file)."""
        return {**self.row(), "report": self.report.to_dict() if self.report else None}


def answer_in(folder: Path, exercise: Exercise) -> Path | None:
    """Return the answer to an exercise in a folder: `masked-add.sasm` or `masked_add.sasm`."""
    names = (exercise.name, exercise.name.replace("-", "_"), exercise.folder.name)
    found = (folder / f"{name}{exercise.suffix}" for name in names)
    return next((path for path in found if path.is_file()), None)


def grade(
    folder: str | os.PathLike[str],
    exercises: Sequence[Exercise] | None = None,
    progress: Callable[[Submission], object] = lambda submission: None,
) -> list[Submission]:
    """Check the answers of all students: each folder in `folder` is a student.

    Without `exercises` these are all for which some student has an answer. `progress` is called
    with each result. Raises UsageError where there is no student or no answer at all.
    """
    place = Path(folder)
    if not place.is_dir():
        raise UsageError(f"the folder {place} does not exist", code="SIM510")
    students = sorted(path for path in place.iterdir() if path.is_dir() and path.name[0] != ".")
    if not students:
        raise UsageError(
            f"{place} has no folders",
            code="SIM510",
            hint="it needs a folder for each student, with files such as masked-add.sasm",
        )
    wanted = exercises or [
        e for e in catalogue() if any(answer_in(student, e) for student in students)
    ]
    if not wanted:
        raise UsageError(
            f"no folder in {place} has an answer",
            code="SIM510",
            hint="an answer is named after its exercise, for example masked-add.sasm",
        )
    found: list[Submission] = []
    for student in students:
        for exercise in wanted:
            path = answer_in(student, exercise)
            report = checked(exercise, path) if path is not None else None
            found.append(Submission(student.name, exercise, report))
            progress(found[-1])
    return found


def checked(exercise: Exercise, path: Path) -> Report:
    """Return the report of an answer, also of one that cannot be read: the others are checked."""
    try:
        return exercise.check(path)
    except ExerciseError:
        raise
    except UsageError as error:
        return Report(
            exercise=exercise.name,
            file=str(path),
            state="refused",
            passed=False,
            points=0,
            max_points=exercise.definition.points,
            message=error.first.message,
        )


def write_csv(path: str | os.PathLike[str], submissions: Sequence[Submission]) -> None:
    """Write a line for each student and exercise. Raises OSError.

    A message that a spreadsheet would take for a formula gets an apostrophe before it.
    """
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        for submission in submissions:
            row = submission.row()
            writer.writerow([_harmless(row[column]) for column in COLUMNS])


def _harmless(value: object) -> object:
    return f"'{value}" if isinstance(value, str) and value[:1] in "=+-@" and value else value
