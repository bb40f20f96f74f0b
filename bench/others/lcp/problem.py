"""Longest common prefixes of neighbours in a suffix array: two places of a text, byte by byte."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 17}
SMALL = {"n": 400}


def make(rng, n):
    text = rng.integers(ord("a"), ord("c"), n, np.uint8)
    order = np.arange(n)
    rank, step = text.astype(np.int64), 1
    while True:
        later = np.append(rank[step:], np.full(min(step, n), -1))[:n]
        order = np.lexsort((later, rank))
        pairs = np.stack((rank[order], later[order]))
        new = np.append(0, (pairs[:, 1:] != pairs[:, :-1]).any(0).cumsum())
        rank[order] = new
        if new[-1] == n - 1:
            break
        step *= 2
    arrays = {"text": text, "suffix": order.astype(np.uint32), "lcp": np.zeros(n, np.uint32)}
    return Problem(arrays, [Launch("lcp", (np.uint32(n), *arrays), (n - 1,))], ("lcp",))


def answer(problem):
    text, n = problem.arrays["text"], problem.sizes.n
    suffix = problem.arrays["suffix"].astype(np.int64)
    one, other, length = suffix[:-1], suffix[1:], np.zeros(n, np.uint32)
    active = np.arange(n - 1)
    while active.size:
        i, j = one[active] + length[active], other[active] + length[active]
        inside = np.maximum(i, j) < n
        same = inside & (text[np.minimum(i, n - 1)] == text[np.minimum(j, n - 1)])
        active = active[same]
        length[active] += 1
    return {"lcp": length}
