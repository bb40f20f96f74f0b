"""Grades of a class."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from simtlab.exercises import find, grade
from simtlab.exercises.grade import COLUMNS, write_csv
from simtlab.isa.errors import UsageError


@pytest.fixture
def submissions(tmp_path: Path) -> Path:
    place = tmp_path / "submissions"
    solution = find("masked-add").solution.read_text(encoding="utf-8")
    for student, files in {
        "ada": {"masked-add.sasm": solution, "map_2d.sasm": find("map-2d").start_text()},
        "=bob": {"masked-add.sasm": solution.replace("kernel add", "kernel sum")},
        "eve": {},
    }.items():
        (place / student).mkdir(parents=True)
        for name, text in files.items():
            (place / student / name).write_text(text, encoding="utf-8")
    (place / "README").write_text("no student")
    (place / ".git").mkdir()
    return place


def test_everyone_gets_a_line_for_each_exercise(submissions, tmp_path):
    seen = []
    found = grade(submissions, progress=seen.append)
    assert seen == found
    assert [(s.student, s.exercise.name, s.row()["state"], s.row()["points"]) for s in found] == [
        ("=bob", "masked-add", "refused", 0),
        ("=bob", "map-2d", "missing", 0),
        ("ada", "masked-add", "passed", 100),
        ("ada", "map-2d", "hole", 0),
        ("eve", "masked-add", "missing", 0),
        ("eve", "map-2d", "missing", 0),
    ]
    path = tmp_path / "out.csv"
    write_csv(path, found)
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert tuple(rows[0]) == COLUMNS
    assert rows[0]["student"] == "'=bob"  # no formula
    assert (rows[2]["passed"], rows[2]["points"], rows[2]["max_points"]) == ("True", "100", "100")


def test_only_some_exercises(submissions):
    found = grade(submissions, [find("map-2d")])
    assert {s.exercise.name for s in found} == {"map-2d"}
    assert len(found) == 3


def test_an_answer_that_cannot_be_read_does_not_stop_the_others(submissions, monkeypatch):
    real = Path.open

    def refuse(path: Path, *arguments, **named):
        if path.parent.name == "=bob":
            raise PermissionError(13, "Permission denied")
        return real(path, *arguments, **named)

    monkeypatch.setattr(Path, "open", refuse)
    found = grade(submissions, [find("masked-add")])
    assert [s.row()["state"] for s in found] == ["refused", "passed", "missing"]
    assert "permission denied" in str(found[0].row()["message"])


def test_folders_without_answers(tmp_path):
    with pytest.raises(UsageError, match=r"the folder .* does not exist"):
        grade(tmp_path / "none")
    with pytest.raises(UsageError, match="has no folders"):
        grade(tmp_path)
    (tmp_path / "ada").mkdir()
    with pytest.raises(UsageError, match="has an answer"):
        grade(tmp_path)
