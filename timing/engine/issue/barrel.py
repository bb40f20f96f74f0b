"""The barrel: an instruction of one warp, then of another (LWM-01, LWM-02).

Engine code; takes segments of one instruction. A group that is fetched at t is not fetched again
before it has left the pipeline, at t + `S.pipeline`. Nothing in between is visible outside, so that
all of an instruction happens at its fetch: latencies of memory count from there (S-LWM-F8).

An instruction that takes a unit or port longer than a cycle stalls the pipeline: the next fetch,
and the group's own, are delayed by that many *bubbles* (Q-LWM-8, Q-LWM-18).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..intrinsics import device, popcount

if TYPE_CHECKING:
    from ..account import charge_bubbles, charge_issue, charge_warp
    from ..causes import BANK, HIT, MEMORY, PIPELINE, UNIT
    from ..groups import wake
    from ..hooks import State, extra_slots
    from ..loop import report_misses, stop, touch
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
    """Issue one instruction of group g at cycle t; see `hooks.issue`."""
    grp = group(S, g)
    if execute(S, w, g, t) == 0:
        return 0
    s = grp.seg
    row = seg(S, s)
    lanes = grp.mask
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
    pipeline_exit = next_fetch + S.pipeline - 1
    if row.kind == SEG_EXIT and lanes == warp(S, grp.warp).live:
        # The warp occupies its context until its last instruction has left the pipeline.
        charge_warp(S, w, s, PIPELINE, pipeline_exit - next_fetch)
        warp(S, grp.warp).busy = pipeline_exit
    continues = finish(S, w, g, pipeline_exit)
    if S.status != RUNNING:
        return 0
    if continues == 1:
        wake(S, g, pipeline_exit, PIPELINE)
    return stop(S, w, next_fetch)


@device
def access_from_fetch(S: State, w: int, g: int, t: int) -> int:
    """Access memory for group g's instruction, fetched at t; return the cycle of the next fetch."""
    ready = touch(S, w, g, t)
    if S.status != RUNNING:
        return t
    grp = group(S, g)
    bubbles = S.access_bubbles
    if bubbles > 0:
        charge_bubbles(S, w, g, BANK, bubbles)
    pipeline_exit = t + bubbles + S.pipeline
    if ready > pipeline_exit:
        wake(S, g, ready, HIT if grp.hits == grp.mask else MEMORY)
    else:
        grp.until_bank = 0
        grp.until_mshr = 0
        grp.until_l2 = 0
        wake(S, g, pipeline_exit, PIPELINE)
    report_misses(S, w, g, t, bubbles)
    return t + 1 + bubbles
