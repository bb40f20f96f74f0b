"""MLP-aware warp subdivision on the machines of its paper, and beside Conv."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import simtlab
from simtlab.programs import find
from simtlab.programs.runner import PlainLauncher, run_program
from simtlab.testing import Case, kernels
from simtlab.timing.compiler import files as policies
from simtlab.timing.machines import machine
from simtlab.timing.simulation.simulator import Simulator

from ....quick import examples
from ...support import maws_scenarios
from ...support.random_runs import machine_for, simulate
from ...support.toy import work_of

MAWS = [n for n in policies.POLICIES if n.startswith("maws.")]


def variants() -> list[object]:
    """Each machine with each policy; those that need one more engine are slow."""
    quick = {("maws-coherent", "maws.lazy-split"), ("maws-bulk", "maws.lat-spec")}
    return [
        pytest.param(m, p, marks=() if (m, p) in quick else pytest.mark.slow)
        for m in ("maws-coherent", "maws-bulk")
        for p in MAWS
    ]


@pytest.mark.parametrize(("preset", "policy"), variants())
@pytest.mark.parametrize("program", ["dws/filter", "dws/hotspot", "dws/merge"])
def test_programs(program: str, preset: str, policy: str) -> None:
    entry = find(program)
    # With few contexts they loop, and stall.
    sim = Simulator(machine.load(preset, {"wpus": 2, "warps": 2}), policies.find(policy))
    run = run_program(entry, PlainLauncher.on(sim, simtlab.assemble(entry.path)), size="tiny")
    assert not run.mismatches
    assert run.memory_digest == run_program(entry, size="tiny").memory_digest
    assert sim.counters()["loop_bypass"] > 0
    assert sim.counters()["memory_split"] + sim.counters()["revive"] > 0


@pytest.mark.parametrize("policy", ["conv", *MAWS])
def test_x3_the_bulk_barrier(policy: str) -> None:
    """An old copy is hit before the barrier, and missed behind it."""
    m = machine.load("maws-bulk", {"wpus": 2, "warps": 1})
    sim = Simulator(m, policies.find(policy), plain=True)
    x, seen = np.zeros(8, np.uint32), np.zeros(16, np.uint32)
    found = []
    for value in (1, 2):
        work = work_of(maws_scenarios.X3, [value, x, seen], items=16, group_size=8)
        before = sim.counters()
        sim.run(work)
        found.append({name: n - before[name] for name, n in sim.counters().items()})
    for launch in found:
        # Both load x; one has the line to write; the other hits its copy, and misses `seen`.
        assert (launch["l1_miss"], launch["l1_hit"]) == (3, 2)
        assert launch["flush_line"] == 2
        assert launch["stale_read"] == 8


# --- beside Conv

STILL = {"memory-split": "never", "loop-bypass": False}


@examples(6, 15)
@given(kernels(), st.sampled_from([2, 5, 8]), st.integers(1, 1000), st.sampled_from([0, 3]))
def test_a_policy_that_never_splits_takes_the_cycles_of_conv(
    case: Case, width: int, seed: int, slots: int
) -> None:
    m = machine_for(case, width, seed, slots)
    conv = Simulator(m, policies.find("conv"), plain=True)
    simulate(case, conv)
    still = Simulator(
        m.model_copy(update={"policy": STILL}), policies.find("maws.aggress"), plain=True
    )
    simulate(case, still)
    assert still.cycles == conv.cycles


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("loop-test", "rpc", "branch or rpc-only"),
        ("memory-split", "always", "never, aggressive, lazy, revive or latency"),
        ("loop-bypass", 1, "true or false"),
        ("first-latency", -1, "a whole number from 0 on"),
    ],
)
def test_settings_are_checked(name: str, value: object, text: str) -> None:
    m = machine.load("toy", {f"policy.{name}": value})
    with pytest.raises(simtlab.UsageError, match=text):
        Simulator(m, policies.find("maws.lat-spec"), plain=True)
