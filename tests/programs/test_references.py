"""References of the papers' programs against what mathematics says of them."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest

from simtlab.programs import Data, find
from simtlab.programs.lwm import viterbi
from simtlab.programs.ppc.floydwarshall import FAR


def made(name: str, **size: int) -> tuple[Data, dict[str, np.ndarray]]:
    """A program's data before a run, and what its reference expects after it."""
    workload = find(name).workload
    data = workload.make(np.random.default_rng(3), **size)
    return data, workload.reference(data)


def test_fft_transforms() -> None:
    data, expected = made("dws/fft", n=256)
    spectrum = np.fft.fft(data["x"] @ [1, 1j])
    assert np.allclose(expected["x"] @ [1, 1j], spectrum, rtol=0, atol=1e-11)


def test_fft_of_an_impulse_is_its_root() -> None:
    workload = find("dws/fft").workload
    data = workload.make(np.random.default_rng(0), n=8)
    data["x"][:] = 0
    data["x"][1, 0] = 1
    upper = workload.reference(data)["x"]
    assert np.array_equal(upper[:4], data["root"])
    assert np.array_equal(upper[4:], -data["root"])


def test_lu_factors_multiply_to_the_matrix() -> None:
    data, expected = made("dws/lu", n=40)
    lower, upper = np.tril(expected["a"], -1) + np.eye(40), np.triu(expected["a"])
    assert np.allclose(lower @ upper, data["a"], rtol=0, atol=1e-12)


def test_lu_of_a_matrix_worked_by_hand() -> None:
    """4 3 / 6 3 has the factors 1 0 / 1.5 1 and 4 3 / 0 -1.5."""
    reference = find("dws/lu").workload.reference
    factors = reference({"n": 2, "a": np.array([[4.0, 3.0], [6.0, 3.0]])})["a"]
    assert np.array_equal(factors, [[4.0, 3.0], [1.5, -1.5]])


def test_short_finds_the_best_of_all_paths() -> None:
    steps, choices = 4, 6
    data, expected = made("dws/short", steps=steps, choices=choices)
    best = np.full(choices, -1)
    for path in product(range(choices), repeat=steps + 1):
        if max(abs(a - b) for a, b in pairwise(path)) <= 1:
            gains = (int(data["gain"][s, c]) for s, c in enumerate(path[1:]))
            best[path[-1]] = max(best[path[-1]], int(data["score"][path[0]]) + sum(gains))
    assert np.array_equal(expected["score"], best)

    for last in range(choices):
        choice, total = last, 0
        for step in reversed(range(steps)):
            total += int(data["gain"][step, choice])
            choice += int(expected["moves"][step, choice])
        assert total + int(data["score"][choice]) == best[last]


def test_kmeans_centroids_are_means_and_labels_the_nearest_of_the_iteration_before() -> None:
    size = {"n": 500, "dims": 4, "k": 5}
    _, before = made("dws/kmeans", **size, iterations=3)
    data, after = made("dws/kmeans", **size, iterations=4)
    points = data["points"][:, :-1].astype(np.float64)
    apart = np.linalg.norm(points[:, None] - before["centroids"], axis=2)
    assert np.array_equal(after["label"], apart.argmin(axis=1))
    means = [points[after["label"] == cluster].mean(axis=0) for cluster in range(5)]
    assert np.allclose(after["centroids"], means, rtol=0, atol=1e-6)


def test_svm_columns_belong_to_the_chosen_vectors() -> None:
    data, expected = made("dws/svm", n=60, dims=8, columns=7)
    x = data["x"].astype(np.float64)
    matrix = (x @ x.T + 1) ** 3
    assert np.allclose(expected["matrix"], matrix[data["chosen"]], rtol=1e-5, atol=1e-6)


def test_viterbi_finds_the_nearest_of_all_messages() -> None:
    bits, steps = 8, 8 + viterbi.MEMORY
    data, expected = made("lwm/viterbi", frames=40, bits=bits)
    received = np.stack((data["received"] & 15, data["received"] >> 4)).astype(np.int64)

    def distance(message: np.ndarray) -> np.ndarray:
        """Of what is sent for (steps, n) bits from what each of n frames received."""
        return abs(15 * viterbi.encode(message).astype(np.int64) - received).sum(axis=(0, 1))

    every = [
        distance(np.repeat(np.array([[*word, 0, 0, 0, 0]], np.uint8), 40, axis=0).T)
        for word in product((0, 1), repeat=bits)
    ]
    found = (expected["message"][0] >> np.arange(steps, dtype=np.uint32)[:, None] & 1).astype(
        np.uint8
    )
    assert not found[bits:].any()
    np.testing.assert_array_equal(distance(found), np.min(every, axis=0))
    assert (distance(found) > 0).all()  # there is something to correct


def test_pathfinder_finds_the_cheapest_of_all_paths() -> None:
    rows, cols = 4, 5
    data, expected = made("ppc/pathfinder", rows=rows, cols=cols, pyramid=2)
    cheapest = np.full(cols, 10 * rows)
    for path in product(range(cols), repeat=rows):
        if max(abs(a - b) for a, b in pairwise(path)) <= 1:
            cost = sum(int(data["wall"][row, col]) for row, col in enumerate(path))
            cheapest[path[-1]] = min(cheapest[path[-1]], cost)
    assert np.array_equal(expected["cost"], cheapest)


def test_floydwarshall_agrees_with_dijkstra_and_its_nodes_lead_along_the_paths() -> None:
    csgraph = pytest.importorskip("scipy.sparse.csgraph")
    data, expected = made("ppc/floydwarshall", n=40)
    edges, distance, via = data["distance"], expected["distance"], expected["via"]
    graph = np.where(edges < FAR, edges, 0)  # what is 0 is no edge to SciPy
    shortest = csgraph.dijkstra(graph)
    assert np.array_equal(np.where(distance < FAR, distance, np.inf), shortest)
    for start, end in np.argwhere(distance < FAR):
        k = via[start, end]
        way = edges[start, end] if k < 0 else distance[start, k] + distance[k, end]
        assert way == distance[start, end]
    assert (via >= 0).any()


def test_dct_is_orthonormal_in_each_block() -> None:
    fft = pytest.importorskip("scipy.fft")
    data, expected = made("ppc/dct", width=24, height=16)
    for top, left in product(range(0, 16, 8), range(0, 24, 8)):
        block = np.s_[top : top + 8, left : left + 8]
        coefficients = fft.dctn(data["image"][block].astype(np.float64), norm="ortho")
        assert np.allclose(expected["out"][block], coefficients, rtol=0, atol=2e-3)
