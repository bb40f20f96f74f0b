"""Seconds that this process has spent to compile, for those who report how long a run took."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

_spent = 0.0


def compiling_seconds() -> float:
    """Return the seconds spent to compile native code until now."""
    return _spent


@contextmanager
def compiling() -> Iterator[None]:
    """Count the time of a block as time to compile."""
    global _spent
    started = time.perf_counter()
    try:
        yield
    finally:
        _spent += time.perf_counter() - started
