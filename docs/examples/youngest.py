"""Youngest first: the group that was made last goes first, so that new splits run ahead."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simtlab.timing.engine.intrinsics import device

if TYPE_CHECKING:
    from simtlab.timing.engine.hooks import State
    from simtlab.timing.engine.state import group


@device
def rank(S: State, w: int, g: int, t: int) -> int:
    """The least is picked: younger groups have greater sequence numbers."""
    return -group(S, g).seq
