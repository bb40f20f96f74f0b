"""Memory of banks with an open row each, first come first served (LWM-05, Q-LWM-4).

Engine code. A request takes the bus for its bytes and then accesses its bank. The open row replies
after `row_hit` cycles and keeps the bank for as long as the bytes take the bus. So requests for one
row follow each other at the speed of the bus. Another row takes `row_conflict` cycles; the bank is
then busy for the difference of the two as well, the time to open the row. Addresses are row, bank,
column from the top: consecutive rows lie in different banks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..intrinsics import device, record, table

if TYPE_CHECKING:
    from ...machines.machine import Machine
    from ..hooks import State
    from .bus import bus_transfer

DRAM_BANK = record(
    row="i8",  # the open one, -1 for none
    free="i8",  # cycle from which it takes the next request
)
dram_bank = table("dram_bank", DRAM_BANK)


@device
def dram_access(S: State, address: int, size: int, write: int, t: int) -> int:
    """Claim bus and bank at t for `size` bytes; return the cycle at which they are transferred.

    Writes claim them in the same order, though nothing waits for them.
    """
    S.n_dram += 1
    S.n_dram_write += write
    bus_end = bus_transfer(S, size, t) + S.bus_latency
    number = address // S.row_bytes
    bank = dram_bank(S, number % S.dram_banks)
    row = number // S.dram_banks
    start = max(bus_end, bank.free)
    burst = (size * S.bus_cost + (S.bus_bytes << 8) - 1) // (S.bus_bytes << 8)
    bank.free = start + burst
    if row == bank.row:
        S.n_row_hit += 1
        reply_cycle = start + S.row_hit
    else:
        S.n_row_conflict += 1
        reply_cycle = start + S.row_conflict
        bank.free += S.row_conflict - S.row_hit
        bank.row = row
    return bus_end if write == 1 else reply_cycle + S.bus_latency


def setup(machine: Machine) -> dict[str, Any]:
    """Return geometry and latencies; no row is open."""
    dram = machine.dram
    banks = np.zeros(dram.banks, DRAM_BANK)
    banks["row"] = -1
    return {
        "dram_bank": banks,
        "dram_banks": dram.banks,
        "row_bytes": dram.row,
        "row_hit": dram.row_hit,
        "row_conflict": dram.row_conflict,
        "n_row_hit": 0,
        "n_row_conflict": 0,
        "n_dram": 0,
        "n_dram_write": 0,
    }
