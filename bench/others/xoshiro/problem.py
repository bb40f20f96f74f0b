"""Random numbers of xoshiro256**: each work-item estimates the volume of a ball in f64."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 2003, "draws": 40}
SMALL = {"n": 51, "draws": 4}


def make(rng, n, draws):
    arrays = {"seed": rng.integers(0, 1 << 64, (n, 4), np.uint64), "out": np.zeros((n, 2))}
    return Problem(
        arrays, [Launch("xoshiro", (np.uint32(n), np.uint32(draws), *arrays), (n,))], ("out",)
    )


def rotated(x, by):
    return x << np.uint64(by) | x >> np.uint64(64 - by)


def answer(problem):
    a, b, c, d = problem.arrays["seed"].T.copy()
    out = np.zeros_like(problem.arrays["out"])
    for _ in range(problem.sizes.draws):
        square = 0.0
        for _ in range(2):
            r = rotated(b * np.uint64(5), 7) * np.uint64(9)
            t = b << np.uint64(17)
            c, d = c ^ a, d ^ b
            b, a = b ^ c, a ^ d
            c, d = c ^ t, rotated(d, 45)
            square = square + ((r >> np.uint64(11)) * 2.0**-53) ** 2
        inside = square < 1
        out += np.stack([inside, np.sqrt(np.where(inside, 1 - square, 0))], 1)
    return {"out": out}
