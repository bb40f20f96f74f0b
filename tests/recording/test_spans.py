"""Spans: each lane is in one at every time, and they agree with the engine's own accounts."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import Any

import pytest

from simtlab.recording.recording import Recording
from simtlab.recording.spans import spans

from ..timing.support import scenarios
from .support.runs import by_lane, functional, lane_cycles, scenario, two_launches

BARREL = {"lwm": {"policy.warp": 16}, "lwm+dws": {"policy.warp": 16}}


def has_no_gaps(recording: Recording) -> bool:
    """Return whether spans follow each other, except where a context gets the next warp."""
    begins = {(t, v) for t, v, group, _ in recording.tables["occupant"].tolist() if group >= 0}
    for (warp, _), mine in by_lane(recording).items():
        for before, after in pairwise(mine):
            if before.end != after.begin and (
                after.begin < before.end or (after.begin, warp) not in begins
            ):
                return False
    return True


@pytest.mark.parametrize("memory", ["ideal", "adversary"])
@pytest.mark.parametrize(
    "policy",
    ["conv", "dws.branch-only", "dws.branch-only.stack", "dws.revive-split", "maws.lazy-split",
     "ppc", "dps", "per-thread", "predication", "density-time", "slip.branch-bypass", "two-level"],
)  # fmt: skip
def test_every_lane_has_one_span_at_a_time(policy: str, memory: str) -> None:
    recording, stats = two_launches(policy, memory=memory)
    assert has_no_gaps(recording)
    assert lane_cycles(recording)["issued"] == stats.thread_instructions


@pytest.mark.parametrize("policy", ["conv", "lwm", "dwf.majority", "lwm+dws", "dwf+dws", "ppc"])
def test_every_lane_of_packed_warps(policy: str) -> None:
    recording, stats = two_launches(policy, "lwm", **BARREL.get(policy, {}))
    assert has_no_gaps(recording)
    assert lane_cycles(recording)["issued"] == stats.thread_instructions


@pytest.mark.parametrize("scheme", ["stack", "ppc", "per-thread"])
def test_every_lane_of_a_functional_recording(scheme: str) -> None:
    recording = functional(scheme)
    assert has_no_gaps(recording)
    assert lane_cycles(recording)["issued"] == recording.facts["statistics"]["thread_instructions"]


@pytest.mark.parametrize(
    ("preset", "fields"),
    [
        ("toy", {"memory": "ideal"}),
        ("toy", {"memory": "adversary"}),
        ("dws", {}),
        ("dws", {"l1d.mshrs": 1}),
        ("dws", {"l1d.banks": 1}),
    ],
)
def test_undivided_warps_agree_with_the_account_of_warp_cycles(
    preset: str, fields: dict[str, Any]
) -> None:
    """Under conv a warp waits for what its top path waits for."""
    recording, stats = two_launches("conv", preset, **fields)
    warps: Counter[str] = Counter()
    for span in spans(recording):
        if span.what not in ("path", "rpc-wait"):
            warps[span.what] += span.length
    account = {cause: n for cause, n in stats.warp_cycles.items() if n and cause != "idle"}
    idle = warps.pop("idle", 0)
    assert dict(warps) == account
    assert idle == 0


@pytest.mark.parametrize("policy", ["conv", "dws.lazy-split", "maws.aggress", "slip"])
@pytest.mark.parametrize("name", ["F6", "F12", "X1", "X5", "X7", "X9"])
def test_waits_agree_with_the_table_of_waits(name: str, policy: str) -> None:
    """The engine reports the waits that end with a dispatch; each has a span of its cause."""
    recording = scenario(getattr(scenarios, name), policy)
    mine = by_lane(recording)
    for t, until, warp, _, _, _, mask, cause in recording.tables["wait"].tolist():
        (lane, *_) = (i for i in range(64) if mask >> i & 1)
        causes = {s.what for s in mine[warp, lane] if s.begin < until and s.end > t}
        assert causes == {recording.facts["causes"][cause]}


def test_a_warp_begins_when_it_is_admitted():
    recording, _ = two_launches("conv")
    rows = recording.tables["occupant"].tolist()
    issues = recording.issues.tolist()
    for t, warp, group, wave in rows:
        if group < 0:
            assert any(row[1] == warp and row[0] + row[5] == t for row in issues)
        else:
            assert recording.occupant(warp, t) == (group, wave)
            assert min(row[0] for row in issues if row[1] == warp and row[0] >= t) >= t
    ends = {row[0] + row[5] for row in issues}
    launches = {launch["t"] for launch in recording.facts["launches"]}
    assert {t for t, _, group, _ in rows if group >= 0} <= ends | launches
