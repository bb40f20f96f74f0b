"""How many words a text has, a stretch of bytes a work-item."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 14, "length": 128}
SMALL = {"n": 100, "length": 20}


def make(rng, n, length):
    letters = np.frombuffer(b"abcdefghijklmnopqrstuvwxyz    \t\n", np.uint8)
    arrays = {"text": rng.choice(letters, n * length), "count": np.zeros(n, np.uint32)}
    launch = Launch("words", (np.uint32(n), np.uint32(length), *arrays), (n,))
    return Problem(arrays, [launch], ("count",))


def answer(problem):
    is_space = np.isin(problem.arrays["text"], list(b" \t\n\r"))
    starts = ~is_space & np.append(True, is_space[:-1])
    return {"count": starts.reshape(problem.sizes.n, -1).sum(1, dtype=np.uint32)}
