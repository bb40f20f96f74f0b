"""The forward algorithm of a pair hidden Markov model: reads of 24 bases against strands of 32."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 12}
SMALL = {"n": 5}
READ, STRAND = 24, 32
KEEP, OPEN, CLOSE, EXTEND = 0.998, 0.001, 0.9, 0.1


def make(rng, n):
    strand = rng.integers(0, 4, (n, STRAND), np.uint8)
    read = strand[:, 4 : 4 + READ].copy()
    read[rng.random((n, READ)) < 0.1] = 0
    arrays = {
        "read": read,
        "error": (10 ** -rng.uniform(1, 4, (n, READ))).astype(np.float32),
        "strand": strand,
        "likelihood": np.zeros(n, np.float32),
    }
    launch = Launch("pairhmm", (np.uint32(n), *arrays), (n,), (64,))
    return Problem(arrays, [launch], ("likelihood",), rtol=1e-4, atol=0)


def answer(problem):
    a = problem.arrays
    n = len(a["read"])
    match, insert, delete = np.zeros((3, n, STRAND + 1))
    delete[:] = 1 / STRAND
    for i in range(READ):
        before = match, insert, delete
        match, insert, delete = np.zeros((3, n, STRAND + 1))
        error = a["error"][:, i].astype(np.float64)
        for j in range(1, STRAND + 1):
            prior = np.where(a["read"][:, i] == a["strand"][:, j - 1], 1 - error, error / 3)
            gaps = before[1][:, j - 1] + before[2][:, j - 1]
            match[:, j] = prior * (KEEP * before[0][:, j - 1] + CLOSE * gaps)
            insert[:, j] = OPEN * before[0][:, j] + EXTEND * before[1][:, j]
            delete[:, j] = OPEN * match[:, j - 1] + EXTEND * delete[:, j - 1]
    return {"likelihood": (match + insert)[:, 1:].sum(1).astype(np.float32)}
