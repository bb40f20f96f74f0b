"""The lines of all caches: their tags, arrival, state and last use.

Engine code. One table holds every cache, one after the other, a set's ways side by side. A
requested line takes its place at once, with `ready` in the future: it is *in flight*, and finding
it is what an MSHR lookup would be.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..intrinsics import (
    WORD,
    device,
    find_word,
    first_least,
    first_least_due,
    inlined,
    put_in_chunk,
    record,
    table,
)

if TYPE_CHECKING:
    from ...machines.machine import Machine
    from ..hooks import State
    from ..state import seg

# What an access does with a line.
LOAD = 0
STORE = 1
ATOMIC = 2
FETCH = 3
UPGRADE = 4  # ownership of a line that is cached as shared

# What a first level may do with a line.
INVALID = 0
SHARED = 1
EXCLUSIVE = 2
MODIFIED = 3

EMPTY = 1 << 62
"""A tag that no line has: addresses of lines are shorter than 62 bits."""

TAG = record(tag="i8")
cache_tag = table("cache_tag", TAG)
"""The number of the cached line: its address without the offset in the line."""
cache_used = table("cache_used", record(tick="i8"))
"""The tick of its last use."""
cache_ready = table("cache_ready", record(at="i8"))
"""The cycle at which its data arrive. Tags, ticks and arrivals are contiguous, for comparisons of a
whole set."""

LINE = record(
    place="i4",  # in a first level: its place in the second level, which keeps it as long
    targets="i2",  # lanes (first level) or requests (second level) that wait for it
    state="i1",
    far="i1",  # 1 if its data come from memory
)
cache_line = table("cache_line", LINE)


@device
def kind_of(S: State, s: int) -> int:
    """Return the kind of access of segment s: LOAD, STORE or ATOMIC."""
    row = seg(S, s)
    if row.is_atomic == 1:
        return ATOMIC
    return STORE if row.is_store == 1 else LOAD


@device
def find(S: State, first: int, ways: int, tag: int) -> int:
    """Return the index of line `tag` in the set that begins at `first`, -1 if it is absent."""
    way = find_word(S.p_cache_tag + WORD * first, ways, tag)
    return first + way if way >= 0 else -1


@inlined
def choose_victim(S: State, first: int, ways: int, t: int) -> int:
    """Return the index of the line that makes room at t in the set that begins at `first`.

    An empty one; else the least recently used of those that are not in flight; else the one that
    arrives first, whose `ready` is then after t.
    """
    way = first_least_due(S.p_cache_used + WORD * first, S.p_cache_ready + WORD * first, ways, t)
    if way < 0:
        way = first_least(S.p_cache_ready + WORD * first, ways)
    return first + way


@device
def clear(S: State, index: int) -> int:
    """Empty the place `index`; its `place` in the second level stays for `forget_line`."""
    put_in_chunk(S.p_cache_tag, index, EMPTY)
    put_in_chunk(S.p_cache_ready, index, 0)
    put_in_chunk(S.p_cache_used, index, 0)
    cache_line(S, index).state = INVALID
    return 0


@device
def place(S: State, index: int, tag: int, ready: int, state: int, targets: int) -> int:
    """Put line `tag` in the place `index`, as used now; words of the reply give its source."""
    cached_line = cache_line(S, index)
    put_in_chunk(S.p_cache_tag, index, tag)
    put_in_chunk(S.p_cache_ready, index, ready)
    put_in_chunk(S.p_cache_used, index, S.tick)
    cached_line.state = state
    cached_line.targets = targets
    cached_line.far = S.reply_from_memory
    cached_line.place = S.reply_place
    return 0


def lines_of(machine: Machine) -> tuple[int, int, int]:
    """Return the number of lines of all L1D, of all L1I, and of the L2."""
    caches = machine.l1d, machine.l1i, machine.l2
    l1d, l1i, l2 = (c.sets * c.n_ways if c.size else 0 for c in caches)
    return machine.wpus * l1d, machine.wpus * l1i, l2


def setup(machine: Machine) -> dict[str, Any]:
    """Return empty caches: all L1D in the order of WPUs, all L1I, the L2."""
    l1d, l1i, l2 = lines_of(machine)
    return {
        "cache_line": l1d + l1i + l2,
        "cache_used": l1d + l1i + l2,
        "cache_ready": l1d + l1i + l2,
        "cache_tag": np.full(l1d + l1i + l2, EMPTY).view(TAG),
        "l1i_first": l1d,
        "l2_first": l1d + l1i,
        "tick": 0,  # the clock of LRU: lookups so far
    }
