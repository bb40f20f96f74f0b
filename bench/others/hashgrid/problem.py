"""Hash-grid encoding of points (Instant NGP): eight hashed corners of four grids, two floats."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 5003, "bits": 12}
SMALL = {"n": 101, "bits": 6}


def make(rng, n, bits):
    arrays = {name: rng.random(n).astype(np.float32) for name in "xyz"}
    arrays["table"] = rng.normal(size=(4, 2**bits, 2)).astype(np.float32)
    arrays["out"] = np.zeros((8, n), np.float32)
    scalars = np.uint32(n), np.uint32(2**bits - 1)
    launch = Launch("hashgrid", (*scalars, *arrays), (n,))
    return Problem(arrays, [launch], ("out",), rtol=1e-3, atol=1e-4)


def answer(problem):
    places = np.stack([problem.arrays[name] for name in "xyz"])
    table, out = (problem.arrays[name].astype(np.float64) for name in ("table", "out"))
    primes = np.array([1, 2654435761, 805459861], np.uint64)[:, None]
    for level in range(4):
        p = places * np.float32(8 << level)
        corner, f = np.floor(p).astype(np.uint64), (p - np.floor(p)).astype(np.float64)
        for k in range(8):
            step = np.array([k & 1, k >> 1 & 1, k >> 2], np.uint64)[:, None]
            at = np.bitwise_xor.reduce((corner + step) * primes, axis=0) % np.uint64(table.shape[1])
            weight = np.where(step, f, 1 - f).prod(0)
            out[level * 2 : level * 2 + 2] += weight * table[level, at].T
    return {"out": out.astype(np.float32)}
