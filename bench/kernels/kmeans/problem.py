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


def distances(problem, dtype=np.float32):
    """Squared distance of every point (second index) from every centroid (first index)."""
    feat, cent = (problem.arrays[name].astype(dtype) for name in ("feat", "cent"))
    return np.stack([((feat - c[:, None]) ** 2).sum(axis=0) for c in cent])


def answer(problem):
    return {"label": distances(problem).argmin(axis=0).astype(np.int32)}


def wrong(got, expected, problem):
    """A point between two centroids may go either way."""
    moved = got != expected
    if moved.any() and got.min() >= 0 and got.max() < problem.sizes.k:
        exact, points = distances(problem, np.float64), np.arange(got.size)
        moved = ~np.isclose(exact[got, points], exact[expected, points], rtol=1e-5)
    return moved
