"""How often a word begins in each stretch of a text: Horspool's search, which skips by a table."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 1 << 12, "stretch": 512}
SMALL = {"n": 20, "stretch": 64}
WORD = np.frombuffer(b"pattern", np.uint8)


def make(rng, n, stretch):
    size = len(WORD)
    skip = np.full(256, size, np.uint8)
    skip[WORD[:-1]] = np.arange(size - 1, 0, -1)
    text = rng.choice(np.frombuffer(b"aabcdeefghilmnoprrsttu  ", np.uint8), n * stretch + size - 1)
    for place in rng.integers(0, n * stretch - size, n):
        text[place : place + size] = WORD
    arrays = {"word": WORD.copy(), "skip": skip, "text": text, "count": np.zeros(n, np.uint32)}
    arguments = (np.uint32(n), np.uint32(stretch), np.uint32(size), *arrays)
    return Problem(arrays, [Launch("horspool", arguments, (n,))], ("count",))


def answer(problem):
    windows = np.lib.stride_tricks.sliding_window_view(problem.arrays["text"], len(WORD))
    found = (windows == WORD).all(1).reshape(len(problem.arrays["count"]), -1)
    return {"count": found.sum(1).astype(np.uint32)}
