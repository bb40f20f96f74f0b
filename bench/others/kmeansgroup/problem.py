"""The nearest of 32 centroids in eight dimensions, which a group copies to its memory first."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 15}
SMALL = {"n": 256}
CENTROIDS, FEATURES = 32, 8


def make(rng, n):
    """`x` is by features, so that neighbours are side by side."""
    arrays = {
        "centroid": rng.random((CENTROIDS, FEATURES), np.float32),
        "x": rng.random((FEATURES, n), np.float32),
        "label": np.zeros(n, np.int32),
    }
    return Problem(
        arrays, [Launch("kmeansgroup", (np.uint32(n), *arrays), (n,))], ("label",), differing=1e-4
    )


def answer(problem):
    x, centroid = problem.arrays["x"], problem.arrays["centroid"]
    distance = np.zeros((CENTROIDS, x.shape[1]), np.float32)
    for f in range(FEATURES):
        distance += (x[f] - centroid[:, f, None]) ** 2
    return {"label": distance.argmin(0).astype(np.int32)}
