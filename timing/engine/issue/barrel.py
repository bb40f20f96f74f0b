"""The barrel: an instruction of one warp, then of another (LWM-01, LWM-02).

Engine code; takes segments of one instruction. A group that is fetched at t is not fetched again
before it has left the pipeline, at t + `S.pipeline`. Nothing in between is seen from outside, so
that all of an instruction happens at its fetch: latencies of memory count from there (S-LWM-F8).

What takes a unit or port longer than a cycle stalls the pipeline: the next fetch, and the group's
own, are so many *bubbles* later (Q-LWM-8, Q-LWM-18).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..intrinsics import device, popcount

if TYPE_CHECKING:
    from ..account import charge_bubbles, charge_issue, charge_warp
    from ..causes import BANK, HIT, MEMORY, PIPELINE, UNIT
    from ..groups import wake
    from ..hooks import State, extra_slots, on_memory_pc
    from ..loop import stop, tell_of_misses, touch
    from ..memory.private import chip_access, is_on_chip
    from ..state import (
        RUNNING,
        SEG_ACCESS,
        SEG_EXIT,
        group,
        seg,
        warp,
    )
    from .execute import execute, finish


@device
def issue(S: State, w: int, g: int, t: int) -> int:
    """Issue one instruction of a group at cycle t; see `hooks.issue`."""
    it = group(S, g)
    if execute(S, w, g, t) == 0:
        return 0
    s = it.seg
    row = seg(S, s)
    lanes = it.mask
    charge_issue(S, w, g, s, 1, popcount(lanes), t)
    next_fetch = t + 1
    bubbles = row.n_complex * S.complex_bubbles + extra_slots(S, w, g, 1)
    if bubbles > 0:
        next_fetch += bubbles
        charge_bubbles(S, w, g, UNIT, bubbles)
    if row.kind == SEG_ACCESS:
        if is_on_chip(S, row.space) == 0:
            next_fetch = access_from_fetch(S, w, g, next_fetch - 1)
            return 0 if S.status != RUNNING else stop(S, w, next_fetch)
        next_fetch = chip_access(S, w, g, next_fetch)
    out = next_fetch + S.pipeline - 1
    if row.kind == SEG_EXIT and lanes == warp(S, it.warp).live:
        # The warp occupies its context until its last instruction has left the pipeline.
        charge_warp(S, w, s, PIPELINE, out - next_fetch)
        warp(S, it.warp).busy = out
    goes_on = finish(S, w, g, out)
    if S.status != RUNNING:
        return 0
    if goes_on == 1:
        wake(S, g, out, PIPELINE)
    return stop(S, w, next_fetch)


@device
def access_from_fetch(S: State, w: int, g: int, t: int) -> int:
    """The access of an instruction that was fetched at t; the cycle of the next fetch."""
    it = group(S, g)
    it.at_memory = 1
    on_memory_pc(S, w, g, t)
    lanes = it.mask & ~it.done
    ready = touch(S, w, g, lanes, t)
    if S.status != RUNNING:
        return t
    bubbles = S.access_bubbles
    if bubbles > 0:
        charge_bubbles(S, w, g, BANK, bubbles)
    out = t + bubbles + S.pipeline
    if ready > out:
        wake(S, g, ready, HIT if S.access_hits == lanes else MEMORY)
    else:
        it.until_bank = 0
        it.until_mshr = 0
        it.until_l2 = 0
        wake(S, g, out, PIPELINE)
    tell_of_misses(S, w, g, t)
    return t + 1 + bubbles
