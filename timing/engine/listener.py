"""A listener outside of the engine, in the composition only where a run is recorded.

Engine code. It calls Python at every event of the window, while the state is as the event left it,
and writes nothing, so that a recorded run takes the same cycles.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .intrinsics import NEVER, call3, device

if TYPE_CHECKING:
    from .hooks import State


@device
def on_event(S: State, kind: int, w: int, g: int, t: int) -> int:
    """Report event `kind` of group g to the listener, if t is within the window."""
    if t >= S.listen_begin and t < S.listen_end:
        call3(S.listener, kind | w << 8, g, t)
    return 0


def setup(machine: object) -> dict[str, int]:
    """Return the address of the listener, none yet, and its window."""
    return {"listener": 0, "listen_begin": 0, "listen_end": NEVER}
