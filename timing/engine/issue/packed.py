"""The barrel for packs: an instruction is broken down into sub-warps, one a cycle (LWM-07..12).

Engine code; takes segments of one instruction, and packs (policy/packs/packs.py) in place of
groups. A sub-warp has each lane at most once, from the first part that still has it, so that there
are as many as the fullest lane has parts. Until the last one is formed nothing else is fetched. The
pack is not fetched again before that one has left the pipeline: k of them take k - 1 cycles longer
than one (LWM-10).

Accesses of global memory form their sub-warps part by part where `S.memory_rows` is set (LWM-11),
one event each, so that they reach a memory that others share in the order of time. A jump moves one
PC: one sub-warp is enough for all (LWM-12).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..intrinsics import ctz, device, drop_lowest, popcount, word64

if TYPE_CHECKING:
    from ...machines.machine import Machine
    from ..account import (
        EV_ISSUE,
        charge_lanes,
        charge_longer,
        charge_slots,
        count_access,
        count_branch,
    )
    from ..causes import BANK, BARRIER, HIT, MEMORY, N_CAUSES, PIPELINE, UNIT
    from ..groups import leave_slot, park, wake
    from ..hooks import (
        State,
        on_access,
        on_branch,
        on_event,
        on_exit,
        on_reconverge,
        on_served,
        on_sync,
        simd_access,
    )
    from ..loop import is_buffered, move, spend, stop
    from ..memory.group import conflicts
    from ..memory.private import is_on_chip
    from ..policy.packs.packs import charge_pipeline, part
    from ..state import (
        ISSUE,
        RUNNING,
        SEG_ACCESS,
        SEG_BARRIER,
        SEG_BRANCH,
        SEG_EXIT,
        SEG_JUMP,
        SEG_RECONVERGE,
        SPACE_GROUP,
        group,
        lane_home,
        next_event,
        seg,
        seg_count,
        slot_cycles,
        warp,
        wpu,
    )
    from ..workgroups import enter_barrier, leave_workgroup
    from .execute import arrive, compute


@device
def issue(S: State, w: int, g: int, t: int) -> int:
    """Issue one instruction of pack g at cycle t; see `hooks.issue`."""
    if wpu(S, w).event == ISSUE:
        return access_sub_warp(S, w, g, t)
    if arrive(S, w, g, t) == 0:
        return 0
    grp = group(S, g)
    s = grp.seg
    h = g
    while h >= 0:
        group(S, h).seg = s
        part(S, h).left = group(S, h).mask
        part(S, h).taken = 0
        if group(S, h).mask != 0 and compute(S, w, h, t) == 0:
            return 0
        h = part(S, h).next
    row = seg(S, s)
    kind = row.kind
    if kind == SEG_ACCESS and is_on_chip(S, row.space) == 0:
        part(S, g).over = 0
        part(S, g).missed = 0
        return access_sub_warp(S, w, g, t)
    next_fetch = sub_warps(S, w, g, t)
    pipeline_exit = next_fetch + S.pipeline - 1
    continues = 1
    if S.status != RUNNING:
        return 0
    if kind == SEG_BRANCH:
        spend_all(S, g)
        continues = 0
        if S.status == RUNNING:
            continues = on_branch(S, w, g, part(S, g).taken, pipeline_exit)
    elif kind == SEG_JUMP:
        grp.seg = row.target
        spend_all(S, g)
    elif kind == SEG_BARRIER:
        wait_at_barrier(S, w, g, pipeline_exit)
        continues = 0
    elif kind == SEG_EXIT:
        continues = retire_lanes(S, w, g, pipeline_exit)
    else:
        grp.seg = row.next
        if kind == SEG_RECONVERGE:
            on_reconverge(S, w, g, pipeline_exit)
    if S.status != RUNNING:
        return 0
    if continues == 1:
        wake(S, g, pipeline_exit, PIPELINE)
    return stop(S, w, next_fetch)


@device
def sub_warps(S: State, w: int, g: int, t: int) -> int:
    """Issue an instruction in sub-warps from cycle t on; return the cycle of the next fetch."""
    row = seg(S, group(S, g).seg)
    lanes = form(S, g, 0)
    while lanes != 0:
        charge_sub_warp(S, w, g, lanes, t)
        extra = S.complex_bubbles if row.n_complex > 0 else 0
        if row.kind == SEG_ACCESS:
            extra += access_chip(S, w, g, lanes)
        elif row.kind == SEG_BRANCH:
            decide(S, w, g)
        if extra > 0:
            charge_stall(S, w, g, UNIT, extra)
        t += 1 + extra
        if row.kind == SEG_JUMP and S.jump_once == 1:
            jump_along(S, w, g)
        lanes = form(S, g, 0)
    return t


@device
def form(S: State, g: int, by_part: int) -> int:
    """Choose the lanes of pack g's next sub-warp and return them; 0 if all are in one.

    Each lane comes from the first part that has it left: the lowest row of a large warp (Q-LWM-11).
    With `by_part` 1 all lanes come from one part.
    """
    found = 0
    h = g
    while h >= 0:
        member = part(S, h)
        lanes = member.left & ~found
        if by_part == 1 and found != 0:
            lanes = 0
        member.chosen = lanes
        member.left &= ~lanes
        found |= lanes
        h = member.next
    return found


@device
def charge_sub_warp(S: State, w: int, g: int, lanes: int, t: int) -> int:
    """Charge a sub-warp of `lanes` that issues at t; until then its warps were in the pipeline."""
    s = group(S, g).seg
    charge_slots(S, w, g, s, 1, popcount(lanes), t)
    h = g
    while h >= 0:
        chosen = part(S, h).chosen
        if chosen != 0:
            v = group(S, h).warp
            charge_pipeline(S, w, v, s, t)
            on_event(S, EV_ISSUE, w, h, t)
            charge_lanes(S, w, v, s, 1, popcount(chosen), t)
        h = part(S, h).next
    return 0


@device
def charge_stall(S: State, w: int, g: int, cause: int, cycles: int) -> int:
    """Charge `cycles` that the current sub-warp keeps the pipeline beyond its own to `cause`."""
    s = group(S, g).seg
    slot_cycles(S, w * N_CAUSES + cause).cycles += cycles
    wpu(S, w).busy += cycles
    h = g
    while h >= 0:
        if part(S, h).chosen != 0:
            charge_longer(S, w, group(S, h).warp, s, cause, cycles)
        h = part(S, h).next
    return 0


@device
def decide(S: State, w: int, g: int) -> int:
    """Write a sub-warp's outcome of the branch to the buffers (LWM-09)."""
    s = group(S, g).seg
    taken = 0
    lanes = 0
    h = g
    while h >= 0:
        member = part(S, h)
        if member.chosen != 0:
            holds = word64(warp(S, group(S, h).warp).block + seg(S, s).cond_row, 0) & member.chosen
            member.taken |= holds
            taken |= holds
            lanes |= member.chosen
        h = member.next
    return count_branch(S, w, s, taken, lanes)


@device
def jump_along(S: State, w: int, g: int) -> int:
    """Let all lanes that are in no sub-warp jump with the one that has issued (LWM-12)."""
    riding = 0
    h = g
    while h >= 0:
        member = part(S, h)
        riding += popcount(member.left)
        warp(S, group(S, h).warp).n_thread_instr += popcount(member.left)
        member.left = 0
        h = member.next
    wpu(S, w).n_thread_instr += riding
    wpu(S, w).n_riding += riding
    seg_count(S, group(S, g).seg).lanes += riding
    return 0


@device
def spend_all(S: State, g: int) -> int:
    """Stop the run if a work-item of pack g must have exceeded its instruction budget."""
    h = g
    while h >= 0 and S.status == RUNNING:
        spend(S, h)
        h = part(S, h).next
    return 0


# --- accesses


@device
def access_chip(S: State, w: int, g: int, lanes: int) -> int:
    """Access on-chip memory with a sub-warp; return the cycles that it takes beyond its own."""
    first = share_lanes(S, g)
    extra = 0
    if seg(S, group(S, g).seg).space == SPACE_GROUP:
        extra = conflicts(S, w, first, lanes)
    move_chosen(S, w, g, S.now)
    return extra


@device
def access_sub_warp(S: State, w: int, g: int, t: int) -> int:
    """Issue the next sub-warp of an access at t; after the last one pack g waits for all lanes."""
    grp = group(S, g)
    lead = part(S, g)
    lanes = form(S, g, S.memory_rows)
    charge_sub_warp(S, w, g, lanes, t)
    first = share_lanes(S, g)
    ready = simd_access(S, w, first, lanes, t)
    if is_buffered(S, g) == 1:
        S.access_hits = lanes
        ready = t + 1
        S.access_until_bank = 0
        S.access_until_mshr = 0
        S.access_until_l2 = 0
    on_served(S, w, g, t)
    if ready > lead.over:
        lead.over = ready
        grp.until_bank = S.access_until_bank
        grp.until_mshr = S.access_until_mshr
        grp.until_l2 = S.access_until_l2
    if S.access_hits != lanes:
        lead.missed = 1
    group(S, first).hits = S.access_hits
    count_access(S, w, first, lanes)
    bubbles = S.access_bubbles
    if move_chosen(S, w, g, t) == 0:
        return 0
    if bubbles > 0:
        charge_stall(S, w, g, BANK, bubbles)
    next_fetch = t + 1 + bubbles
    if is_left(S, g) == 1:
        core = wpu(S, w)
        core.event = ISSUE
        next_event(S, w).at = next_fetch
        return 0
    grp.at_memory = 1
    grp.done = lanes
    grp.hits = 0 if lead.missed == 1 else lanes
    pipeline_exit = next_fetch + S.pipeline - 1
    if lead.over > pipeline_exit:
        wake(S, g, lead.over, MEMORY if lead.missed == 1 else HIT)
    else:
        grp.until_bank = 0
        grp.until_mshr = 0
        grp.until_l2 = 0
        wake(S, g, pipeline_exit, PIPELINE)
    if lead.missed == 1:
        on_access(S, w, g, next_fetch - 1)
    return stop(S, w, next_fetch)


@device
def is_left(S: State, g: int) -> int:
    """Return 1 if lanes of pack g are in no sub-warp yet: fetch is stalled until all are."""
    h = g
    while h >= 0:
        if part(S, h).left != 0:
            return 1
        h = part(S, h).next
    return 0


@device
def share_lanes(S: State, g: int) -> int:
    """Return the first part of a sub-warp; fill `lane_home`, which matters if it has several."""
    first = -1
    h = g
    while h >= 0:
        chosen = part(S, h).chosen
        if chosen != 0:
            if first < 0:
                first = h
            else:
                S.access_is_packed = 1
            while chosen != 0:
                lane_home(S, ctz(chosen)).warp = group(S, h).warp
                chosen = drop_lowest(chosen)
        h = part(S, h).next
    return first


@device
def move_chosen(S: State, w: int, g: int, t: int) -> int:
    """Move the data of a sub-warp, home by home; return 0 if some lane trapped."""
    S.access_is_packed = 0
    h = g
    while h >= 0:
        chosen = part(S, h).chosen
        if chosen != 0 and move(S, w, h, chosen, t) == 0:
            return 0
        h = part(S, h).next
    return 1


# --- ends


@device
def retire_lanes(S: State, w: int, g: int, t: int) -> int:
    """Retire pack g, whose lanes have all returned at t; return 1 if it continues with others."""
    h = g
    while h >= 0:
        part(S, h).chosen = group(S, h).mask
        warp(S, group(S, h).warp).live &= ~group(S, h).mask
        h = part(S, h).next
    continues = on_exit(S, w, g, t)
    h = g
    while h >= 0:
        # When the last warp of a workgroup leaves it, the next workgroup takes its groups.
        next_part = part(S, h).next
        v = group(S, h).warp
        if part(S, h).chosen != 0 and warp(S, v).live == 0:
            leave_workgroup(S, w, v, t)
        h = next_part
    return continues


@device
def wait_at_barrier(S: State, w: int, g: int, t: int) -> int:
    """Let pack g wait at the barrier that it has issued and that ended at t (LWM-22)."""
    s = group(S, g).seg
    wpu(S, w).n_barrier += 1
    park(S, g, BARRIER)
    leave_slot(S, g)
    whole = on_sync(S, w, g, t)
    group(S, g).seg = seg(S, s).next
    h = g
    while whole == 1 and h >= 0 and S.status == RUNNING:
        v = group(S, h).warp
        if warp(S, v).live != 0:
            enter_barrier(S, w, g, v, s, t)
        h = part(S, h).next
    return 0


def setup(machine: Machine) -> dict[str, Any]:
    """Return the policy's settings for sub-warps."""
    return {
        "memory_rows": machine.policy.get("memory-rows", False),
        "jump_once": machine.policy.get("jump-once", False),
    }
