"""`simtlab exercise`: what it prints, its exit statuses, and the page about it."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

import simtlab
from simtlab.exercises import find

from ..test_docs import examples, matches

PAGE = (Path(simtlab.__file__).parent / "docs" / "exercises.md").read_text(encoding="utf-8")


def solution(name: str) -> str:
    return find(name).solution.read_text(encoding="utf-8")


def write_folder() -> None:
    """Write the exercise of the page, with its solution."""
    Path("triple").mkdir()
    for name, text in re.findall(r"^`(triple/[\w.]+)`:\n\n```\w+\n(.*?)^```$", PAGE, re.M | re.S):
        Path(name).write_text(text, encoding="utf-8")
    text = Path("triple/start.sasm").read_text(encoding="utf-8")
    Path("triple/solution.sasm").write_text(
        text.replace("trap HOLE", "mul_u32 $s1, $s1, 3"), encoding="utf-8"
    )


def test_every_example_of_the_page_is_true(cli):
    write_folder()
    wrong = solution("masked-add").replace("add_u32   ", "sub_u32   ")
    Path("wrong.sasm").write_text(wrong, encoding="utf-8")
    naive = find("divergence").start_text().replace("trap HOLE", "mov_u32 $s2, $s0")
    Path("naive.sasm").write_text(naive, encoding="utf-8")
    found = examples(PAGE)
    assert len(found) == 6
    for line, shown in found:
        done = cli(*shlex.split(line))
        printed = done.out + done.err
        assert matches(shown, printed), f"simtlab {line}\n{printed}"


def test_the_page_lists_every_exercise():
    from simtlab.exercises import catalogue
    from simtlab.exercises.measures import MEASURES

    for exercise in catalogue():
        line = f"| {exercise.number} | `{exercise.name}` | {exercise.definition.teaches} |"
        assert line in PAGE
    assert all(f"`{name}`" in PAGE for name in MEASURES)


def test_a_student_begins(cli):
    assert "Begin with `simtlab exercise start masked-add`." in cli("exercise").out
    done = cli("exercise", "start", "1")
    assert done.status == 0
    assert "A kernel is a program" in done.out
    assert "simtlab exercise check masked-add masked-add.sasm" in done.out
    again = cli("exercise", "start", "masked-add")
    assert again.status == 2
    assert "exists already and is not replaced" in again.err
    done = cli("exercise", "check", "masked-add")
    assert (done.status, done.err) == (1, "")
    assert re.search(r"masked-add .* begun", cli("exercise").out)
    Path("masked-add.sasm").write_text(solution("masked-add"), encoding="utf-8")
    assert cli("exercise", "check", "masked-add").status == 0
    listed = cli("exercise").out
    assert re.search(r"masked-add .* passed, 100 of 100 points", listed)
    assert "1 of 12 passed" in listed


def test_a_scheduler_begins_with_a_python_file(cli):
    assert cli("exercise", "start", "scheduler").status == 0
    assert "return HOLE" in Path("scheduler.py").read_text(encoding="utf-8")
    done = cli("exercise", "check", "scheduler", "--json")
    assert done.status == 1
    assert done.json["state"] == "hole"


def test_hints(cli):
    first = cli("exercise", "hint", "lock")
    assert "`atomic_cas_global_u32" in first.out
    assert "(2 more: `simtlab exercise hint lock 2`)" in first.out
    assert "more" not in cli("exercise", "hint", "lock", "3").out
    assert cli("exercise", "hint", "lock", "4").status == 2


def test_show_has_the_targets_and_the_kernel(cli):
    out = cli("exercise", "show", "coalescing").out
    assert "lines-per-access at most 1.1 (required): the lanes" in out
    assert "start.sasm:\n\n.const HOLE" in out
    assert "trap HOLE" in out
    out = cli("exercise", "show", "scheduler").out
    assert "kernel rows(" in out
    assert "return HOLE" in out


MISTAKES = [
    (["start", "maskedadd"], "unknown exercise 'maskedadd'", "did you mean `masked-add`?"),
    (["check", "masked-add"], "this folder has no file masked-add.sasm", "exercise start"),
    (["check", "masked-add", "none.sasm"], "cannot read none.sasm", ""),
    (["check", "scale.sasm"], "scale.sasm is a file; an exercise is a folder", "check NAME"),
    (["check", "./none", "scale.sasm"], "the folder ./none does not exist", ""),
    (
        ["check", "masked-add", "scale.sasm", "--picture", "no/p.png"],
        "the folder no does not exist",
        "",
    ),
    (["hint", "lock", "x"], "N takes a whole number", ""),
    (["grade", "none"], "the folder none does not exist", ""),
    (["chek"], "unknown command 'chek'", "did you mean `check`?"),
    (["list"], "unknown command 'list'", "`simtlab exercise` alone lists them"),
    (["--json", "hint", "lock"], "--json must follow hint", ""),
]


@pytest.mark.parametrize(("arguments", "message", "help_"), MISTAKES)
def test_mistakes(cli, arguments, message, help_):
    done = cli("exercise", *arguments)
    assert done.status == 2
    assert message in done.err + done.out
    assert help_ in done.err


def test_no_picture_of_a_kernel_that_hangs(cli):
    text = solution("masked-add").replace("@done:\n", "@done:\n    br @done\n")
    Path("a.sasm").write_text(text, encoding="utf-8")
    done = cli("exercise", "check", "masked-add", "a.sasm", "--picture", "p.png")
    assert done.status == 1
    assert "p.png is not drawn" in done.err
    assert not Path("p.png").exists()
