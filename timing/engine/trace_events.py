"""The recorder of events, in the composition only where a trace is wanted.

Engine code. It reads the state and writes nothing but its own records, so that a traced run takes
the same cycles. When the records are nearly full it makes the loop return to Python, which empties
them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .intrinsics import NEVER, device, record, table

if TYPE_CHECKING:
    from ..machines.machine import Machine
    from .account import EV_ACCESS, EV_DISPATCH
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
"""An upper bound on the records that one event of the loop makes."""


@device
def on_event(S: State, kind: int, w: int, g: int, t: int) -> int:
    """Record the event `kind` of group g at t, if t is within the window."""
    if kind > EV_DISPATCH or t < S.trace_begin or t >= S.trace_end:
        return 0
    if S.trace_length == TRACE_RECORDS:
        S.trace_lost += 1
        return 0
    grp = group(S, g)
    row = trace(S, S.trace_length)
    row.t = t
    row.mask = S.accessed if kind == EV_ACCESS else grp.mask
    row.hits = grp.hits
    row.ready = ready_at(S, g).t
    row.seq = grp.seq
    row.g = g
    row.seg = grp.seg
    row.launch = S.launch
    row.kind = kind
    row.w = w
    row.cause = grp.cause
    S.trace_length += 1
    if S.trace_length > TRACE_RECORDS - TRACE_ROOM:
        S.pause_at = 0
    return 0


def setup(machine: Machine) -> dict[str, Any]:
    """Return the records, and a window that Python may narrow."""
    return {
        "trace": TRACE_RECORDS,
        "trace_length": 0,
        "trace_lost": 0,
        "trace_begin": 0,
        "trace_end": NEVER,
    }
