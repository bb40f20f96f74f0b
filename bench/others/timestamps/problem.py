"""Times like `2026-11-28 02:32:37` in text become seconds since 1970, 64 bits; -1 if malformed."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 30007}
SMALL = {"n": 71}


def make(rng, n):
    times = rng.integers(0, 4_000_000_000, n)
    text = np.char.replace(times.astype("datetime64[s]").astype("S19"), b"T", b" ")
    text = text.view(np.uint8).reshape(n, 19).copy()
    bad = rng.random(n) < 0.05
    text[bad, rng.integers(0, 19, n)[bad]] = ord("x")
    arrays = {"text": text, "seconds": np.zeros(n, np.int64)}
    return Problem(arrays, [Launch("timestamps", (np.uint32(n), *arrays), (n,))], ("seconds",))


def answer(problem):
    text = problem.arrays["text"]
    good = (text != ord("x")).all(1)
    seconds = np.full(len(text), -1, np.int64)
    times = text[good].view("S19")[:, 0].astype(str).astype("datetime64[s]")
    seconds[good] = times.astype(np.int64)
    return {"seconds": seconds}
