"""The counts of a simulator, out of the rows of its engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..engine.causes import N_CAUSES, NAMES
from .lines import lines_of
from .mix import mix_of
from .occupancy import of_slots, of_table
from .races import stale_reads
from .samples import nonloop_branches
from .statistics import COUNTERS, Statistics

if TYPE_CHECKING:
    from ..simulation.simulator import Simulator


def collect(simulator: Simulator) -> Statistics:
    """Return the counts of a simulator up to now."""
    machine, rows, codes = simulator.machine, simulator.state.rows, list(simulator.codes)
    wpus, width = machine.wpus, machine.width
    cores = rows["wpu"]

    def total(name: str) -> int:
        return int(cores[name].sum())

    def causes(name: str) -> np.ndarray:
        return rows[name]["cycles"].reshape(wpus, N_CAUSES)

    def lanes(name: str) -> tuple[tuple[int, ...], ...]:
        return tuple(tuple(map(int, row)) for row in rows[name]["n"].reshape(-1, width))

    plain = [nonloop_branches(c.segments.table, c.seg_count) for c in codes]
    counters = dict(simulator.counters())
    return Statistics(
        cycles=simulator.cycles,
        wpus=wpus,
        warps=machine.warps,
        width=width,
        warp_instructions=total("n_warp_instr"),
        thread_instructions=total("n_thread_instr"),
        riding=total("n_riding"),
        dispatches=total("n_dispatch"),
        barriers=total("n_barrier"),
        issue_slots=_named(causes("slot_cycles").sum(axis=0)),
        warp_cycles=_named(causes("warp_cycles").sum(axis=0)),
        wpu_slots=tuple(_named(row) for row in causes("slot_cycles")),
        width_histogram=_summed(rows["width_count"], width),
        instruction_mix=mix_of(codes),
        branches=total("n_branch"),
        divergent_branches=total("n_branch_div"),
        nonloop_branches=sum(n for n, _ in plain),
        nonloop_divergent=sum(n for _, n in plain),
        accesses=total("n_access"),
        miss_accesses=total("n_miss"),
        divergent_accesses=total("n_miss_div"),
        missed_lanes=int(rows["lane_misses"]["n"].sum()),
        degree_histogram=_summed(rows["degree_count"], width),
        thread_misses=lanes("lane_misses"),
        stalling_misses=lanes("lane_stalls"),
        most_groups=int(cores["most_groups"].max()),
        group_cycles=total("group_cycles"),
        max_depth=int(simulator.state.S.max_depth),
        scheduler_slots=of_slots(simulator),
        wst_entries=of_table(simulator),
        **{name: counters.pop(key, 0) for key, name in COUNTERS.items()},
        other=counters,
        launches=tuple(simulator.launch_counts),
        intervals=tuple(simulator.samples.rest(simulator)),
        lines=tuple(line for code in codes for line in lines_of(code)),
        races=tuple(stale_reads(simulator)),
    )


def _named(cycles: np.ndarray) -> dict[str, int]:
    return dict(zip(NAMES, map(int, cycles), strict=True))


def _summed(rows: np.ndarray, width: int) -> tuple[int, ...]:
    return tuple(map(int, rows["cycles"].reshape(-1, width + 1).sum(axis=0)))
