"""The worked scenarios of the DWS paper under dynamic warp subdivision, cycle by cycle.

Totals are checked plain and compiled; what happens in between is the plain engine's history. A
cycle of a history is the one at whose end something has become so.
"""

from __future__ import annotations

import pytest

from ...support import scenarios
from ...support.history import history_of
from ...support.tables import described
from ...support.toy import Toy

MEMORY_SPLITS = ("aggress", "lazy", "revive")

CASES = [
    # scenario, policy, cycles, idle, what it shows
    ("F4", "dws.branch-only", 20, 0, "one path issues while the other waits for its miss"),
    ("F4", "dws.branch-only.stack", 20, 0, "the same where splits join at the stack only"),
    ("F5", "dws.branch-only", 31, 10, "a path passes the join at once, and two misses overlap"),
    ("F6", "dws.branch-only", 26, 0, "the inner branch splits the warp, which hides the miss"),
    ("F6", "dws.branch-only.stack", 26, 0, "the same where splits join at the stack only"),
    ("F6B", "dws.branch-only.stack", 32, 6, "joined at the stack only, splits run one block twice"),
    ("F6B", "dws.branch-only", 27, 6, "merged by PC, splits run that block once"),
    *(("F8", f"dws.{m}-split", 28, 15, "the lane that hits runs ahead to its own miss")
      for m in MEMORY_SPLITS),
    *(("F8", f"dws.{m}-split.bl", 28, 15, "without branches BranchLimited changes nothing")
      for m in MEMORY_SPLITS),
    *(("F9", f"dws.{m}-split", 28, 15, "the miss of the lane ahead is the other one's prefetch")
      for m in MEMORY_SPLITS),
    ("F10", "dws.lazy-split", 62, 62 - 56, "an early split costs 16 instructions and 8 cycles"),
    ("F10", "dws.revive-split", 62, 62 - 59, "a revival costs 3 more instructions"),
    ("F12", "dws.lazy-split", 24, 5, "a path splits at both of its accesses and merges again"),
    ("X1", "dws.lazy-split.bl", 30, 8, "the lane ahead waits at the branch of the loop"),
    ("X1", "dws.lazy-split", 30, 0, "the lane ahead passes the branch of the loop"),
    ("X2", "dws.lazy-split", 47, 29, "no split while another warp can issue"),
    ("X2", "dws.revive-split", 36, 14, "a suspended warp is split when the WPU stalls"),
    ("X3", "dws.lazy-split", 72, 0, "splits of nested loops merge within the inner loop"),
    ("X4", "dws.branch-only", 27, 16, "splits that have merged do not split again"),
    ("X5", "dws.aggress-split", 23, 1, "a full table: no split, or a split with its own stack"),
    ("X6", "dws.branch-only.stack", 17, 0, "one slot: a split issues when the other one waits"),
    ("X7", "dws.aggress-split", 16, 4, "splits enter a barrier as one warp"),
    ("X9", "dws.lazy-split", 26, 13, "splits split again, up to one for each lane"),
    ("X10", "dws.lazy-split", 47, 30, "no gain where one lane takes every miss"),
    ("X10", "dws.revive-split", 47, 30, "a revival cannot help that lane either"),
]  # fmt: skip


@pytest.mark.parametrize("plain", [True, False], ids=["plain", "compiled"])
@pytest.mark.parametrize(("name", "policy", "cycles", "idle"), described(CASES))
def test_cycles(name: str, policy: str, cycles: int, idle: int, plain: bool) -> None:
    toy = Toy(getattr(scenarios, name), policy, plain=plain, **scenarios.SCARCE.get(name, {}))
    assert (toy.cycles, toy.idle) == (cycles, idle)


def test_figure_4_one_path_hides_the_latency_of_the_other() -> None:
    h = history_of("F4", "dws.branch-only")
    assert h.issued == {
        0: "11111111@A",
        2: "11111001@x",
        3: "00000110@C",
        5: "00000110@y",
        6: "00000110@C",
        9: "00000110@D",  # they do not wait: the stack's bottom has no re-convergence point
        12: "11111001@B",
        17: "11111001@D",
    }
    assert h.stack == {0: "(A,-,11111111)", 11: "(A,-,11111001)", 19: "-"}


def test_figure_5_requests_z_before_y_is_there() -> None:
    h = history_of("F5", "dws.branch-only")
    assert h.groups == {
        0: "11111111@A run",
        1: "11111001@B run, 00000110@y ready",
        6: "11111001@D run, 00000110@y ready",
        8: "11111001@z wait, 00000110@y ready",
        9: "11111001@z wait, 00000110@y wait",
        19: "11111001@z ready, 00000110@y wait",
        20: "11111001@D run, 00000110@y ready",
        22: "00000110@y ready",
        23: "00000110@C run",
        25: "00000110@D run",
        27: "00000110@z ready",  # prefetched
        28: "00000110@D run",
        30: "-",
    }
    assert h.toy.counters["l1_miss"] == 2  # y and z, once each


@pytest.mark.parametrize("policy", ["dws.branch-only", "dws.branch-only.stack"])
def test_figure_6_splits_at_b_but_not_at_a(policy: str) -> None:
    h = history_of("F6", policy)
    assert h.stack == {
        0: "(A,-,11111111)",
        1: "(G,-,11111111)(C,G,00000110)(B,G,11111001)",
        # Branch b leaves it alone.
        21: "(G,-,11111111)(C,G,00000110)",
        23: "(G,-,11111111)",
        25: "-",
    }
    assert h.groups == {
        0: "11111111@A run",
        1: "11111001@B run",
        3: "11100000@e run, 00011001@D ready",
        4: "11100000@e wait, 00011001@D ready",
        5: "11100000@e wait, 00011001@D run",
        7: "11100000@e wait, 00011001@f run",
        8: "11100000@e wait, 00011001@f ready",
        9: "11100000@e wait, 00011001@F run",
        13: "11100000@e ready, 00011001@G rpc-wait",
        14: "11100000@E run, 00011001@G rpc-wait",
        15: "11100000@f run, 00011001@G rpc-wait",
        16: "11100000@f ready, 00011001@G rpc-wait",
        17: "11100000@F run, 00011001@G rpc-wait",
        21: "00000110@C run",
        23: "11111111@G run",
        25: "-",
    }
    assert h.entries == {0: 0, 3: 2, 21: 0}


def test_figure_6_with_f_missing_runs_f_twice_without_comparing_pcs() -> None:
    issued = history_of("F6B", "dws.branch-only.stack").issued
    assert [t for t, who in issued.items() if who.endswith("@f")] == [8, 16]
    assert [(t, who) for t, who in issued.items() if who.endswith("@F")] == [
        (18, "11100000@F"),
        (23, "00011001@F"),
    ]


def test_figure_6_with_f_missing_merges_at_f_by_comparing_pcs() -> None:
    h = history_of("F6B", "dws.branch-only")
    assert {t: h.groups[t] for t in h.groups if t >= 7} == {
        7: "11100000@e wait, 00011001@f run",
        8: "11100000@e wait, 00011001@f wait",
        13: "11100000@e ready, 00011001@f wait",
        14: "11100000@E run, 00011001@f wait",
        15: "11100000@f run, 00011001@f wait",
        16: "11100000@f wait, 00011001@f wait",
        17: "11100000@f ready, 00011001@f ready",
        18: "11111001@F run",
        22: "00000110@C run",
        24: "11111111@G run",
        26: "-",
    }
    assert h.entries == {0: 0, 3: 2, 18: 0}
    # All of the top is there again: it is popped as under Conv.
    assert {t: h.stack[t] for t in h.stack if t > 1} == {
        22: "(G,-,11111111)(C,G,00000110)",
        24: "(G,-,11111111)",
        26: "-",
    }


@pytest.mark.parametrize("name", ["F8", "F9"])
def test_figures_8_and_9_reunite_at_b(name: str) -> None:
    h = history_of(name, "dws.lazy-split")
    assert h.groups == {
        0: "10@a ready, 01@a wait",
        1: "10@A run, 01@a wait",
        4: "10@b wait, 01@a wait",
        19: "10@b wait, 01@a ready",
        20: "10@b wait, 01@A run",
        23: "10@b ready, 01@b ready",
        24: "11@A run",
        27: "-",
    }
    # F8: a and b; F9: a, and b once for both.
    assert (h.toy.counters["l1_miss"], h.toy.counters["mshr_merge"]) == (2, int(name == "F9"))


@pytest.mark.parametrize(("policy", "issued"), [("dws.lazy-split", 56), ("dws.revive-split", 59)])
def test_figure_10_splits_too_early(policy: str, issued: int) -> None:
    h = history_of("F10", policy)
    assert h.toy.issued == issued
    who = {t: h.issued[t] for t in h.issued if t <= 34}
    assert who == {
        0: "11@a",
        2: "10@A",  # of warp 1
        17: "10@b",
        18: "11@A",  # of warp 0, whose data have been there since 10
        33: "11@b",
        34: "01@A",  # the same instructions for the other lane
    }


def test_figure_10_revives_at_53() -> None:
    groups = history_of("F10", "dws.revive-split").groups
    assert {t: groups[t] for t in groups if t >= 49} == {
        49: "11@b ready; 11@b wait",
        50: "11@A run; 11@b wait",
        52: "-; 11@b wait",
        53: "-; 10@A run, 01@b wait",
        55: "-; 01@b wait",
        58: "-; 01@b ready",
        59: "-; 01@A run",
        61: "-; -",
    }


def test_figure_12_stack_and_table() -> None:
    h = history_of("F12", "dws.lazy-split")
    assert h.stack == {
        0: "(A,-,11111111)",
        1: "(D,-,11111111)(C,D,00000110)(B,D,11111001)",
        19: "(D,-,11111111)(C,D,00000110)",
        21: "(D,-,11111111)",
        23: "-",
    }
    assert h.groups == {
        0: "11111111@A run",
        1: "11111001@x run",
        2: "11100000@x ready, 00011001@x wait",
        3: "11100000@B run, 00011001@x wait",
        5: "11000000@y ready, 00100000@y wait, 00011001@x wait",
        6: "11000000@B run, 00100000@y wait, 00011001@x wait",
        8: "11000000@D rpc-wait, 00100000@y wait, 00011001@x wait",
        13: "11000000@D rpc-wait, 00100000@y wait, 00011001@x ready",
        14: "11000000@D rpc-wait, 00100000@y wait, 00011001@B run",
        16: "11000000@D rpc-wait, 00100000@y ready, 00011001@y ready",
        17: "11000000@D rpc-wait, 00111001@B run",
        19: "00000110@C run",
        21: "11111111@D run",
        23: "-",
    }
    assert h.entries == {0: 0, 2: 2, 5: 3, 17: 2, 19: 0}
