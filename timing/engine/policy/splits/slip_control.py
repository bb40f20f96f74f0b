"""How many lanes of a warp may be left behind: what slip adapts to its WPU (DWS-21).

Engine code. Every `S.interval` cycles a WPU that has waited for memory for more than `raise-above`
per cent of them allows a lane more, else one that has issued in more than `lower-above` per cent a
lane less (Q-DWS-38, Q-DWS-39). It looks when it dispatches; a wait that is not over counts next
time.
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

LEASH = record(lanes="i8", waited="i8", issued="i8", until="i8")
leash = table("leash", LEASH)
"""Per WPU: lanes that a warp may leave behind; cycles that it has waited for memory, issued, and
been seen, all up to the last look."""


@device
def on_interval(S: State, w: int, t: int) -> int:
    """Look at what a WPU has done since the last time."""
    known = leash(S, w)
    waited = 0
    for cause in range(HIT, MEMORY + 1):
        waited += slot_cycles(S, w * N_CAUSES + cause).cycles
    issued = slot_cycles(S, w * N_CAUSES + ISSUED).cycles
    until = wpu(S, w).busy
    cycles = until - known.until
    if 100 * (waited - known.waited) > S.raise_above * cycles:
        known.lanes = min(known.lanes + 1, S.width - 1)
    elif 100 * (issued - known.issued) > S.lower_above * cycles:
        known.lanes = max(known.lanes - 1, 0)
    known.waited = waited
    known.issued = issued
    known.until = until
    return 0


def setup(machine: Machine) -> dict[str, Any]:
    """The thresholds, and what WPUs begin with: `max-div` lanes."""
    leashes = np.zeros(machine.wpus, LEASH)
    leashes["lanes"] = min(int(machine.policy["max-div"]), machine.width - 1)
    return {
        "leash": leashes,
        "raise_above": machine.policy["raise-above"],
        "lower_above": machine.policy["lower-above"],
    }
