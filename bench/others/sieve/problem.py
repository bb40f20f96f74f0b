"""How many primes are in each segment of 8,192 numbers: a sieve in group memory."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"segments": 128}
SMALL = {"segments": 2}
SEGMENT = 8192


def primes(limit):
    flags = np.ones(limit, bool)
    flags[:2] = False
    for p in range(2, int(limit**0.5) + 1):
        if flags[p]:
            flags[p * p :: p] = False
    return np.flatnonzero(flags).astype(np.uint32)


def make(rng, segments):
    prime = primes(int((segments * SEGMENT) ** 0.5) + 1)
    arrays = {"prime": prime, "count": np.zeros(segments, np.uint32)}
    launch = Launch(
        "sieve", (np.uint32(segments), np.uint32(len(prime)), *arrays), (segments * 256,)
    )
    return Problem(arrays, [launch], ("count",))


def answer(problem):
    segments = len(problem.arrays["count"])
    count = np.bincount(primes(segments * SEGMENT) // SEGMENT, minlength=segments)
    return {"count": count.astype(np.uint32)}
