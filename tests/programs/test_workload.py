"""Inputs are seeded, references leave them alone, and check() says what is wrong."""

from __future__ import annotations

import copy

import numpy as np
import pytest

from simtlab.programs import Data, Entry, Launcher, Workload, catalogue, check

SIZES = [
    pytest.param(
        entry, size, id=f"{entry.name}-{size}", marks=[pytest.mark.slow] * (size != "tiny")
    )
    for entry in catalogue()
    for size in entry.workload.sizes
]


def build(entry: Entry, size: str, seed: int = 1) -> Data:
    workload = entry.workload
    return workload.make(np.random.default_rng(seed), **workload.sizes[size])


def assert_same(first: Data, second: Data) -> None:
    assert list(first) == list(second)
    for name in first:
        np.testing.assert_array_equal(first[name], second[name], err_msg=name)


@pytest.mark.parametrize("entry", catalogue(), ids=lambda e: e.name)
def test_every_program_has_title_source_and_the_three_sizes(entry: Entry) -> None:
    workload = entry.workload
    assert workload.title.startswith(f"{entry.short}: ")
    assert workload.source
    assert {"tiny", "small", "paper"} <= set(workload.sizes)


@pytest.mark.parametrize(("entry", "size"), SIZES)
def test_equal_seeds_give_equal_data_and_the_reference_leaves_it_alone(
    entry: Entry, size: str
) -> None:
    data = build(entry, size)
    assert_same(data, build(entry, size))
    before = copy.deepcopy(data)
    expected = entry.workload.reference(data)
    assert_same(data, before)
    assert expected
    for name, array in expected.items():
        assert (array.shape, array.dtype) == (data[name].shape, data[name].dtype)
        assert not np.array_equal(array, data[name]), f"{name} is already right before the run"


@pytest.mark.parametrize("name", ["y", "keys", "temp"])
def test_a_program_before_its_run_fails_the_check(name: str) -> None:
    entry = next(e for e in catalogue() if name in build(e, "tiny"))
    data = build(entry, "tiny")
    assert [m.array for m in check(entry.workload, data, data)] == [name]


def workload_of(expected: np.ndarray, rtol: float = 0.0) -> Workload:
    def launch(launcher: Launcher, data: Data) -> None:
        raise AssertionError("not run here")

    return Workload(
        title="test",
        source="test",
        sizes={},
        make=lambda rng: {},
        launch=launch,
        reference=lambda data: {"y": expected},
        rtol=rtol,
    )


@pytest.mark.parametrize(
    ("expected", "got", "rtol", "message"),
    [
        (np.arange(4), np.arange(4), 0.0, None),
        (
            np.arange(4),
            np.array([0, 7, 2, 9]),
            0.0,
            "y: 2 of 4 elements are wrong; the first is at 1: expected 1, got 7",
        ),
        (
            np.ones((2, 3), np.float32),
            np.array([[1, 1, 1], [1, 1.5, 1]], np.float32),
            1e-3,
            "y: 1 of 6 elements are wrong; the first is at (1, 1): expected 1.0, got 1.5 "
            "(relative tolerance 0.001)",
        ),
        (np.ones(2, np.float32), np.array([1, 1.0001], np.float32), 1e-3, None),
        (
            np.ones(2, np.float32),
            np.array([1, np.nextafter(np.float32(1), np.float32(2))], np.float32),
            0.0,
            "y: 1 of 2 elements are wrong; the first is at 1: expected 1.0, got 1.0000001192092896",
        ),
        (np.array([np.nan, 1], np.float32), np.array([np.nan, 1], np.float32), 0.0, None),
        (
            np.array([1, 1], np.float32),
            np.array([np.nan, 1], np.float32),
            0.1,
            "y: 1 of 2 elements are wrong; the first is at 0: expected 1.0, got nan "
            "(relative tolerance 0.1)",
        ),
        (
            np.zeros((2, 2), np.uint32),
            np.zeros(4, np.int32),
            0.0,
            "y: expected shape (2, 2) of uint32, got shape (4,) of int32",
        ),
    ],
)
def test_check_names_the_first_difference(
    expected: np.ndarray, got: np.ndarray, rtol: float, message: str | None
) -> None:
    found = check(workload_of(expected, rtol), {"y": got}, {})
    assert [str(m) for m in found] == ([message] if message else [])
