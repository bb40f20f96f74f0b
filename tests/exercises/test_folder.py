"""A teacher's folder: it works from anywhere, and every mistake in it has a clear message."""

# One mistake, one line.
# ruff: noqa: E501

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import simtlab
from simtlab.exercises import Exercise, ExerciseError, find
from simtlab.exercises.export import export

PAGE = (Path(simtlab.__file__).parent / "docs" / "exercises.md").read_text(encoding="utf-8")


def write_example(folder: Path) -> Path:
    """Write the exercise that docs/exercises.md shows; return its folder."""
    place = folder / "triple"
    place.mkdir()
    shown = re.findall(r"^`triple/([\w.]+)`:\n\n```\w+\n(.*?)^```$", PAGE, re.M | re.S)
    assert [name for name, _ in shown] == ["exercise.toml", "inputs.py", "start.sasm"]
    for name, text in shown:
        (place / name).write_text(text, encoding="utf-8")
    solution = re.sub(r"trap HOLE.*", "mul_u32 $s1, $s1, 3", shown[2][1])
    (place / "solution.sasm").write_text(solution, encoding="utf-8")
    return place


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_example(tmp_path)


def change(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def check(folder: Path, answer: str = "solution.sasm"):
    return find(folder).check(folder / answer)


def test_a_folder_of_a_teacher(folder):
    assert find(folder).name == "triple"
    assert check(folder).passed
    assert check(folder, "start.sasm").state == "hole"
    change(folder / "solution.sasm", "$s1, 3", "$s1, 4")
    report = check(folder)
    assert report.state == "wrong"
    x = int(np.random.default_rng(0).integers(0, 1000, 1, np.uint32)[0])
    assert f"y[0] should be {3 * x} and is {4 * x}" in report.message
    assert f"x[0] = {x}" in report.message
    assert not list(folder.glob("__pycache__"))


LINE = "size = { n = 4096 }"

MISTAKES = [
    ("exercise.toml", "title", "titel", r"exercise\.toml: title: is missing; titel: unknown key \(did you mean `title`"),
    ("exercise.toml", 'title = "Triple"', "", r"title: is missing"),
    ("exercise.toml", 'title = "Triple"', "title = 3", r"title: must be a valid string"),
    ("exercise.toml", "[score]", "[score", r"exercise\.toml is not TOML"),
    ("exercise.toml", "lines-per-access", "lines", r"unknown measure `lines`"),
    ("exercise.toml", "at_most = 1.1", "", r"needs either at_least or at_most"),
    ("exercise.toml", "[launch]", "[launch]\ncover = 1", r"launch\.cover: unknown key"),
    ("exercise.toml", 'kernel = "triple"', 'kernel = "x"', r"launch\.kernel is 'x', and the program has triple"),
    ("exercise.toml", 'items = ["n"]', 'items = ["m"]', r"make returns no 'm', which the launch needs; it returns n, x, y"),
    ("exercise.toml", "group_size = [32]", "group_size = [32, 1]", r"as many dimensions"),
    ("exercise.toml", LINE, f'{LINE}\nmachine = "gpu-smal"', r"score: unknown machine 'gpu-smal'"),
    ("exercise.toml", LINE, f"{LINE}\nset = {{ wpu = 1 }}", r"score: .*wpu: unknown key"),
    ("exercise.toml", "{ n = 33 }", "{ m = 33 }", r"inputs\.py: make fails: TypeError: .*'m'"),
    ("exercise.toml", "measure = \"lines-per-access\"\nat_most = 1.1", "measure = \"speedup\"\nat_least = 1.1", r"needs score\.baseline"),
    ("inputs.py", "def make", "def mak", r"inputs\.py must define the function make"),
    ("inputs.py", "import numpy", "import numpyy", r"inputs\.py cannot be imported: ModuleNotFoundError"),
    ("inputs.py", "return {\"n\"", "return 1 / 0, {\"n\"", r"inputs\.py:5: make fails: ZeroDivisionError"),
    ("inputs.py", "* np.uint32(3)", "* data['z']", r"inputs\.py:9: \w+ fails: KeyError: 'z'"),
    ("inputs.py", "return {\"n\"", "return [\"n\"]; {\"n\"", r"make must return a dictionary with NumPy arrays"),
    ("inputs.py", 'return {"y": data', 'return {"z": data', r"reference returns 'z', and make no such array"),
    ("inputs.py", "* np.uint32(3)", "* 3.0", r"reference returns y as float64 of shape \(1,\), and make as uint32 of shape \(1,\)"),
    ("inputs.py", 'return {"y": data', 'return None, {"y": data', r"reference must return a dictionary of arrays"),
    ("inputs.py", "def reference", "def launch(launcher, data):\n    pass\n\n\ndef reference", r"the launch must be given once"),
    ("solution.sasm", "mul_u32", "mull_u32", r"solution\.sasm does not assemble: unknown instruction"),
]  # fmt: skip


@pytest.mark.parametrize(("file", "old", "new", "message"), MISTAKES)
def test_a_mistake_in_a_folder_has_a_message(folder, file, old, new, message):
    change(folder / file, old, new)
    with pytest.raises(ExerciseError, match=message) as caught:
        check(folder)
    assert caught.value.first.code == "SIM540"


@pytest.mark.parametrize("file", ["exercise.toml", "inputs.py"])
def test_a_missing_file_is_named(folder, file):
    answer = (folder / "start.sasm").read_text(encoding="utf-8").replace("trap HOLE", "nop")
    (folder / file).unlink()
    with pytest.raises(ExerciseError, match=rf"has no {re.escape(file)}"):
        find(folder).check(answer)


def test_what_is_not_a_folder(folder):
    with pytest.raises(ExerciseError, match="is a file; an exercise is a folder"):
        find(folder / "start.sasm")
    with pytest.raises(ExerciseError, match=r"the folder .* does not exist"):
        find(folder / "none")
    (folder / "start.sasm").unlink()
    with pytest.raises(ExerciseError, match=r"has no start\.sasm"):
        Exercise(folder).start_text()


def test_a_launch_of_ones_own(folder):
    change(
        folder / "exercise.toml",
        '[launch]\nkernel = "triple"\nitems = ["n"]\ngroup_size = [32]\n',
        "",
    )
    with (folder / "inputs.py").open("a", encoding="utf-8") as file:
        file.write(
            "\n\ndef launch(launcher, data):\n"
            "    kernel = launcher('triple', items=data['n'], group_size=32)\n"
            "    kernel(data['n'], data['x'], data['y'])\n"
        )
    assert check(folder).passed
    change(folder / "inputs.py", "data['n'], data['x']", "data['n'], data['xx']")
    with pytest.raises(ExerciseError, match=r"the launch fails: KeyError: 'xx'"):
        check(folder)


def test_without_turns(folder):
    change(folder / "exercise.toml", 'title = "Triple"', 'title = "Triple"\nin_turn = false')
    assert {case.where for case in check(folder).cases} == {"interpreter", "machine"}


def test_floats_may_have_a_tolerance(folder):
    """The reference multiplies by a little more than three."""
    for file in ("start.sasm", "solution.sasm"):
        path = folder / file
        text = path.read_text(encoding="utf-8").replace("global u32*", "global f32*")
        text = text.replace("ld_global_u32", "ld_global_f32").replace(
            "st_global_u32", "st_global_f32"
        )
        path.write_text(
            text.replace("mul_u32 $s1, $s1, 3", "mul_f32 $s1, $s1, 3.0"), encoding="utf-8"
        )
    change(folder / "inputs.py", "rng.integers(0, 1000, n, np.uint32)", "rng.random(n, np.float32)")
    change(folder / "inputs.py", "np.zeros(n, np.uint32)", "np.zeros(n, np.float32)")
    change(folder / "inputs.py", "np.uint32(3)", "np.float32(3.000001)")
    assert check(folder).state == "wrong"
    change(folder / "inputs.py", "np.float32(3.000001)", "np.float32(np.nan)")
    first = check(folder).cases[-1].first_wrong
    assert first is not None
    assert first.expected == "nan"
    change(folder / "inputs.py", "np.float32(np.nan)", "np.float32(3.000001)")
    change(folder / "exercise.toml", 'title = "Triple"', 'title = "Triple"\nrtol = 1e-5')
    assert check(folder).passed


def test_points_and_budget(folder):
    change(
        folder / "exercise.toml", 'title = "Triple"', 'title = "Triple"\npoints = 10\nbudget = 14'
    )
    report = check(folder)
    assert (report.state, report.points, report.max_points) == ("passed", 10, 10)
    change(folder / "exercise.toml", "budget = 14", "budget = 12")
    assert check(folder).state == "hang"


def test_students_get_a_folder_without_solution_and_hidden_cases(folder, tmp_path):
    (folder / "hidden.toml").write_text("cases = [{ n = 31 }, { n = 77, seed = 3 }]\n")
    (folder / "wrong.sasm").write_text("")
    found = export(find(folder), tmp_path / "handout")
    assert found.folder == tmp_path / "handout" / "triple"
    names = ("exercise.toml", "inputs.py", "start.sasm")
    assert found.files == names
    assert found.left_out == ("hidden.toml", "solution.sasm", "wrong.sasm")
    assert sorted(path.name for path in found.folder.iterdir()) == sorted(names)
    handout = find(found.folder)
    assert handout.check(handout.start).state == "hole"
    # Right for the sizes that students see.
    answer = (
        (folder / "solution.sasm")
        .read_text()
        .replace(
            "mul_u32 $s1, $s1, 3",
            "mul_u32 $s1, $s1, 3\n    ld_kernarg_u32 $s5, [%n]\n    cmp_ne_u32 $c1, $s5, 77\n"
            "    cbr $c1, @fine\n    mov_u32 $s1, 5\n@fine:",
        )
    )
    assert handout.check(answer).passed
    other = answer.replace("u32 %n", "s32 %n")
    assert "other parameters" in handout.check(other).message
    report = find(folder).check(answer)
    assert report.state == "wrong"
    assert report.message.startswith("with n=77 the result is wrong"), report.message
    with pytest.raises(simtlab.UsageError, match="exists already"):
        export(find(folder), tmp_path / "handout")
    with pytest.raises(ExerciseError, match="has no solution"):
        handout.show()


def test_a_start_file_that_gives_the_answer_away_is_not_exported(folder, tmp_path):
    (folder / "start.sasm").write_text((folder / "solution.sasm").read_text())
    with pytest.raises(ExerciseError, match="is not a start file: the result is right"):
        export(find(folder), tmp_path / "handout")
    assert not (tmp_path / "handout").exists()


def test_mistakes_in_hidden_cases_are_named(folder):
    (folder / "hidden.toml").write_text("case = [{ n = 31 }]\n")
    with pytest.raises(ExerciseError, match=r"hidden\.toml: .*case: unknown key"):
        check(folder)


def test_a_scheduler_for_students(tmp_path):
    found = export(find("scheduler"), tmp_path)
    assert set(found.left_out) == {"solution.py"}
    assert find(found.folder).check(find(found.folder).start).state == "hole"
