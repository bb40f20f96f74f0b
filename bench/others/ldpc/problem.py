"""Decoding of a low-density parity check code by least magnitudes (min-sum): checks, bits."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 14, "rounds": 4}
SMALL = {"n": 128, "rounds": 2}
ROW, COLUMN = 6, 3


def make(rng, n, rounds):
    """Each of n bits is in three checks, each of n / 2 checks has six bits."""
    edges = rng.permutation(n * COLUMN).astype(np.uint32)
    prior = (rng.standard_normal(n) + 1.5).astype(np.float32)
    towards = np.zeros(n * COLUMN, np.float32)
    towards[edges] = np.repeat(prior, COLUMN)
    arrays = {
        "edge": edges.reshape(n, COLUMN),
        "prior": prior,
        "towards": towards,
        "back": np.zeros(n * COLUMN, np.float32),
    }
    checks = n * COLUMN // ROW
    launches = [
        Launch("checks", (np.uint32(checks), "towards", "back"), (checks,)),
        Launch("bits", (np.uint32(n), "edge", "prior", "back", "towards"), (n,)),
    ]
    return Problem(arrays, launches * rounds, ("towards", "back"), rtol=1e-4, atol=1e-4)


def answer(problem):
    a = problem.arrays
    towards, back = a["towards"].copy(), a["back"]
    for _ in range(problem.sizes.rounds):
        rows = towards.reshape(-1, ROW)
        sizes = np.abs(rows)
        order = np.sort(sizes, 1)
        others = np.where(np.arange(ROW) == sizes.argmin(1)[:, None], order[:, 1:2], order[:, :1])
        negative = rows < 0
        odd = negative.sum(1)[:, None] + negative & 1
        back = np.where(odd, -others, others).astype(np.float32).ravel() * np.float32(0.75)
        total = a["prior"] + back[a["edge"]].sum(1, dtype=np.float32)
        towards[a["edge"]] = total[:, None] - back[a["edge"]]
    return {"towards": towards, "back": back}
