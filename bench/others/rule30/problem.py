"""Rule 30 on a ring of cells, 32 a word: 16 generations, in workgroups of 100."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 100_000, "generations": 16}
SMALL = {"n": 210, "generations": 2}


def make(rng, n, generations):
    arrays = {"a": rng.integers(0, 1 << 32, n, np.uint32), "b": np.zeros(n, np.uint32)}
    launches = [
        Launch("rule30", (np.uint32(n), *names), (n,), (100,))
        for names in (("a", "b"), ("b", "a")) * (generations // 2)
    ]
    return Problem(arrays, launches, ("a", "b"))


def answer(problem):
    cell, before = np.unpackbits(problem.arrays["a"].view(np.uint8), bitorder="little"), None
    for _ in range(problem.sizes.generations):
        before, cell = cell, np.roll(cell, -1) ^ (cell | np.roll(cell, 1))
    both = (np.packbits(c, bitorder="little").view(np.uint32) for c in (cell, before))
    return dict(zip("ab", both, strict=True))
