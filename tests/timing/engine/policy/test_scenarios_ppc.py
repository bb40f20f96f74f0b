"""The worked scenarios of paired-path comparison on the timing engine, and what they cost there.

Code is at the addresses of the papers: the first instruction is at 00, each has 8 bytes. Masks have
lane 0 on the left; an entry is written {taken side, not-taken side, current}.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from simtlab.emu.traps import Trap

from ...support.dual_path_walk import Walk
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
from ...support.scenarios import Scenario, alu
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
