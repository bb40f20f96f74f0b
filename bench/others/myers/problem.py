"""Edit distances to one pattern of up to 64 letters, by Myers' bit vectors."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 13, "length": 48}
SMALL = {"n": 70, "length": 12}
PATTERN = 40


def make(rng, n, length):
    pattern = rng.integers(0, 4, PATTERN)
    where = np.zeros(4, np.uint64)
    for place, letter in enumerate(pattern):
        where[letter] |= np.uint64(1 << place)
    arrays = {
        "where": where,
        "text": rng.integers(0, 4, (length, n), np.uint8),
        "distance": np.zeros(n, np.uint32),
    }
    launch = Launch("myers", (np.uint32(n), np.uint32(length), np.uint32(PATTERN), *arrays), (n,))
    return Problem(arrays, [launch], ("distance",))


def answer(problem):
    a = problem.arrays
    pattern = [
        int(np.flatnonzero(a["where"] >> np.uint64(i) & np.uint64(1))[0]) for i in range(PATTERN)
    ]
    n = problem.sizes.n
    row = np.tile(np.arange(PATTERN + 1)[:, None], n)
    for j, letters in enumerate(a["text"], 1):
        new = np.empty_like(row)
        new[0] = j
        for i, letter in enumerate(pattern, 1):
            new[i] = np.minimum(
                np.minimum(new[i - 1], row[i]) + 1, row[i - 1] + (letters != letter)
            )
        row = new
    return {"distance": row[-1].astype(np.uint32)}
