"""Decoding of run lengths: a row of bytes a work-item, from pairs of a length and a byte."""

import numpy as np
from peers.problem import Launch, Problem

ROW = 512
FULL = {"rows": 1 << 12}
SMALL = {"rows": 12}


def make(rng, rows):
    pairs, start = [], [0]
    for _ in range(rows):
        lengths = rng.integers(1, 24, ROW, np.int64)
        ends = lengths.cumsum()
        count = int(np.searchsorted(ends, ROW)) + 1
        lengths[count - 1] -= ends[count - 1] - ROW
        values = rng.integers(0, 256, count)
        pairs.append(np.stack([lengths[:count], values], axis=1).astype(np.uint8))
        start.append(start[-1] + count)
    arrays = {
        "start": np.array(start, np.uint32),
        "pairs": np.concatenate(pairs),
        "text": np.zeros((rows, ROW), np.uint8),
    }
    return Problem(arrays, [Launch("rledecode", (np.uint32(rows), *arrays), (rows,))], ("text",))


def answer(problem):
    lengths, values = problem.arrays["pairs"].T
    return {"text": np.repeat(values, lengths).reshape(-1, ROW)}
