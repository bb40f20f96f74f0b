"""Every solution passes, every start has its holes, and wrong answers fail for the right reason."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from simtlab.exercises import catalogue, find

from .support.answers import WRONG

EXERCISES = catalogue()
KERNELS = [exercise for exercise in EXERCISES if not exercise.is_scheduler]


def name_of(exercise) -> str:
    return exercise.name


def test_there_are_twelve_in_order():
    assert [exercise.number for exercise in EXERCISES] == [*range(1, 13)]


@pytest.mark.parametrize("exercise", EXERCISES, ids=name_of)
def test_the_solution_passes_and_meets_every_target(exercise):
    report = exercise.check(exercise.solution)
    assert report.state == "passed", report
    assert report.passed
    assert report.targets
    assert all(target.met for target in report.targets), report
    assert report.points == report.max_points == 100
    assert all(case.passed for case in report.cases)
    where = [case.where for case in report.cases]
    assert where.count("machine") == (len(where) if exercise.is_scheduler else 1)
    assert where[-1] == "machine"


@pytest.mark.parametrize("exercise", EXERCISES, ids=name_of)
def test_the_start_has_its_holes(exercise):
    report = exercise.check(exercise.start)
    assert report.state == "hole"
    assert report.points == 0
    assert not report.passed
    mark = "return HOLE" if exercise.is_scheduler else "trap HOLE"
    lines = exercise.start_text().split("\n")
    holes = [number for number, line in enumerate(lines, 1) if line.strip().startswith(mark)]
    assert holes
    assert [int(n) for n in re.findall(r"\d+", report.message)] == holes
    assert "not filled yet" in report.message


@pytest.mark.parametrize("exercise", EXERCISES, ids=name_of)
def test_the_text_is_short_and_builds_on_earlier_exercises(exercise):
    given = exercise.definition
    assert 5 <= len(given.text.strip().split("\n")) <= 15
    assert max(map(len, given.text.split("\n"))) <= 104
    assert len(given.hints) >= 2
    before = {e.name for e in EXERCISES if e.number < exercise.number}
    assert set(given.after) <= before
    assert given.after or exercise.number == 1


@pytest.mark.parametrize("exercise", KERNELS, ids=name_of)
def test_a_solution_is_the_start_with_its_holes_filled(exercise):
    """A student who fills the holes has the solution: nothing else differs."""
    start = [line for line in exercise.start_text().split("\n") if "HOLE" not in line]
    solution = iter(exercise.solution.read_text(encoding="utf-8").split("\n"))
    assert all(line in solution for line in start if line.strip())


def test_every_exercise_has_two_wrong_answers():
    counts = Counter(wrong.exercise for wrong in WRONG)
    assert all(counts[exercise.name] >= 2 for exercise in EXERCISES)


@pytest.mark.parametrize("wrong", WRONG, ids=str)
def test_a_wrong_answer_fails_for_the_right_reason(wrong):
    report = find(wrong.exercise).check(wrong.text)
    assert report.state == wrong.state, report
    assert not report.passed
    assert re.search(wrong.message, report.message), report.message
    if wrong.state == "targets":
        assert 0 < report.points < 100
        assert any(target.required and not target.met for target in report.targets)
    else:
        assert report.points == 0
        assert not report.cases[-1].passed


@pytest.mark.parametrize(
    ("exercise", "title"),
    [("transpose", "no barrier"), ("reduction", "no barrier"), ("prefix-sum", "no second barrier")],
)
def test_a_missing_barrier_is_found_where_warps_run_in_turn(exercise, title):
    (wrong,) = [w for w in WRONG if (w.exercise, w.title) == (exercise, title)]
    report = find(exercise).check(wrong.text)
    assert all(case.passed for case in report.cases if case.where == "interpreter")
    assert report.cases[-1].where == "in turn"
    assert "barrier" in report.hint
