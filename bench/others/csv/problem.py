"""The number in one field of each line of a table of text, where commas in quotes do not count."""

from itertools import pairwise

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 14}
SMALL = {"n": 80}
FIELD = 3


def make(rng, n):
    words = ("", "a", "name", '"x, y"', '"one, two, 3"', "17", "long word")
    picks, numbers = rng.integers(0, len(words), (n, 4)), rng.integers(0, 1 << 20, n)
    lines = [
        ",".join([words[k] for k in pick[:3]] + [str(number), words[pick[3]]]).encode() + b"\n"
        for pick, number in zip(picks.tolist(), numbers.tolist(), strict=True)
    ]
    arrays = {
        "start": np.append(0, np.cumsum([len(line) for line in lines])).astype(np.uint32),
        "text": np.frombuffer(b"".join(lines), np.uint8),
        "number": np.zeros(n, np.uint32),
    }
    launch = Launch("csv", (np.uint32(n), np.uint32(FIELD), *arrays), (n,), (1024,))
    return Problem(arrays, [launch], ("number",))


def answer(problem):
    start, text = problem.arrays["start"].tolist(), problem.arrays["text"].tobytes()
    numbers = []
    for i, j in pairwise(start):
        parts = text[i:j].split(b'"')
        parts[1::2] = (b"" for _ in parts[1::2])
        numbers.append(int(b"".join(parts).split(b",")[FIELD]))
    return {"number": np.array(numbers, np.uint32)}
