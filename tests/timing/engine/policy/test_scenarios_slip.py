"""Adaptive slip on the worked scenarios, cycle by cycle; its controller; what it may not change.

Scenarios are over before the controller looks for the first time: `max-div` lanes may be left
behind all along.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from simtlab.testing import Case
from simtlab.timing.compiler.files import find
from simtlab.timing.engine.causes import HIT, ISSUED, L2, MEMORY, N_CAUSES, READY
from simtlab.timing.machines import machine
from simtlab.timing.simulation.simulator import Simulator

from ....quick import examples
from ...support import scenarios
from ...support.history import History, inner_loop
from ...support.models.compare import engine_issues
from ...support.random_runs import HOSTILE, machine_for, simulate
from ...support.scenarios import Scenario, alu, ld, script
from ...support.tables import described
from ...support.toy import Toy

CASES = [
    # scenario, policy, max-div, cycles, idle, what it shows
    ("X1", "slip", 1, 33, 0, "the loop returns to the access of the lane left behind"),
    ("X1", "slip.branch-bypass", 1, 33, 0, "the same where branches may split the warp"),
    ("X3", "slip", 1, 82, 0, "the lane left behind waits for all of the inner loop"),
    ("X3", "slip.branch-bypass", 1, 82, 0, "the same where branches may split the warp"),
    ("F12", "slip", 2, 35, 19, "three lanes miss first, too many for a limit of 2; then one"),
    ("F12", "slip", 3, 30, 11, "three are left behind, which leaves none for the second access"),
    ("F12", "slip", 7, 24, 5, "all that miss are left behind, as under dws.lazy-split"),
    ("LEAVING", "slip", 1, 33, 12, "lanes leave a loop while another is left behind"),
    ("APART", "slip", 1, 24, 6, "no lane waits at a branch for one that has left the loop"),
    # Where no lane may be left behind, branches split the warp as under dws.branch-only.
    ("F4", "slip.branch-bypass", 0, 20, 0, "one path issues while the other waits for its miss"),
    ("F5", "slip.branch-bypass", 0, 31, 10, "a path passes the join at once; misses overlap"),
    ("F6", "slip.branch-bypass", 0, 26, 0, "the inner branch splits the warp"),
    ("F6B", "slip.branch-bypass", 0, 27, 6, "splits that meet after the inner join merge by PC"),
]


@pytest.mark.parametrize("plain", [True, False], ids=["plain", "compiled"])
@pytest.mark.parametrize(("name", "policy", "max_div", "cycles", "idle"), described(CASES))
def test_cycles(name: str, policy: str, max_div: int, cycles: int, idle: int, plain: bool) -> None:
    fields: dict[str, Any] = {"policy.max-div": max_div}
    toy = Toy(getattr(scenarios, name), policy, plain=plain, **fields)
    assert (toy.cycles, toy.idle) == (cycles, idle)


def history(name: str, max_div: int, **fields: Any) -> History:
    return History(getattr(scenarios, name), "slip", **{"policy.max-div": max_div, **fields})


def test_a_loop_returns_to_the_lane_left_behind() -> None:
    h = history("X1", 1)
    assert h.groups == {
        0: "10@L ready, 01@L held",
        1: "10@L run, 01@L held",
        3: "10@L ready, 01@L held",
        4: "10@L run, 01@L held",
        6: "10@L ready, 01@L held",
        7: "10@L run, 01@L held",
        9: "10@L ready, 01@L held",  # its data come with the next cycle
        10: "10@L run, 01@L held",
        12: "11@L ready",
        # Iteration 4 of lane 0 and the first one of lane 1.
        13: "11@L run",
        15: "11@L ready",
        16: "11@L run",
        # Lane 0 leaves the loop.
        17: "01@L run",
        18: "01@L ready",
        19: "01@L run",
        21: "01@L ready",
        22: "01@L run",
        24: "01@L ready",
        25: "01@L run",
        27: "01@L ready",
        28: "01@L run",
        29: "11@X run",
        32: "-",
    }
    assert h.entries == {0: 2, 12: 0}
    assert h.stack == {0: "(L,-,11)", 17: "(X,-,11)(L,X,01)", 29: "(X,-,11)", 32: "-"}


@pytest.mark.parametrize("policy", ["slip", "slip.branch-bypass"])
def test_nested_loops_keep_a_lane_waiting(policy: str) -> None:
    """X3 to the end: the data of lane 1 arrive at 8; it continues when lane 0 is at a again."""
    fields: dict[str, Any] = {"policy.max-div": 1}
    h = History(scenarios.X3_LISTED, policy, **fields)
    assert h.groups == {
        0: "10@a ready, 01@a held",
        **inner_loop(1, "10", beside=", 01@a held"),
        18: "10@Y run, 01@a held",
        19: "10@a run, 01@a held",
        20: "11@a ready",
        # Lane 0 is an iteration of the outer loop ahead.
        **inner_loop(21, "11"),
        38: "11@Y run",
        39: "11@a run",
        40: "11@a ready",
        **inner_loop(41, "11"),
        58: "11@Y run",
        # Lane 0 leaves the outer loop, and waits at X.
        59: "01@a run",
        60: "01@a ready",
        **inner_loop(61, "01"),
        78: "01@Y run",
        79: "11@X run",
        81: "-",
    }
    assert h.stack == {0: "(O,-,11)", 59: "(X,-,11)(O,X,01)", 79: "(X,-,11)", 81: "-"}
    dws = Toy(scenarios.X3_LISTED, "dws.lazy-split")
    assert Toy(scenarios.X3_LISTED).cycles <= dws.cycles < h.toy.cycles == 82


def test_all_that_are_left_behind_count() -> None:
    h = history("F12", 3)
    assert {t: h.groups[t] for t in h.groups if 2 <= t <= 25} == {
        2: "11100000@x ready, 00011001@x held",
        3: "11100000@B run, 00011001@x held",
        5: "11100000@y wait, 00011001@x held",  # a fourth lane may not stay behind
        16: "11100000@y ready, 00011001@x held",
        17: "11100000@B run, 00011001@x held",
        # A forced wait: the others go on by themselves.
        19: "11100000@D rpc-wait, 00011001@x ready",
        20: "11100000@D rpc-wait, 00011001@B run",
        22: "11100000@D rpc-wait, 00011001@y ready",
        23: "11100000@D rpc-wait, 00011001@B run",
        25: "00000110@C run",
    }


def test_at_a_forced_wait_all_lanes_left_behind_continue() -> None:
    h = history("F12", 7)
    assert {t: h.groups[t] for t in h.groups if 5 <= t <= 19} == {
        5: "11000000@y ready, 00100000@y held, 00011001@x held",
        6: "11000000@B run, 00100000@y held, 00011001@x held",
        8: "11000000@D rpc-wait, 00100000@y wait, 00011001@x wait",
        13: "11000000@D rpc-wait, 00100000@y wait, 00011001@x ready",
        14: "11000000@D rpc-wait, 00100000@y wait, 00011001@B run",
        16: "11000000@D rpc-wait, 00100000@y ready, 00011001@y ready",
        17: "11000000@D rpc-wait, 00111001@B run",
        19: "00000110@C run",
    }


def test_lanes_leave_their_loop_while_another_is_left_behind() -> None:
    h = history("LEAVING", 1)
    assert h.stack == {
        0: "(L,-,1111)",
        3: "(X,-,1111)(L,X,0111)",
        7: "(X,-,1111)(L,X,0011)",  # lane 1 takes the way that the stack knows
        30: "(X,-,1111)",
        32: "-",
    }
    assert h.groups[7] == "0010@a run, 0001@a held"
    assert h.groups[11] == "0010@X rpc-wait, 0001@a wait"


def test_no_lane_waits_at_a_branch_for_one_that_will_not_arrive() -> None:
    h = history("APART", 1)
    assert {t: h.groups[t] for t in h.groups if t >= 6} == {
        6: "1000@L branch-wait, 0100@a wait",
        12: "1000@L branch-wait, 0100@a ready",
        13: "1000@L branch-wait, 0100@M run",
        15: "1000@L ready, 0100@Z rpc-wait",  # it has left the loop
        16: "1000@B run, 0100@Z rpc-wait",
        17: "1000@a run, 0100@Z rpc-wait",
        18: "1000@a ready, 0100@Z rpc-wait",
        19: "1000@M run, 0100@Z rpc-wait",
        21: "1111@Z run",
        23: "-",
    }


def test_predicated_code_has_no_forward_branches() -> None:
    h = history("APART", 1, **{"policy.predicated": True})
    assert {t: h.issued[t] for t in h.issued if t >= 4} == {
        4: "1000@M",
        7: "1000@L",  # the branch at which it would wait
        8: "1000@B",
        9: "1000@a",
        10: "1000@M",
        13: "0100@M",
        16: "1111@Z",
    }
    assert (h.toy.cycles, h.toy.idle) == (18, 0)


def test_lanes_that_hit_leave_the_pipeline_before_they_continue() -> None:
    # Lane 0 hits after a cycle, and is in a pipeline of seven stages. Lane 1 is left behind, and
    # continues when lane 0 has issued its last instruction.
    body = f"{ld('d0')} {alu(2)} ret\n"
    scenario = Scenario(body, width=2, lines={"d0": "ab"}, script=script("hm"))
    fields = {"policy.max-div": 1, "issue": "barrel", "pipeline": 7}
    toy = Toy(scenario, "slip", plain=True, recorded=True, **fields)
    assert [(issue.cycle, issue.pc) for issue in engine_issues(toy)] == [
        *[(0, 0), (7, 1), (14, 2), (21, 3)],
        *[(22, 1), (29, 2), (36, 3)],
    ]


# --- the controller


class Controlled:
    """A WPU whose intervals are made up."""

    def __init__(self, max_div: int, **fields: object) -> None:
        m = machine.load("toy", {"width": 4, "policy.max-div": max_div, **fields})
        self.sim = Simulator(m, find("slip"), plain=True)
        self.rows = self.sim.state.rows
        self.look = vars(self.sim.composition.namespace)["on_interval"]

    def after(self, **percent: int) -> int:
        """The lanes that may be left behind after an interval of so many cycles of each kind."""
        kinds = {"waits": MEMORY, "level2": L2, "busy": ISSUED, "other": READY}
        for name, cycles in percent.items():
            self.rows["slot_cycles"]["cycles"][:N_CAUSES][kinds[name]] += cycles
            self.rows["wpu"]["busy"][0] += cycles
        self.look(self.sim.state.S, 0, int(self.rows["wpu"]["busy"][0]))
        return self.lanes

    @property
    def lanes(self) -> int:
        return int(self.rows["held_limit"]["lanes"][0])


def test_waiting_allows_more_and_working_less() -> None:
    wpu = Controlled(1)
    assert wpu.after(waits=80, busy=20) == 2
    assert wpu.after(waits=40, level2=40, busy=20) == 3
    assert wpu.after(waits=60, busy=40) == 3
    assert wpu.after(waits=40, busy=60) == 2
    assert wpu.after(waits=70, busy=30) == 2  # more than 70 it takes
    assert wpu.after(busy=50, other=50) == 2  # more than 50
    assert wpu.after(busy=51, other=49) == 1


@pytest.mark.parametrize("cause", range(N_CAUSES))
def test_a_wait_for_a_hit_is_one_for_memory_and_one_for_code_is_none(cause: int) -> None:
    wpu = Controlled(1)
    cycles = wpu.rows["slot_cycles"]["cycles"]
    cycles[ISSUED] += 20
    cycles[cause] += 80
    wpu.rows["wpu"]["busy"][0] += 100
    wpu.look(wpu.sim.state.S, 0, 100)
    assert wpu.lanes == 1 + (HIT <= cause <= MEMORY) - (cause == ISSUED)


def test_from_none_to_all_but_one() -> None:
    wpu = Controlled(0)
    assert wpu.lanes == 0
    assert [wpu.after(busy=60, waits=40) for _ in range(2)] == [0, 0]
    assert [wpu.after(waits=80, busy=20) for _ in range(5)] == [1, 2, 3, 3, 3]
    assert Controlled(99).lanes == 3


def test_other_thresholds() -> None:
    wpu = Controlled(1, **{"policy.raise-above": 90, "policy.lower-above": 10})
    assert wpu.after(waits=80, busy=20) == 0
    assert wpu.after(waits=91, busy=9) == 1


@pytest.mark.parametrize("plain", [True, False], ids=["plain", "compiled"])
@pytest.mark.parametrize(("interval", "lanes"), [(0, 0), (10, 1), (1000, 0)])
def test_intervals_pass(interval: int, lanes: int, plain: bool) -> None:
    # It looks at 14, at three cycles of work, and at 28, at eleven of waiting and three of work.
    toy = Toy(scenarios.F12, "slip", plain=plain, interval=interval)
    assert toy.sim.state.rows["held_limit"]["lanes"][0] == lanes


# --- what it may not change


@examples(6, 15)
@given(*HOSTILE)
def test_slip_that_leaves_no_lane_behind_is_conv(
    case: Case, width: int, seed: int, slots: int, entries: int
) -> None:
    m = machine_for(case, width, seed, slots, entries)
    found: list[int] = []
    for name in ("conv", "slip"):
        simulator = Simulator(m, find(name))
        simulate(case, simulator)
        found.append(simulator.cycles)
    assert found[0] == found[1]
