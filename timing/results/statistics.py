"""Counts of a simulation, with all figures that the papers report (docs/statistics.md).

Counters are whole numbers; means, shares and rates are properties. All of them are the same on
every host.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

import numpy as np

from ...emu.frames import frame_of, pandas
from ...isa.errors import UsageError, either
from ...isa.quoting import shown
from ..engine.causes import BANK, HIT, L2, MEMORY, MSHR, NAMES
from .lines import LineCount
from .mix import InstructionMix
from .occupancy import Occupancy
from .races import StaleRead
from .samples import Interval, LaunchCount

WAITS_FOR_MEMORY = tuple(NAMES[c] for c in (HIT, BANK, MSHR, L2, MEMORY))

BUCKETS = ((0, 0), (1, 7), (8, 15), (16, 23), (24, 31), (32, 32))
"""Active lanes of 32, from and to: the utilisation classes of LWM Fig. 1 (Q-LWM-20)."""


def count(unit: str, text: str, source: str = "", *, counter: str = "") -> Any:
    """Return a field of `Statistics`; `counter` names its field `n_…` of the engine's header."""
    return field(
        default=0, metadata={"unit": unit, "text": text, "source": source, "counter": counter}
    )


def table(unit: str, text: str, source: str = "") -> Any:
    """Return a field of `Statistics` with more than one number."""
    return field(default=(), metadata={"unit": unit, "text": text, "source": source, "counter": ""})


@dataclass(frozen=True)
class Statistics:
    """Counts of all launches of a simulation. docs/statistics.md says what each one means."""

    # --- the run
    cycles: int = count("cycles", "clock at the end, the barriers between launches included")
    wpus: int = count("WPUs", "cores of the machine")
    warps: int = count("warps", "warp contexts of a WPU")
    width: int = count("lanes", "SIMD width")
    warp_instructions: int = count("instructions", "issued, per group", "DWS-25, PPC-13")
    thread_instructions: int = count("instructions", "issued, per active lane", "LWM-21")
    riding: int = count(
        "instructions", "jumps among them that took no lane of a sub-warp", "LWM-12"
    )
    dispatches: int = count("groups", "times that a group was picked")
    barriers: int = count("groups", "barriers issued, per group")
    issue_slots: Mapping[str, int] = table(
        "slots", "of all WPUs, by cause: one owner each", "DWS-25: % time waiting for memory"
    )
    warp_cycles: Mapping[str, int] = table("cycles", "of all warp contexts, by cause")
    wpu_slots: tuple[Mapping[str, int], ...] = table("slots", "by cause, WPU by WPU")
    width_histogram: tuple[int, ...] = table(
        "instructions", "issued with 0, 1 … active lanes", "DWS-25, LWM-21"
    )
    instruction_mix: InstructionMix = field(
        default_factory=InstructionMix,
        metadata={
            "unit": "instructions",
            "text": "by functional unit, per group and per lane; register words read and written",
            "source": "DWS-23",
            "counter": "",
        },
    )

    # --- branches
    branches: int = count("branches", "conditional ones issued", "DWS Table 1")
    divergent_branches: int = count("branches", "on which lanes disagreed", "DWS Table 1")
    nonloop_branches: int = count("branches", "that close or leave no loop", "MAWS Table 2")
    nonloop_divergent: int = count("branches", "on which lanes disagreed", "MAWS Table 2")

    # --- SIMD accesses
    accesses: int = count("accesses", "to global, private and readonly memory, per group")
    miss_accesses: int = count("accesses", "in which some lane missed", "DWS Table 1, MAWS Table 2")
    divergent_accesses: int = count(
        "accesses", "in which some lanes hit and some missed", "MAWS-02"
    )
    missed_lanes: int = count("lanes", "that missed, over all accesses")
    degree_histogram: tuple[int, ...] = table(
        "accesses", "divergent ones by the number of lanes that missed", "MAWS-16, MAWS Fig. 2"
    )
    thread_misses: tuple[tuple[int, ...], ...] = table(
        "misses", "of each warp context (rows, WPU after WPU) and lane"
    )
    stalling_misses: tuple[tuple[int, ...], ...] = table(
        "misses", "the same, in divergent accesses only: they stall other threads", "DWS Fig. 14"
    )

    # --- splits
    splits_branch: int = count("splits", "made by a branch", "DWS-25", counter="branch_split")
    splits_memory: int = count("splits", "made by an access", "DWS-25", counter="memory_split")
    revivals: int = count("splits", "made when nothing was ready", "DWS-12", counter="revive")
    merges_pc: int = count("merges", "at an equal PC", "DWS-08", counter="pc_merge")
    merges_stack: int = count(
        "merges", "at a re-convergence point", "DWS-07", counter="stack_merge"
    )
    wst_full: int = count("splits", "not made for lack of an entry", "DWS-18", counter="wst_full")
    unsplit: int = count(
        "accesses", "with some hits, left whole by prediction", "MAWS-09", counter="unsplit"
    )
    loop_bypasses: int = count("branches", "passed by a split", "MAWS-06", counter="loop_bypass")
    pc_comparisons: int = count(
        "comparisons", "of PCs, by the policy's hardware", "PPC-HW", counter="pc_comparison"
    )
    most_groups: int = count("groups", "alive at once on a WPU, at most", "DWS-25")
    group_cycles: int = count("cycles", "summed over all live groups", "DWS-25")
    max_depth: int = count("entries", "deepest re-convergence stack")
    wst_overflows: int = count(
        "splits", "made without an entry", "Q-DWS-14", counter="wst_overflow"
    )
    wst_stalls: int = count(
        "splits", "that waited for entries to divide", "Q-DWS-14", counter="wst_stall"
    )
    scheduler_slots: tuple[Occupancy, ...] = table(
        "groups", "with a scheduler slot, WPU by WPU", "DWS-25"
    )
    wst_entries: tuple[Occupancy, ...] = table(
        "entries", "of the warp-split table in use, WPU by WPU; empty without a table", "DWS-25"
    )

    # --- first level
    l1_hits: int = count("lines", "found in the first level", "DWS-22", counter="l1_hit")
    l1_misses: int = count("lines", "requested from the next level", "DWS-22", counter="l1_miss")
    mshr_merges: int = count("lines", "requested while in flight", "Q-DWS-27", counter="mshr_merge")
    mshr_full: int = count("lines", "that waited for an entry", "Q-DWS-4", counter="mshr_full")
    target_full: int = count(
        "lines", "that an entry had no room for", "DWS Table 3", counter="target_full"
    )
    victim_waits: int = count(
        "lines", "that waited because all of a set was in flight", counter="victim_wait"
    )
    miss_cycles: int = count(
        "cycles", "from request to data, summed over misses", "MAWS: MLP", counter="mshr_time"
    )
    miss_busy: int = count(
        "cycles", "with a miss in flight, summed over WPUs", "MAWS: MLP", counter="mshr_busy"
    )
    writebacks: int = count("lines", "written back by an L1", counter="writeback")
    bank_waits: int = count("cycles", "that lines waited for banks", "DWS 3.3", counter="bank_wait")
    fetch_hits: int = count("lines", "of code, found", counter="l1i_hit")
    fetch_misses: int = count("lines", "of code, requested", "Q-DWS-7", counter="l1i_miss")
    fetch_merges: int = count("lines", "of code, requested while in flight", counter="l1i_merge")

    # --- the second level and memory
    l2_hits: int = count("lines", "found in the second level", counter="l2_hit")
    l2_misses: int = count("lines", "requested from memory", counter="l2_miss")
    l2_merges: int = count("lines", "requested while in flight", counter="l2_merge")
    l2_mshr_full: int = count("lines", "that waited for an entry", counter="l2_mshr_full")
    l2_target_full: int = count("lines", "that an entry had no room for", counter="l2_target_full")
    l2_miss_cycles: int = count(
        "cycles", "from request to data, summed over misses", counter="l2_mshr_time"
    )
    l2_writebacks: int = count("lines", "written to memory", counter="l2_writeback")
    invalidations: int = count(
        "lines", "taken from an L1 by a writer", "DWS-22", counter="invalidate"
    )
    back_invalidations: int = count(
        "lines", "taken from an L1 by an L2 eviction", "Q-DWS-10", counter="back_invalidate"
    )
    forwards: int = count("lines", "that another L1 owned", "DWS-22", counter="forward")
    upgrades: int = count("lines", "that became writable", "DWS-22", counter="upgrade")
    crossbar_messages: int = count(
        "messages", "without a line, through the crossbar", counter="crossbar_message"
    )
    crossbar_lines: int = count("lines", "through the crossbar", counter="crossbar_data")
    crossbar_bytes: int = count("bytes", "through the crossbar", counter="crossbar_bytes")
    bus_bytes: int = count("bytes", "over the memory bus", counter="bus_bytes")
    dram_accesses: int = count("accesses", "to main memory", "DWS-23", counter="dram")
    dram_writes: int = count("accesses", "that wrote", "DWS-23", counter="dram_write")
    row_hits: int = count("accesses", "to an open row", "LWM-05", counter="row_hit")
    row_conflicts: int = count("accesses", "that opened a row", "LWM-05", counter="row_conflict")
    flushed_lines: int = count("lines", "written at barriers", "MAWS-13", counter="flush_line")
    stale_reads: int = count(
        "words",
        "read that another WPU had written since the last barrier",
        "Q-MAWS-20",
        counter="stale_read",
    )

    # --- tables
    other: Mapping[str, int] = table("", "counters that have no field of their own")
    launches: tuple[LaunchCount, ...] = table("", "counts of each launch")
    intervals: tuple[Interval, ...] = table("", "counts of each million cycles", "MAWS-16")
    lines: tuple[LineCount, ...] = table("", "counts of each line of each launched kernel")
    races: tuple[StaleRead, ...] = table("", "places of the first stale reads", "Q-MAWS-20")

    # --- derived values

    @property
    def ipc(self) -> float:
        """Thread-instructions per cycle, of all WPUs together (LWM-21: at most the lanes)."""
        return _ratio(self.thread_instructions, self.cycles)

    @property
    def warp_ipc(self) -> float:
        """Issued instructions per cycle and WPU."""
        return _ratio(self.warp_instructions, self.cycles * self.wpus)

    @property
    def splits(self) -> int:
        """Splits made at branches, at accesses, and later where a WPU stalled (DWS-25)."""
        return self.splits_branch + self.splits_memory + self.revivals

    @property
    def mean_width(self) -> float:
        """Mean active lanes of an issued instruction (DWS-25)."""
        return _ratio(self.thread_instructions - self.riding, self.warp_instructions)

    @property
    def memory_wait(self) -> float:
        """Share of issue slots in which a WPU waited for memory (DWS-Stat)."""
        waits = sum(self.issue_slots[name] for name in WAITS_FOR_MEMORY)
        return _ratio(waits, self.cycles * self.wpus)

    @property
    def utilisation(self) -> dict[str, float]:
        """Share of cycles by busy lanes of 32 (LWM Fig. 1; other widths in proportion)."""
        slots = self.cycles * self.wpus
        lanes = np.array(self.width_histogram or (0,), np.int64)
        found: dict[str, float] = {}
        for low, high in BUCKETS:
            name = str(low) if low == high else f"{low}-{high}"
            if high == 0:
                found[name] = _ratio(slots - int(lanes[1:].sum()), slots)
                continue
            share = [n * 32 // max(self.width, 1) for n in range(len(lanes))]
            # One lane of a wide warp is still a busy one.
            inside = [n for n, s in enumerate(share) if n and low <= max(1, s) <= high]
            found[name] = _ratio(int(lanes[inside].sum()), slots)
        return found

    @property
    def branch_intensity(self) -> str:
        """Class by mean active lanes of 32: above 30 low, below 20 high (LWM Table 2)."""
        return _class_of(-_ratio(32, max(self.width, 1)) * self.mean_width, -30, -20)

    @property
    def idle_intensity(self) -> str:
        """Class by cycles without an issue: below 20% low, above 40% high (LWM Table 2)."""
        return _class_of(self.utilisation["0"], 0.2, 0.4)

    @property
    def instructions_between_branches(self) -> float:
        """Per-group instructions for each conditional branch (DWS Table 1)."""
        return _ratio(self.warp_instructions, self.branches)

    @property
    def divergent_branch_share(self) -> float:
        """Share of conditional branches that diverged (DWS Table 1)."""
        return _ratio(self.divergent_branches, self.branches)

    @property
    def instructions_between_misses(self) -> float:
        """Per-group instructions for each access with a miss (DWS Table 1)."""
        return _ratio(self.warp_instructions, self.miss_accesses)

    @property
    def instructions_between_divergent_misses(self) -> float:
        """Per-group instructions for each divergent access (DWS Table 1)."""
        return _ratio(self.warp_instructions, self.divergent_accesses)

    @property
    def divergent_access_share(self) -> float:
        """Share of accesses with a miss that diverged (DWS Table 1 by Q-DWS-44; MAWS Table 2)."""
        return _ratio(self.divergent_accesses, self.miss_accesses)

    @property
    def per_million_cycles(self) -> dict[str, float]:
        """The rows of MAWS Table 2: counts per million cycles."""
        names = ("nonloop_branches", "nonloop_divergent", "miss_accesses", "divergent_accesses")
        return {name: _ratio(getattr(self, name) * 1_000_000, self.cycles) for name in names}

    @property
    def mlp(self) -> float:
        """Mean misses in flight of a WPU that has one: memory-level parallelism (MAWS)."""
        return _ratio(self.miss_cycles, self.miss_busy)

    @property
    def mshr_occupancy(self) -> float:
        """Mean MSHR entries in use of an L1, over all cycles."""
        return _ratio(self.miss_cycles, self.cycles * self.wpus)

    @property
    def l1_hit_rate(self) -> float:
        """Lines found in the L1, of all that were requested."""
        return _ratio(self.l1_hits, self.l1_hits + self.l1_misses + self.mshr_merges)

    @property
    def l2_hit_rate(self) -> float:
        """Lines found in the L2, of all that were requested there."""
        return _ratio(self.l2_hits, self.l2_hits + self.l2_misses)

    @property
    def row_hit_rate(self) -> float:
        """Accesses of main memory that found their row open (LWM-05)."""
        return _ratio(self.row_hits, self.row_hits + self.row_conflicts)

    @property
    def crossbar_bandwidth(self) -> float:
        """Bytes per cycle through the crossbar."""
        return _ratio(self.crossbar_bytes, self.cycles)

    @property
    def bus_bandwidth(self) -> float:
        """Bytes per cycle over the memory bus."""
        return _ratio(self.bus_bytes, self.cycles)

    @property
    def mean_scheduled(self) -> float:
        """Mean scheduler slots of a WPU that have a group (DWS-25)."""
        return _ratio(sum(o.cycles for o in self.scheduler_slots), self.cycles * self.wpus)

    @property
    def scheduler_full(self) -> float:
        """Share of cycles in which all scheduler slots of a WPU have a group (DWS-25)."""
        return _ratio(sum(o.full for o in self.scheduler_slots), self.cycles * self.wpus)

    @property
    def mean_wst_entries(self) -> float:
        """Mean entries of a warp-split table that are in use (DWS-25)."""
        return _ratio(sum(o.cycles for o in self.wst_entries), self.cycles * self.wpus)

    @property
    def wst_full_share(self) -> float:
        """Share of cycles in which all entries of a warp-split table are in use (DWS-25)."""
        return _ratio(sum(o.full for o in self.wst_entries), self.cycles * self.wpus)

    @property
    def mean_groups(self) -> float:
        """Mean live groups of a WPU (DWS-25: number of live splits)."""
        return _ratio(self.group_cycles, self.cycles * self.wpus)

    # --- forms

    def counts(self) -> dict[str, Any]:
        """Return the counters alone, for JSON, without those of single lines."""
        by_line = ("lines", "races")
        found = {f.name: getattr(self, f.name) for f in fields(self) if f.name not in by_line}
        found["launches"] = [asdict(x) for x in self.launches]
        found["intervals"] = [asdict(x) for x in self.intervals]
        for name in ("scheduler_slots", "wst_entries"):
            found[name] = [asdict(x) for x in getattr(self, name)]
        found["instruction_mix"] = self.instruction_mix.to_dict()
        return found

    def to_dict(self) -> dict[str, Any]:
        """Return counters and derived values, for JSON."""
        lines = [line.to_dict() for line in self.lines]
        races = [asdict(race) for race in self.races]
        derived = {n: getattr(self, n) for n in DERIVED}
        return {**self.counts(), **derived, "lines": lines, "races": races}

    def to_frame(self, which: str = "") -> Any:
        """Return a pandas DataFrame of `launches`, `intervals`, `lines`, or all single numbers.

        Raises UsageError without pandas.
        """
        forms = ("launches", "intervals", "lines")
        if which and (not isinstance(which, str) or which not in forms):
            raise UsageError(
                f"unknown table {shown(which)}: expected {either(forms)}", code="SIM515"
            )
        if which:
            rows = self.to_dict()[which]
            return pandas().json_normalize(rows) if rows else frame_of([])
        return frame_of([{k: v for k, v in self.to_dict().items() if isinstance(v, (int, float))}])

    def digest(self, memory: str) -> str:
        """Return eight digits over all counters and a memory digest: equal on every host."""
        content = json.dumps([memory, self.counts()], sort_keys=True)
        return f"{zlib.crc32(content.encode()):08x}"

    def __str__(self) -> str:
        from .report import text

        return text(self)

    def _repr_html_(self) -> str:
        from .report import page

        return page(self)


DERIVED = tuple(name for name, value in vars(Statistics).items() if isinstance(value, property))
"""Names of the derived values, in the order of the page."""

COUNTERS = {f.metadata["counter"]: f.name for f in fields(Statistics) if f.metadata["counter"]}
"""Field of the engine's header without its `n_` -> field of the statistics."""


def _class_of(value: float, low: float, high: float) -> str:
    return "low" if value < low else "high" if value > high else "medium"


def _ratio(a: int, b: int) -> float:
    return a / b if b else 0.0
