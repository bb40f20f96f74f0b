"""Memory with one latency and a bus; its controller is pipelined and reorders nothing.

Engine code (DWS Table 3).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..intrinsics import device

if TYPE_CHECKING:
    from ...machines.machine import Machine
    from ..hooks import State
    from .bus import bus_transfer


@device
def dram_access(S: State, address: int, size: int, write: int, t: int) -> int:
    """Claim the bus at t for `size` bytes; return the cycle at which they are transferred."""
    S.n_dram += 1
    S.n_dram_write += write
    bus_end = bus_transfer(S, size, t) + S.bus_latency
    return bus_end if write == 1 else bus_end + S.dram_latency + S.bus_latency


def setup(machine: Machine) -> dict[str, Any]:
    """Return the latency in cycles."""
    return {"dram_latency": machine.dram.latency, "n_dram": 0, "n_dram_write": 0}
