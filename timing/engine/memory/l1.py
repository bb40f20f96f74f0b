"""The first level's data cache of each WPU: write-back, write-allocate, LRU, any geometry.

Engine code; docs/timing/memory.md, rule 3. The next level fills `next_level`, `forget_line` and
`write_back`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..intrinsics import device, put_in_chunk, record, table

if TYPE_CHECKING:
    from ...machines.machine import Machine
    from ..hooks import State, forget_line, next_level, prefetch_line, write_back
    from .lines import (
        ATOMIC,
        EMPTY,
        LOAD,
        MODIFIED,
        SHARED,
        UPGRADE,
        cache_line,
        cache_ready,
        cache_tag,
        choose_victim,
        clear,
        find,
        place,
    )
    from .mshr import free_entry, mshr

L1D = record(
    free="i8",  # cycle from which the banks take the next access
    busy="i8",  # cycle up to which the time with a miss in flight has been counted
)
l1d = table("l1d", L1D)


@device
def l1d_set(S: State, w: int, line: int) -> int:
    """Return the index of the first way of a line's set in WPU w's cache."""
    return (w * S.l1d_sets + (line & (S.l1d_sets - 1))) * S.l1d_ways


@device
def l1d_find(S: State, w: int, line: int) -> int:
    """Return the index of a line in WPU w's cache, -1 if it is not cached."""
    return find(S, l1d_set(S, w, line), S.l1d_ways, line)


@device
def line_access(S: State, w: int, line: int, kind: int, t: int) -> int:
    """Look up a line at t for S.line_lanes lanes; see `hooks.line_access`."""
    S.tick += 1
    index = l1d_find(S, w, line)
    if index >= 0 and (kind != ATOMIC or S.atomics_past_l1 == 0):
        cached_line = cache_line(S, index)
        put_in_chunk(S.p_cache_used, index, S.tick)
        if cache_ready(S, index).at <= t and (kind == LOAD or cached_line.state != SHARED):
            if kind != LOAD:
                cached_line.state = MODIFIED
            S.line_hit = 1
            S.n_l1_hit += 1
            return t + S.l1d_latency
    return no_hit(S, w, line, kind, index, t + S.l1d_latency)


@device
def no_hit(S: State, w: int, line: int, kind: int, index: int, miss_cycle: int) -> int:
    """Serve a line that did not hit: absent, in flight, or shared where a store needs it owned.

    A request leaves at `miss_cycle` at the earliest. `index` is that of the line, -1 if it is
    absent. Return the cycle at which the line is served.
    """
    S.request_date = miss_cycle
    if kind == ATOMIC and S.atomics_past_l1 == 1:
        return send_atomic(S, w, line, index, miss_cycle)
    if index < 0:
        return miss(S, w, line, kind, miss_cycle)
    if kind != LOAD:
        if cache_line(S, index).state == SHARED:
            return upgrade(S, w, line, index, miss_cycle)
        cache_line(S, index).state = MODIFIED
    return merge_request(S, index, miss_cycle)


@device
def merge_request(S: State, index: int, miss_cycle: int) -> int:
    """Let the lanes wait for a line in flight; return the cycle at which they are served."""
    cached_line = cache_line(S, index)
    S.n_mshr_merge += 1
    ready = cache_ready(S, index).at
    completion = max(miss_cycle, ready)
    if S.l1d_targets > 0 and cached_line.targets + S.line_lanes > S.l1d_targets:
        S.n_target_full += 1
        completion = ready + S.l1d_latency
    elif S.l1d_targets > 0:
        cached_line.targets += S.line_lanes
    if cached_line.far == 0:
        S.line_until_l2 = completion
    return completion


@device
def miss(S: State, w: int, line: int, kind: int, miss_cycle: int) -> int:
    """Request a line from the next level, and make room for it; return its arrival."""
    S.n_l1_miss += 1
    prefetch_line(S, line)
    start = miss_cycle
    entry = -1
    if S.l1d_mshrs > 0:
        entry = free_entry(S, w, start)
        start = wait_for_mshr(S, entry, start)
    index = choose_victim(S, l1d_set(S, w, line), S.l1d_ways, start)
    if cache_ready(S, index).at > start:
        S.n_victim_wait += 1
        start = cache_ready(S, index).at
        S.line_until_mshr = start
    victim = cache_line(S, index)
    victim_line = cache_tag(S, index).tag
    dirty = 1 if victim.state == MODIFIED else 0
    if victim_line != EMPTY:
        forget_line(S, w, victim_line, victim.place, dirty)
    ready = next_level(S, w, line, kind, start)
    S.line_until_l2 = S.reply_until_l2
    if dirty == 1:
        S.n_writeback += 1
        write_back(S, w, victim_line, start)
    place(S, index, line, ready, S.reply_state, S.line_lanes)
    return in_flight(S, w, entry, start, ready)


@device
def upgrade(S: State, w: int, line: int, index: int, miss_cycle: int) -> int:
    """Request ownership of a shared line for a store (Q-DWS-5); return when it is granted."""
    S.n_upgrade += 1
    prefetch_line(S, line)
    start = miss_cycle
    entry = -1
    if S.l1d_mshrs > 0:
        entry = free_entry(S, w, start)
        start = wait_for_mshr(S, entry, start)
    ready = max(next_level(S, w, line, UPGRADE, start), cache_ready(S, index).at)
    S.line_until_l2 = S.reply_until_l2
    place(S, index, line, ready, MODIFIED, S.line_lanes)
    return in_flight(S, w, entry, start, ready)


@device
def send_atomic(S: State, w: int, line: int, index: int, miss_cycle: int) -> int:
    """Send an atomic to memory, which performs it; evict WPU w's own copy. Return its end."""
    S.n_l1_miss += 1
    if index >= 0:
        dirty = 1 if cache_line(S, index).state == MODIFIED else 0
        clear(S, index)
        forget_line(S, w, line, cache_line(S, index).place, dirty)
        if dirty == 1:
            S.n_writeback += 1
            write_back(S, w, line, miss_cycle)
    ready = next_level(S, w, line, ATOMIC, miss_cycle)
    S.line_until_l2 = S.reply_until_l2
    return ready


@device
def wait_for_mshr(S: State, entry: int, start: int) -> int:
    """Return the cycle, `start` or later, at which a request can take MSHR `entry`."""
    until = mshr(S, entry).free
    if until <= start:
        return start
    S.n_mshr_full += 1
    S.line_until_mshr = until
    return until


@device
def in_flight(S: State, w: int, entry: int, start: int, ready: int) -> int:
    """Hold MSHR `entry` (-1: none) from `start` until the data arrive at `ready`; return that."""
    if entry >= 0:
        put_in_chunk(S.p_mshr, entry, ready)
    S.n_mshr_time += ready - start
    cache = l1d(S, w)
    if ready > cache.busy:
        S.n_mshr_busy += ready - max(start, cache.busy)
        cache.busy = ready
    return ready


def setup(machine: Machine) -> dict[str, Any]:
    """Return geometry, latency and counters (docs/timing/memory.md)."""
    cache = machine.l1d
    return {
        "l1d": machine.wpus,
        "l1d_sets": cache.sets,
        "l1d_ways": cache.n_ways,
        "l1d_latency": cache.hit_latency,
        "l1d_targets": cache.targets,
        "n_l1_hit": 0,
        "n_l1_miss": 0,
        "n_mshr_merge": 0,
        "n_upgrade": 0,
        "n_mshr_full": 0,
        "n_target_full": 0,
        "n_victim_wait": 0,
        "n_mshr_time": 0,
        "n_mshr_busy": 0,
        "n_writeback": 0,
    }
