"""The worked scenarios of dynamic warp formation."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ...support.barrel import barrel
from ...support.scenarios import Scenario, alu, ld
from ...support.tables import BOTH
from .test_scenarios_lwm import FORK, ROW_SIZED, C, SubWarps


def test_x6_incremental_merging() -> None:
    """Only the youngest warp at a PC is merged with; the hole in an older one stays."""
    scenario = Scenario(f"{alu(2)} ret\n", width=4, warps=3)
    sim = barrel(scenario, "dwf.majority").sim
    engine, S, rows = vars(sim.composition.namespace), sim.state.S, sim.state.rows
    lanes = {"P1": "1000", "P2": "1100", "R": "0110"}
    ids = {}
    for v, (name, text) in enumerate(lanes.items()):
        mask = int(text[::-1], 2)
        g = ids[name] = engine["new_group"](S, v, mask, 1)
        engine["wake"](S, g, 100, 0)
        engine["schedule"](S, 0, g)
        rows["part"]["next"][g] = -1
        # Three threads are in the pool at this PC; the warps have passed 1, 3 and 5 joins.
        rows["pool"][g] = (mask, name != "R", v + 1, v, 2 * v + 1, 3)
    S.entries = 2
    engine["enter_pool"](S, 0, ids["R"])

    def warp_of(g: int) -> list[tuple[int, int]]:
        found = []
        while g >= 0:
            found.append((int(rows["group"]["warp"][g]), int(rows["group"]["mask"][g])))
            g = int(rows["part"]["next"][g])
        return found

    leads = [int(g) for g in rows["slot"]["group"] if g >= 0]
    assert [warp_of(g) for g in leads if g == ids["P1"]] == [[(0, 0b0001)]]
    assert [warp_of(g) for g in leads if g == ids["P2"]] == [[(1, 0b0011), (2, 0b0100)]]
    (rest,) = set(leads) - {ids["P1"], ids["P2"]}
    assert warp_of(rest) == [(2, 0b0010)]
    # It is the youngest now, was fetched and has passed joins as the warp that it is the rest of.
    pool = rows["pool"]
    assert (pool["entered"][rest], pool["fetched"][rest], pool["passed"][rest]) == (3, 2, 5)
    # The merged warp has passed what both have, and all know of five threads at their PC.
    assert [int(pool["passed"][ids[name]]) for name in ("P1", "P2")] == [1, 3]
    assert [int(pool["same_pc"][g]) for g in (ids["P1"], ids["P2"], rest)] == [5, 5, 5]
    # A large warp with these threads has two sub-warps.
    masks = "".join(lanes.values())
    large = replace(FORK, warps=3, workgroup=3, masks={"c0": masks})
    assert len(SubWarps(large, rows=3).at(C)) == 2


@BOTH
@pytest.mark.parametrize(
    ("policy", "masks", "cycles", "merges"),
    [
        # What falls through and what jumps makes a full warp each, at once.
        ("dwf.majority", "01111000", 7, 2),
        ("dwf.pdom", "01111000", 7, 2),
        # Three of four lanes jump: they go first, and are gone when the others come to D.
        ("dwf.majority", "01110111", 12, 0),
        # All get their turns. The first to come to D fills the youngest warp there; the second
        # finds it full, and a hole in the older one, with which it does not merge.
        ("dwf.pdom", "01110111", 11, 1),
    ],
)
def test_priorities_of_warp_formation(policy, masks, cycles, merges, plain) -> None:
    scenario = replace(FORK, warps=2, masks={"c0": masks})
    toy = barrel(scenario, policy, plain=plain, pipeline=1)
    assert (toy.cycles, toy.issued) == (cycles, cycles)
    assert (toy.counters["branch_split"], toy.counters["pc_merge"]) == (2, merges)


def test_a_formed_warp_accesses_as_one() -> None:
    """Lanes of two homes that want the same line share it; other lines come one by one."""
    body = f"cbr $c0, @C\n {ld('d0')} br @D\n @C: {ld('d0')} @D: ret\n"
    scenario = Scenario(body, width=4, warps=2, masks={"c0": "01111000"}, lines={"d0": "abbbbaaa"})
    run = SubWarps(scenario, "dwf.majority", pipeline=1, **ROW_SIZED)
    for access in (*run.at(1), *run.at(3)):
        assert sorted(access.rows.values()) == ["0111", "1000"]
        assert access.lines == 1
