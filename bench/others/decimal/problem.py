"""Numbers as decimal digits, at the end of twelve characters each."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 16}
SMALL = {"n": 200}


def make(rng, n):
    arrays = {
        "number": rng.integers(0, 1 << 32, n, np.uint32) >> rng.integers(0, 32, n, np.uint32),
        "text": np.full((n, 12), ord(" "), np.uint8),
    }
    return Problem(arrays, [Launch("decimal", (np.uint32(n), *arrays), (n,))], ("text",))


def answer(problem):
    lines = "".join(f"{number:12}" for number in problem.arrays["number"].tolist())
    return {"text": np.frombuffer(lines.encode(), np.uint8).reshape(-1, 12).copy()}
