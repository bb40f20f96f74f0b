"""An exercise: a folder whose answers can be checked."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

from .answer import Answer
from .check import check
from .folder import ExerciseFolder
from .pictures import Picture
from .report import Report


@dataclass(frozen=True)
class Exercise(ExerciseFolder):
    """The exercise in a folder; `find("masked-add")` returns one."""

    def check(self, answer: str | os.PathLike[str] | Answer) -> Report:
        """Run an answer, a path or a text, on all cases and on the machine.

        Everything that is wrong with the answer is in the report. Raises UsageError for a file
        that cannot be read, and ExerciseError.
        """
        return check(self, answer)

    def score(self, answer: str | os.PathLike[str]) -> dict[str, Any]:
        """Return the measures of an answer; an empty dictionary if its result is wrong."""
        return dict(self.check(answer).score)

    def show(self, answer: str | os.PathLike[str] | None = None) -> Picture:
        """Return the picture of an answer; without one, of an answer that passes."""
        return self.check(self.solution if answer is None else answer).show()

    def __repr__(self) -> str:
        return f"<Exercise {self.name}: {self.definition.title}>"

    def _repr_html_(self) -> str:
        from html import escape

        return f"<pre>{escape(self.task())}</pre>"
