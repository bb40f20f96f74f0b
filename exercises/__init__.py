"""Exercises: kernels with a hole, checked and scored: `find("masked-add").check("my.sasm")`."""

from __future__ import annotations

from .exercise import Exercise
from .grade import Submission, grade
from .index import catalogue, find
from .inputs import ExerciseError
from .report import Case, Report, Target

__all__ = [
    "Case",
    "Exercise",
    "ExerciseError",
    "Report",
    "Submission",
    "Target",
    "catalogue",
    "find",
    "grade",
]
