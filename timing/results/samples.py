"""Counts over time: by launch, and at regular intervals of cycles (MAWS-16)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ...emu.engine import Work
from ...emu.geometry import Geometry
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


class Totals(NamedTuple):
    """The counts at the end of a launch, all launches together."""

    kernel: str
    geometry: Geometry
    end: int
    warp_instructions: bytes
    thread_instructions: bytes
    """int64, by WPU, as the others."""
    issue_slots: bytes
    """By WPU and cause. Sums are made when they are asked for: some launches are very short."""

    @staticmethod
    def now(simulator: Simulator, work: Work) -> Totals:
        """Return the counts up to now."""
        core = simulator.state.columns["wpu"]
        return Totals(
            work.kernel.name,
            work.geometry,
            simulator.cycles,
            core.n_warp_instr.tobytes(),
            core.n_thread_instr.tobytes(),
            simulator.state.columns["slot_cycles"].cycles.tobytes(),
        )


def launch_counts(totals: Iterable[Totals]) -> Iterator[LaunchCount]:
    """Yield the counts of each launch, from those at their ends."""
    begin, before = 0, np.zeros(2 + N_CAUSES, np.int64)
    for at_end in totals:
        counts = np.array(
            [
                np.frombuffer(at_end.warp_instructions, np.int64).sum(),
                np.frombuffer(at_end.thread_instructions, np.int64).sum(),
                *np.frombuffer(at_end.issue_slots, np.int64).reshape(-1, N_CAUSES).sum(axis=0),
            ]
        )
        warp_instructions, thread_instructions, *slots = (counts - before).tolist()
        yield LaunchCount(
            at_end.kernel,
            at_end.geometry.items,
            at_end.geometry.group_size,
            begin,
            at_end.end,
            warp_instructions,
            thread_instructions,
            dict(zip(NAMES, slots, strict=True)),
        )
        begin, before = at_end.end, counts


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
