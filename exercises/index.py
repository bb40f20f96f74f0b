"""The exercises that come with simtlab, and the one that a name or a folder means."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

from ..isa import expect
from ..isa.errors import UsageError, did_you_mean
from .exercise import Exercise
from .folder import FILE
from .inputs import ExerciseError

_ROOT = Path(__file__).parent


@cache
def catalogue() -> tuple[Exercise, ...]:
    """Return the exercises that come with simtlab, in their order."""
    return tuple(Exercise(path.parent) for path in sorted(_ROOT.glob(f"[0-9]*_*/{FILE}")))


def find(name: str | os.PathLike[str] | int) -> Exercise:
    """Return the exercise of a name (`masked-add`), a number, or a folder.

    A word with a slash or of an existing folder means the folder, unless it is a name. Raises
    UsageError for an unknown name, and ExerciseError for a folder without an exercise.
    """
    word = str(name) if isinstance(name, int) else expect.path(name, "an exercise")
    known = {exercise.name: exercise for exercise in catalogue()}
    known |= {str(exercise.number): exercise for exercise in catalogue()}
    if word.replace("_", "-") in known:
        return known[word.replace("_", "-")]
    folder = Path(word)
    if folder.is_dir():
        exercise = Exercise(folder.resolve())
        _ = exercise.definition  # a folder without one is reported here
        return exercise
    if folder.exists():
        raise ExerciseError(
            f"{word} is a file; an exercise is a folder with {FILE}",
            hint=f"name the exercise first: simtlab exercise check NAME {word}",
        )
    if os.sep in word:
        raise ExerciseError(f"the folder {word} does not exist")
    names = [exercise.name for exercise in catalogue()]
    raise UsageError(
        f"unknown exercise {word!r}",
        hint=did_you_mean(word, names) or "`simtlab exercise` lists them all",
    )
