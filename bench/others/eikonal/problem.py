"""Travel times of a front (the eikonal equation): tiles settle in group memory, up to 20 rounds."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"width": 112, "height": 80, "rounds": 20}
SMALL = {"width": 16, "height": 16, "rounds": 3}


def make(rng, width, height, rounds):
    before = np.full((height + 2, width + 2), 1000, np.float32)
    for _ in range(width * height // 200 + 1):
        before[rng.integers(1, height + 1), rng.integers(1, width + 1)] = rng.random()
    arrays = {
        "slow": rng.uniform(0.5, 2, (height, width)).astype(np.float32),
        "before": before,
        "after": before.copy(),
    }
    sizes = np.uint32(width), np.uint32(height), np.uint32(rounds)
    launch = Launch("eikonal", (*sizes, *arrays), (width, height), (16, 16))
    return Problem(arrays, [launch], ("after",), rtol=1e-4, atol=1e-4)


def answer(problem):
    slow, before, after = (a.astype(np.float64) for a in problem.arrays.values())
    height, width = slow.shape
    for ty in range(0, height, 16):
        for tx in range(0, width, 16):
            time, f = before[ty : ty + 18, tx : tx + 18].copy(), slow[ty : ty + 16, tx : tx + 16]
            for _ in range(problem.sizes.rounds):
                a = np.minimum(time[1:-1, :-2], time[1:-1, 2:])
                b = np.minimum(time[:-2, 1:-1], time[2:, 1:-1])
                off = abs(a - b)
                root = np.sqrt(np.maximum(2 * f * f - off * off, 0))
                new = np.where(off < f, (a + b + root) / 2, np.minimum(a, b) + f)
                time[1:-1, 1:-1] = np.minimum(time[1:-1, 1:-1], new)
            after[ty + 1 : ty + 17, tx + 1 : tx + 17] = time[1:-1, 1:-1]
    return {"after": after.astype(np.float32)}
