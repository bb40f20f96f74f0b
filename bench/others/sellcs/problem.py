"""A sparse matrix in SELL-32-sigma format times a vector: rows sorted by length, slices of 32."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 15, "longest": 32, "sigma": 512}
SMALL = {"n": 128, "longest": 8, "sigma": 64}
SLICE = 32


def make(rng, n, longest, sigma):
    length = rng.integers(1, longest, n)
    windows = length.reshape(-1, sigma)
    order = np.argsort(-windows, 1, kind="stable") + np.arange(0, n, sigma)[:, None]
    order = order.ravel()
    widths = length[order].reshape(-1, SLICE).max(1)
    start = np.append(0, (widths * SLICE).cumsum())
    value, col = np.zeros(start[-1], np.float32), np.zeros(start[-1], np.uint32)
    for i, row in enumerate(order.tolist()):
        places = start[i // SLICE] + i % SLICE + SLICE * np.arange(length[row])
        value[places] = rng.random(length[row], np.float32)
        col[places] = rng.integers(0, n, length[row])
    arrays = {
        "start": start.astype(np.uint32),
        "col": col,
        "value": value,
        "order": order.astype(np.uint32),
        "x": rng.random(n, np.float32),
        "y": np.zeros(n, np.float32),
    }
    return Problem(arrays, [Launch("sellcs", (np.uint32(n), *arrays), (n,))], ("y",))


def answer(problem):
    a, n = problem.arrays, problem.sizes.n
    widths = np.diff(a["start"]) // SLICE
    slices = np.repeat(np.arange(n // SLICE), widths * SLICE)
    rows = a["order"].reshape(-1, SLICE)[slices, np.arange(len(slices)) % SLICE]
    products = a["value"].astype(np.float64) * a["x"][a["col"]]
    return {"y": np.bincount(rows, products, n).astype(np.float32)}
