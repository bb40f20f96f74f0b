"""The rules that the DWS paper states without a figure, on the scenarios X1 to X10, cycle by cycle.

These are histories of the plain engine; test_scenarios_dws.py has the totals. A cycle of a history
is the one at whose end something has become so.
"""

from __future__ import annotations

import pytest

from ...support import scenarios
from ...support.history import history_of, inner_loop
from ...support.toy import Toy


def test_loop_re_union_limited_by_branches() -> None:
    groups = history_of("X1", "dws.lazy-split.bl").groups
    assert {t: groups[t] for t in groups if t <= 10} == {
        0: "10@L ready, 01@L wait",
        1: "10@L branch-wait, 01@L wait",
        9: "10@L branch-wait, 01@L ready",
        10: "11@L run",
    }


def test_loop_re_union_by_passing_branches() -> None:
    h = history_of("X1", "dws.lazy-split")
    assert h.issued == {0: "11@L", 1: "10@L", 10: "11@L", 18: "01@L", 27: "11@X"}
    assert h.groups[9] == "10@L ready, 01@L ready"  # iterations 3 and 0
    assert h.stack == {0: "(L,-,11)", 17: "(X,-,11)(L,X,01)", 26: "(X,-,11)", 29: "-"}
    assert h.toy.mean_width == pytest.approx(1.40)


def test_revival_of_a_suspended_warp() -> None:
    h = history_of("X2", "dws.revive-split")
    assert h.groups == {
        0: "11@a wait; 11@a ready",
        1: "11@a wait; 11@a wait",
        2: "10@A run, 01@a wait; 11@a wait",
        5: "10@b wait, 01@a wait; 11@a wait",
        19: "10@b wait, 01@a ready; 11@a wait",
        20: "10@b wait, 01@A run; 11@a ready",
        23: "10@b wait, 01@b ready; 11@a ready",
        24: "10@b ready, 01@b ready; 11@A run",
        27: "10@b ready, 01@b ready; 11@b ready",
        28: "11@A run; 11@b ready",
        31: "-; 11@b ready",
        32: "-; 11@A run",
        35: "-; -",
    }
    # Without a revival b is requested when all of a is there.
    assert history_of("X2", "dws.lazy-split").issued[23] == "11@b"


def test_revived_lanes_wait_for_their_hits() -> None:
    """The WPU stalls at 2; with hits of 3 cycles the lanes that hit at 0 have no data before 3."""
    groups = history_of("X2", "dws.revive-split", **{"l1d.hit_latency": 3}).groups
    assert {t: groups[t] for t in groups if t <= 3} == {
        0: "11@a wait; 11@a ready",
        1: "11@a wait; 11@a wait",
        2: "10@a ready, 01@a wait; 11@a wait",
        3: "10@A run, 01@a wait; 11@a wait",
    }


def test_nested_loops_merge_within_the_inner_one() -> None:
    """X3 to the end: lane 1 merges three iterations late, and runs three of six alone."""
    h = history_of("X3_LISTED", "dws.lazy-split")
    assert h.groups == {
        0: "10@a ready, 01@a wait",
        **inner_loop(1, "10", 2, ", 01@a wait"),
        # The data of lane 1 arrive with cycle 8; lane 0 is before it in the queue.
        7: "10@b ready, 01@a ready",
        8: "10@I run, 01@a ready",
        9: "10@b run, 01@a ready",
        10: "10@b ready, 01@a ready",
        # Lane 1 resumes, and merges at its first b with lane 0, which has made its fourth.
        **inner_loop(11, "11", 3),
        # Lane 0 leaves the loop, and waits at Y.
        19: "01@b run",
        **inner_loop(20, "01", 3),
        28: "11@Y run",
        29: "11@a run",
        30: "11@a ready",
        **inner_loop(31, "11"),
        48: "11@Y run",
        49: "11@a run",
        50: "11@a ready",
        **inner_loop(51, "11"),
        68: "11@Y run",
        69: "11@X run",
        71: "-",
    }
    assert h.stack == {0: "(O,-,11)", 19: "(Y,-,11)(I,Y,01)", 28: "(Y,-,11)", 71: "-"}
    assert h.entries == {0: 2, 11: 0}
    assert h.toy.cycles == 72
    assert h.toy.wpu["n_thread_instr"] == 2 * (3 * (1 + 6 * 3 + 1) + 2)


def test_nested_loops_with_conditions_that_are_computed() -> None:
    h = history_of("X3", "dws.lazy-split")
    assert {t: h.groups[t] for t in h.groups if t <= 12} == {
        0: "10@a ready, 01@a wait",
        1: "10@I ready, 01@a wait",
        2: "10@I run, 01@a wait",
        4: "10@I ready, 01@a wait",
        5: "10@I run, 01@a wait",
        7: "10@I ready, 01@a ready",
        8: "10@I run, 01@a ready",
        10: "10@I ready, 01@a ready",
        11: "11@I ready",
        12: "11@I run",
    }


def test_branch_only_cannot_split_again() -> None:
    h = history_of("X4", "dws.branch-only")
    assert h.groups == {
        0: "1111@A run",
        1: "1100@x run, 0011@C ready",
        2: "1100@x wait, 0011@C ready",
        3: "1100@x wait, 0011@y run",
        4: "1100@x wait, 0011@y wait",
        11: "1100@x ready, 0011@y wait",
        12: "1100@B run, 0011@y wait",
        13: "1100@y run, 0011@y ready",
        14: "1111@y wait",  # three lanes have their data
        23: "1111@y ready",
        24: "1111@D run",
        26: "-",
    }
    assert (h.toy.wpu["n_miss_div"], h.toy.counters["memory_split"]) == (1, 0)
    assert history_of("X4", "dws.lazy-split").issued[15] == "1011@D"


def test_a_full_table() -> None:
    h = history_of("X5", "dws.aggress-split")
    assert h.groups == {
        0: "1110@a ready, 0001@a wait; 1111@a ready",
        # Warp 1 does not split.
        1: "1110@a ready, 0001@a wait; 1111@a wait",
        # The branch of a split has to: on a stack of its own.
        2: "1010@B(D,-,1110)(C,D,0100)(B,D,1010) run, 0001@a wait; 1111@a wait",
        5: "0100@C(D,-,1110)(C,D,0100) run, 0001@a wait; 1111@a wait",
        6: "1110@D run, 0001@a wait; 1111@a wait",
        8: "0001@a wait; 1111@a wait",
        9: "0001@a ready; 1111@a wait",
        10: "0001@B run; 1111@a ready",
        13: "0001@D run; 1111@a ready",
        15: "-; 1111@a ready",
        16: "-; 1011@B run",
        19: "-; 0100@C run",
        20: "-; 1111@D run",
        22: "-; -",
    }
    assert h.entries == {0: 2, 8: 0}
    assert h.stack[16] == "-; (D,-,1111)(C,D,0100)(B,D,1011)"
    assert h.toy.counters["wst_full"] == 2
    conv = Toy(scenarios.X5)
    assert h.toy.wpu["n_thread_instr"] == conv.wpu["n_thread_instr"]


def test_a_split_without_a_slot_runs_when_the_other_waits() -> None:
    h = history_of("X6", "dws.branch-only.stack")
    assert h.groups == {
        0: "1111@A run",
        1: "1110@B run",
        3: "1100@D run, 0010@E slotless",
        6: "1100@x run, 0010@E slotless",
        7: "1100@x ready, 0010@E slotless",
        8: "1100@F run, 0010@E slotless",
        9: "1100@G rpc-wait, 0010@E ready",
        10: "1100@G rpc-wait, 0010@x run",
        11: "1100@G rpc-wait, 0010@x ready",
        12: "1100@G rpc-wait, 0010@F run",
        13: "0001@C run",
        14: "1111@G run",
        16: "-",
    }


def test_the_run_ahead_keeps_the_only_slot() -> None:
    """DWS 6.6: "A warp-split that is being scheduled will continue to reside in the scheduler until
    it hits a synchronization point". The fall-behind has its data at 20, and waits for the slot up
    to the exit of the run-ahead, which waits for its own miss from 4 to 23: "For warp-splits that
    are ready to execute but are not being scheduled, they are not able to hide latency even if all
    scheduling entities are suspended."
    """
    h = history_of("F8", "dws.lazy-split", slots=1)
    assert h.groups == {
        0: "10@a ready, 01@a slotless",
        1: "10@A run, 01@a slotless",
        4: "10@b wait, 01@a slotless",
        23: "10@b ready, 01@a slotless",
        24: "10@A run, 01@a slotless",
        27: "01@a ready",
        28: "01@A run",
        31: "01@b ready",
        32: "01@A run",
        35: "-",
    }
    assert h.toy.counters["pc_merge"] == 0


def test_a_split_without_a_slot_merges_with_a_run_ahead_that_has_it() -> None:
    """DWS 6.6: warp-splits without a slot "can still merge with those that are" being scheduled.

    Lane 0 finds lane 1 at the load of the loop when it comes to it at 10; the cycles are those of
    S-DWS-X1 with a slot for each.
    """
    h = history_of("X1", "dws.lazy-split", slots=1)
    assert {t: h.groups[t] for t in h.groups if t <= 13} == {
        0: "10@L ready, 01@L slotless",
        1: "10@L run, 01@L slotless",
        3: "10@L ready, 01@L slotless",
        4: "10@L run, 01@L slotless",
        6: "10@L ready, 01@L slotless",
        7: "10@L run, 01@L slotless",
        9: "10@L ready, 01@L slotless",
        10: "11@L run",
        12: "11@L ready",
        13: "11@L run",
    }
    assert h.toy.cycles == 30


def test_a_revived_split_takes_the_slot_of_its_parent() -> None:
    h = history_of("X2", "dws.revive-split", slots=2)
    assert h.groups == {
        0: "11@a wait; 11@a ready",
        1: "11@a wait; 11@a wait",
        2: "10@A run, 01@a slotless; 11@a wait",
        5: "10@b wait, 01@a slotless; 11@a wait",
        20: "10@b wait, 01@a slotless; 11@a ready",
        21: "10@b wait, 01@a slotless; 11@A run",
        24: "10@b ready, 01@a slotless; 11@b ready",
        25: "10@b ready, 01@a slotless; 11@A run",
        28: "10@b ready, 01@a ready; -",  # warp 1 has returned
        29: "10@b ready, 01@A run; -",
        32: "11@b ready; -",
        33: "11@A run; -",
        36: "-; -",
    }


def test_a_split_without_a_slot_merges_with_one_that_has_it() -> None:
    """The other reading (`slot-keeper`): the split that waits for memory keeps the slot."""
    h = history_of("F8", "dws.lazy-split", slots=1, **{"policy.slot-keeper": "fall-behind"})
    assert h.groups == {
        0: "10@a slotless, 01@a wait",
        19: "10@a slotless, 01@a ready",
        20: "11@A run",
        23: "10@b wait, 01@b slotless",
        42: "10@b ready, 01@b slotless",
        43: "11@A run",
        46: "-",
    }
    assert h.toy.cycles == Toy(scenarios.F8).cycles


def test_splits_enter_a_barrier_as_one_warp() -> None:
    h = history_of("X7", "dws.aggress-split")
    assert h.groups == {
        0: "10@a ready, 01@a wait; 11@a ready",
        2: "10@A run, 01@a wait; 11@a ready",
        3: "10@w barrier-wait, 01@a wait; 11@a ready",
        4: "10@w barrier-wait, 01@a wait; 11@A run",
        # Warp 1 is there, warp 0 is not: the barrier stays shut.
        5: "10@w barrier-wait, 01@a wait; 11@B barrier-wait",
        9: "10@w barrier-wait, 01@a ready; 11@B barrier-wait",
        10: "10@w barrier-wait, 01@A run; 11@B barrier-wait",
        11: "11@B ready; 11@B ready",
        12: "11@B run; 11@B ready",
        13: "-; 11@B ready",
        14: "-; 11@B run",
        15: "-; -",
    }


def test_recursion() -> None:
    h = history_of("X9", "dws.lazy-split")
    assert h.groups == {
        0: "1110@a ready, 0001@a wait",
        1: "1110@A run, 0001@a wait",
        2: "1100@b ready, 0010@b wait, 0001@a wait",
        3: "1100@A run, 0010@b wait, 0001@a wait",
        4: "1000@c ready, 0100@c wait, 0010@b wait, 0001@a wait",
        5: "1000@A run, 0100@c wait, 0010@b wait, 0001@a wait",
        6: "0100@c wait, 0010@b wait, 0001@a wait",
        19: "0100@c wait, 0010@b wait, 0001@a ready",
        20: "0100@c wait, 0010@b wait, 0001@A run",
        21: "0100@c wait, 0010@b ready, 0001@b ready",
        22: "0100@c wait, 0011@A run",
        23: "0100@c ready, 0011@c ready",
        24: "0111@A run",
        25: "-",
    }
    assert h.entries == {0: 2, 2: 3, 4: 4, 6: 3, 22: 2, 24: 0}


def test_no_gain_where_one_lane_is_the_critical_path() -> None:
    h = history_of("X10", "dws.lazy-split")
    assert h.issued == {0: "11@a", 1: "10@A", 4: "10@b", 5: "10@A", 9: "-"} | {
        20: "01@A",
        23: "01@b",
        24: "-",
        43: "01@A",
    }
