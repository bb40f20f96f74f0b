"""Measurements of the host that decide how code is generated, each made once per host and version.

They take some milliseconds. The result is kept beside compiled code.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from ..llvm import cache
from ..llvm.toolchain import host_key


def kept(name: str, measure: Callable[[], int]) -> int:
    """Return the result of a measurement, which is not negative, from the cache or made now."""
    key = host_key(name)
    found = cache.load(key)
    if found is not None and found.isdigit():
        return int(found)
    result = measure()
    cache.store(key, str(result).encode())
    return result


def least_seconds(calls: Sequence[Callable[[int], object]], rounds: int) -> list[float]:
    """Return the least time that each call took of some rounds, in which they take turns.

    They are called with the number of the round.
    """
    best = [float("inf")] * len(calls)
    for i in range(rounds):
        for j, call in enumerate(calls):
            begin = time.perf_counter()
            call(i)
            best[j] = min(best[j], time.perf_counter() - begin)
    return best
