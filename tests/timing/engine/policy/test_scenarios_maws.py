"""The worked scenarios of the MAWS paper: stacks, masks and counts, step by step, and cycles.

The toy machine's scheduler is first in, first out, whatever a policy would choose for itself.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from simtlab.timing.engine.intrinsics import NEVER
from simtlab.timing.machines import machine as machines
from simtlab.timing.simulation.simulator import Simulator

from ...support import maws_scenarios, scenarios
from ...support.history import History
from ...support.scenarios import Scenario
from ...support.tables import described
from ...support.toy import Toy

FIFO: dict[str, Any] = {"scheduler": "fifo"}


BOTH_PAPERS = [
    # scenario, policy, cycles, idle, what it shows
    *((s, f"maws.{p}", 28, 15, "the lane that hits runs ahead to the next miss")
      for s in ("F8", "F9") for p in ("aggress", "lazy-split")),
    ("F10", "maws.lazy-split", 62, 6, "a split too early costs 8 cycles"),
    ("F10", "conv", 54, 14, "without a split"),
    *(("F12", f"maws.{p}", 24, 5, "a path splits at both of its accesses and merges again")
      for p in ("aggress", "lazy-split")),
    ("X2", "maws.lazy-split", 36, 14, "a stored hit mask is used when the WPU stalls (Q-MAWS-13)"),
    *(("X9", f"maws.{p}", 26, 13, "splits split again, up to one for each lane")
      for p in ("aggress", "lazy-split")),
    *((s, "maws.lat-spec", 47, idle, "no latency is known yet: no split (Q-MAWS-14)")
      for s, idle in (("F9", 38), ("X2", 25))),
]  # fmt: skip


@pytest.mark.parametrize("plain", [True, False], ids=["plain", "compiled"])
@pytest.mark.parametrize(("scenario", "policy", "cycles", "idle"), described(BOTH_PAPERS))
def test_scenarios_of_both_papers(
    scenario: str, policy: str, cycles: int, idle: int, plain: bool
) -> None:
    toy = Toy(getattr(scenarios, scenario), policy, plain=plain, **FIFO)
    assert (toy.cycles, toy.idle) == (cycles, toy.idle if scenario == "F10" else idle)


LAGGARD_ISSUES = {
    # Lane 1 of warp 0 has its data at 4, and waits for the turn of its warp.
    "in-turn": [(3, 0, "10"), (7, 1, "11"), (11, 2, "11"), (15, 0, "01")],
    # At 7 lane 0 is ahead, so that lane 1 goes before warps 1 and 2. At 10 it has caught up.
    "first": [(3, 0, "10"), (7, 0, "01"), (11, 1, "11"), (15, 2, "11")],
}
"""By setting: when warps issue the three instructions between their loads, and in which lanes."""


@pytest.mark.parametrize("plain", [True, False], ids=["plain", "compiled"])
@pytest.mark.parametrize("laggard", LAGGARD_ISSUES)
def test_the_split_that_falls_behind_most_may_go_before_other_warps(
    laggard: str, plain: bool
) -> None:
    """MAWS 5.4: the WPU "increases its priority in the scheduling policy" (MAWS-04, Q-MAWS-8)."""
    fields = {**FIFO, "policy.laggard": laggard}
    toy = Toy(maws_scenarios.LAGGARD, "maws.aggress", plain=plain, **fields)
    assert (toy.cycles, toy.counters["pc_merge"]) == (25, 1)
    if plain:
        h = History(maws_scenarios.LAGGARD, "maws.aggress", **fields)
        rows = h.recording.issues.tolist()
        found = [(t, warp, f"{mask:02b}"[::-1]) for t, warp, _, _, pc, _, mask in rows if pc == 1]
        assert found == LAGGARD_ISSUES[laggard]


def test_f4_the_life_of_warp_splits() -> None:
    h = History(scenarios.F12, "maws.lazy-split", counts=True, **FIFO)
    assert h.stack == {
        0: "(A,-,11111111)",
        1: "(D,-,11111111)(C,D,00000110)(B,D,11111001)",
        19: "(D,-,11111111)(C,D,00000110)",
        21: "(D,-,11111111)",
        23: "-",
    }
    assert h.groups[2] == "11100000@x #1 ready, 00011001@x #1 wait"
    assert h.groups[5] == "11000000@y #4 ready, 00100000@y #4 wait, 00011001@x #1 wait"
    assert h.groups[8] == "11000000@D rpc-wait, 00100000@y #4 wait, 00011001@x #1 wait"
    assert h.groups[14] == "11000000@D rpc-wait, 00100000@y #4 wait, 00011001@B #1 run"
    assert h.groups[16] == "11000000@D rpc-wait, 00100000@y #4 ready, 00011001@y #4 ready"
    assert h.groups[17] == "11000000@D rpc-wait, 00111001@B #4 run"
    # Whole again, and counted anew.
    assert h.groups[19] == "00000110@C #0 run"


def test_f5_an_early_split_that_harms() -> None:
    h = History(scenarios.F10, "maws.lazy-split", **FIFO)
    assert h.groups[1] == "11@a wait; 10@a ready, 01@a wait"
    # Warp 0 has its data at 10, and waits for the run-ahead, which has issued no miss by then.
    assert [h.issued[c] for c in (2, 17, 18)] == ["10@A", "10@b", "11@A"]


def test_x1_lanes_that_leave_the_loop_wait_in_the_entry_below() -> None:
    h = History(maws_scenarios.X1, "maws.aggress", **FIFO)
    assert h.stack == {
        0: "(L,-,1111)",
        2: "(X,-,1111)(X,X,0000)(L,X,1111)",
        5: "(X,-,1111)(X,X,0100)(L,X,1011)",
        14: "(X,-,1111)(X,X,0110)(L,X,1001)",
        17: "(X,-,1111)",
        19: "-",
    }
    assert h.groups == {
        0: "1111@a ready",
        1: "1111@L run",
        2: "1111@a run",
        # Lanes 2 and 3 miss; lane 1 leaves the loop, and lane 0 misses in turn.
        3: "1100@a ready, 0011@a wait",
        4: "1100@L run, 0011@a wait",
        5: "1000@a run, 0011@a wait",
        6: "1000@a wait, 0011@a wait",
        12: "1000@a wait, 0011@a ready",
        # Lane 2 leaves it. Lane 3 hits, and lane 0 has its data in time to merge.
        13: "1000@a wait, 0011@L run",
        14: "1000@a wait, 0001@a run",
        15: "1000@a ready, 0001@a ready",
        16: "1001@L run",
        17: "1111@X run",
        19: "-",
    }
    assert h.toy.cycles == 20


def test_x1_without_bypass_the_run_ahead_waits_at_the_branch() -> None:
    h = History(maws_scenarios.X1, "maws.aggress", **FIFO | {"policy.loop-bypass": False})
    assert h.groups[4] == "1100@L branch-wait, 0011@a wait"
    assert h.groups[13] == "1111@L run"
    assert h.toy.counters["loop_bypass"] == 0
    assert h.toy.cycles == 29


def test_a_loop_that_was_not_pushed_is_not_passed() -> None:
    """A branch at which no lanes have diverged leaves the stack alone, like any other branch."""
    h = History(maws_scenarios.X1, "maws.aggress", **FIFO | {"policy.push-uniform": False})
    assert h.groups[4] == "1100@L branch-wait, 0011@a wait"
    # The iteration in which lanes 1 and 2 leave has pushed it.
    assert h.stack[14] == "(X,-,1111)(L,X,1001)"
    assert h.toy.counters["loop_bypass"] == 2


def test_the_other_path_is_run_together_at_the_end() -> None:
    h = History(maws_scenarios.BEHIND, "maws.aggress", **FIFO)
    assert list(h.stack.values()) == [
        "(L,-,1111)",
        "(X,-,1111)(E,X,0000)(L,X,1111)",
        "(X,-,1111)(E,X,0100)(L,X,1011)",
        "(X,-,1111)(E,X,0110)(L,X,1001)",
        "(X,-,1111)(E,X,1111)",
        "(X,-,1111)",
        "-",
    ]
    assert h.toy.cycles == 24


@pytest.mark.parametrize(("test", "cycles"), [("branch", 50), ("rpc-only", 41)])
def test_two_branches_with_one_join(test: str, cycles: int) -> None:
    """By the letter each of them delimits the loop; else the one that pushed last (Q-MAWS-12)."""
    fields: dict[str, Any] = {**FIFO, "policy.loop-test": test}
    h = History(maws_scenarios.BREAK, "maws.aggress", **fields)
    assert ("branch-wait" in str(h)) == (test == "branch")
    assert h.toy.cycles == cycles


def test_a_loop_pushes_once() -> None:
    """Two branches that join behind the loop do not push for ever."""
    lines = {"d1": 4 * maws_scenarios.node(28)}
    scenario = replace(maws_scenarios.BREAK, chain={"d0": 29}, lines=lines, script={})
    toy = Toy(scenario, "maws.aggress", **FIFO)
    assert toy.sim.state.S.max_depth == 5


# --- latency speculation


def f6(plain: bool, **fields: Any) -> Toy:
    def predict(sim: Simulator) -> None:
        """P has ten miss-free cycles before it, Q two."""
        if "miss_free" in sim.state.rows:
            for warp, left in enumerate((10, 2)):
                row = sim.state.rows["miss_free"][warp * sim.width]
                row["group"], row["left"], row["end"] = warp + 1, left, NEVER

    return Toy(maws_scenarios.F6, "maws.lat-spec", plain=plain, prepare=predict, **fields)


@pytest.mark.parametrize("plain", [True, False], ids=["plain", "compiled"])
def test_f6_the_shallowest_warp_first(plain: bool) -> None:
    assert f6(plain).idle == 8
    assert f6(plain, scheduler="rr").idle == 16


class Watched(Toy):
    """Keeps the counters of LatSpec as they are after each event."""

    def __init__(self, scenario: Scenario, policy: str, total: int = 0, **fields: Any) -> None:
        self.sum: dict[int, int] = {}
        self.counts: dict[int, tuple[int, int]] = {}
        self.total = total
        super().__init__(scenario, policy, prepare=self.watch, **fields)

    def watch(self, sim: Simulator) -> None:
        state, run = sim.state, sim.state.run
        state.rows["wpu_forecast"]["sum"] = self.total

        def step(events: int) -> int:
            status = 0
            while status == 0 and events > 0:
                status = run(1)
                (forecast,), mine = state.rows["wpu_forecast"], state.rows["miss_free"][0]
                self.sum[int(forecast["at"])] = int(forecast["sum"])
                self.counts[int(forecast["at"])] = int(mine["free"]), int(mine["latency"])
                events -= 1
            return status

        state.run = step


@pytest.mark.parametrize("plain", [True, False], ids=["plain", "compiled"])
def test_x2_counters(plain: bool) -> None:
    settings = FIFO | {"policy.first-latency": 60}
    h = Watched(maws_scenarios.X2, "maws.lat-spec", plain=plain, **settings)
    assert h.counts[14] == (15, 60)  # 0 + 15 < 60: it is split
    assert h.counts[25] == (15, 60)  # the fall-behind's count stands still
    assert (h.sum[76], h.counts[76]) == (15, (0, 62))  # its data are there
    assert (h.sum[85], h.counts[85]) == (6, (10, 62))  # 6 + 10 < 62: it is split again
    assert h.sum[86] == 5  # ten cycles later
    assert h.counters["memory_split"] == 2


@pytest.mark.parametrize(("total", "splits"), [(69, 0), (59, 0), (58, 1)])
def test_x2_what_others_have_left_counts(total: int, splits: int) -> None:
    """39 cycles later the sum is 30, and 30 + 40 is not less than 60; 19 + 40 is."""
    settings: dict[str, Any] = {"policy.first-latency": 60}
    h = Watched(maws_scenarios.X2B, "maws.lat-spec", total, **settings)
    assert h.sum[39] == total - 39
    assert h.counters["memory_split"] == splits
    assert h.counters["unsplit"] == 1 - splits


def test_x2_the_first_access_is_not_split() -> None:
    assert Toy(maws_scenarios.X2B, "maws.lat-spec").counters["memory_split"] == 0


def test_a_split_may_count_what_it_predicts() -> None:
    settings = FIFO | {"policy.first-latency": 60, "policy.count-split": True}
    h = Watched(maws_scenarios.X2, "maws.lat-spec", **settings)
    assert h.sum[15] == 15 - 1  # Q-MAWS-18, and the access has taken a cycle


def test_a_miss_may_be_too_short_to_count() -> None:
    settings = FIFO | {"policy.first-latency": 60, "policy.long-latency": 62}
    h = Watched(maws_scenarios.X2, "maws.lat-spec", **settings)
    assert h.counts[85] == (25, 60)  # as if nothing had been missed (Q-MAWS-17)


@pytest.mark.parametrize("plain", [True, False], ids=["plain", "compiled"])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_policy_that_never_splits_takes_the_cycles_of_conv(seed: int, plain: bool) -> None:
    """No miss is long enough to be one: no latency is ever known, and nothing worth a split."""
    lines = {"d1": "".join(maws_scenarios.node(n) for n in (11, 5, 9, 9, 3, 7, 8, 7))}
    scenario = replace(maws_scenarios.X1, warps=2, chain={"d0": 12}, lines=lines, script={})
    conv = Toy(scenario, "conv", plain=plain, adversary_seed=seed)
    settings: dict[str, Any] = FIFO | {"policy.long-latency": 1 << 30}
    maws = Toy(scenario, "maws.lat-spec", plain=plain, adversary_seed=seed, **settings)
    assert maws.wpu["n_miss_div"] == maws.counters["unsplit"] > 0
    assert maws.cycles == conv.cycles


# --- the scheduler that a policy brings along


@pytest.mark.parametrize(
    ("policy", "fields", "scheduler"),
    [
        ("maws.lat-spec", {}, "swf"),
        ("maws.lat-spec", {"scheduler": "gto"}, "gto"),
        ("maws.lazy-split", {}, "rr"),
        ("maws.aggress", {}, "fifo"),
        ("conv", {}, "fifo"),
    ],
)
def test_a_policy_names_its_scheduler_unless_one_is_chosen(
    policy: str, fields: dict[str, Any], scheduler: str
) -> None:
    assert Toy(scenarios.F3, policy, **fields).sim.machine.scheduler == scheduler


def test_a_file_that_names_a_scheduler_has_chosen_it(tmp_path) -> None:
    from simtlab.timing.compiler.files import configured, find

    mine = tmp_path / "mine.toml"
    mine.write_text('scheduler = "gto"\n')
    assert configured(machines.load(mine), find("maws.lat-spec")).scheduler == "gto"
