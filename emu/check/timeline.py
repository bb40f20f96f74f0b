"""Stamps: the order in which the interpreter executed memory instructions.

An access is one int64: the stamp of its instruction in the upper half, the flat number of its
work-item in the lower half. Greater means later, and 0 means that there was none. Stamps never
repeat, so what earlier launches left in shadow memory needs no clearing.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field

import numpy as np

from ..engine import Work

Array = np.ndarray

STAMP = 32
"""Bits below the stamp."""

ITEM = np.int64((1 << STAMP) - 1)


@dataclass(slots=True)
class Launched:
    """A launch on the timeline: `pcs[i]` was executed at stamp `first + i`."""

    work: Work
    lanes_per_group: int
    first: int
    pcs: Array = field(default_factory=lambda: np.empty(1024, np.int32))


class Timeline:
    """All memory instructions of all launches, in the order of execution."""

    def __init__(self) -> None:
        self.now = 0
        self.launches: list[Launched] = []

    @property
    def current(self) -> Launched:
        """The launch that runs, or ran last."""
        return self.launches[-1]

    def begin(self, work: Work, lanes_per_group: int) -> int:
        """Begin a launch; return the floor of its accesses."""
        self.launches.append(Launched(work, lanes_per_group, self.now + 1))
        return self.floor

    @property
    def floor(self) -> int:
        """A number above every access until now, and below every later one."""
        return (self.now + 1) << STAMP

    def tick(self, pc: int) -> int:
        """Note that the instruction at `pc` is executed; return its stamp, in place."""
        self.now += 1
        launch = self.launches[-1]
        index = self.now - launch.first
        if index == launch.pcs.size:
            launch.pcs = np.concatenate([launch.pcs, np.empty_like(launch.pcs)])
        launch.pcs[index] = pc
        return self.now << STAMP

    def launch_of(self, access: int) -> Launched:
        """Return the launch of an access."""
        firsts = [launch.first for launch in self.launches]
        return self.launches[bisect_right(firsts, access >> STAMP) - 1]

    def pcs(self, accesses: Array) -> Array:
        """Return the pc of each access of the current launch."""
        return self.current.pcs[(accesses >> STAMP) - self.current.first]
