"""The harness's column: right answers, inputs left alone, runs that can be repeated."""

from __future__ import annotations

import ast
from pathlib import Path
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

from simtlab.isa.errors import UsageError

KERNELS = ("saxpy", "mandelbrot", "hotspot", "kmeans", "bitonic", "bfs", "collatz")
ENGINES = ("jit", "interp")


@pytest.mark.parametrize("kernel", KERNELS)
def test_every_engine_answers_every_problem(
    column: ModuleType, seven: ModuleType, kernel: str
) -> None:
    problem = seven.make(kernel, small=True)
    before = {name: array.copy() for name, array in problem.inputs.items()}
    answers = []
    for engine in ENGINES:
        job = column.make(problem, engine)
        for _ in range(2):
            job.reset()
            job.run()
            assert seven.complaint(problem, job.result()) == ""
        answers.append({name: array.tobytes() for name, array in job.result().items()})
        assert job.build_s > 0
    assert answers[0] == answers[1]
    for name, array in before.items():
        assert np.array_equal(array, problem.inputs[name])


def test_sizes_may_be_smaller_than_a_workgroup(column: ModuleType) -> None:
    keys = np.array([5, -3, 9, 0], np.int32)
    job = column.make(SimpleNamespace(kernel="bitonic", inputs={"keys": keys}, n=4), "interp")
    job.run()
    assert job.result()["keys"].tolist() == [-3, 0, 5, 9]
    job = column.make(SimpleNamespace(kernel="collatz", inputs={}, n=7), "interp")
    job.run()
    assert job.result()["steps"].tolist() == [0, 1, 7, 2, 5, 8, 16]
    assert job.result()["steps"].dtype == np.int32


def test_an_unknown_kernel_is_not_implemented(column: ModuleType) -> None:
    with pytest.raises(NotImplementedError):
        column.make(SimpleNamespace(kernel="fft", inputs={}))


@pytest.mark.parametrize("engine", ENGINES)
def test_the_environment_names_the_engine(
    column: ModuleType, engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SIMTLAB_ENGINE", engine)
    assert column.probe().endswith(f", engine {engine}")


def test_an_unknown_engine_is_reported(column: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIMTLAB_ENGINE", "jti")
    with pytest.raises(UsageError, match="unknown engine 'jti'"):
        column.probe()


def test_the_environment_for_the_harness_is_a_literal(column: ModuleType) -> None:
    (value,) = (
        node.value
        for node in ast.parse(Path(str(column.__file__)).read_text("utf-8")).body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "ENV"
    )
    assert ast.literal_eval(value) == column.ENV
