"""Angular correlation of points on a sphere: counts in bins that a search finds (Parboil)."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1024}
SMALL = {"n": 100}
BINS = 20


def make(rng, n):
    place = rng.standard_normal((3, n)).astype(np.float32)
    place /= np.sqrt((place * place).sum(0))
    edges = np.cos(np.radians(10 ** (np.arange(BINS) / 9.5))).astype(np.float32)
    edges[0] = 2
    arrays = {
        "edge": edges,
        "x": place[0].copy(),
        "y": place[1].copy(),
        "z": place[2].copy(),
        "bins": np.zeros(BINS, np.uint32),
    }
    launch = Launch("tpacf", (np.uint32(n), *arrays), (n,))
    return Problem(arrays, [launch], ("bins",))


def wrong(got, expected, problem):
    """A pair at an edge may be in either bin."""
    got, expected = got.astype(np.int64), expected.astype(np.int64)
    return abs(got - expected) > 4 + got.sum() // 20_000


def answer(problem):
    a = problem.arrays
    place = np.stack([a["x"], a["y"], a["z"]])
    dot = np.concatenate([place[:, i] @ place[:, :i] for i in range(problem.sizes.n)])
    place = np.searchsorted(-a["edge"], -dot, "right") - 1
    return {"bins": np.bincount(place, minlength=BINS).astype(np.uint32)}
