"""Subdivision on memory divergence: lanes that hit run ahead (DWS-09..12, MAWS-07..09).

Engine code. `S.memory_split` is the mode. NEVER_SPLIT never splits. AGGRESSIVE splits at every
access in which some lanes hit and some miss, LAZY only if no other group could hide the latency.
REVIVE splits as LAZY does, and also when the WPU stalls later: it then splits a group that was
suspended whole, by the hit mask of its access (DWS-12, and MAWS-08 by Q-MAWS-13). LATENCY splits
where that is expected to pay (`speculate`, MAWS-09). How the lanes of a group are split is in
run_ahead.py, those of a pack in pack_split.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..intrinsics import NEVER, ctz, device, drop_lowest, record, table

if TYPE_CHECKING:
    from ...machines.machine import Machine
    from ..causes import HIT, MEMORY, PIPELINE
    from ..groups import due_slots, wake
    from ..hooks import State, ahead_at, has_room, lanes_ahead, run_ahead, speculate
    from ..state import due, group, slot, wpu

NEVER_SPLIT = 0
AGGRESSIVE = 1
LAZY = 2
REVIVE = 3
LATENCY = 4

MODES = ("never", "aggressive", "lazy", "revive", "latency")

SUSPENDED = record(order="i8", until="i8")
suspended = table("suspended", SUSPENDED)
"""The suspension of a group: its number, which decides ties between candidates (Q-DWS-31); and the
cycle from which its lanes that hit can continue, served and out of the pipeline."""


@device
def on_access(S: State, w: int, g: int, t: int) -> int:
    """Let lanes of group g that hit run ahead if the mode splits here; see `hooks.on_access`."""
    S.suspensions += 1
    suspended(S, g).order = S.suspensions
    suspended(S, g).until = max(ahead_at(S, g), t + S.pipeline)
    mode = S.memory_split
    if mode == NEVER_SPLIT or lanes_ahead(S, g) == 0:
        return 0
    if (mode == LAZY or mode == REVIVE) and other_group_ready(S, w, g, t) == 1:
        return 0
    if has_room(S, w, group(S, g).warp) == 0:
        return 0
    if mode == LATENCY and speculate(S, w, g, t) == 0:
        return 0
    S.n_memory_split += 1
    until = suspended(S, g).until
    return wake(S, run_ahead(S, w, g), until, HIT)


@device
def other_group_ready(S: State, w: int, g: int, t: int) -> int:
    """Return 1 if a group but g can issue at t, or will without a miss (Q-DWS-8, Q-DWS-29)."""
    first = w * S.slots
    end = first + wpu(S, w).slots_used
    while first < end:
        rest = due_slots(S, first, end, NEVER - 1)
        while rest != 0:
            i = first + ctz(rest)
            rest = drop_lowest(rest)
            h = slot(S, i).group
            if h != g and (due(S, i).at <= t or waits_shortly(S, h) == 1):
                return 1
        first += 64
    return 0


@device
def waits_shortly(S: State, h: int) -> int:
    """Return 1 if group h waits for first-level hits only, or to leave the barrel."""
    cause = group(S, h).cause
    return 1 if cause == HIT or cause == PIPELINE else 0


@device
def on_stall(S: State, w: int, t: int) -> int:
    """Split the suspended group with the most served lanes (DWS-12); see `hooks.on_stall`."""
    if S.memory_split != REVIVE:
        return 0
    best = -1
    most = 0
    first = w * S.slots
    end = first + wpu(S, w).slots_used
    while first < end:
        rest = due_slots(S, first, end, NEVER - 1)
        while rest != 0:
            h = slot(S, first + ctz(rest)).group
            rest = drop_lowest(rest)
            if waits_shortly(S, h) == 1:
                return 0
            n_served = lanes_ahead(S, h)
            if n_served > most or (
                n_served == most and most > 0 and suspended(S, h).order > suspended(S, best).order
            ):
                best = h
                most = n_served
        first += 64
    if best < 0 or has_room(S, w, group(S, best).warp) == 0:
        return 0
    S.n_revive += 1
    until = suspended(S, best).until
    h = run_ahead(S, w, best)
    if until > t:
        wake(S, h, until, HIT)
    else:
        wake(S, h, t, MEMORY)
    return 1


def setup(machine: Machine) -> dict[str, Any]:
    """Return the mode, and a table that orders suspensions."""
    return {
        "memory_split": MODES.index(str(machine.policy["memory-split"])),
        "suspended": machine.wpus * machine.warps * machine.width,
        "suspensions": 0,
    }
