"""Jaro's similarity of pairs of names: letters that agree within a window, masks of those seen."""

import numpy as np
from peers.problem import Launch, Problem

FULL = {"n": 10007}
SMALL = {"n": 61}


def make(rng, n):
    a = rng.integers(97, 103, (n, 24), np.uint8)
    b = a.copy()
    change = rng.random((n, 24)) < 0.3
    b[change] = rng.integers(97, 103, change.sum(), np.uint8)
    b = np.where(rng.random((n, 1)) < 0.5, b, np.roll(b, 1, 1))
    arrays = {
        "a": a,
        "b": b,
        "na": rng.integers(3, 25, n, np.uint8),
        "nb": rng.integers(3, 25, n, np.uint8),
        "likeness": np.zeros(n, np.float32),
    }
    return Problem(arrays, [Launch("jaro", (np.uint32(n), *arrays), (n,))], ("likeness",))


def answer(problem):
    a, b, na, nb, _ = problem.arrays.values()
    rows = zip(a.tolist(), b.tolist(), na.tolist(), nb.tolist(), strict=True)
    return {"likeness": np.array([_jaro(x[:k], y[:m]) for x, y, k, m in rows], np.float32)}


def _jaro(a, b):
    reach = max(max(len(a), len(b)) // 2, 1) - 1
    free, matched = [True] * len(b), []
    for k, letter in enumerate(a):
        for j in range(max(k - reach, 0), min(k + reach + 1, len(b))):
            if free[j] and b[j] == letter:
                free[j] = False
                matched.append(letter)
                break
    if not matched:
        return 0.0
    others = [letter for letter, is_free in zip(b, free, strict=True) if not is_free]
    swaps = sum(x != y for x, y in zip(matched, others, strict=True)) // 2
    m = len(matched)
    return (m / len(a) + m / len(b) + (m - swaps) / m) / 3
