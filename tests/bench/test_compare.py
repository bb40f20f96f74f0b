"""bench/compare.py: its checks see what is wrong, its tables say so, and the program runs."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

COMPARE = Path(__file__).parents[2] / "bench" / "compare.py"
KERNELS = ("saxpy", "mandelbrot", "hotspot", "kmeans", "bitonic", "bfs", "collatz")


def run(*options: str) -> str:
    return subprocess.run(
        [sys.executable, COMPARE, "--small", *options], check=True, capture_output=True, text=True
    ).stdout


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_wrong_answer_is_seen(seven: ModuleType, kernel: str) -> None:
    problem = seven.make(kernel, small=True)
    ((name, right),) = problem.expected.items()
    assert seven.complaint(problem, {name: right}) == ""
    wrong = right.copy()
    wrong[: len(wrong) // 8] += 1
    assert seven.complaint(problem, {name: wrong}).startswith(f"{name}: ")
    other = right.astype(np.int64)
    assert seven.complaint(problem, {name: other}).startswith(f"{name} is int64")


def test_points_between_two_centroids_may_go_either_way(seven: ModuleType) -> None:
    problem = seven.make("kmeans", small=True)
    problem.inputs["cent"][1] = problem.inputs["cent"][0]
    problem.expected = seven.kmeans(problem)
    label = problem.expected["label"]
    assert seven.complaint(problem, {"label": np.where(label == 0, np.int32(1), label)}) == ""
    assert seven.complaint(problem, {"label": np.where(label == 2, np.int32(1), label)})
    assert seven.complaint(problem, {"label": np.where(label == 0, np.int32(-1), label)})


def test_a_wrong_column_is_marked_and_has_no_ratio(compare: ModuleType) -> None:
    def broken(problem: object) -> object:
        return compare.Job(run=lambda: None, result=lambda: {"keys": np.zeros(256, np.int32)})

    columns = {"numpy": compare.rivals.numpy_job, "broken": broken}
    cells = compare.measure("bitonic", columns, small=True, seconds=0.0, patience=9.0)
    assert [bool(cell.wrong) for cell in cells] == [False, True]
    page = compare.report(cells, dict.fromkeys(columns, "a column"), ["gcc: not installed"])
    assert "| wrong |" in page
    assert "Time relative" not in page
    assert "- bitonic, broken: keys: 256 of 256 are wrong" in page
    assert "- not here: gcc: not installed" in page


def test_what_takes_too_long_is_run_once(compare: ModuleType) -> None:
    columns = {"numpy": compare.rivals.numpy_job}
    (cell,) = compare.measure("saxpy", columns, small=True, seconds=0.0, patience=0.0)
    assert cell.seconds == [cell.first]
    assert "(one run)" in compare.report([cell], {"numpy": "a column"}, [])


def test_the_table_is_markdown_and_the_file_has_every_run(tmp_path: Path) -> None:
    out = tmp_path / "results.json"
    page = run("-k", "saxpy", "bfs", "-c", "jit", "numpy", "--out", str(out))
    assert "| kernel | jit | numpy |\n| --- | ---: | ---: |\n| saxpy | " in page
    assert "| geometric mean | " in page
    results = json.loads(out.read_text("utf-8"))["results"]
    assert [(r["kernel"], r["column"]) for r in results] == [
        (kernel, column) for kernel in ("saxpy", "bfs") for column in ("jit", "numpy")
    ]
    assert all(len(r["seconds"]) >= 3 and not r["wrong"] for r in results)


@pytest.mark.slow
def test_every_column_answers_every_problem() -> None:
    page = run()
    assert all(f"| {kernel} | " in page for kernel in KERNELS)
    assert "wrong" not in page
