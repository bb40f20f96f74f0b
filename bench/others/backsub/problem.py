"""Background subtraction: each pixel's three normal distributions, matched, updated and sorted."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 6011}
SMALL = {"n": 203}
RATE = np.float32(0.05)


def make(rng, n):
    weight = np.sort(rng.dirichlet((2, 2, 2), n), axis=1)[:, ::-1].T
    mean = rng.integers(0, 256, (3, n))
    image = mean[rng.integers(0, 3, n), np.arange(n)] + rng.normal(0, 15, n)
    arrays = {
        "image": np.clip(image, 0, 255).astype(np.uint8),
        "weight": weight.astype(np.float32).copy(),
        "mean": mean.astype(np.float32),
        "variance": rng.uniform(10, 300, (3, n)).astype(np.float32),
        "mask": np.zeros(n, np.uint8),
    }
    launch = Launch("backsub", (np.uint32(n), RATE, *arrays), (n,))
    written = ("weight", "mean", "variance", "mask")
    return Problem(arrays, [launch], written, differing=0.001)


def answer(problem):
    image, *modes, mask = (problem.arrays[k].copy() for k in problem.arrays)
    weight, mean, variance = modes
    at, p, one = np.arange(len(mask)), image.astype(np.float32), np.float32(1)
    near = (p - mean) ** 2 < np.float32(6.25) * variance
    hit = np.where(near.any(0), near.argmax(0), 3)
    before = np.where(np.arange(3)[:, None] < hit, weight, 0).sum(0)
    mask[:] = np.where((hit == 3) | (before > 0.7), 255, 0)
    weight *= one - RATE
    found = at[hit < 3]
    m = hit[found]
    weight[m, found] += RATE
    share, off = RATE / weight[m, found], p[found] - mean[m, found]
    mean[m, found] += share * off
    spread = variance[m, found] + share * (off**2 - variance[m, found])
    variance[m, found] = np.maximum(spread, 4)
    for mode, new in zip(modes, (RATE, p, np.float32(225)), strict=True):
        mode[2] = np.where(hit == 3, new, mode[2])
    for k in (2, 1):
        swap = at[(hit == k) & (weight[k] > weight[k - 1])]
        hit[swap] = k - 1
        for mode in modes:
            mode[k, swap], mode[k - 1, swap] = mode[k - 1, swap], mode[k, swap].copy()
    return {"weight": weight, "mean": mean, "variance": variance, "mask": mask}
