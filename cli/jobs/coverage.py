"""Coverage of arrays (`--check-coverage`): how much of each a run has written."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...emu.checks import Coverage
from ...emu.device import DeviceArray


@dataclass(frozen=True)
class Covered:
    """An array, how many of its elements were written, and the first one that was not.

    `first_gap` is an index for each dimension, or None where every element was written.
    """

    array: str
    elements: int
    written: int
    first_gap: tuple[int, ...] | None

    def to_dict(self) -> dict[str, object]:
        """Return the array for --json."""
        return {**vars(self), "first_gap": None if self.first_gap is None else [*self.first_gap]}

    def __str__(self) -> str:
        if not self.written:
            return f"{self.array}: nothing"
        if self.first_gap is None:
            return f"{self.array}: all of {self.elements:,} elements"
        index = ", ".join(map(str, self.first_gap))
        left = self.elements - self.written
        return (
            f"{self.array}: {self.written:,} of {self.elements:,} elements; "
            f"{left:,} never, the first is {self.array}[{index}]"
        )


def covered(coverage: Coverage, array: DeviceArray) -> Covered:
    """Return how much of an array in device memory was written."""
    gaps = coverage.unwritten(array.buffer, array.dtype.itemsize)
    first = tuple(map(int, np.unravel_index(gaps[0], array.shape))) if gaps.size else None
    return Covered(array.buffer.name, array.size, array.size - gaps.size, first)
