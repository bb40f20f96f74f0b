"""Records what happens, for a trace: in the composition only where one is wanted.

Engine code. It reads the state and writes nothing but its own records, so that a traced run takes
the same cycles. Python empties the records whenever the loop returns, which they make it do before
they are full.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .intrinsics import NEVER, device, record, table

if TYPE_CHECKING:
    from ..machines.machine import Machine
    from .account import EV_ACCESS
    from .hooks import State
    from .state import group, ready_at

EVENT = record(
    t="i8",
    mask="i8",
    hits="i8",
    ready="i8",
    seq="i8",
    g="i4",
    seg="i4",
    launch="i4",
    kind="i1",  # EV_ISSUE, EV_ACCESS or EV_DISPATCH
    w="i1",
    cause="i1",
)
trace = table("trace", EVENT)

TRACE_RECORDS = 1 << 13  # few enough to stay in a cache
TRACE_ROOM = 1 << 10
"""Records that one event of the loop may need, with much to spare."""


@device
def on_event(S: State, kind: int, w: int, g: int, t: int) -> int:
    """Record it, within the window."""
    if t < S.trace_begin or t >= S.trace_end:
        return 0
    if S.trace_length == TRACE_RECORDS:
        S.trace_lost += 1
        return 0
    it = group(S, g)
    row = trace(S, S.trace_length)
    row.t = t
    row.mask = S.accessed if kind == EV_ACCESS else it.mask
    row.hits = it.hits
    row.ready = ready_at(S, g).t
    row.seq = it.seq
    row.g = g
    row.seg = it.seg
    row.launch = S.launch
    row.kind = kind
    row.w = w
    row.cause = it.cause
    S.trace_length += 1
    if S.trace_length > TRACE_RECORDS - TRACE_ROOM:
        S.pause_at = 0
    return 0


def setup(machine: Machine) -> dict[str, Any]:
    """The records; the window is the whole run until Python says otherwise."""
    return {
        "trace": TRACE_RECORDS,
        "trace_length": 0,
        "trace_lost": 0,
        "trace_begin": 0,
        "trace_end": NEVER,
    }
