"""Whole kernels by native code and by the oracle."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from simtlab.emu.jit.launch.engine import execute
from simtlab.emu.oracle import oracle
from simtlab.emu.traps import Trap, TrapRecord

from ...support.oracle_work import make


def same(text: str, args: list[Any], **launch: Any) -> list[np.ndarray]:
    """Check that native code leaves the bytes that the oracle leaves, and return its arrays."""
    expected, given = _copied(args), _copied(args)
    oracle.run(make(text, expected, **launch))
    work = make(text, given, **launch)
    execute(work)
    for want, have in zip(expected, given, strict=True):
        if isinstance(want, np.ndarray):
            words = f"u{want.itemsize}"
            np.testing.assert_array_equal(have.view(words), want.view(words))
    return [a for a in given if isinstance(a, np.ndarray)]


def trap_alike(text: str, args: list[Any], **launch: Any) -> TrapRecord:
    """Check that native code ends a launch with a trap that the oracle has, and return it."""
    found = oracle.all_traps(make(text, _copied(args), **launch))
    with pytest.raises(Trap) as caught:
        execute(make(text, _copied(args), **launch))
    assert caught.value.record.key in found
    return caught.value.record


def _copied(args: list[Any]) -> list[Any]:
    return [a.copy() if isinstance(a, np.ndarray) else a for a in args]
