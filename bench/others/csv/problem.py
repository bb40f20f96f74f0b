"""The third number of each line of a CSV file, and the sum of the line."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 14}
SMALL = {"n": 60}


def make(rng, n):
    fields = (rng.integers(-1000, 1000, (n, 6)) ** 3) // 10 ** rng.integers(0, 8, (n, 6))
    lines = [(",".join(map(str, row)) + "\n").encode() for row in fields.tolist()]
    start = np.zeros(n, np.uint32)
    start[1:] = np.cumsum([len(line) for line in lines])[:-1]
    arrays = {
        "start": start,
        "text": np.frombuffer(b"".join(lines), np.uint8).copy(),
        "third": np.zeros(n, np.int32),
        "total": np.zeros(n, np.int32),
    }
    return Problem(arrays, [Launch("csv", (np.uint32(n), *arrays), (n,))], ("third", "total"))


def answer(problem):
    lines = problem.arrays["text"].tobytes().decode().splitlines()
    fields = np.array([[int(field) for field in line.split(",")] for line in lines], np.int32)
    return {"third": fields[:, 2].copy(), "total": fields.sum(1, np.int32)}
