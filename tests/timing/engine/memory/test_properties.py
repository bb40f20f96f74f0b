"""Random streams of accesses on random geometries: compiled = plain, and what always holds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ...support.memory_rig import (
    ATOMIC,
    EMPTY,
    EXCLUSIVE,
    FETCH,
    LOAD,
    STORE,
    Request,
    Rig,
)

CACHE = {"mshrs": st.sampled_from([0, 1, 2, 5]), "targets": st.sampled_from([0, 1, 3])}


@st.composite
def machines(draw: st.DrawFn) -> dict[str, Any]:
    """Small caches of all shapes, so that everything happens within a few accesses."""
    line = draw(st.sampled_from([16, 32, 128]))
    sectors = draw(st.sampled_from([1, 2, 4]))
    fields: dict[str, Any] = {"wpus": draw(st.sampled_from([1, 2, 3, 4]))}
    for cache, size in (("l1d", line), ("l1i", line), ("l2", line * sectors)):
        ways = draw(st.sampled_from([1, 2, 4]))
        sets = draw(st.sampled_from([1, 2, 8]))
        fields |= {f"{cache}.line": size, f"{cache}.ways": ways}
        fields |= {f"{cache}.size": size * ways * sets}
        fields |= {f"{cache}.{name}": draw(choice) for name, choice in CACHE.items()}
    fields["l2.banks"] = draw(st.sampled_from([0, 1, 2, 8]))
    fields["crossbar.bytes_per_cycle"] = draw(st.sampled_from([57, 1, 0.3, 1024]))
    fields["crossbar.latency"] = draw(st.sampled_from([0, 4]))
    fields["bus.bytes_per_cycle"] = draw(st.sampled_from([16, 2.5, 300]))
    fields["bus.latency"] = draw(st.sampled_from([0, 7]))
    fields["dram.latency"] = draw(st.sampled_from([1, 100]))
    fields["coherence_latency"] = draw(st.sampled_from([0, 9]))
    return fields


KINDS = (LOAD, LOAD, LOAD, STORE, STORE, ATOMIC, FETCH)


def stream(seed: int, wpus: int, n: int, lines: int, pace: int) -> list[Request]:
    """n requests at times that do not go back; code has lines of its own."""
    rng = np.random.default_rng(seed)
    t = 0
    found: list[Request] = []
    for _ in range(n):
        t += int(rng.integers(0, pace + 1))
        kind = KINDS[rng.integers(len(KINDS))]
        line = int(rng.integers(lines)) + (1 << 20 if kind == FETCH else 0)
        found.append((int(rng.integers(wpus)), line, kind, t))
    return found


streams = st.tuples(
    st.integers(0, 1 << 30), st.integers(1, 120), st.sampled_from([2, 8, 30]),
    st.sampled_from([0, 3, 60, 500]),
)  # fmt: skip


@given(machines(), streams)
def test_compiled_and_plain_agree(fields, how):
    seed, n, lines, pace = how
    requests = stream(seed, fields["wpus"], n, lines, pace)
    plain, compiled = (Rig(fields, plain=plain) for plain in (True, False))
    assert np.array_equal(plain.lines(requests), compiled.lines(requests))
    assert plain.counters() == compiled.counters()
    for name in ("cache_line", "cache_ready", "mshr", "sharing", "l2_bank", "port", "l1d"):
        assert np.array_equal(plain.state.rows[name], compiled.state.rows[name]), name


@given(machines(), streams)
def test_what_always_holds(fields, how):
    seed, n, lines, pace = how
    rig = Rig(fields)
    requests = stream(seed, fields["wpus"], n, lines, pace)
    with log_of_mshrs(rig) as taken:
        rows = rig.lines(requests[: n // 2])
        check_states(rig)
        rows = np.concatenate([rows, rig.lines(requests[n // 2 :])])
    check_states(rig)
    check_times(rig, requests, rows)
    check_mshrs(rig, taken)
    check_counters(rig, requests, rows)


@contextmanager
def log_of_mshrs(rig: Rig) -> Iterator[list[tuple[int, int, int]]]:
    """(WPU, start, end) of each request of an L1D; filled as they come."""
    taken: list[tuple[int, int, int]] = []
    space = vars(rig.engine.namespace)
    original = space["in_flight"]

    def in_flight(S, w, entry, start, ready):
        taken.append((w, start, ready))
        return original(S, w, entry, start, ready)

    space["in_flight"] = in_flight
    try:
        yield taken
    finally:
        space["in_flight"] = original


def check_mshrs(rig: Rig, taken: list[tuple[int, int, int]]) -> None:
    """Never more requests in flight than there are entries; the sums are those of the intervals."""
    assert rig.S.n_mshr_time == sum(end - start for _, start, end in taken)
    limit = rig.machine.l1d.mshrs
    for w in range(rig.machine.wpus):
        ends = sorted(edge for v, start, end in taken if v == w for edge in ((start, 1), (end, -1)))
        depth = 0
        for _, step in ends:
            depth += step
            assert not limit or depth <= limit


def copies_of(rig: Rig) -> dict[int, dict[int, int]]:
    """Line -> WPU -> state, over all L1Ds."""
    cache, rows = rig.machine.l1d, rig.places
    found: dict[int, dict[int, int]] = {}
    for w in range(rig.machine.wpus):
        for s in range(cache.sets):
            first = (w * cache.sets + s) * cache.n_ways
            ways = [r for r in rows[first : first + cache.n_ways] if r["tag"] != EMPTY]
            assert len({int(r["tag"]) for r in ways}) == len(ways)
            for r in ways:
                assert int(r["tag"]) % cache.sets == s
                assert r["state"] > 0
                found.setdefault(int(r["tag"]), {})[w] = int(r["state"])
    return found


def check_states(rig: Rig) -> None:
    """Single owner; the L2 has what L1s have; the directory knows exactly."""
    copies, l2 = copies_of(rig), rig.machine.l2
    for states in copies.values():
        if max(states.values()) >= EXCLUSIVE:
            assert len(states) == 1
    sectors = l2.line // rig.machine.l1d.line
    rows = rig.places[int(rig.S.l2_first) :]
    known: dict[int, dict[int, bool]] = {}
    for at, row in enumerate(rows[: l2.sets * l2.n_ways]):
        for sector in range(sectors):
            entry = rig.state.rows["sharing"][at * sectors + sector]
            if row["tag"] == EMPTY:
                assert not entry["copies"]
                continue
            holders = [w for w in range(rig.machine.wpus) if entry["copies"] >> w & 1]
            if holders:
                line = int(row["tag"]) * sectors + sector
                assert line not in known
                known[line] = dict.fromkeys(holders, bool(entry["owned"]))
    assert known == {
        line: {w: state >= EXCLUSIVE for w, state in states.items()}
        for line, states in copies.items()
    }
    tags = Counter(int(r["tag"]) for r in rows if r["tag"] != EMPTY)
    assert not tags or max(tags.values()) == 1


def check_times(rig: Rig, requests: list[Request], rows: np.ndarray) -> None:
    """Nothing is faster than a hit, hits take as long as hits; boundaries lie within the wait."""
    latency = rig.machine.l1d.hit_latency
    for (_, _, kind, t), row in zip(requests, rows, strict=True):
        if kind == FETCH:
            assert row["ready"] >= t
            continue
        known = t + latency
        assert row["ready"] >= known
        assert row["mshr"] <= row["ready"]
        assert row["l2"] <= row["ready"]
        if row["hit"]:
            assert (row["ready"], row["mshr"], row["l2"]) == (known, 0, 0)


def check_counters(rig: Rig, requests: list[Request], rows: np.ndarray) -> None:
    """Every request is one of hit, merge, miss, upgrade, and so on down to memory."""
    n: Counter[str] = Counter(rig.counters())
    data = [row for (_, _, kind, _), row in zip(requests, rows, strict=True) if kind != FETCH]
    assert n["n_l1_hit"] == sum(int(row["hit"]) for row in data)
    assert n["n_l1_hit"] + n["n_mshr_merge"] + n["n_l1_miss"] + n["n_upgrade"] == len(data)
    assert n["n_l1i_hit"] + n["n_l1i_merge"] + n["n_l1i_miss"] == len(rows) - len(data)
    down = n["n_l1_miss"] + n["n_upgrade"] + n["n_l1i_miss"]
    assert n["n_l2_hit"] + n["n_l2_merge"] + n["n_l2_miss"] == down
    assert n["n_dram"] == n["n_l2_miss"] + n["n_l2_writeback"]
    assert n["n_dram_write"] == n["n_l2_writeback"]
    assert n["n_bus_bytes"] == n["n_dram"] * rig.machine.l2.line
    assert n["n_crossbar_bytes"] == n["n_crossbar_data"] * rig.machine.l1d.line
    # Lines down, and up: write-backs and what owners answer.
    assert n["n_crossbar_data"] >= n["n_l1_miss"] + n["n_l1i_miss"] + n["n_writeback"]
