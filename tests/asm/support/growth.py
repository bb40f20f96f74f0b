"""How the time of a computation grows with its input, whatever speed and load of the machine."""

from __future__ import annotations

import time
from collections.abc import Callable

TRIES = 3
"""Measurements of each time: what disturbs one of them makes it longer, never shorter."""


def growth(work: Callable[[int], object], small: int, factor: int) -> float:
    """Return how many times as long an input takes that is `factor` times as large.

    That is about `factor` where the time is proportional, and its square where it is quadratic.
    """
    work(small)  # what is made once, such as tables, is made now
    return _seconds(work, small * factor) / _seconds(work, small)


def _seconds(work: Callable[[int], object], n: int) -> float:
    """Return the CPU's seconds for this thread, in which other processes do not count."""
    found = []
    for _ in range(TRIES):
        begun = time.thread_time()
        work(n)
        found.append(time.thread_time() - begun)
    return max(min(found), 1e-6)
