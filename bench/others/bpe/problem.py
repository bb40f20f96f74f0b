"""Words in pieces (BPE): the best pair of neighbours is merged, as long as there is one."""

from itertools import pairwise

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 3000}
SMALL = {"n": 50}


def make(rng, n):
    """Sixteen letters, and 48 pieces of two letters or pieces."""
    rank = np.full((64, 64), 65535, np.uint16)
    pairs = set()
    while len(pairs) < 48:
        new = len(pairs) + 16
        pairs |= {tuple(rng.integers(0, new if new > 30 else 16, 2).tolist())}
    for r, pair in enumerate(sorted(pairs, key=max)):
        rank[pair] = r
    first = np.append(0, np.cumsum(rng.integers(1, 17, n))).astype(np.uint32)
    arrays = {
        "first": first,
        "letters": rng.integers(0, 16, first[-1], np.uint8),
        "rank": rank,
        "count": np.zeros(n, np.uint32),
        "pieces": np.zeros((n, 16), np.uint16),
    }
    return Problem(arrays, [Launch("bpe", (np.uint32(n), *arrays), (n,))], ("count", "pieces"))


def answer(problem):
    first, letters, rank, *others = problem.arrays.values()
    count, pieces = (np.zeros_like(array) for array in others)
    for i in range(len(count)):
        word = letters[first[i] : first[i + 1]].tolist()
        while len(word) > 1:
            ranks = [rank[pair] for pair in pairwise(word)]
            if min(ranks) == 65535:
                break
            place = int(np.argmin(ranks))
            word[place : place + 2] = [int(ranks[place]) + 16]
        count[i], pieces[i, : len(word)] = len(word), word
    return {"count": count, "pieces": pieces}
