"""The worked scenarios of paired-path comparison on the timing engine, and what they cost there.

Code is at the addresses of the papers: the first instruction is at 00, each has 8 bytes. Masks have
lane 0 on the left; an entry is written {taken side, not-taken side, current}.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

import simtlab
from simtlab.asm.assemble import assemble
from simtlab.emu.module import Module
from simtlab.emu.traps import Trap
from simtlab.isa.errors import UsageError
from simtlab.timing.simulation.simulator import Simulator

from ...support.ppc_scenarios import (
    GOTO_ERROR,
    IF_ELSE,
    IF_ELSE_MARKED,
    LOOP,
    LOOP_LISTED,
    LOOP_LISTED_MARKED,
    LOOP_MARKED,
    LOWER_JOIN,
    NESTED,
    NESTED_MARKED,
    short_circuit,
)
from ...support.scenarios import F8, F9, Scenario, alu, ld
from ...support.tables import described
from ...support.toy import Toy

LITERAL: dict[str, Any] = {"policy.cascade": False}

COUNTS = [
    # scenario, policy, fields, instructions, activity factor, comparisons, what it shows
    *((IF_ELSE, policy, {}, 9, 0.75, n, "an if-else costs as much under every policy (F1 to F3)")
      for policy, n in (("conv", None), ("ppc", 5), ("per-thread", 72), ("dps", None))),
    (NESTED, "ppc", {}, 10, 0.575, 7, "nested branches: a merge cascades to the entry below (F4)"),
    (NESTED, "conv", {}, 10, 0.575, None, "nested branches with one join (F4)"),
    (NESTED, "ppc", LITERAL, 11, 0.5227, 9, "no cascade: the parent issues one more (F4)"),
    (LOOP, "ppc", {}, 15, 0.7, 9, "a loop that lanes leave one by one (F5)"),
    (LOOP, "conv", {}, 15, 0.7, None, "a loop that lanes leave one by one (F5)"),
    (LOOP, "ppc", LITERAL, 18, 0.5833, 12, "the same loop without cascade (F5)"),
    (short_circuit("00001111"), "ppc", {}, 9, 0.8889, 2,
     "a short-circuit condition merges before the post-dominator (X1)"),
    (short_circuit("00001111"), "conv", {}, 12, 0.6667, None,
     "a short-circuit condition merges at the post-dominator (X1)"),
    (short_circuit("00001100"), "ppc", {}, 15, 0.5333, 11,
     "sides on different levels of the stack do not meet (X2)"),
    (short_circuit("00001100"), "conv", {}, 15, 0.5333, None,
     "the post-dominator stack costs as much there (X2)"),
    (short_circuit("00001100"), "per-thread", {}, 12, 0.6667, 96,
     "per-thread PCs merge those sides (X2)"),
    (GOTO_ERROR, "ppc", {}, 9, 0.7778, 4, "a goto from both arms merges at its target (X3)"),
    (GOTO_ERROR, "conv", {}, 11, 0.6364, None, "the arms merge at the post-dominator (X3)"),
    (IF_ELSE_MARKED, "ppc-explicit", {}, 11, 0.7045, 2,
     "a marker costs one issue for each side that arrives (X4)"),
    (IF_ELSE_MARKED, "conv-explicit", {}, 11, 0.7045, None,
     "a marker costs one issue for each side that arrives (X4)"),
    (replace(IF_ELSE_MARKED, masks={"c0": "00000000"}), "ppc-explicit", {}, 8, 1.0, 0,
     "a marker costs one issue where no branch has diverged (X4)"),
    (LOOP_MARKED, "ppc-explicit", {}, 19, 0.6053, 4,
     "the marker of a loop is issued once for each lane that leaves (X5)"),
    (LOOP_MARKED, "conv-explicit", {}, 19, 0.6053, None,
     "the marker of a loop is issued once for each lane that leaves (X5)"),
    (NESTED_MARKED, "ppc-explicit", {}, 14, None, 4, "nested branches have one marker each (X6)"),
    (LOWER_JOIN, "ppc", {}, 10, 0.6, 4, "a join at a lower address is never seen (X7)"),
    (LOWER_JOIN, "conv", {}, 8, 0.75, None, "the stack joins at a lower address (X7)"),
]  # fmt: skip


@pytest.mark.parametrize("plain", [True, False], ids=["plain", "compiled"])
@pytest.mark.parametrize(
    ("scenario", "policy", "fields", "n", "activity", "compared"), described(COUNTS)
)
def test_instructions_and_activity(
    scenario: Scenario,
    policy: str,
    fields: dict[str, Any],
    n: int,
    activity: float | None,
    compared: int | None,
    plain: bool,
) -> None:
    toy = Toy(scenario, policy, plain=plain, **fields)
    # Without memory nothing waits: a cycle an instruction.
    assert (toy.issued, toy.cycles) == (n, n)
    if activity is not None:
        assert round(toy.mean_width / scenario.width, 4) == activity
    assert toy.counters.get("pc_comparison") == compared


class Walk:
    """A scenario instruction by instruction, on the plain engine.

    `issued` has a text for each: address, mask, and the entries of the dual-path stack, the top
    last, with the running side's PC that of the instruction.
    """

    def __init__(self, scenario: Scenario, policy: str, **fields: Any) -> None:
        self.issued: list[str] = []
        self.toy = Toy(scenario, policy, prepare=self._watch, **fields)

    def _watch(self, sim: Simulator) -> None:
        self._sim, self._space = sim, vars(sim.composition.namespace)
        self._run, sim.state.run = sim.state.run, self._watched

    def _watched(self, events: int) -> int:
        self._charge = self._space["charge_issue"]
        with patch.dict(self._space, charge_issue=self._issue):
            return self._run(events)

    def _issue(self, S: Any, w: int, g: int, s: int, n: int, lanes: int, t: int) -> int:
        first = int(self._sim.state.rows["seg"][s]["first_pc"])
        for pc in range(first, first + n):
            entries = "".join(self._entries(S, g, pc))
            self.issued.append(f"{8 * pc:02x} {self._mask(S, g)}{entries}")
        return self._charge(S, w, g, s, n, lanes, t)

    def _entries(self, S: Any, g: int, pc: int) -> Iterator[str]:
        rows = self._sim.state.rows
        v = int(rows["group"][g]["warp"])
        for e in range(v * S.entries, v * S.entries + int(rows["warp"][v]["depth"])):
            sides = []
            for i in (2 * e + 1, 2 * e):
                s = self._space["side_pc"](S, i)
                at = pc if rows["side"][i]["group"] == g else int(rows["seg"][s]["first_pc"])
                mask = self._lanes(S, int(rows["side"][i]["mask"]))
                sides.append(f"{8 * at:02x}/{mask}")
            yield f" {{{sides[0]},{sides[1]},{'NT'[int(rows['pair'][e]['current'])]}}}"

    def _mask(self, S: Any, g: int) -> str:
        return self._lanes(S, int(self._sim.state.rows["group"][g]["mask"]))

    def _lanes(self, S: Any, mask: int) -> str:
        return "".join("1" if mask >> lane & 1 else "0" for lane in range(S.width))


def test_s_ppc_f1_f3_the_entry_follows_both_sides() -> None:
    assert Walk(IF_ELSE, "ppc").issued == [
        "00 11111111",
        "08 11111111",
        "10 10011111 {28/01100000,10/10011111,N}",
        "18 10011111 {28/01100000,18/10011111,N}",
        "20 10011111 {28/01100000,20/10011111,N}",
        "28 01100000 {28/01100000,38/10011111,T}",
        "30 01100000 {30/01100000,38/10011111,T}",
        "38 11111111",
        "40 11111111",
    ]


def test_s_ppc_f4_a_merge_cascades_to_the_entry_below() -> None:
    inner = "{30/00001111,08/11110000,N}"  # its not-taken PC is stale
    common = [
        "00 11111111",
        "08 11110000 {30/00001111,08/11110000,N}",
        "10 11110000 {30/00001111,10/11110000,N}",
        f"18 11000000 {inner} {{28/00110000,18/11000000,N}}",
        f"20 11000000 {inner} {{28/00110000,20/11000000,N}}",
        f"28 00110000 {inner} {{28/00110000,40/11000000,T}}",
    ]
    assert Walk(NESTED, "ppc").issued == [
        *common,
        "30 00001111 {30/00001111,40/11110000,T}",
        "38 00001111 {38/00001111,40/11110000,T}",
        "40 11111111",
        "48 11111111",
    ]
    # The entry below is compared one instruction late, twice.
    assert Walk(NESTED, "ppc", **LITERAL).issued == [
        *common,
        "40 11110000 {30/00001111,40/11110000,N}",
        "30 00001111 {30/00001111,48/11110000,T}",
        "38 00001111 {38/00001111,48/11110000,T}",
        "40 00001111 {40/00001111,48/11110000,T}",
        "48 11111111",
    ]


def test_s_ppc_f5_a_loop_opens_an_entry_per_lane_that_leaves() -> None:
    first, second = "{08/0111,18/1000,T}", "{08/0011,18/0100,T}"
    common = [
        "00 1111",
        "08 1111",
        "10 1111",
        f"08 0111 {first}",
        "10 0111 {10/0111,18/1000,T}",
        f"08 0011 {first} {second}",
        f"10 0011 {first} {{10/0011,18/0100,T}}",
        f"08 0001 {first} {second} {{08/0001,18/0010,T}}",
        f"10 0001 {first} {second} {{10/0001,18/0010,T}}",
    ]
    # At 18 three entries merge in one step.
    assert Walk(LOOP_LISTED, "ppc").issued == [*common, "18 1111", "20 1111"]
    # Without cascade an entry is compared when its side has issued one more instruction.
    assert Walk(LOOP_LISTED, "ppc", **LITERAL).issued == [
        *common,
        f"18 0011 {first} {{18/0011,18/0100,T}}",
        f"18 0100 {first} {{20/0011,18/0100,N}}",
        "20 0111 {20/0111,18/1000,T}",
        "18 1000",
        "20 1000",
    ]


@pytest.mark.parametrize(
    ("scenario", "policy", "fields", "n", "activity"),
    [
        (LOOP_LISTED, "ppc", {}, 11, 0.7273),
        (LOOP_LISTED, "conv", {}, 11, 0.7273),
        (LOOP_LISTED, "ppc", LITERAL, 14, 0.5714),
        (LOOP_LISTED_MARKED, "ppc-explicit", {}, 15, 0.6),
        (LOOP_LISTED_MARKED, "conv-explicit", {}, 15, 0.6),
    ],
)
def test_s_ppc_f5_x5_the_loop_of_the_paper(scenario, policy, fields, n, activity) -> None:
    toy = Toy(scenario, policy, **fields)
    assert (toy.issued, round(toy.mean_width / scenario.width, 4)) == (n, activity)


def test_s_ppc_x1_x3_sides_merge_before_the_post_dominator() -> None:
    issued = Walk(short_circuit("00001111"), "ppc").issued
    assert issued[2:6] == [
        "10 00001111 {38/11110000,10/00001111,N}",
        "18 00001111 {38/11110000,18/00001111,N}",
        "38 11111111",
        "40 11111111",
    ]
    issued = Walk(GOTO_ERROR, "ppc").issued
    assert [text.split()[0] for text in issued] == "00 08 10 20 28 40 48 50 58".split()


def test_s_ppc_x2_sides_on_different_levels_do_not_meet() -> None:
    issued = Walk(short_circuit("00001100"), "ppc").issued
    assert [text[:11] for text in issued[7:13]] == [
        "38 00001100", "40 00001100", "48 00001100", "38 11110000", "40 11110000", "48 11110000",
    ]  # fmt: skip


def test_s_ppc_x4_x6_explicit_sides_merge_after_the_instruction() -> None:
    assert Walk(IF_ELSE_MARKED, "ppc-explicit").issued[5:] == [
        "38 10011111 {28/01100000,38/10011111,N}",
        "28 01100000 {28/01100000,40/10011111,T}",
        "30 01100000 {30/01100000,40/10011111,T}",
        "38 01100000 {38/01100000,40/10011111,T}",
        "40 11111111",
        "48 11111111",
    ]
    issued = [text[:11] for text in Walk(NESTED_MARKED, "ppc-explicit").issued]
    assert issued[5:] == [
        "40 11000000", "28 00110000", "40 00110000", "30 00001111", "38 00001111",
        "48 00001111", "48 11110000", "50 11111111", "58 11111111",
    ]  # fmt: skip


def test_s_ppc_x5_the_marker_of_a_loop_issues_for_each_lane_that_leaves() -> None:
    issued = [text[:7] for text in Walk(LOOP_LISTED_MARKED, "ppc-explicit").issued]
    assert issued == [
        "00 1111", "08 1111", "10 1111", "08 0111", "10 0111", "08 0011", "10 0011",
        "08 0001", "10 0001", "18 0001", "18 0010", "18 0100", "18 1000", "20 1111", "28 1111",
    ]  # fmt: skip


def test_s_ppc_x7_a_join_at_a_lower_address_is_passed_alone() -> None:
    issued = [text[:11] for text in Walk(LOWER_JOIN, "ppc").issued]
    assert issued[2:] == [
        "20 11110000", "28 11110000", "08 11110000", "10 11110000",
        "30 00001111", "38 00001111", "08 00001111", "10 00001111",
    ]  # fmt: skip


def test_q_ppc_12_the_survivor_of_an_entry_is_the_warp() -> None:
    leaves = Scenario(f"cbr $c0, @L\n ret\n @L: {alu(1)} ret\n", masks={"c0": "00001111"})
    assert Walk(leaves, "ppc").issued[1:] == [
        "08 11110000 {10/00001111,08/11110000,N}", "10 00001111", "18 00001111",
    ]  # fmt: skip


@pytest.mark.parametrize("policy", ["ppc", "dps"])
def test_q_ppc_13_a_barrier_inside_a_side_is_an_error(policy: str) -> None:
    inside = Scenario("cbr $c0, @D\n barrier\n @D: ret\n", masks={"c0": "00001111"})
    with pytest.raises(Trap, match="divergent barrier"):
        Toy(inside, policy)


@pytest.mark.parametrize("policy", ["ppc", "dps"])
def test_entries_are_fewer_than_lanes(policy: str) -> None:
    deep = replace(LOOP, width=16, numbers={"s0": range(16)})
    assert Toy(deep, policy).sim.state.S.max_depth == 15


# --- latency

WAITING = Scenario(
    f"{alu(1)} cbr $c0, @C\n {ld('d0')} {alu(1)} br @D\n @C: {alu(2)} @D: {alu(1)} ret\n",
    masks={"c0": "00000110"},
    lines={"d0": "aaaaaaaa"},
)
"""The not-taken side waits for memory in cycles 3 to 11."""

WITH_BARRIER = replace(WAITING, body=WAITING.body.replace(f"@D: {alu(1)}", "@D: barrier\n"))
ONE_ARM = replace(WAITING, body=f"{alu(1)} cbr $c0, @D\n {ld('d0')} @D: {alu(1)} ret\n")
INTERLEAVE: dict[str, Any] = {"policy.interleave": True}
RUN_AHEAD: dict[str, Any] = {"policy.run-ahead": True}

CYCLES = [
    # scenario, policy, fields, cycles, instructions, what it shows
    (WAITING, "conv", {}, 18, 9, "nothing issues while one side waits for memory"),
    (WAITING, "ppc", {}, 18, 9, "nothing issues while one side waits for memory"),
    (WAITING, "dps", {}, 16, 9, "the taken side issues in cycles 3 and 4, and waits at the join"),
    (WAITING, "ppc", INTERLEAVE, 16, 11, "not knowing the join, it also issues in cycles 5 and 6"),
    (WITH_BARRIER, "ppc", INTERLEAVE, 16, 9, "it waits before a barrier at the join"),
    (ONE_ARM, "ppc", {}, 14, 5, "an if without an else"),
    (ONE_ARM, "ppc", INTERLEAVE, 14, 5,
     "nothing may issue: the other side is where the access leads (Q-PPC-14)"),
    (F8, "ppc", {}, 47, 9, "misses of different lanes do not overlap (S-DWS-F8)"),
    (F8, "ppc", INTERLEAVE, 47, 9, "nor do they where sides interleave: there is one side"),
    (F8, "ppc", RUN_AHEAD, 28, 13, "lanes that hit run ahead as in warp subdivision (S-DWS-F8)"),
    (F9, "ppc", RUN_AHEAD, 28, 13, "their miss is a prefetch for the others (S-DWS-F9)"),
]  # fmt: skip

ALL_TAKE = {"c0": "11111111"}
BASELINES = [
    (replace(IF_ELSE, masks=ALL_TAKE), "conv", {}, 6, 6, "a side without lanes is skipped"),
    (replace(IF_ELSE, masks=ALL_TAKE), "predication", {}, 9, 9, "a side without lanes issues"),
    (replace(IF_ELSE, masks=ALL_TAKE), "predication", {"policy.predicate-up-to": 4}, 6, 6,
     "five instructions up to the join are too many to predicate"),
    (IF_ELSE, "predication", {}, 9, 9, "both sides issue"),
    (replace(NESTED, masks={"c0": "11111111", "c1": "00000000"}), "predication", {}, 10, 10,
     "a branch in a side without lanes has two sides without lanes"),
    (replace(WAITING, masks=ALL_TAKE), "predication", {}, 9, 9,
     "an access without lanes takes its slot, and no memory"),
    (IF_ELSE, "density-time", {"policy.units": 2}, 27, 9,
     "8 lanes take four slots, 6 three, 2 one: 4 + 4, 3 x 3, 2 x 1, 4 + 4"),
    (IF_ELSE, "density-time", {"policy.units": 2, "policy.skip-masked": False}, 36, 9,
     "masked lanes that are not skipped take slots as well"),
    (IF_ELSE, "density-time", {"policy.units": 8}, 9, 9, "a unit for each lane: one slot"),
]  # fmt: skip


@pytest.mark.parametrize("plain", [True, False], ids=["plain", "compiled"])
@pytest.mark.parametrize(
    ("scenario", "policy", "fields", "cycles", "n"), described(CYCLES + BASELINES)
)
def test_cycles(
    scenario: Scenario, policy: str, fields: dict[str, Any], cycles: int, n: int, plain: bool
) -> None:
    toy = Toy(scenario, policy, plain=plain, **fields)
    assert (toy.cycles, toy.issued) == (cycles, n)


def test_ppc_12_the_other_side_issues_while_the_first_waits() -> None:
    issued = Walk(WITH_BARRIER, "ppc", **INTERLEAVE).issued
    assert issued[2:] == [
        "10 11111001 {28/00000110,10/11111001,N}",
        "28 00000110 {28/00000110,18/11111001,T}",
        "30 00000110 {30/00000110,18/11111001,T}",
        "18 11111001 {38/00000110,18/11111001,N}",
        "20 11111001 {38/00000110,20/11111001,N}",
        "38 11111111",
        "40 11111111",
    ]


def test_lanes_that_run_ahead_are_met_where_they_wait() -> None:
    issued = Walk(F8, "ppc", **RUN_AHEAD).issued
    assert issued[:2] == ["00 11", "08 10 {08/10,08/01,T}"]
    # The first lane waits at its second access; the other one gets there, and hits.
    assert issued[4:9] == [
        "20 10 {20/10,08/01,T}",
        "08 01 {28/10,08/01,N}",
        "10 01 {28/10,10/01,N}",
        "18 01 {28/10,18/01,N}",
        "20 01 {28/10,20/01,N}",
    ]
    assert issued[9:] == ["28 11", "30 11", "38 11", "40 11"]


def test_the_letter_of_the_paper_runs_one_side_only() -> None:
    with pytest.raises(UsageError, match="runs one side only"):
        Toy(WAITING, "ppc", **LITERAL, **INTERLEAVE)


def test_programs_have_the_markers_that_a_policy_acts_on() -> None:
    text = """kernel k(global u32* %x) {
        workitemabsid_u32 $s0, 0
        cmp_gt_u32 $c0, $s0, 3
        cbr $c0, @D
        add_u32 $s1, $s1, 1
    @D: add_u32 $s1, $s1, 1
        ret
    }"""
    kernel = Module(assemble(text.replace("@D: ", "@D:\n")))["k"]
    count = {
        policy: simtlab.simulate(
            kernel, machine="toy", policy=policy, items=8, group_size=8, plain=True
        )(np.zeros(8, np.uint32)).stats.warp_instructions
        for policy in ("conv", "conv-explicit", "ppc", "ppc-explicit", "per-thread")
    }
    assert count == {
        "conv": 6, "conv-explicit": 8, "ppc": 6, "ppc-explicit": 8, "per-thread": 6
    }  # fmt: skip


def test_slots_of_the_units_in_a_barrel() -> None:
    units: dict[str, Any] = {"policy.units": 2}
    toy = Toy(WAITING, "density-time", issue="barrel", **units)
    assert toy.slots["unit"] == 3 + 3 + 2 + 2 + 2 + 0 + 0 + 3 + 3


def test_lanes_that_wait_go_on_when_the_others_have_returned() -> None:
    text = """kernel k(global u32* %x) {
        workitemabsid_u32 $s0, 0
        cmp_gt_u32 $c0, $s0, 3
        cbr $c0, @OUT
        barrier
        add_u32 $s1, $s1, 1
        ret
    @OUT:
        add_u32 $s1, $s1, 1
        ret
    }"""
    kernel = Module(assemble(text))["k"]
    shape = {"machine": "toy", "policy": "per-thread", "items": 8, "group_size": 8, "plain": True}
    done = simtlab.simulate(kernel, exited_arrive=True, **shape)(np.zeros(8, np.uint32))
    assert done.stats.warp_instructions == 8
    with pytest.raises(Trap, match="divergent barrier") as caught:
        simtlab.simulate(kernel, **shape)(np.zeros(8, np.uint32))
    assert caught.value.record.local == 0
