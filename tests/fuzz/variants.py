"""Launches of a random loop with other numbers, by which it ends sooner, later, or never."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import numpy as np

from .launches import Fenced

TABLE_AT, SOURCE_AT = 4, 6
"""Arguments of the kernel: numbers that it loads, and the buffer that it reads."""


def variant(rng: random.Random, case: Fenced) -> Fenced:
    """Return a case with other numbers, and perhaps a source of another size."""
    changed = list(case.arrays)
    if rng.random() < 0.3:
        whole = case.arrays[SOURCE_AT]
        assert isinstance(whole, np.ndarray)
        size = whole.size + rng.choice((-1, -2, -4, -8, -64, 1, 4, 64))
        changed[SOURCE_AT] = np.resize(whole, max(1, size))
    for position, value in enumerate(changed):
        if not isinstance(value, np.ndarray):
            changed[position] = _other(rng, value) if rng.random() < 0.5 else value
        elif position == TABLE_AT:
            changed[position] = np.array(
                [_other(rng, v) if rng.random() < 0.5 else v for v in value], np.uint32
            )
    # Loops may not end.
    found = replace(case, arrays=tuple(changed), budget=rng.choice((100, 400, 400)))
    found.__dict__["module"] = case.module
    return found


def _other(rng: random.Random, value: Any) -> np.uint32:
    near = int(value) + rng.choice((-1, 1, 1, 2, -2, 3, 5, -7, 64))
    far = rng.choice((0, 1, 5, 20, (1 << 31) - 1, 1 << 31, (1 << 32) - 1, (1 << 32) - 4))
    return np.uint32((near if rng.random() < 0.7 else far) & 0xFFFF_FFFF)
