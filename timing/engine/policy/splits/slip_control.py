"""The control of slip: how many lanes of a warp a WPU may leave behind (DWS-21).

Engine code. Every `S.interval` cycles a WPU compares what it has done. If it has waited for memory
in more than `raise-above` per cent of the cycles, it allows a lane more. Otherwise, if it has
issued in more than `lower-above` per cent, it allows a lane less (Q-DWS-38, Q-DWS-39). It decides
when it dispatches; a wait that has not ended counts next time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...intrinsics import device, record, table

if TYPE_CHECKING:
    from ....machines.machine import Machine
    from ...causes import HIT, ISSUED, MEMORY, N_CAUSES
    from ...hooks import State
    from ...state import slot_cycles, wpu

HELD_LIMIT = record(lanes="i8", waited="i8", issued="i8", until="i8")
held_limit = table("held_limit", HELD_LIMIT)
"""Per WPU: lanes that a warp may leave behind; cycles in which the WPU has waited for memory, has
issued, and all of its cycles, up to the last decision."""


@device
def on_interval(S: State, w: int, t: int) -> int:
    """Adapt the lanes that WPU w may leave behind to its cycles since the last decision."""
    limit = held_limit(S, w)
    waited = 0
    for cause in range(HIT, MEMORY + 1):
        waited += slot_cycles(S, w * N_CAUSES + cause).cycles
    issued = slot_cycles(S, w * N_CAUSES + ISSUED).cycles
    until = wpu(S, w).busy
    cycles = until - limit.until
    if 100 * (waited - limit.waited) > S.raise_above * cycles:
        limit.lanes = min(limit.lanes + 1, S.width - 1)
    elif 100 * (issued - limit.issued) > S.lower_above * cycles:
        limit.lanes = max(limit.lanes - 1, 0)
    limit.waited = waited
    limit.issued = issued
    limit.until = until
    return 0


def setup(machine: Machine) -> dict[str, Any]:
    """Return the thresholds, and `max-div` lanes for each WPU to begin with."""
    limits = np.zeros(machine.wpus, HELD_LIMIT)
    limits["lanes"] = min(int(machine.policy["max-div"]), machine.width - 1)
    return {
        "held_limit": limits,
        "raise_above": machine.policy["raise-above"],
        "lower_above": machine.policy["lower-above"],
    }
