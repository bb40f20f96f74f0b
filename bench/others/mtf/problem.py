"""Move-to-front coding of 64 symbols, decoded: each work-item has a list in private memory."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 11, "length": 128}
SMALL = {"n": 20, "length": 16}


def make(rng, n, length):
    arrays = {
        "code": np.minimum(rng.geometric(0.2, (length, n)) - 1, 63).astype(np.uint8),
        "text": np.zeros((length, n), np.uint8),
    }
    return Problem(
        arrays, [Launch("mtf", (np.uint32(n), np.uint32(length), *arrays), (n,))], ("text",)
    )


def answer(problem):
    code = problem.arrays["code"].astype(np.intp)
    length, n = code.shape
    lists = np.tile(np.arange(64, dtype=np.uint8), (n, 1))
    text, places, rows = np.zeros((length, n), np.uint8), np.arange(64), np.arange(n)
    for k in range(length):
        text[k] = lists[rows, code[k]]
        moved = np.where((places > 0) & (places <= code[k][:, None]), np.roll(lists, 1, 1), lists)
        moved[:, 0] = text[k]
        lists = moved
    return {"text": text}
