"""Chaining of matches, as minimap2 does it: dynamic programming with gap costs, read by read."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"reads": 301, "anchors": 50}
SMALL = {"reads": 9, "anchors": 12}


def make(rng, reads, anchors):
    step = rng.integers(1, 60, (reads, anchors))
    place = np.cumsum(step, axis=1)
    query = place + rng.integers(-20, 21, place.shape) + 1000
    query = np.where(rng.random(place.shape) < 0.2, rng.integers(1000, 4000, place.shape), query)
    arrays = {
        "place": place.astype(np.uint32),
        "query": query.astype(np.uint32),
        "score": np.zeros((reads, anchors), np.int32),
        "best": np.zeros(reads, np.uint32),
    }
    arguments = np.uint32(reads), np.uint32(anchors), *arrays
    return Problem(arrays, [Launch("chain", arguments, (reads,), (64,))], ("score", "best"))


def answer(problem):
    place, query, score, best = problem.arrays.values()
    score, best = score.copy(), best.copy()
    rows = zip(place.astype(int).tolist(), query.astype(int).tolist(), strict=True)
    for r, (x, y) in enumerate(rows):
        for i in range(len(x)):
            here, tried = 15, 0
            for j in range(i - 1, -1, -1):
                dx, dy = x[i] - x[j], y[i] - y[j]
                if tried == 25 or dx > 500:
                    break
                if dy <= 0 or dx <= 0 or dy > 500:
                    continue
                gap = abs(dx - dy)
                cost = gap // 4 + gap.bit_length() // 2
                here = max(here, score[r, j] + min(dx, dy, 15) - cost)
                tried += 1
            score[r, i] = here
        best[r] = score[r].argmax()
    return {"score": score, "best": best}
