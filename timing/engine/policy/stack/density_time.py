"""Density-time execution: an instruction occupies the lanes' units for those lanes that are active.

Engine code, beside conv.py: a baseline from vector machines. With fewer units than lanes an
instruction takes ceil(lanes / units) issue slots; lanes that are masked off are skipped, so that
divergence costs less. `skip-masked` off is the machine without that.
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
    """Slots beyond the first for each instruction."""
    lanes = popcount(group(S, g).mask) if S.skip_masked == 1 else S.width
    return n * ((lanes + S.units - 1) // S.units - 1)


def setup(machine: Machine) -> dict[str, Any]:
    """The units of a WPU."""
    return {"units": machine.policy["units"], "skip_masked": machine.policy["skip-masked"]}
