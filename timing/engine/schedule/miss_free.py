"""Miss-free cycles: how long groups issue between two misses, measured and predicted (MAWS-10).

Engine code, for whoever wants to know who will miss soon. The hardware counts cycle by cycle; here
a count is what it was at some point and the instructions that were issued since, so that nothing is
done in a cycle in which nothing happens. A miss that is over is noticed at the next dispatch, and
taken into account as of the cycle in which it was over.

All counts begin at 0 (Q-MAWS-14: but for the latency, whose first value can be set).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..intrinsics import NEVER, ctz, device, drop_lowest, record, table

if TYPE_CHECKING:
    from ...machines.machine import Machine
    from ..hooks import State
    from ..state import group, ready_at, warp, wpu

SPELL = record(
    group="i8",  # the seq of whose counts they are: ids are used again
    mark="i8",  # instructions that the group had issued when the counts were as they stand here
    free="i8",  # MFC: miss-free cycles, since its last miss was over
    left="i8",  # rMFC: how many more are predicted
    latency="i8",  # of its last miss
    begun="i8",  # when the miss in flight was issued
    over="i8",  # when it is over; NEVER for none
)
spell = table("spell", SPELL)
"""Index as the group."""

ASIDE = record(launch="i8", free="i8", left="i8", latency="i8")
aside = table("aside", ASIDE)
"""Per warp: counts of splits that wait for others; `launch` is 0 where nobody does."""

OUTLOOK = record(sum="i8", at="i8", issued="i8", soonest="i8")
outlook = table("outlook", OUTLOOK)
"""Per WPU: sum-rMFC as it was in cycle `at`, after so many instructions; no miss is over before
`soonest`."""


@device
def count_up(S: State, g: int) -> int:
    """Bring the counts of a group up to what it has issued."""
    it = group(S, g)
    mine = spell(S, g)
    if mine.group != it.seq:
        mine.group = it.seq
        mine.mark = 0
        mine.free = 0
        mine.left = 0
        mine.latency = S.first_latency
        mine.over = NEVER
    issued = it.issued - mine.mark
    mine.mark = it.issued
    mine.free += issued
    mine.left = max(0, mine.left - issued)
    return 0


@device
def catch_up(S: State, w: int, t: int) -> int:
    """Misses that are over by t predict the miss-free cycles behind them, one after the other.

    Called at every dispatch, so that between two calls a WPU issues first and is idle then.
    """
    mine = outlook(S, w)
    while mine.soonest <= t:
        first = -1
        mine.soonest = NEVER
        for v in range(w * S.warps, (w + 1) * S.warps):
            rest = warp(S, v).groups
            while rest != 0:
                h = v * S.width + ctz(rest)
                rest = drop_lowest(rest)
                over = spell(S, h).over if spell(S, h).group == group(S, h).seq else NEVER
                if over < mine.soonest:
                    mine.soonest = over
                    first = h
        if mine.soonest <= t:
            decay(S, w, mine.soonest)
            predict(S, w, first)
    return decay(S, w, t)


@device
def predict(S: State, w: int, g: int) -> int:
    """A group's miss is over: its miss-free cycles up to there predict the next ones."""
    count_up(S, g)
    mine = spell(S, g)
    mine.latency = mine.over - mine.begun
    mine.over = NEVER
    mine.left = mine.free
    outlook(S, w).sum += mine.free
    mine.free = 0
    return 0


@device
def decay(S: State, w: int, t: int) -> int:
    """The sum up to t: a cycle less for each in which the WPU has issued, down to 0."""
    mine = outlook(S, w)
    issued = min(wpu(S, w).n_warp_instr - mine.issued, t - mine.at)
    mine.sum = max(0, mine.sum - issued)
    mine.issued += issued
    mine.at = t
    return 0


@device
def on_miss(S: State, w: int, g: int, t: int) -> int:
    """A miss begins, if it is long enough to be one (Q-MAWS-17): the count of its group stops."""
    over = ready_at(S, g).t
    if over - t <= S.long_latency:
        return 0
    count_up(S, g)
    mine = spell(S, g)
    mine.begun = t
    mine.over = over
    outlook(S, w).soonest = min(outlook(S, w).soonest, over)
    return 0


@device
def on_split(S: State, g: int, h: int) -> int:
    """Both inherit all counts (Q-MAWS-15); a miss in flight stays with g."""
    count_up(S, g)
    count_up(S, h)
    theirs = spell(S, g)
    mine = spell(S, h)
    mine.free = theirs.free
    mine.left = theirs.left
    mine.latency = theirs.latency
    return 0


@device
def on_merge(S: State, g: int, h: int) -> int:
    """The longest run and latency, the shortest rest (Q-MAWS-16); their misses are over."""
    catch_up(S, group(S, g).warp // S.warps, S.now)
    count_up(S, g)
    count_up(S, h)
    mine = spell(S, g)
    theirs = spell(S, h)
    mine.free = max(mine.free, theirs.free)
    mine.left = min(mine.left, theirs.left)
    mine.latency = max(mine.latency, theirs.latency)
    return 0


@device
def on_wait(S: State, g: int) -> int:
    """The counts of a split that waits for others are kept for whom it will be part of."""
    kept = aside(S, group(S, g).warp)
    count_up(S, g)
    mine = spell(S, g)
    if kept.launch == S.launch:
        kept.free = max(kept.free, mine.free)
        kept.left = min(kept.left, mine.left)
        kept.latency = max(kept.latency, mine.latency)
    else:
        kept.launch = S.launch
        kept.free = mine.free
        kept.left = mine.left
        kept.latency = mine.latency
    return 0


@device
def on_rejoin(S: State, g: int) -> int:
    """They are part of it now, as if they had merged."""
    kept = aside(S, group(S, g).warp)
    if kept.launch == S.launch:
        count_up(S, g)
        mine = spell(S, g)
        mine.free = max(mine.free, kept.free)
        mine.left = min(mine.left, kept.left)
        mine.latency = max(mine.latency, kept.latency)
    kept.launch = 0
    return 0


def setup(machine: Machine) -> dict[str, Any]:
    """Counts of every group, and what policies may set of them."""
    warps = machine.wpus * machine.warps
    return {
        "spell": warps * machine.width,
        "aside": warps,
        "outlook": machine.wpus,
        "first_latency": machine.policy.get("first-latency", 0),
        "long_latency": machine.policy.get("long-latency", 0),
    }
