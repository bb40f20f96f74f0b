"""Implicit paired-path comparison: after every instruction (PPC-08), with two ways to hide latency.

Engine code. `S.interleave`: while the side with the smaller PC waits for memory, the other side
issues, unless it is at the same PC (PPC-12, Q-PPC-14). `S.run_ahead`: lanes that an access has
served open an entry with those that wait, and continue. A side that is ahead of the other issues no
barrier.

A side can stop only where a segment begins, so that comparing there is comparing everywhere as long
as what is compared does not depend on time. Segments need to be single instructions only with one
of the two ways, and for `cascade` off, which compares an instruction late.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .....isa.errors import UsageError
from ...intrinsics import device, record, table

if TYPE_CHECKING:
    from ....machines.machine import Machine
    from ...causes import HIT
    from ...groups import new_group, schedule, wake
    from ...hooks import State
    from ...state import group, seg, warp
    from ...workgroups import diverged
    from .dual_path import NO_GROUP, open_entry, pair, resume, set_aside, side, side_of
    from .ppc import at_barrier, compare, let_other_run

compared = table("compared", record(at="i8"))
"""The last instruction of a group for which PCs were compared: its seq and its count. A group that
waits for its code arrives again at the instruction; the comparison counts once."""


@device
def on_arrival(S: State, w: int, g: int, t: int) -> int:
    """Compare the PCs of the top entry before group g issues."""
    grp = group(S, g)
    instruction = grp.seq << 32 | grp.count
    is_new = compared(S, g).at != instruction
    if S.cascade == 0 and not is_new:
        return 0
    compared(S, g).at = instruction
    if compare(S, w, g, t) == 1:
        return 1
    if warp(S, grp.warp).depth > 0:
        if is_new:
            S.n_pc_comparison += seg(S, grp.seg).n_instr
        other = side(S, side_of(S, g) ^ 1).group
        if other != NO_GROUP and at_barrier(S, g) == 1:
            return wait_at_barrier(S, w, g, other, t)
    return 0


@device
def wait_at_barrier(S: State, w: int, g: int, other: int, t: int) -> int:
    """Stop group g, the first side at a barrier, until the other one reaches it; return 1."""
    if group(S, other).at_memory == 0 and at_barrier(S, other) == 1:
        diverged(S, g, group(S, g).seg)
        return 1
    set_aside(S, g)
    resume(S, w, other, t)
    return 1


@device
def on_memory_pc(S: State, w: int, g: int, t: int) -> int:
    """Let the other side run while group g waits for its data; arbitration waits for hits."""
    if S.interleave == 1:
        let_other_run(S, w, g, t + 1)
    return 0


@device
def on_access(S: State, w: int, g: int, t: int) -> int:
    """Let the lanes that hit continue as a side of their own, if `S.run_ahead`."""
    if S.run_ahead == 0:
        return 0
    grp = group(S, g)
    hits = grp.hits
    next_seg = seg(S, grp.seg).next
    entry = open_entry(S, g, next_seg, hits, next_seg, grp.mask & ~hits)
    pair(S, entry).current = 1
    pair(S, entry).by_miss = 1
    grp.mask &= ~hits
    grp.done &= ~hits
    grp.hits = 0
    side(S, 2 * entry).group = g
    h = new_group(S, grp.warp, hits, next_seg)
    side(S, 2 * entry + 1).group = h
    wake(S, h, max(S.access_hits_at, t + 1), HIT)
    return schedule(S, w, h)


def setup(machine: Machine) -> dict[str, Any]:
    """Return the two ways; raise UsageError if they are combined with a late comparison."""
    together = bool(machine.policy["interleave"]) or bool(machine.policy["run-ahead"])
    if together and not machine.policy["cascade"]:
        raise UsageError(
            "cascade=false is the paper's pseudo-code to the letter, which runs one side only",
            code="SIM602",
            hint="leave out interleave and run-ahead, or cascade=false",
        )
    return {
        "compared": machine.wpus * machine.warps * machine.width,
        "interleave": together,
        "run_ahead": machine.policy["run-ahead"],
    }
