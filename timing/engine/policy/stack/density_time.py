"""Density-time execution: an instruction occupies units for its active lanes only.

Engine code, beside conv.py: a baseline from vector machines. With fewer units than lanes an
instruction takes ceil(lanes / units) issue slots; inactive lanes are skipped, so that divergence
costs less. `skip-masked` off is the machine without that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...intrinsics import device, popcount

if TYPE_CHECKING:
    from ....machines.machine import Machine
    from ...hooks import State
    from ...state import group


@device
def extra_slots(S: State, w: int, g: int, n: int) -> int:
    """Return the slots of n instructions of group g beyond the first of each."""
    lanes = popcount(group(S, g).mask) if S.skip_masked == 1 else S.width
    return n * ((lanes + S.units - 1) // S.units - 1)


def setup(machine: Machine) -> dict[str, Any]:
    """Return the units of a WPU, and whether masked lanes are skipped."""
    return {"units": machine.policy["units"], "skip_masked": machine.policy["skip-masked"]}
