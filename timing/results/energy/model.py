"""Energy of a simulation (DWS-23): counts times energies, and power times time.

Computed from whole numbers after the run, in a fixed order, so that it is the same on every host.
What an instruction costs is split as in Q-DWS-43: fetch and decode once for a group, the rest for
each active lane. Narrow splits therefore cost more for the same work.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .parameters import Parameters, load

if TYPE_CHECKING:
    from ...machines.machine import Machine
    from ..statistics import Statistics

WITH_TIME = ("clock", "leakage")
"""Parts that grow with time, whatever the machine does."""


@dataclass(frozen=True)
class Energy:
    """Energy by part, in nJ; `seconds` is the time that the machine took."""

    parts: dict[str, float]
    seconds: float

    @property
    def total(self) -> float:
        """All parts, in nJ."""
        return sum(self.parts.values())

    @property
    def time_share(self) -> float:
        """The share that grows with time: about 0.72 or more under Conv (Q-DWS-42)."""
        return sum(self.parts[p] for p in WITH_TIME) / self.total if self.total else 0.0

    @property
    def watts(self) -> float:
        """Mean power."""
        return self.total * 1e-9 / self.seconds if self.seconds else 0.0

    def to_dict(self) -> dict[str, object]:
        """Return the fields for JSON."""
        return {
            "nanojoules": self.total,
            "parts": dict(self.parts),
            "time_share": self.time_share,
            "watts": self.watts,
        }

    def __str__(self) -> str:
        shares = sorted(self.parts.items(), key=lambda pair: -pair[1])
        named = ", ".join(f"{name} {n / self.total:.0%}" for name, n in shares[:4] if n)
        return f"{self.total / 1e3:,.4g} µJ, {self.watts:.3g} W" + (f"; {named}" if named else "")


def energy_of(stats: Statistics, machine: Machine, parameters: Parameters | None = None) -> Energy:
    """Return what a simulation has cost. Dynamic energy goes with the square of the supply."""
    p = parameters or load()
    e, thread, mix = p.dynamic, stats.instruction_mix.thread, stats.instruction_mix
    lines = stats.l1_hits + stats.l1_misses + stats.mshr_merges
    picojoules = {
        "fetch and decode": stats.warp_instructions * e.fetch_decode,
        "L1I": stats.warp_instructions * e.l1i_access,
        "integer units": thread.get("int", 0) * e.int_op
        + thread.get("div", 0) * e.div_op
        + sum(thread.get(u, 0) for u in ("move", "id", "memory", "control", "sync")) * e.move_op,
        "float units": thread.get("float", 0) * e.float_op
        + thread.get("complex", 0) * e.complex_op,
        "registers": mix.register_reads * e.register_read + mix.register_writes * e.register_write,
        "result bus": mix.register_writes * e.result,
        "L1D": lines * e.l1d_access,
        "L2": (stats.l2_hits + stats.l2_misses + stats.l2_writebacks) * e.l2_access,
        "crossbar": stats.crossbar_bytes * e.crossbar_byte
        + (stats.crossbar_messages + stats.crossbar_lines) * e.crossbar_header,
        "memory bus": stats.bus_bytes * e.bus_byte,
    }
    supply = machine.vdd / p.vdd
    parts = {name: n * supply * supply / 1e3 for name, n in picojoules.items()}
    parts["DRAM"] = stats.dram_accesses * e.dram_access / 1e3  # it has a supply of its own
    seconds = stats.cycles / (machine.clock_ghz * 1e9)
    clock = machine.wpus * p.power.clock_per_wpu * machine.clock_ghz * supply * supply
    l1_kib = (machine.l1i.size + machine.l1d.size) / 1024
    leakage = supply * (
        machine.wpus
        * (
            p.power.leakage_per_wpu
            + machine.width * p.power.leakage_per_lane
            + l1_kib * p.power.leakage_per_l1_kib
        )
        + machine.l2.size / 1024 * p.power.leakage_per_l2_kib
    )
    parts["clock"] = clock * seconds * 1e6  # mW times seconds, in nJ
    parts["leakage"] = leakage * seconds * 1e6
    return Energy(parts, seconds)
