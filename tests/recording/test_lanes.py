"""Why a lane waited: scenarios worked out by hand, and sums."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import simtlab
from simtlab.isa.errors import UsageError
from simtlab.recording.recording import Recording

from ..timing.support import scenarios
from ..timing.support.scenarios import Scenario
from .support.runs import functional, scenario, two_launches


def story(recording: Recording, lane: int) -> list[tuple[int, int, str, str]]:
    """Return (begin, end, cause, lanes) of the waits of a lane of warp 0, lane 0 on the left."""
    return [
        (w.begin, w.end, w.cause, "".join("01"[w.mask >> i & 1] for i in range(recording.width)))
        for w in recording.waits_of(0, lane)
    ]


def test_figure_12_under_conv():
    """One group; the path C waits below B, then B's lanes wait at D for C."""
    recording = scenario(scenarios.F12, "conv")
    assert story(recording, 0) == [
        (3, 14, "memory", "11111001"),
        (17, 28, "memory", "11111001"),
        (31, 33, "rpc-wait", "11111001"),
    ]
    assert story(recording, 5) == [(2, 31, "path", "00000110")]


def test_figure_12_with_splits():
    """The lanes that hit twice run ahead to D and wait there; lane 2 waits for y alone."""
    recording = scenario(scenarios.F12, "dws.lazy-split")
    assert story(recording, 0) == [
        (9, 20, "rpc-wait", "11000000"),
        (20, 22, "rpc-wait", "11111001"),
    ]
    assert story(recording, 2) == [
        (6, 17, "memory", "00100000"),
        (20, 22, "rpc-wait", "11111001"),
    ]
    assert story(recording, 3) == [
        (3, 14, "memory", "00011001"),
        (20, 22, "rpc-wait", "11111001"),
    ]
    assert story(recording, 6) == [(2, 20, "path", "00000110")]
    place = recording.waits_of(0, 2)[0]
    assert (place.pc, place.place) == (5, "<text>:13: ld_global_u32 $s8, [$d1]")


def test_figure_6():
    """A split waits a cycle for the issue slot, and later at G for the other one's miss."""
    recording = scenario(scenarios.F6, "dws.branch-only")
    assert story(recording, 0) == [(5, 14, "memory", "11100000"), (22, 24, "rpc-wait", "11111001")]
    assert story(recording, 3) == [
        (4, 5, "ready", "00011001"),
        (14, 22, "rpc-wait", "00011001"),
        (22, 24, "rpc-wait", "11111001"),
    ]
    assert story(recording, 5) == [(2, 22, "path", "00000110")]


def test_three_misses_of_different_lanes():
    """X9: every lane waits for its own miss only, and lane 0 for none."""
    recording = scenario(scenarios.X9, "dws.lazy-split")
    assert [story(recording, lane) for lane in range(4)] == [
        [],
        [(5, 24, "memory", "0100")],
        [(3, 22, "memory", "0010")],
        [(1, 20, "memory", "0001")],
    ]


def test_a_lane_waits_at_a_branch():
    """X1: lane 0 waits at the branch of the loop until lane 1 has its data and gets there."""
    recording = scenario(scenarios.X1, "dws.lazy-split.bl")
    assert [w[:3] for w in story(recording, 0)] == [(2, 11, "branch-wait")]
    assert [w[:3] for w in story(recording, 1)] == [(1, 10, "memory")]


def test_a_barrier():
    """X7: lane 0 of warp 0 hits, runs to the barrier and waits there for lane 1."""
    recording = scenario(scenarios.X7, "dws.aggress-split")
    assert "barrier" in {cause for _, _, cause, _ in story(recording, 0)}
    why = recording.why((0, 0))
    assert why.totals["barrier"] > recording.why((0, 1)).totals.get("barrier", 0)
    other = {w.cause for w in recording.waits_of(1, 0)}
    assert "barrier" in other


def test_lanes_that_slip_leaves_behind():
    """X1: lane 1 is held until lane 0 comes back to the load; F12: up to a forced wait."""
    recording = scenario(scenarios.X1, "slip", **{"policy.max-div": 1})
    assert story(recording, 1)[0] == (1, 13, "held", "01")
    recording = scenario(scenarios.F12, "slip", **{"policy.max-div": 3})
    assert story(recording, 3)[0] == (3, 20, "held", "00011001")


def test_a_split_without_a_slot():
    recording = scenario(scenarios.X6, "dws.branch-only.stack", slots=1)
    assert "slot" in {w.cause for lane in range(4) for w in recording.waits_of(0, lane)}


NAMED = {k: v for k, v in vars(scenarios).items() if isinstance(v, Scenario)}


@pytest.mark.parametrize(
    "policy",
    ["conv", "dws.lazy-split", "dws.revive-split", "dws.branch-only.stack", "dws.aggress-split.bl",
     "maws.aggress", "maws.lat-spec", "slip", "slip.branch-bypass", "ppc", "dps"],
)  # fmt: skip
@pytest.mark.parametrize("name", NAMED)
def test_the_sum_is_the_time_of_the_lane(name: str, policy: str) -> None:
    which = NAMED[name]
    recording = scenario(which, policy)
    for item in range(which.width * which.warps):
        why = recording.why(item)
        assert why.is_whole
        assert sum(why.totals.values()) == why.end - why.begin
        assert why.begin == 0
        for before, after in pairwise(why.spans):
            assert before.end == after.begin
        waits = recording.waits_of(why.warp, why.lane)
        assert sum(w.length for w in waits) == why.end - why.begin - why.totals["issued"]
    last = max(recording.why(item).end for item in range(which.width * which.warps))
    assert last == recording.end


def test_the_issues_of_a_lane_are_the_instructions_of_its_item():
    recording, stats = two_launches("dws.revive-split")
    total = sum(
        recording.why(item, launch).totals["issued"]
        for launch, items in enumerate((48, 8))
        for item in range(items)
    )
    assert total == stats.thread_instructions


def test_items_are_found_by_both_names():
    recording, _ = two_launches("conv")
    assert recording.why(19).item == (2, 3)
    assert recording.why((2, 3)).spans == recording.why(19).spans
    assert recording.why(3, launch=1).begin >= recording.facts["launches"][1]["t"]
    assert recording.why((5, 7)).begin > 0  # it waits for a free context


def test_items_of_two_dimensions():
    (kernel,) = simtlab.assemble("kernel k() {\n add_u32 $s0, $s0, 1\n ret\n}\n")
    recording = simtlab.record(kernel, items=(5, 3), group_size=(2, 2), warp=4)()
    # Work-item (4, 2) is alone in the workgroup (2, 1); (3, 1) is the last one of (1, 0).
    assert recording.why(14).item == (5, 0)
    assert recording.why(8).item == (1, 3)


def test_steps_of_a_functional_recording():
    recording = functional("stack")
    why = recording.why(1)
    assert "steps" in str(why)
    assert set(why.totals) <= {"issued", "ready", "path", "rpc-wait", "barrier"}
    assert why.totals["issued"] == sum(s.n for s in why.spans if s.what == "issued")
    assert sum(why.totals.values()) == why.end - why.begin


def test_the_table():
    text = str(scenario(scenarios.F12, "dws.lazy-split").why(2))
    assert text.splitlines() == [
        "work-item 2 of workgroup 0: WPU 0, warp context 0 (workgroup 0, warp 0), lane 2",
        "cycles    length  what      lanes     where",
        "0 to 1         2  issued    11111111  <text>:3: add_u32 $s9, $s9, 1 (and 1 more)",
        "2              1  issued    11111001  <text>:8: ld_global_u32 $s8, [$d0]",
        "3 to 5         3  issued    11100000  <text>:9: add_u32 $s9, $s9, 1 (and 2 more)",
        "6 to 16       11  memory    00100000  <text>:13: ld_global_u32 $s8, [$d1]",
        "17 to 19       3  issued    00111001  <text>:14: add_u32 $s9, $s9, 1 (and 2 more)",
        "20 to 21       2  rpc-wait  11111001  <text>:22: add_u32 $s9, $s9, 1",
        "22 to 23       2  issued    11111111  <text>:22: add_u32 $s9, $s9, 1 (and 1 more)",
        "cycles 0 to 23: 24",
        "issued 11 (45.8%), memory 11 (45.8%), rpc-wait 2 (8.3%)",
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((8,), "work-item 8 is not in the launch: expected 0 to 7"),
        ((-1,), "work-item -1 is not in the launch"),
        (((1, 0),), "workgroup 1 is not in the launch: expected 0 to 0"),
        (((0, 8),), "work-item 8 is not in workgroup 0: expected 0 to 7"),
        ((0, 1), "launch 1 is not in this recording: expected 0 to 0"),
    ],
)
def test_what_is_not_there(arguments: tuple[Any, ...], message: str) -> None:
    recording = scenario(scenarios.F12, "conv")
    with pytest.raises(UsageError, match=message):
        recording.why(*arguments)


@pytest.mark.parametrize("place", [(1, 0), (-1, 0), (0, 8), (0, -1)])
def test_a_lane_that_is_not_there(place: tuple[int, int]) -> None:
    with pytest.raises(UsageError, match="is not in"):
        scenario(scenarios.F12, "conv").waits_of(*place)


def test_a_window_has_a_part_of_an_item():
    (kernel,) = simtlab.assemble(f"kernel k() {{\n{scenarios.alu(40)} ret\n}}\n")
    options: dict[str, Any] = {"machine": "toy", "set": {"memory": "ideal"}, "items": 8}
    part = simtlab.record(kernel, window=(10, 20), **options)()
    whole = simtlab.record(kernel, **options)()
    assert whole.why(0).is_whole
    with pytest.raises(UsageError, match="does not have work-item 0"):
        part.why(0)  # its only segment was issued before
    assert np.all(part.issues["t"] >= 10)
