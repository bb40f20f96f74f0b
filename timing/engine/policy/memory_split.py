"""Subdivision on memory divergence: lanes that hit run ahead (DWS-09..12, MAWS-07..09).

Engine code. `S.memory_split` is the mode. NEVER_SPLIT never splits. AGGRESSIVE splits at every
access in which some lanes hit and some miss, LAZY only if no other group could hide the latency.
REVIVE splits as LAZY does, and also when the WPU stalls later: it then splits a group that was
suspended whole, by the hit mask of its access (DWS-12, and MAWS-08 by Q-MAWS-13). LATENCY splits
where that is expected to pay (`speculate`, MAWS-09). How the lanes of a group are split is in
run_ahead.py, those of a pack in pack_split.py.

Without a free scheduler slot the run-ahead takes the one of the fall-behind (`slot-keeper`): a
split keeps its slot up to a synchronisation point (DWS 6.6), and the run-ahead is the one that
executes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..intrinsics import NEVER, bit, ctz, device, drop_lowest, record, table

if TYPE_CHECKING:
    from ...machines.machine import Machine
    from ..causes import HIT, MEMORY, PIPELINE
    from ..groups import due_slots, end_of_slots, hand_slot, wake
    from ..hooks import State, ahead_at, has_room, lanes_ahead, on_revival, run_ahead, speculate
    from ..state import due, group, slot

NEVER_SPLIT = 0
AGGRESSIVE = 1
LAZY = 2
REVIVE = 3
LATENCY = 4

MODES = ("never", "aggressive", "lazy", "revive", "latency")

WIDEST = 0
OLDEST = 1
YOUNGEST = 2

CANDIDATES = ("widest", "oldest", "youngest", "round-robin")
KEEPERS = ("fall-behind", "run-ahead")

SUSPENDED = record(order="i8", until="i8")
LAST_REVIVAL = record(slot="i8")
suspended = table("suspended", SUSPENDED)
"""The suspension of a group: its number, which decides ties between candidates (Q-DWS-31); and the
cycle from which its lanes that hit can continue, served and out of the pipeline."""
last_revival = table("last_revival", LAST_REVIVAL)
"""The slot of a WPU whose group was revived last."""


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
    return wake(S, divide(S, w, g), until, HIT)


@device
def divide(S: State, w: int, g: int) -> int:
    """Let the served lanes of group g run ahead as a group that keeps g's slot; return it."""
    h = run_ahead(S, w, g)
    if S.ahead_keeps_slot == 1:
        hand_slot(S, g, h)
    return h


@device
def other_group_ready(S: State, w: int, g: int, t: int) -> int:
    """Return 1 if a group but g can issue at t, or will without a miss (Q-DWS-8, Q-DWS-29)."""
    first = w * S.slots
    end = end_of_slots(S, w)
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
    """Return 1 if group h waits for first-level hits only, or to leave the barrel (Q-DWS-8)."""
    cause = group(S, h).cause
    return 1 if (cause == HIT and S.hits_wait == 0) or cause == PIPELINE else 0


@device
def on_stall(S: State, w: int, t: int) -> int:
    """Split the suspended group that `preference` puts first (DWS-12); see `hooks.on_stall`."""
    if S.memory_split != REVIVE:
        return 0
    best = -1
    most = 0
    first = w * S.slots
    end = end_of_slots(S, w)
    while first < end:
        rest = due_slots(S, first, end, NEVER - 1)
        while rest != 0:
            i = first + ctz(rest)
            h = slot(S, i).group
            rest = drop_lowest(rest)
            if waits_shortly(S, h) == 1:
                return 0
            on_revival(S, h, t)
            n_served = lanes_ahead(S, h)
            if n_served > 0:
                place = preference(S, w, h, i, n_served)
                if place > most:
                    best = h
                    most = place
        first += 64
    if best < 0 or has_room(S, w, group(S, best).warp) == 0:
        return 0
    S.n_revive += 1
    last_revival(S, w).slot = group(S, best).slot
    until = suspended(S, best).until
    h = divide(S, w, best)
    if until > t:
        wake(S, h, until, HIT)
    else:
        wake(S, h, t, MEMORY)
    return 1


@device
def preference(S: State, w: int, h: int, i: int, n_served: int) -> int:
    """Return a positive number, the highest for the group to be revived first (Q-DWS-31).

    Group h is in slot i and could let `n_served` lanes continue.
    """
    order = suspended(S, h).order
    if S.revive_first == WIDEST:
        return n_served << 48 | order
    if S.revive_first == OLDEST:
        return bit(48) - order
    if S.revive_first == YOUNGEST:
        return 1 + order
    # Slots take turns: the one after the last revival's is first.
    return S.slots - (i - last_revival(S, w).slot - 1 + S.slots) % S.slots


def setup(machine: Machine) -> dict[str, Any]:
    """Return the mode and its settings, and tables that order suspensions and revivals."""
    chosen, slots = machine.policy, machine.slots or machine.warps * machine.width
    return {
        "memory_split": MODES.index(str(chosen["memory-split"])),
        "ahead_keeps_slot": KEEPERS.index(str(chosen.get("slot-keeper", "run-ahead"))),
        "hits_wait": chosen.get("hits-wait", False),
        "revive_first": CANDIDATES.index(str(chosen.get("revive-first", "widest"))),
        "last_revival": np.array([(w + 1) * slots - 1 for w in range(machine.wpus)], LAST_REVIVAL),
        "suspended": machine.wpus * machine.warps * machine.width,
        "suspensions": 0,
    }
