"""Queens on a board: each work-item counts the solutions that begin with two given columns."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"side": 11}
SMALL = {"side": 5}


def make(rng, side):
    n = side * side
    arrays = {"count": np.zeros(n, np.uint32)}
    return Problem(arrays, [Launch("queens", (np.uint32(side), *arrays), (n,), (64,))], ("count",))


def answer(problem):
    side = problem.sizes.side

    def count(row, columns, left, right):
        if row == side:
            return 1
        free, total = ((1 << side) - 1) & ~(columns | left | right), 0
        while free:
            bit = free & -free
            free ^= bit
            total += count(row + 1, columns | bit, (left | bit) << 1, (right | bit) >> 1)
        return total

    counts = []
    for i in range(side * side):
        one, other = 1 << i // side, 1 << i % side
        if other & (one | one << 1 | one >> 1):
            counts.append(0)
        else:
            counts.append(count(2, one | other, (one << 1 | other) << 1, (one >> 1 | other) >> 1))
    return {"count": np.array(counts, np.uint32)}
