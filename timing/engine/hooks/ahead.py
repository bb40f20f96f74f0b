"""Lanes that run ahead after a hit: those of a group or a pack (policy/memory_split.py)."""

from __future__ import annotations

from .declaration import State, where_used


@where_used
def has_room(S: State, w: int, v: int) -> int:
    """Return 1 if the warp-split table of WPU w has room for one more split of warp v, else 0.

    A refusal is counted in `S.n_wst_full`.
    """
    return 0


@where_used
def lanes_ahead(S: State, g: int) -> int:
    """Return how many served lanes of waiting group g may run ahead, 0 to keep it whole."""
    return 0


@where_used
def ahead_at(S: State, g: int) -> int:
    """Return the cycle at which the last lane of group g that may run ahead is served.

    Called right after the access of g, from `on_access`.
    """
    return 0


@where_used
def run_ahead(S: State, w: int, g: int) -> int:
    """Make the served lanes of group g a group of their own, scheduled but not woken; return it."""
    return 0


def on_revival(S: State, g: int, t: int) -> int:
    """Add the lanes of waiting group g that have been served by cycle t to its hits (Q-DWS-30).

    Called from `on_stall`, before `lanes_ahead`.
    """
    return 0


@where_used
def split_chosen(S: State, w: int, g: int) -> int:
    """Make the chosen lanes of pack g (`part(S, h).chosen` of each part h) a pack; return its lead.

    Not all lanes of the lead are chosen. The new pack is scheduled and waits as g does.
    """
    return 0
