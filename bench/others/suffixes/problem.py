"""Where patterns would be in a sorted array of a text's suffixes: halving, and bytes compared."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 14, "length": 1 << 16, "pattern": 12}
SMALL = {"n": 60, "length": 200, "pattern": 5}


def make(rng, n, length, pattern):
    text = rng.integers(97, 101, length, np.uint8)
    padded = np.append(text, np.zeros(64, np.uint8))
    windows = np.lib.stride_tricks.sliding_window_view(padded, 64)[:length]
    order = np.argsort(np.ascontiguousarray(windows).view("S64").ravel(), kind="stable")
    taken = rng.integers(0, length - pattern, n)
    patterns = text[taken[:, None] + np.arange(pattern)]
    arrays = {
        "suffix": order.astype(np.uint32),
        "text": text,
        "pattern": patterns,
        "place": np.zeros(n, np.uint32),
    }
    scalars = (np.uint32(n), np.uint32(length), np.uint32(pattern))
    return Problem(arrays, [Launch("suffixes", (*scalars, *arrays), (n,))], ("place",))


def answer(problem):
    a, length = problem.arrays, problem.sizes.pattern
    padded = np.append(a["text"], np.zeros(length, np.uint8))
    heads = padded[a["suffix"][:, None].astype(int) + np.arange(length)]
    words, wanted = (
        np.ascontiguousarray(k).view(f"S{length}").ravel() for k in (heads, a["pattern"])
    )
    return {"place": np.searchsorted(words, wanted).astype(np.uint32)}
