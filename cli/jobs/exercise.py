"""The work of `simtlab exercise`."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ...exercises import Exercise, Report, Submission, catalogue, find
from ...exercises.grade import answer_in, checked, write_csv
from ...isa.errors import UsageError
from .. import status
from ..inputs.files import cannot, check_picture, check_writable, write_bytes
from ..options.options import whole_number
from ..output.output import print_json, print_remark, print_table
from ..output.progress import Progress


def print_list(*, json: bool) -> int:
    """List the exercises, with the state of each answer in the current folder."""
    rows: list[dict[str, Any]] = []
    for exercise in catalogue():
        path = answer_in(Path(), exercise)
        report = None
        if path is not None:
            with Progress(exercise.name):
                report = checked(exercise, path)
        rows.append(
            {
                "number": exercise.number,
                "name": exercise.name,
                "title": exercise.definition.title,
                "teaches": exercise.definition.teaches,
                "after": exercise.definition.after,
                "file": str(path) if path is not None else None,
                "state": report.state if report is not None else None,
                "points": report.points if report is not None else None,
                "max_points": exercise.definition.points,
            }
        )
    if json:
        print_json(rows)
        return status.DONE
    begun = any(row["file"] for row in rows)
    titles = ("", "name", "what it teaches", *(["your answer"] if begun else []))
    print_table(titles, [_line(row, begun) for row in rows])
    if begun:
        done = sum(row["state"] == "passed" for row in rows)
        print(f"\n{done} of {len(rows)} passed")
    else:
        print(f"\nBegin with `simtlab exercise start {rows[0]['name']}`.")
    return status.DONE


def _line(row: dict[str, Any], begun: bool) -> tuple[str, ...]:
    words = {"passed": "passed", "hole": "begun", "targets": "right, but misses a target"}
    state = row["state"]
    mark = "" if state is None else words.get(state, f"not passed: {state}")
    if state in ("passed", "targets"):
        mark += f", {row['points']} of {row['max_points']} points"
    return (str(row["number"]), row["name"], row["teaches"], *([mark] if begun else []))


def start_exercise(name: str, output: str | None) -> int:
    """Write the start file and print the task."""
    exercise = find(name)
    path = output or f"{exercise.name}{exercise.suffix}"
    text = exercise.start_text()
    if os.path.lexists(path):
        raise UsageError(
            f"{path} exists already and is not replaced",
            code="SIM512",
            hint="check it with `simtlab exercise check`, or name another file with -o",
        )
    check_writable(path, "--output")
    write_bytes(path, text.encode())
    print(exercise.task())
    command = f"simtlab exercise check {_shown(exercise, name)} {path}"
    print(f"\nwrote {path}; check it with `{command}`")
    return status.DONE


def show_exercise(name: str, *, json: bool) -> int:
    """Print the task, the targets and the start file."""
    exercise = find(name)
    given = exercise.definition
    if json:
        print_json(
            {
                "number": exercise.number,
                "name": exercise.name,
                **given.model_dump(mode="json", exclude={"hints"}),
                "hints": len(given.hints),
                "start": exercise.start_text(),
            }
        )
        return status.DONE
    print(exercise.task())
    print(f"\nTargets on {given.score.machine}:")
    for target in given.targets:
        bound = "at least" if target.at_least is not None else "at most"
        value = target.at_least if target.at_least is not None else target.at_most
        needed = " (required)" if target.required else ""
        print(f"  {target.measure} {bound} {value:g}{needed}: {target.why}")
    for path in filter(None, (exercise.given, exercise.start)):
        print(f"\n{path.name}:\n\n{path.read_text(encoding='utf-8')}", end="")
    return status.DONE


def print_hint(name: str, number: str) -> int:
    """Print one hint."""
    exercise = find(name)
    which, count = whole_number(number, "N"), len(exercise.definition.hints)
    text = exercise.hint(which)
    more = f"\n({count - which} more: `simtlab exercise hint {_shown(exercise, name)} {which + 1}`)"
    print(text + (more if which < count else ""))
    return status.DONE


def check_answer(name: str, file: str | None, *, picture: str | None, json: bool) -> int:
    """Check an answer and print the report; return 0 if it passes, else 1."""
    exercise = find(name)
    if picture is not None:
        check_picture(picture)
    path = file if file is not None else _usual_answer(exercise, name)
    report = _checked(exercise, path)
    caption = ""
    if picture is not None and report.state in ("passed", "targets", "wrong"):
        drawn = report.show()
        write_bytes(picture, drawn.png)
        caption = f"\npicture {picture}: {drawn.caption}"
    elif picture is not None:
        print_remark(f"{picture} is not drawn: a picture needs runs that end")
    if json:
        print_json({**report.to_dict(), "picture": picture if caption else None})
    else:
        print(f"{report}{caption}")
    return status.DONE if report.passed else status.FAILED


def _usual_answer(exercise: Exercise, name: str) -> str:
    path = answer_in(Path(), exercise)
    if path is None:
        usual = f"{exercise.name}{exercise.suffix}"
        raise UsageError(
            f"this folder has no file {usual}",
            code="SIM510",
            hint=f"`simtlab exercise start {_shown(exercise, name)}` writes it; or name the file",
        )
    return str(path)


def _checked(exercise: Exercise, path: str) -> Report:
    with Progress(exercise.name) as progress:
        progress.detail = "checking"
        return exercise.check(path)


def grade_class(folder: str, *, csv: str | None, only: Sequence[str], json: bool) -> int:
    """Check the answers of all students, and print or write their points."""
    from ...exercises import grade

    if csv is not None:
        check_writable(csv, "--csv")
    wanted = [find(name) for name in only]
    with Progress(folder) as progress:

        def graded(submission: Submission) -> None:
            progress.detail = f"{submission.student}, {submission.exercise.name} done"

        found = grade(folder, wanted or None, graded)
    if csv is not None:
        try:
            write_csv(csv, found)
        except OSError as problem:
            raise cannot("write", csv, problem) from None
    if json:
        print_json([submission.to_dict() for submission in found])
        return status.DONE
    _print_points(found)
    if csv is not None:
        sys.stdout.write(f"\nwrote {csv}: {len(found)} lines\n")
    return status.DONE


def export_exercise(name: str, output: str) -> int:
    """Write the folder for students, and say what it has and what it leaves out."""
    from ...exercises.export import export

    exercise = find(name)
    try:
        with Progress(exercise.name):
            found = export(exercise, Path(output))
    except OSError as problem:
        raise cannot("write", output, problem) from None
    print(f"wrote {found.folder}: {', '.join(found.files)}")
    print(f"left out: {', '.join(found.left_out)}")
    return status.DONE


def _print_points(found: list[Submission]) -> None:
    """Print a line for each student and a column for each exercise."""
    students = list(dict.fromkeys(s.student for s in found))
    names = list(dict.fromkeys(s.exercise.name for s in found))
    points = {(s.student, s.exercise.name): s for s in found}
    lines: list[tuple[str, ...]] = []
    for student in students:
        reports = [points[student, name].report for name in names]
        cells = ["-" if report is None else str(report.points) for report in reports]
        total = sum(report.points for report in reports if report is not None)
        lines.append((student, *cells, str(total)))
    print_table(("student", *names, "points"), lines)


def _shown(exercise: Exercise, name: str) -> str:
    """Return the word that names an exercise in a command."""
    return exercise.name if exercise in catalogue() else name
