"""A turbo decoder's step: the best paths through eight states from both ends, for each bit."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 2000, "length": 32}
SMALL = {"n": 40, "length": 12}


def make(rng, n, length):
    arrays = {
        "soft": rng.normal(0, 1, (length, n)).astype(np.float32),
        "parity": rng.normal(0, 1, (length, n)).astype(np.float32),
        "result": np.zeros((length, n), np.float32),
    }
    launch = Launch("bcjr", (np.uint32(n), np.uint32(length), *arrays), (n,), (64,))
    return Problem(arrays, [launch], ("result",), rtol=1e-4, atol=1e-4)


def answer(problem):
    soft, parity, _ = problem.arrays.values()
    result = np.zeros_like(soft)
    length, n = soft.shape
    s = np.arange(8)
    flip = np.where(np.bitwise_count(s & 5) % 2, -1, 1)[:, None]
    ahead = [np.where(s == 0, 0.0, -100.0)[:, None] + np.zeros(n)]
    for t in range(length):
        sign = flip * parity[t]
        zero = ahead[-1][s // 2] + sign - soft[t]
        one = ahead[-1][s // 2 + 4] - sign + soft[t]
        ahead.append(np.maximum(zero, one))
    back = np.zeros((8, n))
    for t in reversed(range(length)):
        sign = flip * parity[t]
        other = (ahead[t][s // 2] + sign - soft[t] + back).max(0)
        best = (ahead[t][s // 2 + 4] - sign + soft[t] + back).max(0)
        result[t] = best - other
        low, high = sign - soft[t] + back, soft[t] - sign + back
        parts = [np.maximum(p[0::2], p[1::2]) for p in (low, high)]
        back = np.concatenate(parts)
    return {"result": result}
