"""The kernels of bench/compare.py: right on every engine, and written in every language."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from ..quick import few

BENCH = Path(__file__).parents[2] / "bench"
KERNELS, OTHERS = (
    sorted(path.parent.name for path in BENCH.glob(f"{folder}/*/problem.py"))
    for folder in ("kernels", "others")
)
NAMES = KERNELS + OTHERS
SOURCES = ("kernel.sasm", "kernel.cl", "kernel.ispc", "kernel.c", "kernel.py")
ENGINES = ("jit", "interp", "oracle")


@pytest.mark.parametrize("kernel", [*KERNELS, *few(OTHERS, 12)])
def test_every_engine_agrees_with_the_reference(peers: SimpleNamespace, kernel: str) -> None:
    problem = peers.problem.make(kernel, small=True)
    expected = peers.problem.definition(kernel).answer(problem)
    before = {name: array.copy() for name, array in problem.arrays.items()}
    answers = []
    source = peers.problem.folder_of(kernel) / "kernel.sasm"
    # In the oracle a work-item has no other lanes to exchange or count values with.
    exchanges = "activelane" in source.read_text("utf-8")
    for engine in ENGINES[: -1 if exchanges else None]:
        job = peers.python.simtlab_job(source, problem, engine)
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
        type_ = np.dtype(np.uint64 if right.dtype == np.int64 else np.int64)
        other = expected | {name: right.astype(type_)}
        complaint = peers.problem.complaint(kernel, problem, expected, other)
        assert complaint.startswith(f"{name} is {type_}")


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
    assert sorted(peers.problem.NAMES) == KERNELS
    assert len(KERNELS) >= 20
    for kernel in KERNELS:
        for source in SOURCES:
            check_functions(peers, kernel, BENCH / "kernels" / kernel / source)


def test_kernels_of_other_kinds_are_written_for_simtlab_and_a_peer(peers: SimpleNamespace) -> None:
    assert list(peers.problem.OTHER_NAMES) == OTHERS
    assert not set(KERNELS) & set(OTHERS)
    for kernel in OTHERS:
        written = {path.name: path for path in (BENCH / "others" / kernel).glob("kernel.*")}
        assert "kernel.sasm" in written, kernel
        assert written.keys() & {"kernel.cl", "kernel.ispc"}, kernel
        for path in written.values():
            check_functions(peers, kernel, path)


def check_functions(peers: SimpleNamespace, kernel: str, path: Path) -> None:
    """A source has every function that the kernel's problem launches."""
    text = path.read_text("utf-8")
    for launch in peers.problem.make(kernel, small=True).launches:
        assert re.search(rf"\b{launch.function}\(", text), path
