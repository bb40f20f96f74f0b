"""Miss-free cycles: how long groups issue between two misses, measured and predicted (MAWS-10).

Engine code, for schedulers and policies that predict misses. The hardware counts cycle by cycle.
Here a count is its value at some point plus the instructions that were issued since, so that a
cycle without events takes no work. The end of a miss is noticed at the next dispatch, and taken
into account as of the cycle in which it was.

All counts begin at 0 (Q-MAWS-14), except the latency, whose first value can be set.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..intrinsics import NEVER, ctz, device, drop_lowest, record, table

if TYPE_CHECKING:
    from ...machines.machine import Machine
    from ..hooks import State
    from ..state import group, ready_at, warp, wpu

MISS_FREE = record(
    group="i8",  # the `seq` of the group whose counts they are, since ids are used again
    issued="i8",  # instructions that the group had issued when the counts had these values
    free="i8",  # MFC: miss-free cycles since the end of its last miss
    left="i8",  # rMFC: how many more are predicted
    latency="i8",  # of its last miss
    start="i8",  # cycle at which the miss in flight was issued
    end="i8",  # cycle at which it ends; NEVER for none
)
miss_free = table("miss_free", MISS_FREE)
"""Index as the group."""

SAVED = record(launch="i8", free="i8", left="i8", latency="i8")
saved_counts = table("saved_counts", SAVED)
"""Per warp: the counts of splits that wait for others; `launch` is 0 if no split waits."""

FORECAST = record(sum="i8", at="i8", issued="i8", soonest="i8")
wpu_forecast = table("wpu_forecast", FORECAST)
"""Per WPU: sum-rMFC in cycle `at`, after `issued` instructions; no miss ends before `soonest`."""


@device
def count_up(S: State, g: int) -> int:
    """Bring the counts of group g up to the instructions that it has issued."""
    grp = group(S, g)
    counts = miss_free(S, g)
    if counts.group != grp.seq:
        counts.group = grp.seq
        counts.issued = 0
        counts.free = 0
        counts.left = 0
        counts.latency = S.first_latency
        counts.end = NEVER
    issued = grp.issued - counts.issued
    counts.issued = grp.issued
    counts.free += issued
    counts.left = max(0, counts.left - issued)
    return 0


@device
def catch_up(S: State, w: int, t: int) -> int:
    """Turn misses that have ended by t into predictions, one after the other, in WPU w's sum.

    Called at every dispatch, so that between two calls a WPU first issues and then idles.
    """
    forecast = wpu_forecast(S, w)
    while forecast.soonest <= t:
        first = -1
        forecast.soonest = NEVER
        for v in range(w * S.warps, (w + 1) * S.warps):
            rest = warp(S, v).groups
            while rest != 0:
                h = v * S.width + ctz(rest)
                rest = drop_lowest(rest)
                counts = miss_free(S, h)
                miss_end = counts.end if counts.group == group(S, h).seq else NEVER
                if miss_end < forecast.soonest:
                    forecast.soonest = miss_end
                    first = h
        if forecast.soonest <= t:
            decay(S, w, forecast.soonest)
            predict(S, w, first)
    return decay(S, w, t)


@device
def predict(S: State, w: int, g: int) -> int:
    """Predict that group g, whose miss has ended, has as many miss-free cycles as before it."""
    count_up(S, g)
    counts = miss_free(S, g)
    counts.latency = counts.end - counts.start
    counts.end = NEVER
    counts.left = counts.free
    wpu_forecast(S, w).sum += counts.free
    counts.free = 0
    return 0


@device
def decay(S: State, w: int, t: int) -> int:
    """Bring WPU w's sum up to t: a cycle less for each in which it has issued, down to 0."""
    forecast = wpu_forecast(S, w)
    issued = min(wpu(S, w).n_warp_instr - forecast.issued, t - forecast.at)
    forecast.sum = max(0, forecast.sum - issued)
    forecast.issued += issued
    forecast.at = t
    return 0


@device
def on_miss(S: State, w: int, g: int, t: int) -> int:
    """Stop the count of group g at its miss, if that is long enough to be one (Q-MAWS-17)."""
    miss_end = ready_at(S, g).t
    if miss_end - t <= S.long_latency:
        return 0
    count_up(S, g)
    counts = miss_free(S, g)
    counts.start = t
    counts.end = miss_end
    wpu_forecast(S, w).soonest = min(wpu_forecast(S, w).soonest, miss_end)
    return 0


@device
def on_split(S: State, g: int, h: int) -> int:
    """Give h the counts of g (Q-MAWS-15); a miss in flight stays with g."""
    count_up(S, g)
    count_up(S, h)
    parent = miss_free(S, g)
    child = miss_free(S, h)
    child.free = parent.free
    child.left = parent.left
    child.latency = parent.latency
    return 0


@device
def on_merge(S: State, g: int, h: int) -> int:
    """Keep the larger MFC and latency and the smaller rMFC of g and h (Q-MAWS-16).

    Both have no miss in flight.
    """
    catch_up(S, group(S, g).warp // S.warps, S.now)
    count_up(S, g)
    count_up(S, h)
    counts = miss_free(S, g)
    other = miss_free(S, h)
    counts.free = max(counts.free, other.free)
    counts.left = min(counts.left, other.left)
    counts.latency = max(counts.latency, other.latency)
    return 0


@device
def on_wait(S: State, g: int) -> int:
    """Save the counts of split g, which waits for others of its warp."""
    saved = saved_counts(S, group(S, g).warp)
    count_up(S, g)
    counts = miss_free(S, g)
    if saved.launch == S.launch:
        saved.free = max(saved.free, counts.free)
        saved.left = min(saved.left, counts.left)
        saved.latency = max(saved.latency, counts.latency)
    else:
        saved.launch = S.launch
        saved.free = counts.free
        saved.left = counts.left
        saved.latency = counts.latency
    return 0


@device
def on_rejoin(S: State, g: int) -> int:
    """Combine the saved counts with those of group g, as in a merge."""
    saved = saved_counts(S, group(S, g).warp)
    if saved.launch == S.launch:
        count_up(S, g)
        counts = miss_free(S, g)
        counts.free = max(counts.free, saved.free)
        counts.left = min(counts.left, saved.left)
        counts.latency = max(counts.latency, saved.latency)
    saved.launch = 0
    return 0


def setup(machine: Machine) -> dict[str, Any]:
    """Return the counts of every group, and the settings that policies may have for them."""
    warps = machine.wpus * machine.warps
    return {
        "miss_free": warps * machine.width,
        "saved_counts": warps,
        "wpu_forecast": machine.wpus,
        "first_latency": machine.policy.get("first-latency", 0),
        "long_latency": machine.policy.get("long-latency", 0),
    }
