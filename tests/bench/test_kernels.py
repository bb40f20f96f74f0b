"""The kernels of bench/compare.py: right on every engine, and written in every language."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

KERNELS = Path(__file__).parents[2] / "bench" / "kernels"
NAMES = sorted(path.name for path in KERNELS.iterdir() if (path / "problem.py").exists())
SOURCES = ("kernel.sasm", "kernel.cl", "kernel.ispc", "kernel.c", "kernel.py")
ENGINES = ("jit", "interp", "oracle")


@pytest.mark.parametrize("kernel", NAMES)
def test_every_engine_agrees_with_the_reference(peers: SimpleNamespace, kernel: str) -> None:
    problem = peers.problem.make(kernel, small=True)
    expected = peers.problem.definition(kernel).answer(problem)
    before = {name: array.copy() for name, array in problem.arrays.items()}
    answers = []
    for engine in ENGINES:
        job = peers.python.simtlab_job(KERNELS / kernel / "kernel.sasm", problem, engine)
        for _ in range(1 if engine == "oracle" else 2):  # a reset makes a run repeatable
            job.reset()
            job.run()
        answers.append(job.result())
        assert peers.problem.complaint(kernel, problem, expected, answers[-1]) == ""
    for name, array in answers[0].items():
        assert all(array.tobytes() == other[name].tobytes() for other in answers[1:])
    for name, array in before.items():
        assert np.array_equal(array, problem.arrays[name])


@pytest.mark.parametrize("kernel", NAMES)
def test_a_wrong_answer_is_reported(peers: SimpleNamespace, kernel: str) -> None:
    problem = peers.problem.make(kernel, small=True)
    expected = peers.problem.definition(kernel).answer(problem)
    assert set(expected) == set(problem.written)
    for name, right in expected.items():
        wrong = right.copy()
        wrong.ravel()[: -(-wrong.size // 8)] += 1
        complaint = peers.problem.complaint(kernel, problem, expected, expected | {name: wrong})
        assert re.fullmatch(rf"{name}: \d+ of \d+ elements are wrong", complaint)
        other = expected | {name: right.astype(np.int64)}
        complaint = peers.problem.complaint(kernel, problem, expected, other)
        assert complaint.startswith(f"{name} is int64")


def test_the_small_answers_are_not_what_the_arrays_start_with(peers: SimpleNamespace) -> None:
    for kernel in NAMES:
        problem = peers.problem.make(kernel, small=True)
        expected = peers.problem.definition(kernel).answer(problem)
        assert peers.problem.complaint(kernel, problem, expected, problem.arrays), kernel


def test_points_between_two_centroids_may_go_either_way(peers: SimpleNamespace) -> None:
    problem = peers.problem.make("kmeans", small=True)
    problem.arrays["cent"][1] = problem.arrays["cent"][0]
    expected = peers.problem.definition("kmeans").answer(problem)
    label = expected["label"]

    def complaint(answer: np.ndarray) -> str:
        return peers.problem.complaint("kmeans", problem, expected, {"label": answer})

    assert complaint(np.where(label == 0, np.int32(1), label)) == ""
    assert complaint(np.where(label == 2, np.int32(1), label))
    assert complaint(np.where(label == 0, np.int32(-1), label))


def test_every_kernel_is_written_in_every_language(peers: SimpleNamespace) -> None:
    assert sorted(peers.problem.NAMES) == NAMES
    assert len(NAMES) >= 20
    for kernel in NAMES:
        for source in SOURCES:
            text = (KERNELS / kernel / source).read_text("utf-8")
            for launch in peers.problem.make(kernel, small=True).launches:
                assert re.search(rf"\b{launch.function}\(", text), (kernel, source)
