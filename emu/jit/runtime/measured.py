"""Measurements of the host that decide how code is generated, each made once per host and version.

They take some milliseconds. The result is kept beside compiled code.
"""

from __future__ import annotations

from collections.abc import Callable

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
