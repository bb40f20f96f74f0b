"""The Perfetto form: tracks without overlaps, flows with both ends, counters that return to 0."""

from __future__ import annotations

import gzip
import json
from collections import Counter, defaultdict
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from simtlab.isa.errors import UsageError
from simtlab.recording.export.perfetto import perfetto
from simtlab.recording.recording import Recording

from ...timing.support import scenarios
from ..support.runs import functional, lane_cycles, scenario, two_launches

RECORDINGS = {
    "F12 conv": lambda: scenario(scenarios.F12, "conv"),
    "F12 lazy": lambda: scenario(scenarios.F12, "dws.lazy-split"),
    "F6 branch-only": lambda: scenario(scenarios.F6, "dws.branch-only"),
    "X9 lazy": lambda: scenario(scenarios.X9, "dws.lazy-split"),
    "X7 aggress": lambda: scenario(scenarios.X7, "dws.aggress-split"),
    "launches conv": lambda: two_launches("conv")[0],
    "launches revive": lambda: two_launches("dws.revive-split")[0],
    "launches slip": lambda: two_launches("slip.branch-bypass")[0],
    "packed": lambda: two_launches("dwf+dws", "lwm")[0],
    "functional stack": lambda: functional("stack"),
    "functional per-thread": lambda: functional("per-thread"),
}


@pytest.fixture(scope="module", params=RECORDINGS)
def recording(request: pytest.FixtureRequest) -> Recording:
    return RECORDINGS[request.param]()


@pytest.fixture(scope="module")
def events(recording: Recording) -> list[dict[str, Any]]:
    return json.loads(json.dumps(perfetto(recording)))["traceEvents"]


def slices(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [e for e in events if e["ph"] == "X"]


def test_time_never_goes_back(events: list[dict[str, Any]]) -> None:
    times = [e["ts"] for e in events if "ts" in e]
    assert times == sorted(times)


def test_slices_of_a_track_do_not_overlap(events: list[dict[str, Any]]) -> None:
    tracks = defaultdict(list)
    for e in slices(events):
        tracks[e["pid"], e["tid"]].append(e)
    for mine in tracks.values():
        for before, after in pairwise(mine):
            assert before["ts"] + before["dur"] <= after["ts"]
    assert all(e["dur"] > 0 for e in slices(events))


def test_sums_of_slices_are_those_of_the_lanes(
    recording: Recording, events: list[dict[str, Any]]
) -> None:
    found: Counter[str] = Counter()
    for e in slices(events):
        assert e["args"]["lanes"].count("1") == e["args"]["active"]
        found[e["cat"]] += e["dur"] * e["args"]["active"]
    assert found == lane_cycles(recording)
    waits: Counter[str] = Counter()
    for warp in range(len(recording.facts["warps"])):
        for lane in range(recording.width):
            for wait in recording.waits_of(warp, lane):
                waits[wait.cause] += wait.length
    del found["issued"]
    assert found == waits


def test_every_track_has_one_name(events: list[dict[str, Any]]) -> None:
    names = [(e["pid"], e["tid"]) for e in events if e["name"] == "thread_name"]
    assert sorted(set(names)) == sorted(names)
    assert {(e["pid"], e["tid"]) for e in events if e["ph"] in "Xistf"} == set(names)
    assert {e["pid"] for e in events if e["name"] == "process_name"} == {p for p, _ in names}


def test_counters_return_to_zero(events: list[dict[str, Any]]) -> None:
    issuing: Counter[tuple[int, int]] = Counter()
    for e in slices(events):
        if e["cat"] == "issued":
            for t in range(e["ts"], e["ts"] + e["dur"]):
                issuing[e["pid"], t] += e["args"]["active"]
    changes = defaultdict(list)
    for e in events:
        if e["ph"] == "C":
            changes[e["pid"]].append((e["ts"], e["args"]["active"]))
    for process, mine in changes.items():
        assert mine[-1][1] == 0
        for (begin, lanes), (end, _) in pairwise(mine):
            assert {issuing[process, t] for t in range(begin, end)} == {lanes}


def test_flows_lie_in_slices_and_have_both_ends(events: list[dict[str, Any]]) -> None:
    places = defaultdict(list)
    for e in slices(events):
        places[e["pid"], e["tid"]].append((e["ts"], e["ts"] + e["dur"]))
    flows = defaultdict(list)
    for e in events:
        if e["ph"] in "stf":
            assert any(a <= e["ts"] < b for a, b in places[e["pid"], e["tid"]])
            flows[e["id"]].append(e)
    for mine in flows.values():
        assert [e["ph"] for e in mine] in (["s", "f"], ["s", "t", "f"])
        assert all(a["ts"] < b["ts"] for a, b in pairwise(mine))
        assert len({e["name"] for e in mine}) == 1


def test_every_event_of_the_recording_is_an_instant(
    recording: Recording, events: list[dict[str, Any]]
) -> None:
    rows = recording.tables["instant"]["kind"].tolist()
    expected = Counter(recording.facts["instants"][kind] for kind in rows)
    assert Counter(e["name"] for e in events if e["ph"] == "i") == expected


def flows_of(which: Recording) -> list[tuple[str, list[int]]]:
    found = defaultdict(list)
    for e in perfetto(which)["traceEvents"]:
        if e["ph"] in "stf":
            found[e["name"], e["id"]].append(e["ts"])
    return sorted((name, times) for (name, _), times in found.items())


def test_flows_of_figure_12():
    """Misses: x at 2 is filled by 14, y at 5 by 17; splits merge at 17 and at the join at 22."""
    assert flows_of(RECORDINGS["F12 lazy"]()) == [
        ("miss", [2, 13, 14]),
        ("miss", [5, 16, 17]),
        ("split", [2, 3, 17]),
        ("split", [5, 6, 22]),
    ]


def test_flows_of_three_misses():
    """X9: the lanes join one by one, lane 0 never does."""
    assert flows_of(RECORDINGS["X9 lazy"]()) == [
        ("miss", [0, 19, 20]),
        ("miss", [2, 21, 22]),
        ("miss", [4, 23, 24]),
        ("split", [0, 1, 22]),
        ("split", [2, 3, 24]),
        ("split", [4, 5]),
    ]


def test_slices_of_figure_12():
    events = perfetto(RECORDINGS["F12 lazy"]())["traceEvents"]
    (first,) = [e for e in slices(events) if e["ts"] == 6 and e["cat"] == "issued"]
    assert (first["dur"], first["name"]) == (3, "add_u32 $s9, $s9, 1")
    assert first["args"] == {
        "lanes": "11000000", "active": 2, "kernel": "k", "pc": "6..8", "lines": "<text>:14..16",
        "first": "add_u32 $s9, $s9, 1", "last": "br @D",
    }  # fmt: skip
    names = {e["args"]["name"] for e in events if e["name"] == "thread_name"}
    warp = "WPU 0, warp context 0 (workgroup 0, warp 0)"
    assert names == {
        warp, f"{warp}, split 1", f"{warp}, split 2", f"{warp}, waiting lanes",
        f"{warp}, waiting lanes, more 1",
    }  # fmt: skip
    counters = [(e["ts"], e["args"]["active"]) for e in events if e["ph"] == "C"]
    assert counters == [(0, 8), (2, 6), (3, 3), (6, 2), (9, 0), (14, 3), (17, 4), (20, 2),
                        (22, 8), (24, 0)]  # fmt: skip


def test_names_of_functional_warps():
    events = perfetto(functional("stack"))["traceEvents"]
    names = {e["args"]["name"] for e in events if e["name"] == "thread_name"}
    assert {"warp 0 of workgroup 0", "warp 1 of workgroup 1"} <= names
    assert {e["args"]["name"] for e in events if e["name"] == "process_name"} == {
        f"workgroup {n}" for n in range(3)
    }


def test_a_file_explains_itself_and_is_reproducible(tmp_path: Path) -> None:
    one = RECORDINGS["launches revive"]()
    for name in ("a.json.gz", "b.json.gz", "c.json"):
        one.export(tmp_path / name)
    first = (tmp_path / "a.json.gz").read_bytes()
    assert first == (tmp_path / "b.json.gz").read_bytes()
    assert gzip.decompress(first) == (tmp_path / "c.json").read_bytes()
    told = json.loads(gzip.decompress(first))["otherData"]
    assert told["machine"]["name"] == "toy"
    assert told["policy"] == "dws.revive-split"
    assert "cbr" in next(iter(told["sources"].values()))


def test_a_saved_recording_exports_the_same(tmp_path: Path) -> None:
    one = RECORDINGS["F12 lazy"]()
    one.save(tmp_path / "r.npz")
    assert perfetto(Recording.load(tmp_path / "r.npz")) == perfetto(one)


@pytest.mark.parametrize("name", ["t.vcd", "t.npz", "t", ".kanata.txt"])
def test_the_name_says_the_form(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match=r"ends in \.json\.gz, \.json or \.kanata"):
        RECORDINGS["F12 conv"]().export(tmp_path / name)
    assert not list(tmp_path.iterdir())
