"""Time: intervals and events."""

from __future__ import annotations

from .declaration import State


def on_interval(S: State, w: int, t: int) -> int:
    """Adapt the policy to what WPU w has done since the last call (DWS-21).

    Called every `S.interval` cycles, at the next dispatch of the WPU, at cycle t.
    """
    return 0


def on_event(S: State, kind: int, w: int, g: int, t: int) -> int:
    """Record an event of group g on WPU w at cycle t, for a recording.

    `kind` is one of the EV_ constants of account.py.
    """
    return 0
