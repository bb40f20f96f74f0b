"""The content that buffers had before a batch, of which work-items load (loads_first.py)."""

from __future__ import annotations

from array import array

import numpy as np

from .....isa.program import Kernel
from ....analysis.counting.independence import Reliance
from ...runtime.aligned import LINE, aligned_bytes
from ...runtime.context import (
    ATOMICS_ONLY,
    BASE,
    BUFFER_SLOTS,
    DELTA,
    LOADS_ONLY,
    SIZE,
    STORES_ONLY,
    WRITABLE,
    owners_slot,
    param_slot,
)

MOST_EACH_BATCH = 1 << 19
"""Bytes copied before each batch above which the interpreter's order takes less time."""


class Contents:
    """The content of the buffers of a launch; `context` has its places. Native code copies it."""

    region = 0, 0
    """Nothing is cleared."""

    def __init__(self, kernel: Kernel, relied: Reliance, context: np.ndarray) -> None:
        self._context = context
        self._slots = [
            (param_slot(p, BASE), param_slot(p, SIZE), owners_slot(len(kernel.params), p))
            for p in sorted(relied.before)
        ]
        self._memory = aligned_bytes(0)

    def begin_launch(self) -> None:
        """Make room for the buffers that parameters have in the launch."""
        context = self._context
        sizes = [-(-int(context[size]) // LINE) * LINE + LINE for _, size, _ in self._slots]
        if sum(sizes) > self._memory.size:
            self._memory = aligned_bytes(sum(sizes))
        place = self._memory.ctypes.data
        for (_, _, slot), size in zip(self._slots, sizes, strict=True):
            context[slot] = place
            place += size

    def end_launch(self) -> None:
        """End a launch; the room is kept for the next one."""

    def table(self, slots: array[int]) -> array[int]:
        """Return a table of buffers in which loads find the content, and stores the buffers."""
        found, bases = array("q", slots), slots[BASE::BUFFER_SLOTS]
        for base, _, slot in self._slots:
            if (address := int(self._context[base])) in bases:
                row = bases.index(address) * BUFFER_SLOTS
                rights = STORES_ONLY | ATOMICS_ONLY if found[row + WRITABLE] else LOADS_ONLY
                found.extend((*found[row : row + WRITABLE], rights))
                found[row + DELTA] = int(self._context[slot]) - address
                found[row + WRITABLE] = LOADS_ONLY
        return found
