"""Splits: warp-splits and the table that limits them (policy/splits/splits.py)."""

from __future__ import annotations

from .declaration import State


def speculate(S: State, w: int, g: int, t: int) -> int:
    """Return 1 if the lanes of group g that hit at cycle t should run ahead, 0 to keep g whole.

    Called from `on_access` where `memory-split` is `latency` and the table has room (MAWS-09).
    """
    return 0


def on_split(S: State, g: int, h: int) -> int:
    """Divide the policy's counts of group g after some of its lanes have become group h."""
    return 0


def on_merge(S: State, g: int, h: int) -> int:
    """Combine the policy's counts of group h, which is about to merge into g, with those of g."""
    return 0


def on_leave(S: State, g: int) -> int:
    """Wake or schedule groups that depended on group g, which starts to wait or has returned.

    Called in two cases: g is about to wait for other splits of its warp (its lanes are not yet
    counted as waiting), or all its lanes have returned.
    """
    return 0


def may_pass(S: State, g: int) -> int:
    """Return 1 if group g continues alone at a branch at which splits wait for each other, else 0.

    Called where splits wait at conditional branches; the segment of g ends in the branch (DWS-19).
    """
    return 0


def on_full_table(S: State, w: int, g: int, taken: int, t: int) -> int:
    """Stop split g, whose branch diverges while the warp-split table is full; return 1 if it does.

    Called where a split has to divide (DWS-05) and `has_room` has refused. `taken` and t are as for
    `on_branch`. After 0 the split runs both paths in turn, on a stack of its own (Q-DWS-14).
    """
    return 0


def on_bypass(S: State, g: int, taken: int) -> int:
    """Decide how group g continues after a branch that it was allowed to pass and that diverged.

    Called after `may_pass` has returned 1. `taken` and the result are as for `on_branch`.
    """
    return 0


def on_wait(S: State, g: int) -> int:
    """Save the policy's counts of group g, which ends while its lanes wait for their warp."""
    return 0


def on_rejoin(S: State, g: int) -> int:
    """Add the saved counts of the lanes that waited to those of group g.

    The lanes are now lanes of g.
    """
    return 0
