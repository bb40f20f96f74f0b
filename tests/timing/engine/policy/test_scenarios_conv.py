"""The worked scenarios of the DWS paper under Conv: cycles, idle cycles, width, misses."""

from __future__ import annotations

import pytest

from ...support import scenarios
from ...support.history import History, inner_loop
from ...support.tables import described
from ...support.toy import Toy

CASES = [
    # scenario, cycles, idle, what it shows
    ("F3", 12, 0, "an if-else issues one path after the other"),
    ("F4", 26, 9, "the path that hits waits for the path that misses"),
    ("F5", 38, 22, "a miss in one path and a miss after the join do not overlap"),
    ("F6", 29, 9, "nested branches; one side of the inner branch misses"),
    ("F6B", 38, 18, "as F6, with a second miss after the inner join"),
    ("F8", 47, 38, "two loads, each missed by a different lane: the misses do not overlap"),
    ("F9", 47, 38, "as F8, but both lanes want the same line at the second load"),
    ("F10", 54, 14, "two warps; the fifteen instructions between two misses hide most of them"),
    ("F12", 35, 22, "two divergent accesses in one path of a branch"),
    ("X1", 30, 9, "a loop in which one lane misses once"),
    ("X2", 47, 29, "two warps; in the first one, a different lane misses at each load"),
    ("X3", 69, 7, "nested loops with one miss outside of the inner loop"),
    ("X4", 28, 18, "a miss in one path, and a divergent access after the join"),
    ("X5", 24, 8, "two warps, each with one lane that misses, diverge at a branch"),
    ("X6", 14, 0, "nested branches without a miss"),
    ("X7", 16, 6, "a barrier of two warps, one of which waits for a lane that misses"),
    ("X9", 64, 57, "three loads, each missed by a different lane"),
    ("X10", 47, 38, "two loads, both missed by the same lane"),
]


@pytest.mark.parametrize(("name", "cycles", "idle"), described(CASES))
@pytest.mark.parametrize("plain", [True, False], ids=["plain", "compiled"])
def test_cycles_of_conv(name: str, cycles: int, idle: int, plain: bool) -> None:
    toy = Toy(getattr(scenarios, name), plain=plain)
    assert (toy.cycles, toy.idle) == (cycles, idle)


def test_figure_3_pushes_three_entries_and_pops_them() -> None:
    h = History(scenarios.F3)
    assert h.stack == {
        0: "(A,-,11111111)",
        2: "(D,-,11111111)(C,D,00000110)(B,D,11111001)",
        6: "(D,-,11111111)(C,D,00000110)",
        8: "(D,-,11111111)",
        11: "-",
    }
    assert h.issued == {0: "11111111@A", 3: "11111001@B", 7: "00000110@C", 9: "11111111@D"}


@pytest.mark.parametrize(("name", "late"), [("F6", 0), ("F6B", 9)])
def test_figure_6_pushes_b_on_top_of_a(name: str, late: int) -> None:
    below = "(G,-,11111111)(C,G,00000110)"
    assert History(getattr(scenarios, name)).stack == {
        0: "(A,-,11111111)",
        1: f"{below}(B,G,11111001)",
        3: f"{below}(F,G,11111001)(D,F,00011001)(E,F,11100000)",
        15: f"{below}(F,G,11111001)(D,F,00011001)",
        18: f"{below}(F,G,11111001)",
        24 + late: below,
        26 + late: "(G,-,11111111)",
        28 + late: "-",
    }


def test_figure_12_waits_for_x_and_for_y() -> None:
    assert History(scenarios.F12).groups == {
        0: "11111111@A run",
        1: "11111001@x run",
        2: "11111001@x wait",
        13: "11111001@x ready",
        14: "11111001@B run",
        16: "11111001@y wait",
        27: "11111001@y ready",
        28: "11111001@B run",
        30: "00000110@C run",
        32: "11111111@D run",
        34: "-",
    }


def test_nested_loops_wait_for_the_miss() -> None:
    """X3: both lanes wait for the line of lane 1 from 0 to 8, and never part."""
    h = History(scenarios.X3_LISTED)
    assert h.groups == {
        0: "11@a wait",
        7: "11@a ready",
        **inner_loop(8, "11"),
        25: "11@Y run",
        26: "11@a run",
        27: "11@a ready",
        **inner_loop(28, "11"),
        45: "11@Y run",
        46: "11@a run",
        47: "11@a ready",
        **inner_loop(48, "11"),
        65: "11@Y run",
        66: "11@X run",
        68: "-",
    }
    assert h.toy.cycles == 69


def test_figure_3_issues_at_a_mean_width_of_six_and_a_third() -> None:
    toy = Toy(scenarios.F3)
    # 4 instructions with 8 lanes before and 3 behind, 4 with 6 lanes, 2 with 2: 76 lanes in 12.
    assert toy.wpu["n_thread_instr"] == 8 * (3 + 3) + 6 * 4 + 2 * 2
    assert toy.mean_width == pytest.approx(6.33, abs=0.01)
    assert (toy.wpu["n_branch"], toy.wpu["n_branch_div"]) == (1, 1)


def test_figure_5_misses_once_for_z() -> None:
    toy = Toy(scenarios.F5)
    assert toy.counters["l1_miss"] == 2  # y and z
    # The other lanes that want y or z complete with the first: 1 and 7.
    assert toy.counters["mshr_merge"] == 8


def test_figure_9_misses_once_for_b() -> None:
    toy = Toy(scenarios.F9)
    # a of lane 1, b of lane 0; lane 1 completes with lane 0.
    assert (toy.counters["l1_miss"], toy.counters["mshr_merge"]) == (2, 1)


def test_every_instruction_of_figure_10_issues_once_per_warp() -> None:
    toy = Toy(scenarios.F10)
    assert toy.issued == 40


def test_idle_slots_belong_to_what_the_dispatch_after_them_waited_for() -> None:
    toy = Toy(scenarios.F8)
    # Nothing but the two misses keeps the WPU from issuing.
    assert toy.slots["memory"] == toy.idle == 38
    assert toy.warps == toy.slots  # there is one warp


def test_divergent_accesses_are_those_in_which_some_lanes_hit() -> None:
    toy = Toy(scenarios.F12)
    assert (toy.wpu["n_access"], toy.wpu["n_miss"], toy.wpu["n_miss_div"]) == (2, 2, 2)
