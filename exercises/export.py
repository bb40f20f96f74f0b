"""The folder of an exercise for students: without the solution and the hidden cases."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from ..isa.errors import UsageError
from .exercise import Exercise
from .folder import FILE
from .inputs import FILE as INPUTS
from .inputs import ExerciseError


@dataclass(frozen=True)
class Exported:
    """A folder for students: the files that it has, and the teacher's that it does not have."""

    folder: Path
    files: tuple[str, ...]
    left_out: tuple[str, ...]


def export(exercise: Exercise, place: Path) -> Exported:
    """Write an exercise for students into a new folder of the same name in `place`.

    Raises ExerciseError for a start file that has no hole or other kernels than the solution,
    UsageError for a folder that exists, OSError.
    """
    _ = exercise.solution, exercise.inputs, exercise.cases  # what is wrong there is reported here
    report = exercise.check(exercise.start)
    if report.state != "hole":
        raise ExerciseError(
            f"{exercise.start} is not a start file: {report.message}",
            hint="it needs a hole, and the kernels of the solution with the same parameters",
        )
    folder = place / exercise.folder.name
    if folder.exists():
        raise UsageError(
            f"{folder} exists already and is not replaced",
            code="SIM512",
            hint="name the folder to write it into with -o",
        )
    given = [exercise.given] if exercise.given else []
    files = [exercise.folder / FILE, exercise.folder / INPUTS, exercise.start, *given]
    folder.mkdir(parents=True)
    for path in files:
        shutil.copyfile(path, folder / path.name)
    names = tuple(path.name for path in files)
    others = sorted(path.name for path in exercise.folder.iterdir())
    left_out = tuple(name for name in others if name not in names and name != "__pycache__")
    return Exported(folder, names, left_out)
