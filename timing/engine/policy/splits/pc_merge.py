"""PC-based re-convergence: splits of a warp that are ready at one PC become one (DWS-08).

Engine code. `S.compare_pcs` is when PCs are compared, and what the PC of a group is.

AT_ACCESS: at memory instructions only. A group that resumes "starts with" its memory instruction
(DWS 4.5), whether or not it has accessed (Q-DWS-23). It merges before a running group accesses, and
when it is dispatched (Q-DWS-24). Lanes that were served are kept in `done`, and access nothing
twice.

ALIKE: as AT_ACCESS, but a dispatched group merges only with those that are as far as it is: all
have accessed, or none has begun its segment, wherever that begins.

AFTER_ACCESS: groups merge only when both have accessed and one of them is dispatched.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...intrinsics import (
    WORD,
    bit,
    ctz,
    device,
    drop_lowest,
    popcount,
    record,
    rows_with,
    table,
    words_up_to,
)

if TYPE_CHECKING:
    from ....machines.machine import Machine
    from ...account import EV_JOIN, join_issue
    from ...groups import NO_SLOT, due_slots, end_of_slots, set_due
    from ...hooks import State, on_event
    from ...state import GROUP_BYTES, GROUP_SEG, group, ready_at, seg, warp
    from .local_stack import is_serial
    from .splits import merge

AT_ACCESS = 0
ALIKE = 1
AFTER_ACCESS = 2

RULES = ("at-access", "alike", "after-access")

COMPARISON = record(until="i8")
comparison = table("comparison", COMPARISON)
"""The cycle up to which the PCs of a group are compared that has merged at an access, else 0."""


@device
def on_memory_pc(S: State, w: int, g: int, t: int) -> int:
    """Merge ready splits that are at the access of running group g into g."""
    others = mergeable(S, g, t)
    if others == 0 or S.compare_pcs == AFTER_ACCESS:
        return 0
    # A split that has not begun the segment is at its access only if that is all of the segment.
    n = merge_ready(S, w, g, others, 1, 1 if seg(S, group(S, g).seg).n_instr == 1 else 0, 1)
    if n > 0:
        comparison(S, g).until = t + S.compare_cycles
    return 0


@device
def on_dispatch(S: State, w: int, g: int, t: int) -> int:
    """Merge ready splits that are at the place of dispatched group g into g."""
    others = mergeable(S, g, t)
    if others != 0:
        n = 0
        if group(S, g).at_memory == 1:
            n = merge_ready(S, w, g, others, 1, 0, 1 if S.compare_pcs == AFTER_ACCESS else 0)
            if S.compare_pcs == AT_ACCESS:
                let_access(S, g, t)
        elif S.compare_pcs == ALIKE:
            n = merge_ready(S, w, g, others, 0, 1, 0)
        if n > 0:
            comparison(S, g).until = t + S.compare_cycles
    return comparison_left(S, w, g, t) if S.compare_cycles > 0 else 0


@device
def mergeable(S: State, g: int, t: int) -> int:
    """Return the splits of group g's warp that are ready at t, as `others_ready`; 0 if g is alone.

    There are often others, but seldom is one of them ready: a host predicts the one test that asks
    whether any is ready, and not the test whether there are any.
    """
    others = others_ready(S, g, t)
    return others if others != 0 and S.pc_merge == 1 and is_serial(S, g) == 0 else 0


@device
def others_ready(S: State, g: int, t: int) -> int:
    """Return which other groups of group g's warp are ready at t, as a mask of groups."""
    first = group(S, g).warp * S.width
    rest = warp(S, group(S, g).warp).groups & ~bit(g - first)
    return rest & words_up_to(S.p_ready_at + WORD * first, S.width, t)


@device
def at_segment(S: State, first: int, groups: int, s: int) -> int:
    """Return those of `groups`, a mask of groups from `first` on, that are at segment s.

    They are looked at all at once: a host does not predict which of them is.
    """
    segments = S.p_group + GROUP_BYTES * first + GROUP_SEG
    return rows_with(segments, GROUP_BYTES, S.width, groups, s)


@device
def merge_ready(
    S: State, w: int, g: int, others: int, at_access: int, at_start: int, held: int
) -> int:
    """Merge into g those of `others` at its segment: after its access, before it, or held there.

    Each kind merges if `at_access`, `at_start` or `held` is 1. Return how many have merged.
    """
    grp = group(S, g)
    first = grp.warp * S.width
    rest = at_segment(S, first, others, grp.seg)
    n = 0
    while rest != 0:
        h = first + ctz(rest)
        rest = drop_lowest(rest)
        other = group(S, h)
        if is_serial(S, h) == 0:
            merges = at_access if other.at_memory == 1 else at_start
            if other.slot == NO_SLOT:
                # A held split rejoins only a group that reaches its access (DWS-19).
                merges = held
            if merges == 1:
                if at_access == 1 and other.at_memory == 0:
                    on_event(S, EV_JOIN, w, h, S.now)
                    join_issue(S, w, g, popcount(other.mask))
                comparison(S, h).until = 0
                merge(S, g, h)
                S.n_pc_merge += 1
                n += 1
    return n


@device
def let_access(S: State, g: int, t: int) -> int:
    """Let group g, dispatched and served, wait at its access for a split that was not served.

    The PC of both is that of the access. So g takes the lanes that have not accessed, issues the
    instruction for them, and merges with its own lanes as a running group does.
    """
    grp = group(S, g)
    if seg(S, grp.seg).n_instr != 1:
        return 0
    first = grp.warp * S.width
    rest = at_segment(S, first, others_ready(S, g, t), grp.seg)
    while rest != 0:
        h = first + ctz(rest)
        rest = drop_lowest(rest)
        other = group(S, h)
        if other.at_memory == 0 and is_serial(S, h) == 0:
            return exchange(S, g, h)
    return 0


@device
def exchange(S: State, g: int, h: int) -> int:
    """Exchange the lanes of two ready groups at one segment, and how far they are."""
    grp = group(S, g)
    other = group(S, h)
    grp.mask, other.mask = other.mask, grp.mask
    grp.done, other.done = other.done, grp.done
    grp.hits, other.hits = other.hits, grp.hits
    grp.at_memory, other.at_memory = other.at_memory, grp.at_memory
    grp.cause, other.cause = other.cause, grp.cause
    grp.until_bank, other.until_bank = other.until_bank, grp.until_bank
    grp.until_mshr, other.until_mshr = other.until_mshr, grp.until_mshr
    grp.until_l2, other.until_l2 = other.until_l2, grp.until_l2
    grp.count, other.count = other.count, grp.count
    ready = ready_at(S, g).t
    ready_at(S, g).t = ready_at(S, h).t
    ready_at(S, h).t = ready
    if other.slot >= 0:
        set_due(S, other.slot, ready)
    return 1


@device
def comparison_left(S: State, w: int, g: int, t: int) -> int:
    """Return the cycles from t in which the PCs of group g are still compared (Q-DWS-26).

    0 if another group is ready, which hides them.
    """
    until = comparison(S, g).until
    comparison(S, g).until = 0
    if until <= t:
        return 0
    first = w * S.slots
    end = end_of_slots(S, w)
    while first < end:
        ready = due_slots(S, first, end, t)
        if 0 <= group(S, g).slot - first < 64:
            ready &= ~bit(group(S, g).slot - first)
        if ready != 0:
            return 0
        first += 64
    return until - t


def setup(machine: Machine) -> dict[str, Any]:
    """Return whether PCs are compared, when, and what a comparison takes."""
    chosen = machine.policy
    return {
        "pc_merge": chosen["pc-merge"],
        "compare_pcs": RULES.index(str(chosen.get("compare-pcs", "at-access"))),
        "compare_cycles": chosen.get("compare-cycles", 0),
        "comparison": machine.wpus * machine.warps * machine.width,
    }
