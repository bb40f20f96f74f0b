"""The barrel: a warp is fetched every `pipeline` cycles at most; what stalls the pipeline."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from ...support.history import History
from ...support.scenarios import F8, Scenario, alu, ld, script
from ...support.toy import Toy


def barrel(scenario: Scenario, *, plain: Any = True, **fields: Any) -> Toy:
    return Toy(scenario, plain=plain, issue="barrel", pipeline=7, **fields)


@pytest.mark.parametrize("plain", [True, False], ids=["plain", "compiled"])
@pytest.mark.parametrize(
    ("warps", "cycles"),
    [
        # n instructions at 0, 7, 14, ..; the last one leaves the pipeline seven cycles later.
        (1, 7 * 12),
        # w warps fill w of 7 slots: the last warp's last instruction is fetched at 7 * 11 + w - 1.
        (4, 7 * 11 + 3 + 7),
        (7, 7 * 11 + 6 + 7),
        # More warps than stages: a round takes as many cycles as there are warps.
        (8, 8 * 12 - 1 + 7),
    ],
)
def test_a_warp_is_fetched_again_when_it_has_left_the_pipeline(warps, cycles, plain) -> None:
    toy = barrel(Scenario(f"{alu(11)} ret\n", width=1, warps=warps), plain=plain)
    assert toy.cycles == cycles
    assert toy.issued == 12 * warps


def test_waits_in_the_pipeline_have_an_owner() -> None:
    toy = barrel(Scenario(f"{alu(3)} ret\n", width=1))
    # Four instructions, each followed by six cycles in which the warp is in the pipeline. The WPU
    # has nothing to wait for behind the last one.
    assert toy.warps == {**toy.warps, "issued": 4, "pipeline": 24}
    assert toy.slots == {**toy.slots, "issued": 4, "pipeline": 18, "idle": 6}


def test_a_hit_costs_no_more_than_the_pipeline() -> None:
    one = Scenario(f"{ld('d0')} ret\n", width=4, lines={"d0": "aaaa"}, script=script("hhhh"))
    assert barrel(one).cycles == 14
    # Data that come later than the pipeline ends: fetched at 0, again at 20, out at 27.
    assert barrel(one, **{"l1d.hit_latency": 20}).cycles == 27


@pytest.mark.parametrize(("units", "extra"), [(0, 0), (8, 0), (4, 1), (3, 2), (1, 7)])
def test_complex_units_take_turns(units: int, extra: int) -> None:
    body = f"sin_f32 $s1, $s2\n {alu(1)} ret\n"
    toy = barrel(Scenario(body, width=8), complex_units=units)
    # Eight lanes take ceil(8 / units) cycles; the next fetch is that much later.
    assert toy.cycles == 21 + extra
    assert toy.slots["unit"] == toy.warps["unit"] == extra
    # Of two warps the second waits for the unit, and has it then itself.
    two = barrel(Scenario(body, width=8, warps=2), complex_units=units)
    assert two.cycles == max(21 + 1 + 2 * extra, 21 + extra)


@pytest.mark.parametrize(("units", "extra"), [(0, 0), (4, 2)])
def test_complex_units_without_a_barrel(units: int, extra: int) -> None:
    body = f"sin_f32 $s1, $s2\n sin_f32 $s1, $s2\n {alu(1)} ret\n"
    toy = Toy(Scenario(body, width=8), complex_units=units)
    assert (toy.cycles, toy.slots["unit"]) == (4 + extra, extra)


def test_both_paths_of_a_branch_and_a_barrier() -> None:
    body = f"cbr $c0, @C\n {alu(2)} br @D\n @C: {alu(1)} @D: barrier\n ret\n"
    toy = barrel(Scenario(body, width=4, masks={"c0": "0110"}))
    # cbr, 2 alu, br, alu, barrier, ret: each seven cycles behind the one before.
    assert toy.cycles == 7 * 7


def test_lanes_that_run_ahead_leave_the_pipeline_first() -> None:
    # S-DWS-F8: lane 0 hits at cycle 0 and could go on a cycle later, were it not for the barrel.
    history = History(F8, "dws.aggress-split", issue="barrel", pipeline=7)
    fetches = [(t, lanes.partition("@")[0]) for t, lanes in history.issued.items() if lanes != "-"]
    assert fetches[:3] == [(0, "11"), (7, "10"), (14, "10")]
    for lane in (0, 1):
        times = [t for t, lanes in fetches if lanes[lane] == "1"]
        assert all(b - a >= 7 for a, b in pairwise(times))
