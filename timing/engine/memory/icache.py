"""The instruction cache of each WPU, one fetch for all lanes (DWS-01, Q-DWS-7).

Engine code; docs/timing/memory.md, rule 10. A machine without one (`l1i.size = 0`) always has
its code.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..intrinsics import device, record, table

if TYPE_CHECKING:
    from ...machines.machine import Machine
    from ..hooks import State, next_level
    from ..state import seg, wpu
    from .lines import FETCH, SHARED, cache_ready, cache_used, choose_victim, find, place
    from .mshr import mshr, next_entry

PC_SHIFT = 3  # log2 of the bytes of an instruction

l1i = table("l1i", record(last="i8"))
"""The line that a WPU fetched last. It is the most recently used one, so that fetching it again
changes nothing but the count of hits."""

fetched = table("fetched", record(seg="i8"))
"""The segment for whose code a group waits, plus one; 0 for none. Index as the group."""


@device
def fetch(S: State, w: int, s: int, t: int) -> int:
    """Look up the lines of segment s for the current group of WPU w; see `hooks.fetch`."""
    if S.l1i_ways == 0:
        return t
    row = seg(S, s)
    line = (S.code_base + (row.first_pc << PC_SHIFT)) >> S.l1i_line_shift
    last = (S.code_base + (row.last_pc << PC_SHIFT)) >> S.l1i_line_shift
    # One test: a host does not predict which segments are in one line.
    if (line ^ last) | (line ^ l1i(S, w).last) == 0:
        S.n_l1i_hit += 1
        return t
    code_wait = fetched(S, wpu(S, w).current)
    if code_wait.seg == s + 1:
        code_wait.seg = 0
        return t
    arrival = t
    if line == l1i(S, w).last:
        S.n_l1i_hit += 1
        line += 1
    while line <= last:
        arrival = max(arrival, code_line(S, w, line, t))
        line += 1
    # A line in flight must be looked up again.
    l1i(S, w).last = last if arrival == t else -1
    if arrival > t:
        code_wait.seg = s + 1
    return arrival


@device
def code_line(S: State, w: int, line: int, t: int) -> int:
    """Look up one line of code for WPU w at t; return its arrival."""
    S.tick += 1
    first = S.l1i_first + (w * S.l1i_sets + (line & (S.l1i_sets - 1))) * S.l1i_ways
    index = find(S, first, S.l1i_ways, line)
    if index >= 0:
        cache_used(S, index).tick = S.tick
        ready = cache_ready(S, index).at
        if ready <= t:
            S.n_l1i_hit += 1
            return t
        S.n_l1i_merge += 1
        return ready
    S.n_l1i_miss += 1
    start = t + S.l1i_latency
    S.request_date = start
    entry = -1
    if S.l1i_mshrs > 0:
        first_entry = S.l1i_mshr_first + w * S.l1i_mshrs
        entry = next_entry(S, S.wpus + w, first_entry, S.l1i_mshrs, S.now)
        start = max(start, mshr(S, entry).free)
    index = choose_victim(S, first, S.l1i_ways, start)
    start = max(start, cache_ready(S, index).at)
    ready = next_level(S, w, line, FETCH, start)
    place(S, index, line, ready, SHARED, 1)
    if entry >= 0:
        mshr(S, entry).free = ready
    return ready


def setup(machine: Machine) -> dict[str, Any]:
    """Return the geometry, with no ways where there is no cache, and counters."""
    cache = machine.l1i
    return {
        "l1i": machine.wpus,
        "fetched": machine.wpus * machine.warps * machine.width,
        "l1i_sets": cache.sets,
        "l1i_ways": cache.n_ways if cache.size else 0,
        "l1i_latency": cache.hit_latency,
        "l1i_line_shift": cache.line_shift,
        "n_l1i_hit": 0,
        "n_l1i_miss": 0,
        "n_l1i_merge": 0,
    }
