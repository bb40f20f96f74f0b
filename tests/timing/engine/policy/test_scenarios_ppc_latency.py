"""Paired paths and their baselines where memory takes time, and what a run leaves of a warp."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import simtlab
from simtlab.asm.assemble import assemble
from simtlab.emu.module import Module
from simtlab.emu.traps import Trap
from simtlab.isa.errors import UsageError

from ...support.dual_path_walk import Walk
from ...support.ppc_scenarios import IF_ELSE, NESTED
from ...support.scenarios import F8, F9, Scenario, alu, ld
from ...support.tables import described
from ...support.toy import Toy

LITERAL: dict[str, Any] = {"policy.cascade": False}

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
