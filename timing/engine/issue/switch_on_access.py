"""The discipline that switches at every cache access, in zero cycles (DWS-01, MAWS-01).

Engine code. A group issues an instruction a cycle until it reaches a memory access, a barrier or a
wait; another group is picked while the access issues.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..intrinsics import ctz, device, popcount, prefetch, word64

if TYPE_CHECKING:
    from ..account import charge_bubbles, charge_issue
    from ..causes import UNIT
    from ..hooks import State, extra_slots, prefetch_set
    from ..loop import stop
    from ..memory.private import chip_access, is_on_chip
    from ..state import (
        ACCESS,
        BLOCK_CONTEXT,
        ISSUE,
        RUNNING,
        SEG_ACCESS,
        group,
        next_event,
        seg,
        warp,
        wpu,
    )
    from .execute import execute, finish

MAX_RUN = 64
"""Segments that a group may issue before the loop runs events of other WPUs."""


@device
def prefetch_data(S: State, g: int) -> int:
    """Let the host fetch data that group g is about to access: those of its first and last lane.

    Events of other WPUs come before the access, and cover the time.
    """
    grp = group(S, g)
    row = seg(S, grp.seg)
    if row.delta >= 0 and grp.mask != 0:
        block = warp(S, grp.warp).block
        offset = row.imm + word64(word64(block, BLOCK_CONTEXT) + row.delta, 0)
        lane = ctz(grp.mask)
        first = word64(block + row.addr_row, lane)
        prefetch(first + offset)
        prefetch(word64(block + row.addr_row, lane + popcount(grp.mask) - 1) + offset)
        prefetch_set(S, first + row.imm)
    return 0


@device
def issue(S: State, w: int, g: int, t: int) -> int:
    """Issue the segments of group g from cycle t on; see `hooks.issue`."""
    core = wpu(S, w)
    grp = group(S, g)
    for _ in range(MAX_RUN):
        if execute(S, w, g, t) == 0:
            return 0
        s = grp.seg
        row = seg(S, s)
        n = row.n_instr
        charge_issue(S, w, g, s, n, popcount(grp.mask), t)
        t += n
        bubbles = row.n_complex * S.complex_bubbles + extra_slots(S, w, g, n)
        if bubbles > 0:
            t += bubbles
            charge_bubbles(S, w, g, UNIT, bubbles)
        if row.kind == SEG_ACCESS:
            if is_on_chip(S, row.space) == 0:
                prefetch_data(S, g)
                core.event = ACCESS
                next_event(S, w).at = t - 1
                return 0
            t = chip_access(S, w, g, t)
            if S.status != RUNNING:
                return 0
        continues = finish(S, w, g, t)
        if S.status != RUNNING:
            return 0
        if continues == 0:
            return stop(S, w, t)
    core.event = ISSUE
    next_event(S, w).at = t
    return 0
