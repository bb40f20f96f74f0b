"""The checks of what hooks return, and the record of a run's first fault.

Engine code, in the composition of a checked engine only (checks.py), before checking.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .intrinsics import NEVER, device

if TYPE_CHECKING:
    from ..compiler.checks import IN_PACKS
    from .hooks import State
    from .state import RUNNING, due, group, warp

BROKEN_RULE = 8  # a status of the engine, after those of state.py

# Faults, as in checks.FAULTS.
NOT_A_FLAG = 1
NOT_A_PLACE = 2
NOT_A_COUNT = 3
IN_THE_PAST = 4
NO_SUCH_GROUP = 5
OF_ANOTHER_WPU = 6
ENDED = 7
WITHOUT_SLOT = 8
NOT_READY = 9
WAKES_EARLY = 10
NOT_LIVE = 11
IN_TWO_GROUPS = 12
ELSEWHERE = 13
DUE_EARLY = 14
BAD_SLOT = 15
ISSUES_ELSEWHERE = 16
ISSUES_EARLY = 17
OWES_ACCESS = 18
ACCESSES_TWICE = 19
NOT_AT_BARRIER = 20
HITS_OF_OTHERS = 21
HITS_LATE = 22
BOUNDARIES = 23
WOKE_NONE = 24
TOO_MANY_GROUPS = 25
LOSES_LANES = 26
NO_SUCH_LEAD = 27
NO_SUCH_SEGMENT = 28
OF_ANOTHER_WARP = 29


@device
def blame(S: State, fault: int, w: int, g: int, lanes: int, found: int, expected: int) -> int:
    """Keep the first fault with the hook that runs, and stop the run."""
    S.status = BROKEN_RULE
    if S.fault == 0:
        S.fault = fault
        S.fault_hook = S.hook
        S.fault_w = w
        S.fault_g = g
        S.fault_lanes = lanes
        S.fault_found = found
        S.fault_wanted = expected
    return 0


# --- what hooks return


@device
def check_flag(S: State, w: int, g: int, result: int) -> int:
    """Return a hook's `result` if it is 0 or 1."""
    if result != 0 and result != 1:
        return blame(S, NOT_A_FLAG, w, g, 0, result, 0)
    return result


@device
def check_place(S: State, w: int, g: int, result: int) -> int:
    """Return a rank, which must be below NEVER: a group with rank NEVER would never be picked."""
    if result >= NEVER:
        return blame(S, NOT_A_PLACE, w, g, 0, result, 0)
    return result


@device
def check_count(S: State, w: int, g: int, result: int) -> int:
    """Return a number of cycles or slots, which must be neither negative nor NEVER."""
    if result < 0 or result >= NEVER:
        return blame(S, NOT_A_COUNT, w, g, 0, result, 0)
    return result


@device
def check_date(S: State, w: int, g: int, result: int, t: int) -> int:
    """Return a cycle that must not be before t."""
    if result < t:
        blame(S, IN_THE_PAST, w, g, 0, result, t)
        return t
    return result


@device
def check_chosen(S: State, w: int, g: int, chosen: int, t: int) -> int:
    """Return the group that takes the turn of group g at t, if it can be picked; else g."""
    first = w * S.warps * S.width
    if chosen < 0 or chosen >= S.wpus * S.warps * S.width:
        blame(S, NO_SUCH_GROUP, w, g, 0, chosen, first)
        return g
    grp = group(S, chosen)
    if chosen < first or chosen >= first + S.warps * S.width:
        blame(S, OF_ANOTHER_WPU, w, g, 0, chosen, first)
        return g
    if group_is_alive(S, chosen) == 0:
        blame(S, ENDED, w, g, 0, chosen, 0)
        return g
    if grp.slot < 0:
        blame(S, WITHOUT_SLOT, w, g, grp.mask, chosen, 0)
        return g
    if due(S, grp.slot).at > t:
        blame(S, NOT_READY, w, g, grp.mask, chosen, due(S, grp.slot).at)
        return g
    if grp.warp != group(S, g).warp and IN_PACKS == 0:
        blame(S, OF_ANOTHER_WARP, w, g, grp.mask, chosen, 0)
        return g
    return chosen


@device
def check_woken(S: State, w: int, wakes: int, result: int) -> int:
    """Return the result of `on_stall`, 1 only if it has woken or made a group."""
    if result == 1 and S.wakes == wakes and S.status == RUNNING:
        return blame(S, WOKE_NONE, w, -1, 0, result, 0)
    return result


@device
def check_left(S: State, w: int, g: int, result: int) -> int:
    """Return the result of `on_exit`: 0 ends group g, which must then have no live lanes."""
    lanes = group(S, g).mask & warp(S, g // S.width).live
    if result == 0 and lanes != 0 and group_is_alive(S, g) == 1 and S.status == RUNNING:
        return blame(S, LOSES_LANES, w, g, lanes, result, 0)
    return result


@device
def group_is_alive(S: State, g: int) -> int:
    """Return 1 if group g exists: its bit is in the mask of its warp's groups."""
    return (warp(S, g // S.width).groups >> g % S.width) & 1


def setup(machine: object) -> dict[str, int]:
    """Return words for the current hook, the number of groups woken or made, and a fault."""
    fields = ("hook", "w", "g", "lanes", "found", "wanted")
    return dict.fromkeys(("hook", "wakes", "fault", *(f"fault_{name}" for name in fields)), 0)
