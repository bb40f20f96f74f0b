"""The lines of all caches: tags, when their data are there, who was used when.

Engine code. One table holds every cache, one after the other, a set's ways side by side. A line
that was asked for is in its place at once, with `ready` in the future: it is *in flight*, and
finding it is what an MSHR lookup would be.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..intrinsics import NEVER, WORD, device, find_word, record, table

if TYPE_CHECKING:
    from ..hooks import State
    from ..machine import Machine
    from ..state import seg

# What an access does with a line.
LOAD = 0
STORE = 1
ATOMIC = 2
FETCH = 3
UPGRADE = 4  # ownership of a line that is there, shared

# What a first level may do with a line.
INVALID = 0
SHARED = 1
EXCLUSIVE = 2
MODIFIED = 3

EMPTY = 1 << 62
"""A tag that no line has: addresses of lines are shorter than 62 bits."""

TAG = record(tag="i8")
cache_tag = table("cache_tag", TAG)
"""The number of the line that is there: its address without the bits inside. Tags lie side by side
for the comparison of a whole set."""

LINE = record(
    ready="i8",  # cycle at which its data are there
    used="i8",  # tick of its last use
    behind="i4",  # of a first level: its place in the second, which keeps it as long
    targets="i2",  # lanes (first level) or requests (second) that wait for it
    state="i1",
    far="i1",  # 1 if its data come from memory
)
cache_line = table("cache_line", LINE)


@device
def kind_of(S: State, s: int) -> int:
    """What the access of segment s does with lines."""
    row = seg(S, s)
    if row.is_atomic == 1:
        return ATOMIC
    return STORE if row.is_store == 1 else LOAD


@device
def find(S: State, first: int, ways: int, tag: int) -> int:
    """The index of a line in the set that begins at `first`, -1 if it is not there."""
    way = find_word(S.p_cache_tag + WORD * first, ways, tag)
    return first + way if way >= 0 else -1


@device
def choose_victim(S: State, first: int, ways: int, t: int) -> int:
    """The line of a set that makes room at t.

    An empty one; else that used longest ago among those that are not in flight; else, and its
    `ready` is then after t, the one that arrives first.
    """
    best = -1
    oldest = NEVER
    for i in range(first, first + ways):
        # Both are read in any case, so that no branch depends on them.
        used = cache_line(S, i).used
        age = used if cache_line(S, i).ready <= t else NEVER
        if age < oldest:
            oldest = age
            best = i
    if best >= 0:
        return best
    soonest = first
    for i in range(first + 1, first + ways):
        if cache_line(S, i).ready < cache_line(S, soonest).ready:
            soonest = i
    return soonest


@device
def clear(S: State, at: int) -> int:
    """Nothing is there any more."""
    it = cache_line(S, at)
    cache_tag(S, at).tag = EMPTY
    it.ready = 0
    it.used = 0
    it.state = INVALID
    return 0


@device
def place(S: State, at: int, tag: int, ready: int, state: int, targets: int) -> int:
    """A line takes a place; it was used now, and comes from where S.far and S.behind say."""
    it = cache_line(S, at)
    cache_tag(S, at).tag = tag
    it.ready = ready
    it.used = S.tick
    it.state = state
    it.targets = targets
    it.far = S.far
    it.behind = S.behind
    return 0


def lines_of(machine: Machine) -> tuple[int, int, int]:
    """How many lines all L1D, all L1I and the L2 have."""
    caches = machine.l1d, machine.l1i, machine.l2
    l1d, l1i, l2 = (c.sets * c.n_ways if c.size else 0 for c in caches)
    return machine.wpus * l1d, machine.wpus * l1i, l2


def setup(machine: Machine) -> dict[str, Any]:
    """Empty caches: all L1D in the order of WPUs, all L1I, the L2."""
    l1d, l1i, l2 = lines_of(machine)
    return {
        "cache_line": l1d + l1i + l2,
        "cache_tag": np.full(l1d + l1i + l2, EMPTY).view(TAG),
        "l1i_first": l1d,
        "l2_first": l1d + l1i,
        "tick": 0,  # the clock of LRU: lookups so far
        "asked": 0,  # when the request that runs would leave its first level if nothing delayed it
        "grant": 0,
        "far": 0,
        "behind": 0,
    }
