"""Splits that wait for room in the warp-split table before they divide (Q-DWS-14, `stall`).

Engine code. A split whose branch diverges while the table is full has its paths on a stack of its
own, as in local_stack.py, but it runs none of them before the table has room. If all others wait
for such splits, nothing continues, and the run ends as a deadlock.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...intrinsics import ctz, device, drop_lowest, record, table

if TYPE_CHECKING:
    from ....machines.machine import Machine
    from ...causes import RECONVERGE
    from ...groups import park, wake
    from ...hooks import State
    from ...state import group, warp
    from .dws import branch_off
    from .local_stack import diverge_local, is_serial, local, local_level
    from .splits import fits

STALLED = record(yes="i8")
stalled = table("stalled", STALLED)
"""1 if a group waits for room. Index as the group."""
n_stalled = table("n_stalled", record(groups="i8"))
"""How many groups of a WPU wait for room."""


@device
def on_full_table(S: State, w: int, g: int, taken: int, t: int) -> int:
    """Stop split g at its divergent branch; see `hooks.on_full_table`."""
    diverge_local(S, g, taken)
    if is_serial(S, g) == 0:
        return 1
    S.n_wst_stall += 1
    stalled(S, g).yes = 1
    n_stalled(S, w).groups += 1
    park(S, g, RECONVERGE)
    return 1


@device
def on_turn(S: State, w: int, t: int) -> int:
    """Divide the splits of WPU w that wait for room, while the table has some."""
    if n_stalled(S, w).groups == 0:
        return 0
    for v in range(w * S.warps, (w + 1) * S.warps):
        groups = warp(S, v).groups
        while groups != 0:
            g = v * S.width + ctz(groups)
            groups = drop_lowest(groups)
            if stalled(S, g).yes == 1 and fits(S, w, v) == 1:
                divide_stalled(S, w, g, t)
    return 0


@device
def divide_stalled(S: State, w: int, g: int, t: int) -> int:
    """Make the paths on group g's own stack splits, and let them run."""
    stalled(S, g).yes = 0
    n_stalled(S, w).groups -= 1
    grp = group(S, g)
    bottom = local(S, g * S.local_depth)
    rest = bottom.mask & ~grp.mask
    # With one path on the stack the other lanes are at its end.
    s = bottom.seg if local_level(S, g).n == 2 else local(S, g * S.local_depth + 1).seg
    local_level(S, g).n = 0
    grp.mask |= rest
    branch_off(S, w, g, rest, s, t)
    return wake(S, g, t, RECONVERGE)


def setup(machine: Machine) -> dict[str, Any]:
    """Return a flag for each group, and their number for each WPU."""
    return {
        "stalled": machine.wpus * machine.warps * machine.width,
        "n_stalled": machine.wpus,
    }
