"""What a report says, as text, as JSON and as HTML."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from simtlab.exercises import Report, find
from simtlab.exercises.measures import MEASURES
from simtlab.exercises.report import Target, points_of
from simtlab.isa.errors import UsageError

KEYS = {
    "exercise", "file", "state", "passed", "points", "max_points", "message", "hint", "cases",
    "machine", "score", "targets", "diagnostics",
}  # fmt: skip


def change(name: str, old: str, new: str) -> str:
    text = find(name).solution.read_text(encoding="utf-8")
    assert old in text
    return text.replace(old, new)


@pytest.fixture(scope="module")
def wrong() -> Report:
    return find("masked-add").check(change("masked-add", "add_u32   ", "sub_u32   "))


@pytest.fixture(scope="module")
def right() -> Report:
    exercise = find("masked-add")
    return exercise.check(exercise.solution)


@pytest.mark.parametrize("which", ["wrong", "right"])
def test_json_is_what_the_schema_says(which, request):
    report = request.getfixturevalue(which)
    found = json.loads(json.dumps(report.to_dict(), allow_nan=False))
    assert set(found) == KEYS == set(Report.model_json_schema()["properties"])
    again = Report.model_validate(found, strict=True)
    assert again.to_dict() == report.to_dict()


def test_a_wrong_element_says_whose_it_is_and_what_it_is_made_of(wrong):
    (case,) = wrong.cases
    first = case.first_wrong
    assert first is not None
    assert (first.array, first.index, first.count, first.of) == ("y", [0], 1, 1)
    assert first.work_item == first.stored_by == [0]
    assert first.expected != first.found
    text = find("masked-add").solution.read_text(encoding="utf-8").split("\n")
    assert first.line is not None
    assert "st_global_u32" in text[first.line - 1]
    assert first.input.startswith("x[0] = ")
    assert wrong.score == {}


def test_the_first_wrong_element_is_the_first():
    """From element 40 on, one is missing."""
    text = change(
        "masked-add", "    ld_global_u32       $s2, [$d0]",
        "    cmp_ge_u32 $c0, $s0, 40\n    cbr $c0, @done\n    ld_global_u32 $s2, [$d0]",
    )  # fmt: skip
    report = find("masked-add").check(text)
    first = report.cases[-1].first_wrong
    assert first is not None
    assert (first.index, first.work_item, first.stored_by, first.line) == ([40], [40], None, None)
    assert (first.count, first.of) == (23, 63)
    assert "it belongs to work-item 40; no work-item stores to it" in report.message
    assert report.cases[0].passed


def test_a_text_is_shown_to_people(right, wrong):
    assert str(right).startswith("masked-add: passed, 100 of 100 points\n")
    assert "1.00   at most 1.10  met" in str(right)
    assert "WRONG  in the interpreter: n=1" in str(wrong)
    for report in (right, wrong):
        page = report._repr_html_()
        assert "<img src='data:image/png;base64," in page
        assert report.message.split(":")[0] in page


def test_a_score_has_every_measure_but_the_speedup(right):
    assert set(right.score) == set(MEASURES) - {"speedup"}
    assert find("masked-add").score(find("masked-add").solution) == right.score


def test_an_answer_that_does_not_assemble_says_where():
    report = find("masked-add").check(change("masked-add", "add_u32  ", "addd_u32 "))
    assert report.state == "source"
    assert "line 14: unknown instruction" in report.message
    assert report.diagnostics[0]["code"] == "SIM104"


def test_points_are_shared():
    def target(met: bool) -> Target:
        return Target(measure="cycles", value=1, at_least=None, at_most=2, required=False,
                      met=met, why="")  # fmt: skip

    assert points_of([], 100) == 100
    assert points_of([target(True), target(False)], 100) == 80
    assert points_of([target(False)], 50) == 30


def test_a_file_that_cannot_be_read_is_an_error(tmp_path: Path):
    with pytest.raises(UsageError, match=r"cannot read .*none\.sasm"):
        find("masked-add").check(tmp_path / "none.sasm")
    with pytest.raises(UsageError, match="is not a file"):
        find("masked-add").check(tmp_path)


def test_texts_of_an_exercise():
    exercise = find(3)
    assert exercise.name == "divergence"
    assert "Branch divergence" in exercise.task()
    assert "Comes after: masked-add." in exercise.task()
    assert "warp" in exercise.hint(1)
    with pytest.raises(UsageError, match="has the hints 1 to 3, and no hint 4"):
        exercise.hint(4)
    assert find("reduction_banks") == find("reduction-banks")
    with pytest.raises(UsageError, match="unknown exercise 'transpos'") as caught:
        find("transpos")
    assert "`transpose`" in caught.value.first.hint
