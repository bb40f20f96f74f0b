"""The preference for another warp than the one picked last (DWS 4.5).

Engine code. At an access the WPU switches to another group, "preferably from a different warp": the
PCs of the running warp's splits are compared meanwhile.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..intrinsics import device

if TYPE_CHECKING:
    from ...machines.machine import Machine
    from ..hooks import State
    from ..state import group, wpu

LAST_WARP = 1 << 61
"""Above every order of the schedulers that know this preference."""


@device
def after_others(S: State, w: int, g: int, order: int) -> int:
    """Return group g's `order`, or a later one if its warp was picked last and the machine asks.

    `order` is below 2^61.
    """
    if S.other_warp_first == 1 and group(S, g).warp == wpu(S, w).last:
        return order + LAST_WARP
    return order


def setup(machine: Machine) -> dict[str, Any]:
    """Return whether the preference holds."""
    return {"other_warp_first": int(machine.other_warp_first)}
