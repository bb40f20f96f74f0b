"""Measurements of the host that decide how code is generated, each kept per host and version.

They take some milliseconds. A clear result is kept beside compiled code when two processes have
found it one after the other: what else a host runs may make all calls of a millisecond slower.
Where a measurement is not clear the default is taken, or what the median says if there is none, and
a later process measures again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

from ..llvm import cache
from ..llvm.toolchain import host_key

Call = Callable[[int], object]
"""What is measured: some microseconds of work, called with the number of the turn.

A shorter call is mostly the call itself, whose time differs more between processes than that of
the work. A longer one is more often interrupted.
"""

BLOCKS, MOST_BLOCKS = 5, 15
"""Ratios that are measured, and the most of them where they leave a doubt."""

OUTSIDE = 5
"""One of so many ratios, at either end, does not count: other work ran then."""

MARGIN = 1.05
"""How far ratios must be from a limit."""

_ONCE = b"?"
"""What ends a result that one process has found."""

_TICK = 1e-9
"""The least time of a call, in seconds."""


class Gain(NamedTuple):
    """How many times as long one call takes as another."""

    value: float
    is_clear: bool = True
    """Whether all that counts is on one side of each limit, and not near it."""


def kept(
    name: str,
    measure: Callable[[], Gain],
    decide: Callable[[float], int],
    default: int | None = None,
) -> int:
    """Return what a gain decides, a number that is not negative, from the cache or measured now.

    A gain that is not clear decides for the default, or as any other if there is none, and is not
    kept. Other results are kept when the process that measured before had the same.
    """
    key = host_key(name)
    found = cache.load(key)
    if found is not None and found.isdigit():
        return int(found)
    gain = measure()
    result = decide(gain.value)
    if not gain.is_clear:
        return result if default is None else default
    payload = str(result).encode()
    cache.store(key, payload if found == payload + _ONCE else payload + _ONCE)
    return result


def compared(
    first: Call,
    second: Call,
    *,
    turns: int,
    limits: Sequence[float],
    factor: float = 1.0,
    clock: Callable[[], float] = time.perf_counter,
) -> Gain:
    """Measure how many times as long the first call takes as the second, times a factor.

    In a block they take some turns, and their least times have a ratio: both ran in the same
    moment. There are more blocks as long as their ratios are near a limit or on both sides of it.
    """
    ratios: list[float] = []
    while True:
        start = len(ratios) * turns
        one, other = _least_seconds((first, second), range(start, start + turns), clock)
        ratios.append(factor * one / other)
        if len(ratios) < BLOCKS:
            continue
        is_clear = _are_clear(ratios, limits)
        if is_clear or len(ratios) == MOST_BLOCKS:
            return Gain(sorted(ratios)[len(ratios) // 2], is_clear)


def _are_clear(ratios: Sequence[float], limits: Sequence[float]) -> bool:
    """Return whether ratios are on one side of each limit, but for a few at either end."""
    cut = len(ratios) // OUTSIDE
    counted = sorted(ratios)[cut : len(ratios) - cut]
    return all(counted[0] > limit * MARGIN or counted[-1] * MARGIN < limit for limit in limits)


def _least_seconds(
    calls: Sequence[Call], turns: Sequence[int], clock: Callable[[], float]
) -> list[float]:
    """Return the least time that each call took of some turns."""
    best = [float("inf")] * len(calls)
    for i in turns:
        for j, call in enumerate(calls):
            begin = clock()
            call(i)
            best[j] = min(best[j], clock() - begin)
    return [max(seconds, _TICK) for seconds in best]
