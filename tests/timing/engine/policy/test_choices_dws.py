"""Settings for questions that the DWS paper leaves open, state by state.

Each test has the paper's reading and the others side by side."""

from __future__ import annotations

from typing import Any

import pytest

from simtlab.timing.simulation.failures import SimulationError

from ...support import scenarios
from ...support.history import History
from ...support.toy import Toy


def history(name: str, policy: str, /, *, fields: dict[str, Any] | None = None, **chosen: Any):
    sets = {f"policy.{key.replace('_', '-')}": value for key, value in chosen.items()}
    return History(getattr(scenarios, name), policy, **(fields or {}), **sets)


CHOICES = [
    ("X2", {"slots": 2}),
    ("F8", {"slots": 1, "policy.slot-keeper": "fall-behind"}),
    ("ONE_PC", {}),
    ("ONE_BLOCK", {"policy.compare-pcs": "alike"}),
    ("X4", {"policy.compare-pcs": "after-access"}),
    ("F6B", {"policy.compare-cycles": 4}),
    ("SERVED", {"policy.revive-mask": "served-now"}),
    ("CANDIDATES", {"policy.revive-first": "round-robin"}),
    ("X2", {"policy.hits-wait": True, "l1d.hit_latency": 3}),
    ("X5", {"wst_entries": 2, "policy.wst-full": "overflow"}),
    ("X5", {"wst_entries": 2, "policy.wst-full": "stall"}),
]


@pytest.mark.parametrize(("name", "fields"), CHOICES)
def test_compiled_and_plain_engines_agree(name: str, fields: dict[str, Any]) -> None:
    runs = [
        Toy(getattr(scenarios, name), "dws.revive-split", plain=plain, **fields)
        for plain in (True, False)
    ]
    plain, compiled = ((t.cycles, t.slots, t.warps, t.wpu, t.counters) for t in runs)
    assert plain == compiled


# --- compare-pcs: Q-DWS-23, Q-DWS-24


def test_a_resumed_split_is_at_its_access_as_one_that_has_yet_to_access() -> None:
    """DWS 4.5: "resumed warp-splits from the ready queue always start with memory instructions".

    So at 10 lanes 0 and 1, which have loaded y, and lane 3, which has not, "are ready to execute
    and share the same PC". Lane 3 loads, and all three continue.
    """
    h = history("ONE_PC", "dws.branch-only")
    assert {t: h.groups[t] for t in h.groups if t >= 7} == {
        7: "1100@y ready, 0011@P run",
        8: "1100@y ready, 0010@z run, 0001@y ready",
        9: "1100@y ready, 0010@z wait, 0001@y ready",
        10: "1101@y ready, 0010@z wait",
        11: "1101@D run, 0010@z wait",
        13: "0010@z wait",
        14: "0010@z ready",
        15: "0010@y ready",
        16: "0010@D run",
        18: "-",
    }
    assert h.issued[10] == "0001@y"


def test_splits_that_are_alike_only() -> None:
    h = history("ONE_PC", "dws.branch-only", compare_pcs="alike")
    assert {t: h.groups[t] for t in h.groups if t >= 9} == {
        9: "1100@y ready, 0010@z wait, 0001@y ready",
        10: "1100@D run, 0010@z wait, 0001@y ready",
        12: "0010@z wait, 0001@y ready",
        14: "0010@z ready, 0001@D run",
        16: "0010@z ready",
        17: "0010@y ready",
        18: "0010@D run",
        20: "-",
    }


@pytest.mark.parametrize(
    ("rule", "groups"),
    [
        # "PCs need only be compared when the running warp-split executes a memory instruction"
        ("at-access", {
            4: "1000@x wait, 0100@E ready, 0010@z wait, 0001@E ready",
            5: "1000@x wait, 0100@E run, 0010@z wait, 0001@E ready",
            7: "1000@x wait, 0100@y wait, 0010@z wait, 0001@E ready",
            8: "1000@x wait, 0100@y wait, 0010@z wait, 0001@E run",
            10: "1000@x wait, 0100@y wait, 0010@z wait, 0001@y wait",
        }),
        ("alike", {
            4: "1000@x wait, 0100@E ready, 0010@z wait, 0001@E ready",
            5: "1000@x wait, 0101@E run, 0010@z wait",
            7: "1000@x wait, 0101@y wait, 0010@z wait",
        }),
    ],
)  # fmt: skip
def test_splits_at_the_start_of_a_block(rule: str, groups: dict[int, str]) -> None:
    h = history("ONE_BLOCK", "dws.branch-only", compare_pcs=rule)
    assert {t: h.groups[t] for t in h.groups if 4 <= t <= 10} == groups
    assert h.toy.cycles == 23


def test_merging_after_the_access_does_not_wait_for_the_other_splits_miss() -> None:
    """As S-DWS-X4, where the lane that hits waits for its partner's miss up to 23."""
    h = history("X4", "dws.branch-only", compare_pcs="after-access")
    assert {t: h.groups[t] for t in h.groups if t >= 12} == {
        12: "1100@B run, 0011@y wait",
        13: "1100@y run, 0011@y ready",
        14: "1100@y wait, 0011@y ready",
        15: "1100@y wait, 0011@D run",
        17: "1100@y wait",
        23: "1100@y ready",
        24: "1100@D run",
        26: "-",
    }
    assert h.toy.counters["pc_merge"] == 0
    assert history("F6B", "dws.branch-only", compare_pcs="after-access").toy.counters["pc_merge"]


# --- compare-cycles: Q-DWS-26


def test_a_comparison_costs_where_nothing_else_is_ready() -> None:
    """S-DWS-F6b merges at 18, while no other group is ready: the four cycles are not hidden."""
    free, slow = (history("F6B", "dws.branch-only", compare_cycles=n) for n in (0, 4))
    assert (free.toy.cycles, slow.toy.cycles) == (27, 31)
    assert slow.toy.slots["reconverge"] == 4
    assert slow.toy.issued == free.toy.issued
    assert [t for t, who in slow.issued.items() if who == "11111001@F"] == [22]


def test_a_ready_group_hides_a_comparison() -> None:
    """In S-DWS-X2 warp 1 is ready at 28, when the lanes of warp 0 merge."""
    for cycles in (0, 4):
        h = history("X2", "dws.revive-split", compare_cycles=cycles)
        assert (h.toy.cycles, h.toy.counters["pc_merge"]) == (36, 1)


# --- revive-mask, revive-first, hits-wait: Q-DWS-30, Q-DWS-31, Q-DWS-8


def test_a_revival_of_lanes_that_are_served_by_now() -> None:
    """Lane 1 is served at 6, lanes 2 and 3 at 20. The WPU stalls at 15."""
    late = history("SERVED", "dws.revive-split")
    assert {t: late.groups[t] for t in late.groups if 12 <= t <= 20} == {
        12: "1000@b ready, 0111@a wait",
        13: "1000@A run, 0111@a wait",
        14: "0111@a wait",
        19: "0111@a ready",
        20: "0111@A run",
    }
    h = history("SERVED", "dws.revive-split", revive_mask="served-now")
    assert {t: h.groups[t] for t in h.groups if 12 <= t <= 20} == {
        12: "1000@b ready, 0111@a wait",
        13: "1000@A run, 0111@a wait",
        14: "0111@a wait",
        15: "0100@A run, 0011@a wait",
        17: "0100@b wait, 0011@a wait",
        19: "0100@b wait, 0011@a ready",
        20: "0100@b wait, 0011@A run",
    }
    assert (late.toy.cycles, h.toy.cycles) == (34, 29)


@pytest.mark.parametrize("plain", [True, False])
def test_lanes_that_are_served_by_now_leave_the_barrel_first(plain: bool) -> None:
    """Lane 0 of warp 0 is served at 2, where the WPU stalls, and leaves the pipeline at 7.

    It returns at 14, the other lane, whose data are there at 20, at 27, and warp 1 at 28.
    """
    fields = {"issue": "barrel", "pipeline": 7, "policy.revive-mask": "served-now"}
    toy = Toy(scenarios.IN_THE_BARREL, "dws.revive-split", plain=plain, **fields)
    assert (toy.cycles, toy.counters["revive"], toy.issued) == (28 + 7, 1, 8)
    if plain:
        h = history("IN_THE_BARREL", "dws.revive-split", fields=fields)
        assert h.issued == {
            0: "11@a", 2: "-", 7: "10@A", 8: "-", 14: "10@A", 15: "-", 20: "01@A", 21: "11@A",
            22: "-", 27: "01@A", 28: "11@A",
        }  # fmt: skip


@pytest.mark.parametrize(
    ("first", "order"),
    [
        ("widest", [1, 2, 0]),  # two lanes of warp 1; warp 2 was suspended after warp 0
        ("oldest", [0, 1, 2]),
        ("youngest", [2, 1, 0]),
        ("round-robin", [0, 1, 2]),
    ],
)
def test_which_group_is_revived_first(first: str, order: list[int]) -> None:
    """Warps 0, 1, 2 hit with 1, 2, 1 lanes at 0, 1, 2; the WPU stalls at 4, 6 and 8."""
    h = history("CANDIDATES", "dws.revive-split", revive_first=first)
    assert running_warps(h, 4, 6, 8) == order


def running_warps(h: History, *cycles: int) -> list[int]:
    states = [h.groups[t].split("; ") for t in cycles]
    return [next(v for v, groups in enumerate(state) if "run" in groups) for state in states]


def test_round_robin_begins_after_the_last_revival() -> None:
    """Slot 2, then 0 and 1, if the last revival was that of the group in slot 1."""

    def prepare(simulator: Any) -> None:
        simulator.state.rows["last_revival"]["slot"][0] = 1

    h = history(
        "CANDIDATES",
        "dws.revive-split",
        fields={"prepare": prepare},
        revive_first="round-robin",
    )
    assert running_warps(h, 4, 6, 8) == [2, 0, 1]


@pytest.mark.parametrize(("waits", "splits"), [(False, 0), (True, 1)])
def test_hits_count_as_waiting_for_memory(waits: bool, splits: int) -> None:
    """Warp 1 waits for its hit up to 3 when warp 0 diverges at 1."""
    scenario = scenarios.Scenario(
        scenarios.X2.body,
        width=2,
        warps=2,
        miss=20,
        lines=scenarios.X2.lines,
        script=scenarios.script("hhhm", "hhhh"),
    )
    fields = {"l1d.hit_latency": 3, "policy.hits-wait": waits}
    toy = Toy(scenario, "dws.lazy-split", **fields)
    assert toy.counters["memory_split"] == splits


# --- wst-full: Q-DWS-14


def test_a_full_table_that_overflows() -> None:
    """S-DWS-X5: the branch of the split 1110 takes a third entry of two."""
    h = history("X5", "dws.aggress-split", fields={"wst_entries": 2}, wst_full="overflow")
    assert {t: h.groups[t] for t in h.groups if t <= 10} == {
        0: "1110@a ready, 0001@a wait; 1111@a ready",
        1: "1110@a ready, 0001@a wait; 1111@a wait",
        2: "1010@B run, 0100@C ready, 0001@a wait; 1111@a wait",
        5: "1010@D run, 0100@C ready, 0001@a wait; 1111@a wait",
        7: "0100@C ready, 0001@a wait; 1111@a wait",
        8: "0100@D run, 0001@a wait; 1111@a wait",
        9: "0100@D run, 0001@a ready; 1111@a wait",
        10: "0001@a ready; 1111@a ready",
    }
    assert h.entries == {0: 2, 2: 3, 7: 2, 10: 0}
    assert (h.toy.counters["wst_full"], h.toy.counters["wst_overflow"]) == (2, 1)


def test_a_split_stalls_while_the_table_is_full() -> None:
    """S-DWS-X5: the split 1110 waits at its branch until 0001 has returned."""
    h = history("X5", "dws.aggress-split", fields={"wst_entries": 2}, wst_full="stall")
    stalls = "1010@B(D,-,1110)(C,D,0100)(B,D,1010) parked"
    assert {t: h.groups[t] for t in h.groups if t <= 19} == {
        0: "1110@a ready, 0001@a wait; 1111@a ready",
        1: "1110@a ready, 0001@a wait; 1111@a wait",
        2: f"{stalls}, 0001@a wait; 1111@a wait",
        9: f"{stalls}, 0001@a ready; 1111@a wait",
        10: f"{stalls}, 0001@B run; 1111@a ready",
        13: f"{stalls}, 0001@D run; 1111@a ready",
        15: f"{stalls}; 1111@a ready",
        16: "1010@B ready, 0100@C ready; 1011@B run",
        19: "1010@B ready, 0100@C ready; 0100@C run",
    }
    assert h.entries == {0: 2, 15: 0, 16: 2, 25: 0}
    assert h.toy.counters["wst_stall"] == 1


def test_a_table_that_stays_full_is_a_deadlock() -> None:
    """The lane that missed waits at the join for the split that waits for entries."""
    with pytest.raises(SimulationError) as caught:
        history("STALL", "dws.lazy-split", fields={"wst_entries": 2}, wst_full="stall")
    assert caught.value.first.code == "SIM440"
    assert "warp-split table is full" in caught.value.first.hint
