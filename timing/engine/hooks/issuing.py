"""Issue: which group a WPU picks, and how it issues."""

from __future__ import annotations

from .declaration import State, required


def on_turn(S: State, w: int, t: int) -> int:
    """Bring the policy's state up to cycle t, before WPU w picks a group.

    Called at every dispatch, whether or not a group is ready. Warp formation lets warps that left
    the pipeline enter the pool here (LWM-17).
    """
    return 0


@required
def rank(S: State, w: int, g: int, t: int) -> int:
    """Return the place of group g among the groups of WPU w that are ready at cycle t.

    The group with the least value is picked. Ties go to the group in the lowest scheduler slot.
    The value must be below NEVER. Not called if only one group is ready. The files of schedule/
    fill it.
    """
    return 0


def is_urgent(S: State, w: int, g: int) -> int:
    """Return 1 if ready group g goes before all others, whatever the scheduler ranks first.

    Urgent groups among each other have the order of the scheduler.
    """
    return 0


def on_pick(S: State, w: int, g: int, t: int) -> int:
    """Note that WPU w has picked group g at cycle t: move a round-robin pointer or fetch group.

    Called after `stand_in`, so that g is the group that issues.
    """
    return 0


def stand_in(S: State, w: int, g: int, t: int) -> int:
    """Return the group that takes the turn of group g, which has won the ranking at cycle t.

    The result is g itself or another group of the same warp that has a scheduler slot and is ready
    at t (MAWS-04: the split that has issued least).
    """
    return g


@required
def issue(S: State, w: int, g: int, t: int) -> int:
    """Issue instructions of group g from cycle t until it stops, and set the next event of WPU w.

    A group stops at an access, a wait, its exit, or where the discipline gives the turn away. Then
    `stop(S, w, t)` sets the cycle of the next pick. The files of issue/ fill it.
    """
    return 0


def extra_slots(S: State, w: int, g: int, n: int) -> int:
    """Return the issue slots that n instructions of group g take beyond one each, 0 or more.

    Called when the instructions issue. The WPU issues nothing else in these cycles; they are
    charged to the units.
    """
    return 0


def on_stall(S: State, w: int, t: int) -> int:
    """Wake a waiting group of WPU w, on which no group is ready at cycle t, and return 1; else 0.

    Called when a dispatch finds nothing to pick while workgroups run. After 1 the WPU picks again
    at t. Return 1 only if a group was woken or made (DWS-12).
    """
    return 0


def on_dispatch(S: State, w: int, g: int, t: int) -> int:
    """Merge other ready groups into group g, which was picked at cycle t and ends its wait.

    Return the cycles from t after which g issues: 0, or what comparing PCs takes (Q-DWS-26). They
    are charged to re-convergence. Called before the wait is charged. If g waited for an access,
    `at_memory` is still 1 and its segment is still that of the access (DWS-08, Q-DWS-24).
    """
    return 0
