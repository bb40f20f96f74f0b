"""Angles between points, counted in bins that binary search finds (Parboil's tpacf)."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 768}
SMALL = {"n": 40}
BINS = 20


def make(rng, n):
    points = rng.normal(size=(3, n))
    points /= np.sqrt((points**2).sum(0))
    arrays = {
        "x": points[0].astype(np.float32),
        "y": points[1].astype(np.float32),
        "z": points[2].astype(np.float32),
        "edge": np.cos(np.linspace(0.05, 3.0, BINS)).astype(np.float32),
        "count": np.zeros(BINS + 1, np.uint32),
    }
    return Problem(arrays, [Launch("tpacf", (np.uint32(n), *arrays), (n,))], ("count",))


def answer(problem):
    a = problem.arrays
    p = np.stack([a["x"], a["y"], a["z"]]).astype(np.float64)
    dots = (p.T @ p)[np.triu_indices(p.shape[1], 1)]
    bins = np.searchsorted(-a["edge"].astype(np.float64), -dots, side="left")
    return {"count": np.bincount(bins, minlength=BINS + 1).astype(np.uint32)}


def wrong(got, expected, problem):
    """A pair at the edge of a bin may go either way."""
    return (abs(got.astype(np.int64) - expected) > 3) | (got.sum() != expected.sum())
