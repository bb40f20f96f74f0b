"""Tridiagonal systems by cyclic reduction in group memory, a system a group (CUDPP, SHOC)."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"systems": 512}
SMALL = {"systems": 2}
N = 256


def make(rng, systems):
    arrays = {name: rng.random((systems, N), np.float32) for name in "abcd"}
    arrays["b"] += np.float32(3)
    arrays["a"][:, 0] = 0
    arrays["c"][:, -1] = 0
    arrays["x"] = np.zeros((systems, N), np.float32)
    launch = Launch("cyclic", (np.uint32(systems), *arrays), (systems * N // 2,), (N // 2,))
    return Problem(arrays, [launch], ("x",), rtol=1e-3, atol=1e-4)


def answer(problem):
    a, b, c, d = (problem.arrays[name].astype(np.float64) for name in "abcd")
    b, d, x = b.copy(), d.copy(), np.zeros_like(d)
    for i in range(1, N):
        factor = a[:, i] / b[:, i - 1]
        b[:, i] -= factor * c[:, i - 1]
        d[:, i] -= factor * d[:, i - 1]
    x[:, -1] = d[:, -1] / b[:, -1]
    for i in range(N - 2, -1, -1):
        x[:, i] = (d[:, i] - c[:, i] * x[:, i + 1]) / b[:, i]
    return {"x": x.astype(np.float32)}
