"""Worked scenarios of large warps and of formed warps that split at accesses.

The barrel has seven stages unless a test says otherwise. A sub-warp whose access hits leaves the
pipeline seven cycles later; the data of a miss at t arrive at t + `miss`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

import simtlab
from simtlab.emu.traps import Trap
from simtlab.timing.simulation.simulator import Simulator

from ...support.barrel import GOES_HOME, barrel
from ...support.lwm_scenarios import MEET
from ...support.scenarios import Scenario, alu, ld, script
from ...support.tables import BOTH

Step = tuple[int, int, dict[int, str], str]
"""A sub-warp: cycle, segment, lanes by warp context, and the waiting lanes of its large warp."""


class Packs:
    """The sub-warps of a scenario that runs plain; `toy` has the totals."""

    def __init__(self, scenario: Scenario, policy: str, **fields: Any) -> None:
        self.found: list[Step] = []
        self.entries: dict[int, int] = {}
        with ExitStack() as undo:
            self.toy = barrel(scenario, policy, prepare=partial(self._watch, undo), **fields)

    def _watch(self, undo: ExitStack, sim: Simulator) -> None:
        self.sim = sim
        self._space = vars(sim.composition.namespace)
        self._charge = self._space["charge_sub_warp"]
        undo.enter_context(patch.dict(self._space, charge_sub_warp=self._issue))

    def _issue(self, S: Any, w: int, g: int, lanes: int, t: int) -> int:
        rows = self.sim.state.rows
        chosen = {
            int(rows["group"]["warp"][h]): self._text(rows["part"]["chosen"][h])
            for h in self._parts(g)
            if rows["part"]["chosen"][h]
        }
        waits = "-"
        if "large_row" in rows:
            waiting = rows["large_row"]["waiting"]
            waits = "/".join(self._text(waiting[v]) for v in self._rows(g))
            self.entries[t] = int(rows["wpu"]["entries"][w])
        self.found.append((t, int(rows["group"]["seg"][g]), chosen, waits))
        return self._charge(S, w, g, lanes, t)

    def _parts(self, g: int) -> Iterator[int]:
        while g >= 0:
            yield g
            g = int(self.sim.state.rows["part"]["next"][g])

    def _rows(self, g: int) -> Iterator[int]:
        table = self.sim.state.rows["large_row"]
        v = int(table["first"][self.sim.state.rows["group"]["warp"][g]])
        while v >= 0:
            yield v
            v = int(table["next"][v])

    def _text(self, mask: Any) -> str:
        return "".join("1" if int(mask) >> i & 1 else "0" for i in range(self.sim.width))


LOAD, ADD, BRANCH, LOAD_2, ADD_2, END = range(6)
NO_LANES = "0000/0000"


def test_lanes_that_hit_meet_the_others_at_a_branch_and_at_a_join() -> None:
    run = Packs(MEET, "lwm+dws", rows=2)
    assert run.found == [
        # Accesses go row by row. Of eight lanes four hit, and no other warp could issue.
        (0, LOAD, {0: "1111"}, NO_LANES),
        (1, LOAD, {1: "1111"}, NO_LANES),
        (8, ADD, {0: "1110"}, NO_LANES),
        (9, ADD, {1: "1000"}, NO_LANES),
        # At 16 they are at the branch. The data of row 1 are there at 1 + 20.
        (21, ADD, {0: "0001", 1: "0110"}, "1110/1000"),
        (22, ADD, {1: "0001"}, "1110/1000"),
        # The others come there at 29, and all take it as one.
        (29, BRANCH, {0: "1111"}, NO_LANES),
        (30, BRANCH, {1: "1111"}, NO_LANES),
        # Those that fall through part again.
        (37, LOAD_2, {0: "1110"}, NO_LANES),
        (38, LOAD_2, {1: "0111"}, NO_LANES),
        (45, ADD_2, {0: "1000", 1: "0110"}, NO_LANES),
        # At 52 they are at the join; the data are there at 38 + 20, the others at 65.
        (58, ADD_2, {0: "0110", 1: "0001"}, "1000/0110"),
        (65, END, {0: "1111"}, NO_LANES),
        (66, END, {1: "1111"}, NO_LANES),
    ]
    # Two packs, or a pack and those that wait, take two entries.
    assert [run.entries[t] for t in (0, 8, 21, 29, 37, 45, 58, 65)] == [0, 2, 2, 0, 0, 2, 2, 0]
    assert run.toy.cycles == 66 + 7
    counters = run.toy.counters
    assert (counters["memory_split"], counters["stack_merge"], counters["pc_merge"]) == (2, 2, 0)


@BOTH
@pytest.mark.parametrize(
    ("fields", "cycles", "splits"),
    [
        ({}, 73, 2),
        ({"policy.memory-split": "aggressive"}, 73, 2),
        # Six lanes in two sub-warps at 58 and 59.
        ({"policy.memory-split": "never"}, 74, 0),
        # The first split would take two entries.
        ({"wst_entries": 1}, 74, 0),
    ],
)
def test_cycles_of_meeting(fields: dict[str, Any], cycles: int, splits: int, plain: bool) -> None:
    toy = barrel(MEET, "lwm+dws", rows=2, plain=plain, **fields)
    assert (toy.cycles, toy.counters.get("memory_split", 0)) == (cycles, splits)
    # It is refused at each of the two accesses, and when the WPU stalls.
    assert toy.counters.get("wst_full", 0) == (4 if "wst_entries" in fields else 0)


def test_the_lead_goes_with_its_lanes() -> None:
    """Row 0 hits as a whole: what is left behind is the new pack, and its row comes first."""
    scenario = Scenario(
        f"{ld('d0')} {alu(1)} cbr $c0, @D\n {alu(1)} @D: ret\n",
        width=4,
        warps=2,
        workgroup=2,
        miss=20,
        masks={"c0": "00011000"},
        lines={"d0": "abcdefgh"},
        script=script("hhhhmmmm"),
    )
    assert Packs(scenario, "lwm+dws", rows=2).found == [
        (0, 0, {0: "1111"}, NO_LANES),
        (1, 0, {1: "1111"}, NO_LANES),
        (8, 1, {0: "1111"}, NO_LANES),
        (21, 1, {1: "1111"}, "1111/0000"),
        (28, 2, {1: "1111"}, NO_LANES),
        (29, 2, {0: "1111"}, NO_LANES),
        (36, 3, {1: "0111", 0: "1000"}, NO_LANES),
        (37, 3, {0: "0110"}, NO_LANES),
        (44, 4, {1: "1111"}, NO_LANES),
        (45, 4, {0: "1111"}, NO_LANES),
    ]


TWO = Scenario(
    f"{ld('d0')} {ld('d1')} ret\n",
    width=4,
    warps=4,
    workgroup=2,
    miss=20,
    lines={"d0": "abcdefghijklmnop", "d1": "abcdefghijklmnop"},
    script=script("hmmmhhmmmmmmmmmm", "mhhhmmhhhhhhhhhh"),
)


def test_revive_on_a_stall_and_merge_at_a_pc() -> None:
    run = Packs(TWO, "lwm+dws", rows=2)
    assert run.found == [
        # The other large warp could issue: no split.
        (0, 0, {0: "1111"}, NO_LANES),
        (1, 0, {1: "1111"}, NO_LANES),
        (2, 0, {2: "1111"}, NO_LANES),
        (3, 0, {3: "1111"}, NO_LANES),
        # At 4 none can. Three lanes were served, and leave the pipeline at 1 + 7.
        (8, 1, {0: "1000"}, NO_LANES),
        (9, 1, {1: "1100"}, NO_LANES),
        (21, 1, {0: "0111"}, NO_LANES),
        (22, 1, {1: "0011"}, NO_LANES),
        (23, 1, {2: "1111"}, NO_LANES),
        (24, 1, {3: "1111"}, NO_LANES),
        # Those ahead have their data at 9 + 20, as the others leave the pipeline: they merge.
        (29, 2, {0: "1111"}, NO_LANES),
        (30, 2, {1: "1111"}, NO_LANES),
        (31, 2, {2: "1111"}, NO_LANES),
        (32, 2, {3: "1111"}, NO_LANES),
    ]
    counters = run.toy.counters
    assert (counters["memory_split"], counters["revive"], counters["pc_merge"]) == (0, 1, 1)


@BOTH
@pytest.mark.parametrize(
    ("fields", "cycles", "issued"),
    [
        ({}, 39, 14),
        # Who does not merge returns on its own, in two sub-warps each: until 34.
        ({"policy.pc-merge": False}, 41, 16),
        # The second access is at 21 and 22; who misses in it returns at 42, in two sub-warps.
        ({"policy.memory-split": "lazy"}, 50, 14),
    ],
)
def test_cycles_of_reviving(fields, cycles: int, issued: int, plain: bool) -> None:
    toy = barrel(TWO, "lwm+dws", rows=2, plain=plain, **fields)
    assert (toy.cycles, toy.issued) == (cycles, issued)


def test_packs_of_a_large_warp_meet_at_a_barrier() -> None:
    body = f"{ld('d0')} {alu(1)} barrier\n ret\n"
    scenario = replace(
        MEET, body=body, masks={}, lines={"d0": "abcdefgh"}, script=script("hhhmhmmm")
    )
    run = Packs(scenario, "lwm+dws", rows=2)
    assert [(t, s, waits) for t, s, _, waits in run.found] == [
        (0, 0, NO_LANES),
        (1, 0, NO_LANES),
        (8, 1, NO_LANES),
        (9, 1, NO_LANES),
        # The barrier takes an instruction of each pack.
        (16, 2, NO_LANES),
        (17, 2, NO_LANES),
        (21, 1, "1110/1000"),
        (22, 1, "1110/1000"),
        (29, 2, "1110/1000"),
        (30, 2, "1110/1000"),
        (37, 3, NO_LANES),
        (38, 3, NO_LANES),
    ]


FORM = Scenario(
    f"{ld('d0')} {alu(1)} ret\n",
    width=4,
    warps=2,
    miss=5,
    lines={"d0": "abcdefgh"},
    script={**script("hhmmmmhh"), (2, 0): (False, 6), (3, 0): (False, 6)},
)


def test_formed_warps_part_and_merge_in_the_pool() -> None:
    run = Packs(FORM, "dwf+dws", pipeline=1, **{"policy.memory-split": "aggressive"})
    assert run.found == [
        (0, 0, {0: "1111"}, "-"),
        # Two lanes are in the pool; four are at the load, and go first.
        (1, 0, {1: "1111"}, "-"),
        # What hit of the second warp merges with what hit of the first one.
        (2, 1, {0: "1100", 1: "0011"}, "-"),
        (3, 2, {0: "1100", 1: "0011"}, "-"),
        # The data of both are there at 6.
        (6, 1, {0: "0011", 1: "1100"}, "-"),
        (7, 2, {0: "0011", 1: "1100"}, "-"),
    ]
    counters = run.toy.counters
    assert (counters["memory_split"], counters["pc_merge"], run.toy.cycles) == (2, 2, 8)


@BOTH
@pytest.mark.parametrize(
    ("fields", "cycles", "splits", "revived"),
    [
        ({"policy.memory-split": "aggressive"}, 8, 2, 0),
        # The second warp could issue when the first one accesses; when it accesses, none can.
        ({"policy.memory-split": "lazy"}, 10, 1, 0),
        # At 4 its hits have returned. Those of the first one part then.
        ({"policy.memory-split": "revive"}, 8, 1, 1),
        ({"policy.memory-split": "never"}, 10, 0, 0),
        # Two contexts and an entry: three warps. The second one fills the first one's rest at 6.
        ({"policy.memory-split": "aggressive", "wst_entries": 1}, 10, 1, 0),
    ],
)
def test_cycles_of_formed_warps(fields, cycles: int, splits: int, revived: int, plain) -> None:
    toy = barrel(FORM, "dwf+dws", pipeline=1, plain=plain, **fields)
    assert toy.cycles == cycles
    found = toy.counters.get("memory_split", 0), toy.counters.get("revive", 0)
    assert found == (splits, revived)


@pytest.mark.parametrize(
    ("policy", "fields"), [("lwm+dws", {"policy.warp": 8}), ("dwf+dws", {})], ids=["lwm", "dwf"]
)
@pytest.mark.parametrize("who", [0b1, 0b10000000, 0b1111, 0b11110000, 0b10101010])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_work_items_that_have_returned_may_count_as_arrived(
    policy, fields, who: int, seed: int
) -> None:
    """In whatever way those that reach the barrier have split before it."""
    x = np.array([0 if who >> i & 1 else 9 for i in range(16)], np.uint32)
    fields = {
        **{"issue": "barrel", "width": 4, "warps": 4, "adversary_seed": seed},
        **fields,
        "policy.memory-split": "aggressive",
    }
    options = {"policy": policy, "set": fields, "groups": 2, "group_size": 8, "plain": True}
    kernel = simtlab.assemble(GOES_HOME).k
    with pytest.raises(Trap, match="barrier"):
        simtlab.simulate(kernel, machine="toy", **options)(16, x.copy())
    simtlab.simulate(kernel, machine="toy", exited_arrive=True, **options)(16, x)
    assert x.tolist() == [0 if who >> i & 1 else i for i in range(8)] + list(range(8, 16))


AGAIN = Scenario(
    f"{ld('d0')} {ld('d1')} {alu(1)} cbr $c0, @D\n {ld('d2')} {alu(1)} @D: ret\n",
    width=4,
    warps=2,
    workgroup=2,
    miss=60,
    masks={"c0": "00110000"},
    lines={"d0": "abcdefgh", "d1": "ijklmnop", "d2": "qrstuvwx"},
    script=script("hhmhhhhm", "hhhhhhhh", "hhmhmmhm"),
)


@BOTH
def test_lanes_that_miss_are_not_revived_for_what_their_group_was_served_before(
    plain: bool,
) -> None:
    """The third load leaves a pack that waits; its second part is a group that hit in the second.

    A plain engine would find that they issue before their data arrive.
    """
    fields = {"policy.memory-split": "revive"}
    toy = barrel(AGAIN, "lwm+dws", rows=2, plain=plain, **fields)
    statistics = toy.sim.statistics()
    assert statistics.splits_memory == 2
    assert statistics.revivals == 0
