"""How often a word is in each stretch of a text: Knuth, Morris and Pratt's search."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 12, "stretch": 256}
SMALL = {"n": 20, "stretch": 32}
WORD = np.frombuffer(b"abaabaab", np.uint8)


def make(rng, n, stretch):
    fail = np.zeros(len(WORD) + 1, np.uint32)
    k = 0
    for j in range(1, len(WORD)):
        while k and WORD[k] != WORD[j]:
            k = int(fail[k])
        k += int(WORD[k] == WORD[j])
        fail[j + 1] = k
    text = rng.choice(np.frombuffer(b"aaabbc", np.uint8), n * stretch)
    for place in rng.integers(0, n * stretch - 8, n):
        text[place : place + 8] = WORD
    arrays = {"word": WORD.copy(), "fail": fail, "text": text, "count": np.zeros(n, np.uint32)}
    arguments = (np.uint32(n), np.uint32(stretch), np.uint32(len(WORD)), *arrays)
    return Problem(arrays, [Launch("kmp", arguments, (n,))], ("count",))


def answer(problem):
    text = problem.arrays["text"].reshape(len(problem.arrays["count"]), -1)
    windows = np.lib.stride_tricks.sliding_window_view(text, len(WORD), 1)
    return {"count": (windows == WORD).all(2).sum(1).astype(np.uint32)}
