"""Happens-before among the accesses of a launch.

Barriers order the accesses of a workgroup: those before it happen before those after it. Between
workgroups nothing is ordered, except by a fence and two atomics (`clocks`). A launch happens before
the next one.
"""

from __future__ import annotations

import numpy as np

from .clocks import Clocks
from .timeline import ITEM

Array = np.ndarray


class Order:
    """Decides for a launch which earlier accesses happen before the current ones.

    `floor` is below every access of the launch. `clocks` are given where fences and atomics order
    accesses, too.
    """

    def __init__(self, floor: int, lanes_per_group: int, clocks: Clocks | None) -> None:
        self.floor = floor
        self.lanes_per_group = lanes_per_group
        self.clocks = clocks

    def unordered(self, earlier: Array, me: Array, floors: Array, *, is_local: bool) -> Array:
        """Return the positions where `earlier` does not happen before `me`, the current accesses.

        `floors` has for each current access a number below all accesses of its workgroup since the
        last barrier. `is_local` says that both are of one workgroup, as in group memory.
        """
        recent = earlier >= (floors if is_local else self.floor)
        if not recent.any():
            return np.empty(0, np.intp)
        at = np.flatnonzero(recent)
        before, now = earlier[at], me[at]
        race = (before & ITEM) != (now & ITEM)
        if not is_local:
            size = self.lanes_per_group
            foreign = (before & ITEM) // size != (now & ITEM) // size
            race &= foreign | (before >= floors[at])
        at = at[race]
        clocks = self.clocks
        if clocks is None or not at.size:
            return at
        before, now = earlier[at].tolist(), me[at].tolist()
        known = [clocks.knows(m, b) for b, m in zip(before, now, strict=True)]
        return at[~np.array(known, bool)]

    def limit(self, floors: Array, *, is_local: bool) -> Array | int:
        """Return a bound below which an access, and every access before it, is ordered."""
        return floors if is_local and self.clocks is None else self.floor
