"""Random kernels with large and formed warps that split at accesses.

The memory answers as a seed says; scheduler slots and the table of splits are scarce, workgroups do
not fill their large warps, and any width goes.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from simtlab.lab.runs.execute import simulate_run
from simtlab.lab.runs.run import Run
from simtlab.testing import Case, kernels
from simtlab.timing.compiler.engine_state import EngineState
from simtlab.timing.compiler.files import Policy, find
from simtlab.timing.engine.groups import SEQ_BITS
from simtlab.timing.engine.intrinsics import low_bits
from simtlab.timing.simulation.simulator import Simulator

from ....quick import examples
from ...support.random_packs import HOSTILE, assert_packs_leave_oracles_memory, machine_for
from ...support.random_runs import differences, short_enough, simulate

MODES = ("aggressive", "lazy", "revive")
LARGE: list[tuple[str, dict[str, Any]]] = [
    (name, {"policy.memory-split": mode, "policy.memory-rows": rows, "policy.pc-merge": merge})
    for name, mode, rows, merge in (
        ("lwm", "aggressive", True, True),
        ("lwm", "aggressive", False, False),
        ("lwm", "lazy", True, False),
        ("lwm", "revive", False, True),
        ("lwm+two-level", "revive", True, True),
    )
]
FORMED: list[tuple[str, dict[str, Any]]] = [
    (name, {"policy.memory-split": mode}) for name in ("dwf.majority", "dwf.pdom") for mode in MODES
]

SCARCE = {
    **HOSTILE,
    "wst_entries": st.sampled_from([0, 0, 2, 5, 16]),
    "pipeline": st.sampled_from([1, 7]),
}
SOME = (kernels(), st.fixed_dictionaries(SCARCE))


@examples(6, 15)
@given(*SOME)
def test_the_oracles_memory(case: Case, like: dict[str, int]) -> None:
    assert_packs_leave_oracles_memory(case, [*LARGE, *FORMED], like)


@pytest.mark.slow
@settings(max_examples=3000)
@given(*SOME)
def test_the_oracles_memory_at_length(case: Case, like: dict[str, int]) -> None:
    assert_packs_leave_oracles_memory(case, [*LARGE, *FORMED], like)


@examples(3, 8)
@given(*SOME, st.sampled_from([*LARGE, *FORMED]))
def test_lanes_are_shared_out_at_every_event(case, like, chosen) -> None:
    """And the compiled engine does the same."""
    assume(short_enough(case, 4_000))
    name, fields = chosen
    machine = machine_for(case, name, fields, **like)
    plain, compiled = Simulator(machine, find(name), plain=True), Simulator(machine, find(name))
    whole, seen = plain.state.run, 0

    def step(events: int) -> int:
        nonlocal seen
        status = 0
        while status == 0 and events > 0 and seen < 3000:
            status = whole(1)
            check_lanes(plain.state)
            events, seen = events - 1, seen + 1
        return status if seen < 3000 else whole(events)

    plain.state.run = step
    simulate(case, plain)
    simulate(case, compiled)
    assert not differences(plain, compiled)


def check_lanes(state: EngineState) -> None:
    """No lane of a warp is in two packs, or waits for itself; of a large warp none is lost."""
    rows, width = state.rows, int(state.S.width)
    for v, warp in enumerate(rows["warp"]):
        if warp["live"] == 0:
            continue
        union = int(rows["large_row"]["waiting"][v]) if "large_row" in rows else 0
        for number in range(width):
            if int(warp["groups"]) >> number & 1:
                g = v * width + number
                it = rows["group"][g]
                assert (int(it["turn"]) ^ int(it["seq"])) & low_bits(SEQ_BITS) == 0, "a stale turn"
                mask = int(rows["group"]["mask"][g])
                assert not union & mask, f"warp {v}: a lane is in two packs"
                union |= mask
                chain, h = [], int(rows["group"]["lead"][g])
                while h >= 0:
                    chain.append(h)
                    h = int(rows["part"]["next"][h])
                assert g in chain, "a part is in no pack"
                homes = [int(rows["group"]["warp"][h]) for h in chain]
                assert len(set(homes)) == len(homes), "a pack has two parts of a warp"
                if "large_row" in rows:
                    assert homes[1:] == sorted(homes[1:])
        if "large_row" in rows:
            top = rows["stack"][v * int(state.S.stack_depth) + int(warp["depth"]) - 1]
            assert union == int(top["mask"]), f"warp {v}: {union:b} of {int(top['mask']):b}"
        else:
            assert union == int(warp["live"])


def always(policy: Policy) -> Policy:
    """A policy with the code of splits, though its setting may say that there are none."""
    return replace(policy, files=(*policy.files, *policy.extra["memory-split"]), extra={})


@examples(5, 10)
@given(*SOME)
def test_policies_that_never_split_take_the_cycles_of_the_plain_one(
    case: Case, like: dict[str, int]
) -> None:
    """Every counter is as without the code for splits."""
    for name in ("lwm", "lwm+two-level", "dwf.majority", "dwf.pdom"):
        machine = machine_for(case, name, {}, **like)
        found = []
        for policy in (find(name), always(find(name))):
            simulator = Simulator(machine, policy)
            simulate(case, simulator)
            counts = simulator.statistics().to_dict()
            for field in ("wst_entries", "mean_wst_entries", "wst_full_share"):
                del counts[field]  # the table comes with the code for splits
            found.append(counts)
        assert found[0] == found[1], name


@pytest.mark.parametrize("mode", ["aggressive", "revive"])
def test_bubbles_delay_lanes_that_run_ahead(mode: str) -> None:
    """Lines are looked up one after the other; a large warp of one row splits as a warp."""
    stem = mode.removesuffix("ive") if mode == "aggressive" else mode
    alone = {"policy.pc-merge": False}
    row = {**alone, "policy.memory-split": mode, "policy.warp": 32}
    found = [
        simulate_run(Run("lwm/hotspot", "tiny", "lwm", policy, tuple(fields.items()))).stats
        for policy, fields in ((f"dws.{stem}-split.bl", alone), ("lwm", row))
    ]
    assert found[0].to_dict() == found[1].to_dict()
    assert found[0].splits > 0


@examples(5, 10)
@given(*SOME, st.sampled_from(["aggress", "lazy", "revive"]))
def test_a_large_warp_of_one_row_splits_as_a_warp(case, like, stem) -> None:
    """All that is counted is as under BranchLimited, where neither merges at equal PCs."""
    like = {**like, "rows": 1}
    found = []
    for name, fields in (
        (f"dws.{stem}-split.bl", {}),
        ("lwm", {"policy.memory-split": {"aggress": "aggressive"}.get(stem, stem)}),
    ):
        fields = {**fields, "policy.pc-merge": False}
        simulator = Simulator(machine_for(case, name, fields, **like), find(name))
        simulate(case, simulator)
        found.append(simulator.statistics().to_dict())
    assert found[0] == found[1]
