"""The process in which a Python answer is checked (limited.py).

python -P -m simtlab.exercises.child FOLDER ANSWER RESULT
"""

from __future__ import annotations

import sys
from pathlib import Path

from ..isa.errors import SimtError
from .check import check
from .folder import ExerciseFolder


def main(folder: str, source: str, result: str) -> None:
    """Check an answer and write the report, or `E` and the message of an error."""
    try:
        report = check(ExerciseFolder(Path(folder)), Path(source), here=True)
        text = report.model_dump_json()
    except SimtError as error:
        text = f"E{error.first.message}"
    Path(result).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
