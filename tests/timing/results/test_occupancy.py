"""Occupancy of scheduler slots and warp-split tables, by hand on the worked scenarios (DWS-25)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from simtlab.timing.results.occupancy import Occupancy
from simtlab.timing.results.statistics import Statistics

from ..support import scenarios
from ..support.barrel import barrel
from ..support.lwm_scenarios import MEET
from ..support.scenarios import ld, script
from ..support.tables import BOTH
from ..support.toy import Toy


def statistics(name: str, policy: str, **fields: Any) -> Statistics:
    return Toy(getattr(scenarios, name), policy, **fields).sim.statistics()


def test_figure_12_by_hand():
    """Splits live from 3 to 19, a third one from 6 to 16; one waits at D from 9 on."""
    s = statistics("F12", "dws.lazy-split", wst_entries=3)
    assert s.wst_entries == (Occupancy(3, 2 * 3 + 3 * 11 + 2 * 3, 3, 11),)
    scheduled = 1 * 3 + 2 * 3 + 3 * 3 + 2 * 8 + 1 * 7
    assert s.scheduler_slots == (Occupancy(0, scheduled, 3, 0),)
    assert s.cycles == 24
    assert s.mean_wst_entries == 45 / 24
    assert s.wst_full_share == 11 / 24
    assert s.mean_scheduled == scheduled / 24
    assert s.scheduler_full == 0


def test_scarce_slots_by_hand():
    """Both slots have groups up to 32, where the splits that a revival made at 2 merge."""
    s = statistics("X2", "dws.revive-split", slots=2)
    assert s.scheduler_slots == (Occupancy(2, 2 * 33 + 1 * 4, 2, 33),)
    assert s.wst_entries == (Occupancy(0, 2 * 31, 2, 0),)
    assert s.scheduler_full == 33 / 37


def test_a_full_table_by_hand():
    """Warp 0 has two splits from 1 to 8, and the table two entries."""
    (table,) = statistics("X5", "dws.aggress-split", wst_entries=2).wst_entries
    assert table == Occupancy(2, 16, 2, 8)


def test_a_barrier_keeps_an_entry_and_no_slot():
    """S-DWS-X7: lane 0 waits at the barrier from 4 to 11, in an entry of the table."""
    s = statistics("X7", "dws.aggress-split")
    assert s.wst_entries == (Occupancy(0, 2 * 11, 2, 0),)


@BOTH
def test_the_table_of_a_large_warp_by_hand(plain: bool) -> None:
    """Rows issue one a cycle, and are fetched again after seven.

    The second sub-warp of the first load issues at 1, so that two packs exist from 2 on. Those that
    hit wait at the branch from 16 on, in an entry. The others arrive at 29: the warp is whole. The
    second load divides it at 38, and the last pack arrives at the join at 65.
    """
    toy = barrel(MEET, "lwm+dws", rows=2, plain=plain)
    assert toy.sim.statistics().wst_entries == (Occupancy(0, 2 * (29 - 2) + 2 * (65 - 39), 2, 0),)
    toy = barrel(MEET, "lwm+dws", rows=2, plain=plain, wst_entries=2)
    assert toy.sim.statistics().wst_entries == (Occupancy(2, 2 * 27 + 2 * 26, 2, 27 + 26),)


FORMED = scenarios.Scenario(
    f"{ld('d0')} {scenarios.alu(1)} ret\n",
    width=4,
    warps=2,
    miss=5,
    lines={"d0": "abcdefgh"},
    script={**script("hhmmmmhh"), (2, 0): (False, 6), (3, 0): (False, 6)},
)


@BOTH
@pytest.mark.parametrize(
    ("entries", "expected"),
    [
        # Warp 0 parts at 0, so that there are three warps from 1 on. Warp 1 parts at 1, and at 2
        # the lanes of both that hit merge: still three, up to 4, when these have returned.
        (0, Occupancy(0, 4 - 1, 1, 0)),
        # With one entry warp 1 stays whole, and at 2 the lanes of warp 0 that hit are alone.
        (1, Occupancy(1, 4 - 1, 1, 4 - 1)),
    ],
)
def test_formed_warps_beyond_the_contexts_by_hand(plain: bool, entries: int, expected) -> None:
    fields = {"policy.memory-split": "aggressive", "wst_entries": entries}
    toy = barrel(FORMED, "dwf+dws", pipeline=1, plain=plain, **fields)
    assert toy.sim.statistics().wst_entries == (expected,)


def test_without_splits():
    s = statistics("X2", "conv", slots=2)
    assert s.wst_entries == ()
    assert (s.mean_wst_entries, s.wst_full_share) == (0, 0)
    assert s.scheduler_slots[0].most == 2
    assert "scheduler slots" not in str(s)


def test_on_the_page_and_in_json():
    s = statistics("X5", "dws.aggress-split", wst_entries=2, slots=4)
    rows = [line for line in str(s).splitlines() if line.startswith(("warp-split", "scheduler"))]
    assert rows == [
        "warp-split table     0.7 of 2 in the mean, at most 2; all in 34.8% of cycles",
        "scheduler slots      2.0 of 4 in the mean, at most 3; all in 0.0% of cycles",
    ]
    found = json.loads(json.dumps(s.to_dict()))
    assert found["wst_entries"] == [{"size": 2, "cycles": 16, "most": 2, "full": 8}]


def test_nothing_is_in_use_after_a_launch():
    rows = Toy(scenarios.X7, "dws.aggress-split").sim.state.rows
    assert not rows["wpu"]["scheduled"].any()
    assert not rows["wpu"]["entries"].any()
