"""The worked scenarios of two-level scheduling."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ...support.barrel import barrel, loads
from ...support.models.compare import engine_issues
from ...support.scenarios import Scenario, alu
from ...support.tables import BOTH
from .test_scenarios_lwm import SubWarps


@BOTH
@pytest.mark.parametrize(
    ("policy", "fields", "cycles", "idle"),
    [
        ("conv", {"scheduler": "rr"}, 426, 84),
        ("conv", {"scheduler": "lrr"}, 426, 84),
        ("two-level", {}, 354, 12),
        # What the user sets wins.
        ("two-level", {"scheduler": "rr"}, 426, 84),
        ("two-level", {"fetch_group": 16}, 426, 84),
    ],
)
def test_figure_8_two_level(policy, fields, cycles, idle, plain) -> None:
    toy = barrel(replace(loads(16, 1), miss=100), policy, plain=plain, **fields)
    # The cycles in which the last instruction is on its way out do not count as idle.
    assert (toy.cycles, toy.idle - 6) == (cycles, idle)


@pytest.mark.parametrize(
    ("size", "cycles", "idle"),
    [(1, 2406, 672), (2, 2406, 672), (4, 2406, 672), (32, 2406, 672), (8, 1734, 0), (16, 1782, 48)],
)
def test_x5_size_of_a_fetch_group(size, cycles, idle) -> None:
    scenario = replace(loads(32, 4), miss=200)
    toy = barrel(scenario, "two-level", plain=False, fetch_group=size)
    assert (toy.cycles, toy.idle - 6) == (cycles, idle)


def fetched_at(size: int, warp: int, pc: int) -> int:
    """Return when a warp of X5 issues an instruction; a phase is ten and the load, four times.

    A warp can be fetched 7 cycles after it was, and 200 after its load.
    """
    phase, n = divmod(pc, 11)
    group, place = divmod(warp, size)
    match size:
        case 8:
            # Eight fill the pipeline; a group has its data when the other three have loaded.
            return phase * 4 * 88 + group * (88 if phase < 4 else 80) + 8 * n + place
        case 16:
            # The other group has loaded at 351; the loads at 160 to 175 return from 360 on.
            return 360 * phase + 176 * group + 16 * n + place
        case _:
            # Fewer warps than stages: their group is left after each instruction. So all 32 take
            # turns: loads at 320 to 351 return from 520 on.
            return 520 * phase + 32 * n + warp


@pytest.mark.parametrize("size", [1, 2, 4, 8, 16, 32])
def test_x5_each_fetch(size: int) -> None:
    scenario = replace(loads(32, 4), miss=200)
    toy = barrel(scenario, "two-level", plain=False, recorded=True, fetch_group=size)
    issued = {(issue.warp, issue.pc): issue.cycle for issue in engine_issues(toy)}
    assert issued == {
        (warp, pc): fetched_at(size, warp, pc) for warp in range(32) for pc in range(4 * 11 + 10)
    }


def test_the_last_fetch_group_may_be_smaller() -> None:
    # Warps 0 and 1, 2 and 3, and 4 alone. A warp can be fetched again after three cycles, so each
    # group is left when both of its warps were fetched, for the next one and not for the first.
    scenario = Scenario(f"{alu(5)} ret\n", width=1, warps=5)
    toy = barrel(scenario, "two-level", recorded=True, fetch_group=2, pipeline=3)
    assert [(issue.cycle, issue.warp) for issue in engine_issues(toy)] == [
        (cycle, cycle % 5) for cycle in range(6 * 5)
    ]


@pytest.mark.parametrize(("size", "switches"), [(1, True), (2, False)])
def test_fetch_groups_of_large_warps(size: int, switches: bool) -> None:
    """A group of g large warps with k sub-warps keeps the pipeline busy if g k >= 7 + (k - 1)."""
    scenario = Scenario(f"{alu(10)} ret\n", width=1, warps=32, workgroup=8)
    run = SubWarps(scenario, "lwm+two-level", rows=8, fetch_group=size)
    ends = [s.t for s in run.at(9)]
    first = ends[: 8 * size]
    # The first group is through before the second one has begun, or both take turns.
    assert (max(first) >= 8 * 10 * size) == switches
