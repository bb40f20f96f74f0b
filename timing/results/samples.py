"""Counts over time: by launch, and at regular intervals of cycles (MAWS-16)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ...emu.engine import Work
from ...emu.jit.segments.table import SegmentKind
from ..engine.causes import N_CAUSES, NAMES
from ..engine.intrinsics import NEVER

if TYPE_CHECKING:
    from ..simulation.simulator import Simulator

SAMPLE = 1_000_000
"""Cycles of an interval, as in MAWS Table 2."""


@dataclass(frozen=True)
class LaunchCount:
    """A launch: its cycles, and what it issued."""

    kernel: str
    items: tuple[int, int, int]
    group_size: tuple[int, int, int]
    begin: int
    end: int
    warp_instructions: int
    thread_instructions: int
    issue_slots: dict[str, int]
    """By cause, over all WPUs."""

    @staticmethod
    def nothing() -> LaunchCount:
        """Return the counts before the first launch."""
        return LaunchCount("", (0, 0, 0), (0, 0, 0), 0, 0, 0, 0, dict.fromkeys(NAMES, 0))

    @staticmethod
    def now(simulator: Simulator, work: Work) -> LaunchCount:
        """Return the counts up to now, all launches together."""
        rows = simulator.state.rows
        slots = rows["slot_cycles"]["cycles"].reshape(-1, N_CAUSES).sum(axis=0)
        return LaunchCount(
            work.kernel.name,
            work.geometry.items,
            work.geometry.group_size,
            0,
            simulator.cycles,
            int(rows["wpu"]["n_warp_instr"].sum()),
            int(rows["wpu"]["n_thread_instr"].sum()),
            dict(zip(NAMES, map(int, slots), strict=True)),
        )

    def since(self, begun: LaunchCount) -> LaunchCount:
        """Return the counts since `begun`."""
        return LaunchCount(
            self.kernel,
            self.items,
            self.group_size,
            begun.end,
            self.end,
            self.warp_instructions - begun.warp_instructions,
            self.thread_instructions - begun.thread_instructions,
            {name: n - begun.issue_slots[name] for name, n in self.issue_slots.items()},
        )


@dataclass(frozen=True)
class Interval:
    """Counts of the cycles from the previous interval up to `end` (MAWS-16)."""

    end: int
    branches: int
    """Conditional ones that do not delimit loops."""
    divergent_branches: int
    misses: int
    """SIMD accesses of which some lane missed."""
    divergent_misses: int
    degree: tuple[int, ...]
    """Divergent accesses by the number of lanes that missed."""


class Samples:
    """Takes an interval's counts whenever the clock passes a multiple of `every` cycles."""

    def __init__(self, simulator: Simulator, every: int) -> None:
        self.every = every
        self.due = every or NEVER
        self.intervals: list[Interval] = []
        self._before = self._counts(simulator)

    def take(self, simulator: Simulator) -> None:
        """Close the interval that is due."""
        self.intervals.append(self._since(self.due, simulator))
        self.due += self.every

    def rest(self, simulator: Simulator) -> list[Interval]:
        """Return all intervals, with an unfinished one since the last."""
        before = self._before
        last = self._since(simulator.cycles, simulator)
        self._before = before
        return [*self.intervals, last] if self.every else []

    def _since(self, end: int, simulator: Simulator) -> Interval:
        now = self._counts(simulator)
        counts, degree = now[0] - self._before[0], now[1] - self._before[1]
        self._before = now
        branches, divergent, misses, divergent_misses = map(int, counts)
        degrees = tuple(map(int, degree))
        return Interval(end, branches, divergent, misses, divergent_misses, degrees)

    def _counts(self, simulator: Simulator) -> tuple[np.ndarray, np.ndarray]:
        rows, width = simulator.state.rows, simulator.machine.width
        plain = np.array([nonloop_branches(c.segments.table, c.seg_count) for c in simulator.codes])
        branches = plain.sum(axis=0) if len(plain) else np.zeros(2, np.int64)
        misses = rows["wpu"]["n_miss"].sum(), rows["wpu"]["n_miss_div"].sum()
        degree = rows["degree_count"]["cycles"].reshape(-1, width + 1).sum(axis=0)
        return np.array([*branches, *misses]), degree


def nonloop_branches(table: np.ndarray, counts: np.ndarray) -> tuple[int, int]:
    """Return (executed, divergent) conditional branches that do not close or leave a loop."""
    plain = (table["kind"] == SegmentKind.BRANCH) & (table["loop"] == 0)
    return int(counts["runs"][plain].sum()), int(counts["n_div"][plain].sum())
