"""The first level's data cache of each WPU: write-back, write-allocate, LRU, any geometry.

Engine code; docs/timing/memory.md, rule 3. What lies behind it fills `next_level`,
`forget_line` and `write_back`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..intrinsics import device, record, table

if TYPE_CHECKING:
    from ...machines.machine import Machine
    from ..hooks import State, forget_line, next_level, write_back
    from .lines import (
        ATOMIC,
        EMPTY,
        LOAD,
        MODIFIED,
        SHARED,
        UPGRADE,
        cache_line,
        cache_tag,
        cache_used,
        choose_victim,
        clear,
        find,
        place,
    )
    from .mshr import first_free, mshr

L1D = record(
    free="i8",  # cycle at which the banks take the next access
    busy="i8",  # up to where MSHR-cycles with a miss in flight have been counted
)
l1d = table("l1d", L1D)


@device
def l1d_set(S: State, w: int, line: int) -> int:
    """The first way of a line's set."""
    return (w * S.l1d_sets + (line & (S.l1d_sets - 1))) * S.l1d_ways


@device
def l1d_find(S: State, w: int, line: int) -> int:
    """The index of a line in a WPU's cache, -1 if it is not there."""
    return find(S, l1d_set(S, w, line), S.l1d_ways, line)


@device
def line_access(S: State, w: int, line: int, kind: int, t: int) -> int:
    """Look up a line at t for S.line_lanes lanes; see `hooks.line_access`."""
    S.tick += 1
    at = l1d_find(S, w, line)
    if at >= 0 and (kind != ATOMIC or S.atomics_behind == 0):
        it = cache_line(S, at)
        cache_used(S, at).tick = S.tick
        if it.ready <= t and (kind == LOAD or it.state != SHARED):
            if kind != LOAD:
                it.state = MODIFIED
            S.line_hit = 1
            S.n_l1_hit += 1
            return t + S.l1d_latency
    return no_hit(S, w, line, kind, at, t + S.l1d_latency)


@device
def no_hit(S: State, w: int, line: int, kind: int, at: int, known: int) -> int:
    """A line is not there, or not yet, or not for stores, as is known at some time."""
    S.request_date = known
    if kind == ATOMIC and S.atomics_behind == 1:
        return past(S, w, line, at, known)
    if at < 0:
        return miss(S, w, line, kind, known)
    if kind != LOAD:
        if cache_line(S, at).state == SHARED:
            return upgrade(S, w, line, at, known)
        cache_line(S, at).state = MODIFIED
    return merge_request(S, at, known)


@device
def merge_request(S: State, at: int, known: int) -> int:
    """A line in flight: the lanes wait with those that asked for it."""
    it = cache_line(S, at)
    S.n_mshr_merge += 1
    over = max(known, it.ready)
    if S.l1d_targets > 0 and it.targets + S.line_lanes > S.l1d_targets:
        S.n_target_full += 1
        over = it.ready + S.l1d_latency
    elif S.l1d_targets > 0:
        it.targets += S.line_lanes
    if it.far == 0:
        S.line_until_l2 = over
    return over


@device
def miss(S: State, w: int, line: int, kind: int, known: int) -> int:
    """Ask the next level, and make room."""
    S.n_l1_miss += 1
    start = known
    entry = -1
    if S.l1d_mshrs > 0:
        entry = first_free(S, w * S.l1d_mshrs, S.l1d_mshrs)
        start = wait_for_mshr(S, entry, start)
    at = choose_victim(S, l1d_set(S, w, line), S.l1d_ways, start)
    victim = cache_line(S, at)
    if victim.ready > start:
        S.n_victim_wait += 1
        start = victim.ready
        S.line_until_mshr = start
    old = cache_tag(S, at).tag
    dirty = 1 if victim.state == MODIFIED else 0
    if old != EMPTY:
        left = victim.place
        clear(S, at)
        forget_line(S, w, old, left, dirty)
    ready = next_level(S, w, line, kind, start)
    S.line_until_l2 = S.reply_until_l2
    if dirty == 1:
        S.n_writeback += 1
        write_back(S, w, old, start)
    place(S, at, line, ready, S.reply_state, S.line_lanes)
    return in_flight(S, w, entry, start, ready)


@device
def upgrade(S: State, w: int, line: int, at: int, known: int) -> int:
    """A store to a shared line: ask for ownership (Q-DWS-5)."""
    S.n_upgrade += 1
    start = known
    entry = -1
    if S.l1d_mshrs > 0:
        entry = first_free(S, w * S.l1d_mshrs, S.l1d_mshrs)
        start = wait_for_mshr(S, entry, start)
    ready = max(next_level(S, w, line, UPGRADE, start), cache_line(S, at).ready)
    S.line_until_l2 = S.reply_until_l2
    place(S, at, line, ready, MODIFIED, S.line_lanes)
    return in_flight(S, w, entry, start, ready)


@device
def past(S: State, w: int, line: int, at: int, known: int) -> int:
    """An atomic that memory does: the WPU's own copy goes, and nothing comes."""
    S.n_l1_miss += 1
    if at >= 0:
        dirty = 1 if cache_line(S, at).state == MODIFIED else 0
        left = cache_line(S, at).place
        clear(S, at)
        forget_line(S, w, line, left, dirty)
        if dirty == 1:
            S.n_writeback += 1
            write_back(S, w, line, known)
    ready = next_level(S, w, line, ATOMIC, known)
    S.line_until_l2 = S.reply_until_l2
    return ready


@device
def wait_for_mshr(S: State, entry: int, start: int) -> int:
    """When a request can begin that has to take this entry."""
    until = mshr(S, entry).free
    if until <= start:
        return start
    S.n_mshr_full += 1
    S.line_until_mshr = until
    return until


@device
def in_flight(S: State, w: int, entry: int, start: int, ready: int) -> int:
    """A request holds its entry until its data are there."""
    if entry >= 0:
        mshr(S, entry).free = ready
    S.n_mshr_time += ready - start
    mine = l1d(S, w)
    if ready > mine.busy:
        S.n_mshr_busy += ready - max(start, mine.busy)
        mine.busy = ready
    return ready


def setup(machine: Machine) -> dict[str, Any]:
    """Geometry, latency, and what is counted (docs/timing/memory.md)."""
    cache = machine.l1d
    return {
        "l1d": machine.wpus,
        "l1d_sets": cache.sets,
        "l1d_ways": cache.n_ways,
        "l1d_latency": cache.hit_latency,
        "l1d_targets": cache.targets,
        "atomics_behind": machine.memory != "coherent",
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
