"""Extension of seeds without gaps, until the score has dropped by more than 12."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 10000, "length": 20000}
SMALL = {"n": 60, "length": 300}


def make(rng, n, length):
    query, subject = rng.integers(0, 20, (2, length), np.uint8)
    same = np.repeat(rng.random(length // 50) < 0.3, 50)
    subject[: len(same)][same] = query[: len(same)][same]
    query[-1] = subject[-1] = 24
    scores = rng.integers(-4, 3, (24, 24), np.int8)
    np.fill_diagonal(scores, 5)
    seed = rng.integers(0, length - 1, n, np.uint32)
    arrays = {
        "query": query,
        "subject": subject,
        "scores": scores,
        "seed_q": seed,
        "seed_s": seed,
        "best": np.zeros(n, np.int32),
    }
    return Problem(arrays, [Launch("xdrop", (np.uint32(n), *arrays), (n,))], ("best",))


def answer(problem):
    query, subject, scores, seed, _, _ = problem.arrays.values()
    best = np.zeros(len(seed), np.int32)
    for k, place in enumerate(seed):
        score, p = 0, int(place)
        while query[p] < 24 and subject[p] < 24:
            score += int(scores[query[p], subject[p]])
            best[k] = max(best[k], score)
            if score < best[k] - 12:
                break
            p += 1
    return {"best": best}
