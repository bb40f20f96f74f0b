"""Large warps: rows that issue together, and their packs (policy/packs/large.py)."""

from __future__ import annotations

from .declaration import State


def on_row(S: State, v: int, before: int) -> int:
    """Make warp v the row that follows warp `before` in a large warp; -1: v is the first row."""
    return 0


def on_group_count(S: State, w: int) -> int:
    """Note that the number of WPU w's groups has changed, for a table that limits it (DWS-25)."""
    return 0


def on_resume(S: State, w: int, g: int, t: int) -> int:
    """Merge other ready packs of its large warp into pack g, which was picked at cycle t.

    Called from `on_dispatch`, after the wait of g is charged.
    """
    return 0


def gathers(S: State, w: int, g: int) -> int:
    """Let pack g wait for the others of its large warp: end it and return 1; 0 if all have arrived.

    Called at a re-convergence point, a conditional branch and a barrier, which all lanes of the
    stack's top entry reach together. The last pack to arrive becomes the whole large warp.
    """
    return 0


def leaves(S: State, w: int, g: int) -> int:
    """Return 1 if pack g has returned while other lanes of the stack's top entry are still live."""
    return 0
