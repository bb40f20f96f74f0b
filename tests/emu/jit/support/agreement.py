"""Whole kernels by native code and by the oracle."""

from __future__ import annotations

from typing import Any

import numpy as np

from simtlab.emu.jit.launch.engine import execute
from simtlab.emu.oracle import oracle

from ...support.oracle_work import make


def same(text: str, args: list[Any], **launch: Any) -> list[np.ndarray]:
    """Check that native code leaves the bytes that the oracle leaves, and return its arrays."""
    expected = [a.copy() if isinstance(a, np.ndarray) else a for a in args]
    given = [a.copy() if isinstance(a, np.ndarray) else a for a in args]
    oracle.run(make(text, expected, **launch))
    work = make(text, given, **launch)
    execute(work)
    for want, have in zip(expected, given, strict=True):
        if isinstance(want, np.ndarray):
            words = f"u{want.itemsize}"
            np.testing.assert_array_equal(have.view(words), want.view(words))
    return [a for a in given if isinstance(a, np.ndarray)]
