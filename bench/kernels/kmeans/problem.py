"""The nearest of k centroids for each point: uniform loops."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 100_000, "dims": 20, "k": 16}
SMALL = {"n": 300, "dims": 8, "k": 5}


def make(rng, n, dims, k):
    arrays = {
        "feat": rng.random((dims, n), np.float32),
        "cent": rng.random((k, dims), np.float32),
        "label": np.zeros(n, np.int32),
    }
    arguments = (*map(np.uint32, (n, dims, k)), "feat", "cent", "label")
    return Problem(arrays, [Launch("kmeans", arguments, (n,))], ("label",))


def distances(feat, cent):
    """Squared distance of every point (second index) from every centroid (first index)."""
    return np.stack([((feat - c[:, None]) ** 2).sum(axis=0) for c in cent])


def answer(problem):
    return {
        "label": distances(problem.arrays["feat"], problem.arrays["cent"])
        .argmin(axis=0)
        .astype(np.int32)
    }


def wrong(got, expected, problem):
    """A point between two centroids may go either way."""
    moved = got != expected
    if moved.any() and got.min() >= 0 and got.max() < problem.sizes.k:
        exact = distances(*(problem.arrays[name].astype(np.float64) for name in ("feat", "cent")))
        points = np.arange(got.size)
        moved = ~np.isclose(exact[got, points], exact[expected, points], rtol=1e-5)
    return moved
