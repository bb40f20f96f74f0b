"""The bus to memory: one transfer at a time.

Engine code. Its time is counted in 1/256 cycles, so that any bandwidth is exact. Claims have dates
(docs/timing/memory.md, rule 4).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..intrinsics import device

if TYPE_CHECKING:
    from ...machines.machine import Machine
    from ..hooks import State, memory_date


@device
def bus_transfer(S: State, size: int, t: int) -> int:
    """Claim the bus for `size` bytes at t; return the cycle by which they have crossed it."""
    S.n_bus_bytes += size
    cost = (size * S.bus_cost + S.bus_bytes - 1) // S.bus_bytes
    end = max(t << 8, S.bus_free) + cost
    S.bus_free = max(memory_date(S) << 8, S.bus_free) + cost
    return (end + 255) >> 8


def setup(machine: Machine) -> dict[str, Any]:
    """Return the bandwidth (`bus_bytes` bytes take `bus_cost` 1/256 cycles) and the latency."""
    size, cycles = machine.bus.fraction
    return {
        "bus_free": 0,
        "bus_bytes": size,
        "bus_cost": cycles << 8,
        "bus_latency": machine.bus.latency,
        "n_bus_bytes": 0,
    }
