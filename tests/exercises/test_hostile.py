"""Answers that do not end, are too large, or are not what was asked for: every check ends."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from simtlab.exercises import Exercise, find

DONE = "@done:\n"
HEAD = "global u32* %y) {\n"

ANSWERS = {
    "endless": ((DONE, "@done:\n@l:\n    add_u32 $s9, $s9, 1\n    br @l\n"), "hang", "livelock"),
    "endless with a state": (
        (DONE, "@done:\n@l:\n    clock_u64 $d9\n    cvt_u32_u64 $s9, $d9\n    br @l\n"),
        "hang",
        "does not end",
    ),
    "endless in the scored run only": (
        (
            DONE,
            "@done:\n    cmp_ne_u32 $c3, $s1, 4001\n    cbr $c3, @end\n@l:\n"
            "    add_u32 $s9, $s9, 1\n    br @l\n@end:\n",
        ),
        "hang",
        "with n=4001 the kernel does not end",
    ),
    "endless barriers": ((DONE, "@done:\n@l:\n    barrier\n    br @l\n"), "hang", "budget"),
    "too long": ((DONE, "    nop\n" * 5000 + DONE), "refused", "5,014 instructions"),
    "group memory": (
        (HEAD, f"{HEAD}    .group u32 z[20000]\n"), "refused", "80,000 bytes of group memory",
    ),
    "private memory": (
        (HEAD, f"{HEAD}    .private u32 z[5000]\n"), "refused", "20,000 bytes of private memory",
    ),
    "another kernel": (("kernel add", "kernel sub"), "refused", "has no kernel add; it has sub"),
    "other parameters": (
        ("u32 %n, global u32* %x", "s32 %n, global u32* %x"), "refused", "other parameters",
    ),
    "a trap": ((DONE, "    trap 7\n@done:\n"), "trap", "trap instruction with code 7"),
    "a group array left": (
        (HEAD, f"{HEAD}    .group u32 a[64]\n    .group u32 b[64]\n    workitemid_u32 $s8, 0\n"
         "    shl_u32 $s8, $s8, 2\n    st_group_u32 $s8, [a+$s8+4]\n"),
        "trap", "outside of a\\[64\\]",
    ),
}  # fmt: skip


@pytest.mark.parametrize("title", ANSWERS)
def test_the_check_ends_with_a_sentence(title):
    (old, new), state, message = ANSWERS[title]
    exercise = find("masked-add")
    text = exercise.solution.read_text(encoding="utf-8")
    assert text.count(old) == 1
    report = exercise.check(text.replace(old, new))
    assert report.state == state, report
    assert message.replace("\\", "") in report.message
    assert report.points == 0


@pytest.mark.parametrize(
    "text", ["\n", "\0\xff\n" * 100, "kernel\n", "//" + "x" * (1 << 20) + "\n"]
)
def test_what_is_not_a_kernel_is_refused(text):
    report = find("masked-add").check(text)
    assert report.state in ("source", "refused")
    assert report.message


def test_bytes_that_are_not_text(tmp_path: Path):
    path = tmp_path / "a.sasm"
    path.write_bytes(b"\xff\xfe\x00kernel")
    assert find("masked-add").check(path).state == "source"


def test_a_hang_does_not_name_options_of_other_commands():
    text = find("masked-add").solution.read_text(encoding="utf-8")
    report = find("masked-add").check(text.replace(*ANSWERS["endless barriers"][0]))
    assert "--budget" not in report.hint
    assert "50,000 instructions" in report.hint


@pytest.fixture
def scheduler(tmp_path: Path) -> Exercise:
    """The scheduler exercise with a long time limit."""
    return scheduler_with(3600, tmp_path)


def scheduler_with(seconds: int, place: Path) -> Exercise:
    """The scheduler exercise with a time limit."""
    folder = place / "scheduler"
    shutil.copytree(find("scheduler").folder, folder)
    path = folder / "exercise.toml"
    path.write_text(f"seconds = {seconds}\n{path.read_text(encoding='utf-8')}", encoding="utf-8")
    return Exercise(folder)


def test_a_python_answer_has_a_time_limit(tmp_path: Path):
    scheduler = scheduler_with(4, tmp_path)
    text = scheduler.solution.read_text(encoding="utf-8")
    report = scheduler.check(text + "\n\ndef setup(machine):\n    while True:\n        pass\n")
    assert report.state == "time", report
    assert "ended after 4 s" in report.message


def test_a_python_answer_that_ends_the_process(scheduler):
    text = scheduler.solution.read_text(encoding="utf-8")
    report = scheduler.check(text + "\n\nimport os\n\n\ndef setup(machine):\n    os._exit(0)\n")
    assert report.state == "engine", report
    assert "ended early" in report.message
    assert not report.passed


def test_a_python_answer_that_is_not_python(scheduler):
    report = scheduler.check("def rank(:\n    pass\n")
    assert (report.state, report.points) == ("source", 0)
    assert "line 1" in report.message
