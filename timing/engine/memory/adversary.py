"""A memory that answers as it is told: the one of the worked scenarios, and of fuzzing.

Engine code. Each lane is answered on its own, in ascending order:

1. What the *script* says about the n-th access of its work-item: hit or miss, and how long.
2. With a seed, a number made of seed, access and lane: half of them hit, the others take up to
   twice the latency of a miss.
3. Else the natural rule: an infinite cache in which the first touch of a line misses.

A miss fetches the lane's line, which is in flight until the data are there; whoever wants it until
then misses too and completes with it. Nothing ever queues. `seen` has when each line is there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..intrinsics import bit, ctz, device, drop_lowest, mix, record, table, word64

if TYPE_CHECKING:
    from ...machines.machine import Machine
    from ..groups import home
    from ..hooks import State
    from ..state import BLOCK_GROUP, BLOCK_WARP, warp
    from .addresses import lane_address
    from .seen import put, value_of

PROGRESS = record(item="i8", launch="i8", n="i8")
progress = table("progress", PROGRESS)
"""How many accesses the work-item of a lane has made. Index as the group's first, plus lane."""

SCRIPT = record(item="i8", n="i8", hit="i8", latency="i8")
script = table("script", SCRIPT)
"""Overrides, sorted by work-item and number of its access, from 0; `latency` 0: the machine's."""


@device
def simd_access(S: State, w: int, g: int, lanes: int, t: int) -> int:
    """Answer lane by lane; the last one ends the access."""
    S.n_adversary_access += 1
    S.access_hits = 0
    over = t
    rest = lanes
    while rest != 0:
        lane = ctz(rest)
        rest = drop_lowest(rest)
        ready = lane_access(S, g, lane, t)
        over = max(over, ready)
        if S.lane_hit == 1:
            S.access_hits |= bit(lane)
            S.access_hits_at = max(S.access_hits_at, ready)
    return over


@device
def lane_access(S: State, g: int, lane: int, t: int) -> int:
    """When a lane has its data; sets S.lane_hit."""
    line = lane_address(S, g, lane) >> S.adversary_shift
    told = scripted(S, g, lane)
    if told >= 0:
        S.lane_hit = script(S, told).hit
        latency = script(S, told).latency
        if S.lane_hit == 0:
            return fetch_line(S, line, t, latency)
        return t + (latency if latency > 0 else S.hit_latency)
    if S.adversary_seed > 0:
        number = mix(S.adversary_seed, S.n_adversary_access, lane)
        S.lane_hit = number & 1
        if S.lane_hit == 0:
            return t + 1 + (number >> 1) % (2 * S.miss_latency)
        return t + S.hit_latency
    there = value_of(S, line)
    S.lane_hit = 1 if 0 < there <= t else 0
    if S.lane_hit == 0:
        return fetch_line(S, line, t, 0)
    S.n_l1_hit += 1
    return t + S.hit_latency


@device
def fetch_line(S: State, line: int, t: int, latency: int) -> int:
    """A lane misses: when its line is there. Without a latency it joins a fetch under way."""
    if latency == 0:
        there = value_of(S, line)
        if there > t:
            S.n_mshr_merge += 1
            return there
        latency = S.miss_latency
    S.n_l1_miss += 1
    put(S, line, t + latency)
    return t + latency


@device
def scripted(S: State, g: int, lane: int) -> int:
    """The override for this access of a lane's work-item, -1 for none; counts the access."""
    v = home(S, g, lane)
    block = warp(S, v).block
    in_group = word64(block, BLOCK_WARP) * S.width + lane
    item = word64(block, BLOCK_GROUP) * S.team_items + in_group
    mine = progress(S, v * S.width + lane)
    if mine.item != item or mine.launch != S.launch:
        mine.item = item
        mine.launch = S.launch
        mine.n = 0
    n = mine.n
    mine.n += 1
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
    """Latencies, the seed, and the tables; the script comes from `Simulator`."""
    return {
        "adversary_shift": machine.l1d.line_shift,
        "adversary_seed": machine.adversary_seed,
        "hit_latency": machine.l1d.hit_latency,
        "miss_latency": machine.dram.latency,
        "n_adversary_access": 0,
        "lane_hit": 0,  # the answer of lane_access: whether the lane hit
        "n_l1_hit": 0,
        "n_l1_miss": 0,
        "n_mshr_merge": 0,
        "progress": machine.wpus * machine.warps * machine.width,
        "script": 0,
        "script_length": 0,
    }
