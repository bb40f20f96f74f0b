"""What hooks may answer, and the first fault of a run.

Engine code, in the composition of a checked engine only (checks.py), before checking.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .intrinsics import NEVER, device

if TYPE_CHECKING:
    from ..compiler.checks import IN_PACKS
    from .hooks import State
    from .state import RUNNING, due, group, warp

# What is wrong, as in checks.FAULTS.
BROKEN_RULE = 8  # the status of the engine, after those of state.py
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
WAKES_NOBODY = 24
TOO_MANY_GROUPS = 25
LOSES_LANES = 26
NO_SUCH_LEAD = 27
NO_SUCH_SEGMENT = 28
OF_ANOTHER_WARP = 29


@device
def blame(S: State, fault: int, w: int, g: int, lanes: int, found: int, wanted: int) -> int:
    """Keep the first fault, with the hook that runs; stop the run."""
    S.status = BROKEN_RULE
    if S.fault == 0:
        S.fault = fault
        S.fault_hook = S.hook
        S.fault_w = w
        S.fault_g = g
        S.fault_lanes = lanes
        S.fault_found = found
        S.fault_wanted = wanted
    return 0


# --- what hooks answer


@device
def check_flag(S: State, w: int, g: int, answer: int) -> int:
    """Return a hook's answer that is 0 or 1."""
    if answer != 0 and answer != 1:
        return blame(S, NOT_A_FLAG, w, g, 0, answer, 0)
    return answer


@device
def check_place(S: State, w: int, g: int, answer: int) -> int:
    """Return a rank: a group whose rank is NEVER would never be picked."""
    if answer >= NEVER:
        return blame(S, NOT_A_PLACE, w, g, 0, answer, 0)
    return answer


@device
def check_count(S: State, w: int, g: int, answer: int) -> int:
    """Return a number of cycles or slots, which is not negative."""
    if answer < 0 or answer >= NEVER:
        return blame(S, NOT_A_COUNT, w, g, 0, answer, 0)
    return answer


@device
def check_date(S: State, w: int, g: int, answer: int, t: int) -> int:
    """Return a cycle that is not before t."""
    if answer < t:
        blame(S, IN_THE_PAST, w, g, 0, answer, t)
        return t
    return answer


@device
def check_chosen(S: State, w: int, g: int, answer: int, t: int) -> int:
    """Return the group that takes the turn of group g at t, if it can be picked."""
    first = w * S.warps * S.width
    if answer < 0 or answer >= S.wpus * S.warps * S.width:
        blame(S, NO_SUCH_GROUP, w, g, 0, answer, first)
        return g
    it = group(S, answer)
    if answer < first or answer >= first + S.warps * S.width:
        blame(S, OF_ANOTHER_WPU, w, g, 0, answer, first)
        return g
    if group_is_alive(S, answer) == 0:
        blame(S, ENDED, w, g, 0, answer, 0)
        return g
    if it.slot < 0:
        blame(S, WITHOUT_SLOT, w, g, it.mask, answer, 0)
        return g
    if due(S, it.slot).at > t:
        blame(S, NOT_READY, w, g, it.mask, answer, due(S, it.slot).at)
        return g
    if it.warp != group(S, g).warp and IN_PACKS == 0:
        blame(S, OF_ANOTHER_WARP, w, g, it.mask, answer, 0)
        return g
    return answer


@device
def check_woken(S: State, w: int, wakes: int, answer: int) -> int:
    """Return what `on_stall` answers: 1 only where it has woken or made a group."""
    if answer == 1 and S.wakes == wakes and S.status == RUNNING:
        return blame(S, WAKES_NOBODY, w, -1, 0, answer, 0)
    return answer


@device
def check_left(S: State, w: int, g: int, answer: int) -> int:
    """Return what `on_exit` answers: 0 ends a group, which must not have live lanes."""
    lanes = group(S, g).mask & warp(S, g // S.width).live
    if answer == 0 and lanes != 0 and group_is_alive(S, g) == 1 and S.status == RUNNING:
        return blame(S, LOSES_LANES, w, g, lanes, answer, 0)
    return answer


@device
def group_is_alive(S: State, g: int) -> int:
    """Whether a group exists: its bit is in the mask of its warp's groups."""
    return (warp(S, g // S.width).groups >> g % S.width) & 1


def setup(machine: object) -> dict[str, int]:
    """The hook that runs, how often groups were woken or made, and the first fault."""
    fields = ("hook", "w", "g", "lanes", "found", "wanted")
    return dict.fromkeys(("hook", "wakes", "fault", *(f"fault_{name}" for name in fields)), 0)
