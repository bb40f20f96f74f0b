"""A memory whose replies a script or a seed chooses, for the worked scenarios and for fuzzing.

Engine code. Each lane gets its own reply, in ascending order:

1. What the *script* has for the n-th access of its work-item: hit or miss, and the latency.
2. With a seed, a number made of seed, access and lane: half of them hit, the others take up to
   twice the latency of a miss.
3. Else the natural rule: an infinite cache in which the first touch of a line misses.

A miss fetches the lane's line, which is in flight until the data arrive; an access to it until then
misses too and completes with it. Nothing ever queues. `seen` has the arrival of each line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..intrinsics import bit, ctz, device, drop_lowest, mix, record, table, word64

if TYPE_CHECKING:
    from ...machines.machine import Machine
    from ..groups import home
    from ..hooks import State, on_lanes_served
    from ..state import BLOCK_GROUP, BLOCK_WARP, warp
    from .addresses import lane_address
    from .seen import put, value_of

PROGRESS = record(item="i8", launch="i8", n="i8")
progress = table("progress", PROGRESS)
"""How many accesses a lane's work-item has made. Index: warp * S.width + lane."""

SCRIPT = record(item="i8", n="i8", hit="i8", latency="i8")
script = table("script", SCRIPT)
"""Overrides, sorted by work-item and number of its access, from 0; `latency` 0: the machine's."""


@device
def simd_access(S: State, w: int, g: int, lanes: int, t: int) -> int:
    """Reply lane by lane; the last lane ends the access. See `hooks.simd_access`."""
    S.n_adversary_access += 1
    S.access_hits = 0
    completion = t
    rest = lanes
    while rest != 0:
        lane = ctz(rest)
        rest = drop_lowest(rest)
        ready = lane_access(S, g, lane, t)
        on_lanes_served(S, w, g, bit(lane), ready)
        completion = max(completion, ready)
        if S.lane_hit == 1:
            S.access_hits |= bit(lane)
            S.access_hits_at = max(S.access_hits_at, ready)
    return completion


@device
def lane_access(S: State, g: int, lane: int, t: int) -> int:
    """Return the cycle at which a lane has its data, and set S.lane_hit."""
    line = lane_address(S, g, lane) >> S.adversary_shift
    override = scripted(S, g, lane)
    if override >= 0:
        S.lane_hit = script(S, override).hit
        latency = script(S, override).latency
        if S.lane_hit == 0:
            return fetch_line(S, line, t, latency)
        return t + (latency if latency > 0 else S.hit_latency)
    if S.adversary_seed > 0:
        number = mix(S.adversary_seed, S.n_adversary_access, lane)
        S.lane_hit = number & 1
        if S.lane_hit == 0:
            return t + 1 + (number >> 1) % (2 * S.miss_latency)
        return t + S.hit_latency
    arrival = value_of(S, line)
    S.lane_hit = 1 if 0 < arrival <= t else 0
    if S.lane_hit == 0:
        return fetch_line(S, line, t, 0)
    S.n_l1_hit += 1
    return t + S.hit_latency


@device
def fetch_line(S: State, line: int, t: int, latency: int) -> int:
    """Return the arrival of a missing line; without a latency, join a fetch that is in flight."""
    if latency == 0:
        arrival = value_of(S, line)
        if arrival > t:
            S.n_mshr_merge += 1
            return arrival
        latency = S.miss_latency
    S.n_l1_miss += 1
    put(S, line, t + latency)
    return t + latency


@device
def scripted(S: State, g: int, lane: int) -> int:
    """Return the script's row for this access of a lane, -1 for none; count the access."""
    v = home(S, g, lane)
    block = warp(S, v).block
    in_group = word64(block, BLOCK_WARP) * S.width + lane
    item = word64(block, BLOCK_GROUP) * S.workgroup_items + in_group
    item_progress = progress(S, v * S.width + lane)
    if item_progress.item != item or item_progress.launch != S.launch:
        item_progress.item = item
        item_progress.launch = S.launch
        item_progress.n = 0
    n = item_progress.n
    item_progress.n += 1
    low = 0
    high = S.script_length
    while low < high:
        middle = (low + high) >> 1
        entry = script(S, middle)
        if entry.item < item or (entry.item == item and entry.n < n):
            low = middle + 1
        else:
            high = middle
    if low < S.script_length and script(S, low).item == item and script(S, low).n == n:
        return low
    return -1


def setup(machine: Machine) -> dict[str, Any]:
    """Return latencies, the seed, and the tables; the script comes from `Simulator`."""
    return {
        "adversary_shift": machine.l1d.line_shift,
        "adversary_seed": machine.adversary_seed,
        "hit_latency": machine.l1d.hit_latency,
        "miss_latency": machine.dram.latency,
        "n_adversary_access": 0,
        "lane_hit": 0,  # set by lane_access: whether the lane hit
        "n_l1_hit": 0,
        "n_l1_miss": 0,
        "n_mshr_merge": 0,
        "progress": machine.wpus * machine.warps * machine.width,
        "script": 0,
        "script_length": 0,
    }
