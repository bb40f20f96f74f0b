"""Sizes of intersections as roaring bitmaps have them: a sorted list with a set of 65,536 bits."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 3001, "sets": 40}
SMALL = {"n": 41, "sets": 3}


def make(rng, n, sets):
    lists = [np.unique(rng.integers(0, 65536, size)) for size in rng.integers(1, 300, n)]
    arrays = {
        "start": np.append(0, np.cumsum([len(x) for x in lists])).astype(np.uint32),
        "member": np.concatenate(lists).astype(np.uint16),
        "which": rng.integers(0, sets, n).astype(np.uint32),
        "bits": rng.integers(0, 2**32, (sets, 2048), np.uint32),
        "both": np.zeros(n, np.uint32),
    }
    return Problem(arrays, [Launch("roaring", (np.uint32(n), *arrays), (n,))], ("both",))


def answer(problem):
    start, member, which, bits, _ = problem.arrays.values()
    dense = np.unpackbits(bits.view(np.uint8), axis=1, bitorder="little")
    ends = zip(which, start[:-1], start[1:], strict=True)
    return {"both": np.array([dense[w][member[a:b]].sum() for w, a, b in ends], np.uint32)}
