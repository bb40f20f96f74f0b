"""Engine code in native code and as plain Python."""

from __future__ import annotations

from typing import Any

import numpy as np

from simtlab.timing.compiler.native.entry import ENTRY, Native
from simtlab.timing.compiler.native.translation import native_ir

FIELDS = {"x": 0, "p_cell": 1}
"""The header of the state: a word, and the address of a table."""

_COMPILED: dict[tuple[str, str], Native] = {}


def compiled(f: Any) -> Native:
    """Return a function `f(S, n)` as native code, which is called with the header's address."""
    key = f.__module__, f.__name__
    if key not in _COMPILED:
        ir = native_ir(f.__globals__, f.__name__, ENTRY, FIELDS)
        _COMPILED[key] = Native(lambda: ir, ir)
        _COMPILED[key].optimise()
    return _COMPILED[key]


def both(f: Any, *arguments: int) -> list[int]:
    """Return what `f` leaves in the words of its arguments, compiled; plain it does the same."""
    native, plain = (np.array(arguments, np.int64) for _ in range(2))
    compiled(f)(0, native.ctypes.data)
    f(None, plain.ctypes.data)
    assert native.tolist() == plain.tolist()
    return native.tolist()
