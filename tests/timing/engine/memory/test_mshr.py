"""MSHR files: a free entry is found without a search, and a full file makes requests wait."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from simtlab.timing.engine.memory.mshr import free_entry, mshr, mshr_taken, next_entry
from simtlab.timing.engine.plain import PlainState

ENTRIES, WPUS = 4, 2
REQUESTS = st.lists(
    st.tuples(st.integers(0, WPUS - 1), st.integers(0, 5), st.integers(1, 30)), max_size=60
)


def files() -> Any:
    """Two files of four free entries."""
    tables = {
        "mshr": np.zeros(WPUS * ENTRIES, [("free", "i8")]),
        "mshr_taken": np.zeros(WPUS, [("next", "i8")]),
    }
    fields = {"p_mshr": 0, "l1d_mshrs": 1}
    words = np.array([tables["mshr"].ctypes.data, ENTRIES], np.int64)
    return PlainState(words, fields, tables)


@given(REQUESTS)
def test_requests_wait_as_if_the_entry_that_is_free_first_were_taken(requests):
    S = files()
    now, expected = [0] * WPUS, [[0] * ENTRIES for _ in range(WPUS)]
    for w, later, latency in requests:
        now[w] += later
        entry = free_entry(S, w, now[w])
        assert w * ENTRIES <= entry < (w + 1) * ENTRIES
        start = max(now[w], mshr(S, entry).free)
        first = min(expected[w])
        assert start == max(now[w], first)
        mshr(S, entry).free = start + latency
        expected[w].remove(first)
        expected[w].append(start + latency)


def test_entries_are_taken_in_turn_while_they_are_free():
    S = files()
    taken = []
    for t in range(6):
        taken.append(free_entry(S, 1, t))
        mshr(S, taken[-1]).free = t + 3
    assert taken == [4, 5, 6, 7, 4, 5]
    assert mshr_taken(S, 0).next == 0


def test_of_a_full_file_the_entry_that_is_free_first_is_taken():
    S = files()
    for entry, free in enumerate((40, 30, 20, 30)):
        mshr(S, entry).free = free
    assert free_entry(S, 0, 10) == 2
    mshr(S, 2).free = 50
    assert free_entry(S, 0, 35) == 3  # the next in turn is free


def test_an_entry_that_is_free_a_cycle_later_is_left_out():
    S = files()
    for entry, free in enumerate((36, 50, 35, 50)):
        mshr(S, entry).free = free
    assert free_entry(S, 0, 35) == 2


@given(REQUESTS)
def test_requests_of_a_shared_file_wait_so_whatever_the_order_of_their_cycles(requests):
    # Later requests may begin before earlier ones, but not before the current cycle.
    S = files()
    now, expected = 0, [0] * ENTRIES
    for later, delay, latency in requests:
        now += later
        entry = next_entry(S, 1, ENTRIES, ENTRIES, now)
        begin = now + 3 * delay
        start = max(begin, mshr(S, entry).free)
        first = min(expected)
        assert start == max(begin, first)
        mshr(S, entry).free = start + latency
        expected.remove(first)
        expected.append(start + latency)


def test_no_entry_is_taken_in_turn_that_an_earlier_request_could_not_have():
    S = files()
    for entry, free in enumerate((40, 20, 30, 30)):
        mshr(S, entry).free = free
    # A request of cycle 50 is made at 25. One of cycle 35 may follow, and must find entry 2 or 3.
    assert next_entry(S, 0, 0, ENTRIES, 25) == 1
