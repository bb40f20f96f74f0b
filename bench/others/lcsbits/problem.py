"""The longest common subsequence of a word of 64 letters and each of many, by sums of 64 bits."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 14, "length": 48}
SMALL = {"n": 60, "length": 10}
LETTERS = 20


def make(rng, n, length):
    word = rng.integers(0, LETTERS, 64)
    mask = [sum(1 << k for k in range(64) if word[k] == letter) for letter in range(LETTERS)]
    arrays = {
        "mask": np.array(mask, np.uint64),
        "text": rng.integers(0, LETTERS, (n, length), np.uint8),
        "common": np.zeros(n, np.uint32),
    }
    launch = Launch("lcsbits", (np.uint32(n), np.uint32(length), *arrays), (n,), (48,))
    return Problem(arrays, [launch], ("common",))


def answer(problem):
    a = problem.arrays
    word = np.array([[m >> k & 1 for k in range(64)] for m in a["mask"].tolist()]).argmax(0)
    longest = np.zeros((65, problem.sizes.n), np.uint32)
    for letter in a["text"].T:
        before = longest.copy()
        for k in range(64):
            same = before[k] + 1
            longest[k + 1] = np.where(
                letter == word[k], same, np.maximum(before[k + 1], longest[k])
            )
    return {"common": longest[64]}
