"""Recordings of the timing engine: the run is the same, and nothing of it is missing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import simtlab
from simtlab.programs.index import find
from simtlab.programs.runner import PlainLauncher, run_program
from simtlab.recording.recording import Recording
from simtlab.recording.timed import TimedRecorder
from simtlab.timing.compiler import files as policies
from simtlab.timing.engine.causes import NAMES
from simtlab.timing.machines import machine as machines
from simtlab.timing.simulation.simulator import Simulator

RUNS = [
    ("dws/merge", "conv", "dws"),
    ("lessons/stragglers", "dws.revive-split", "dws"),
    ("ppc/exits", "ppc", "ppc"),
    ("lwm/reduction", "lwm", "lwm"),
    pytest.param("dws/filter", "slip", "dws", marks=pytest.mark.slow),
    pytest.param("basics/bfs", "maws.lazy-split", "maws-coherent", marks=pytest.mark.slow),
]


def simulated(name: str, policy: str, machine: str, **options: Any) -> tuple[Recording, Simulator]:
    simulator = Simulator(machines.load(machine), policies.find(policy), listens=True)
    recorder = TimedRecorder(simulator, name, **options)
    launcher = PlainLauncher.on(
        simulator, simtlab.assemble(find(name).path), scheme=simulator.policy.scheme
    )
    launcher.executor = recorder.run
    assert run_program(find(name), launcher, size="tiny").error is None
    return recorder.finish(), simulator


@pytest.mark.parametrize(("name", "policy", "machine"), RUNS)
def test_a_recorded_run_is_the_run(name: str, policy: str, machine: str) -> None:
    found, recorded = simulated(name, policy, machine)
    plain = Simulator(machines.load(machine), policies.find(policy))
    launcher = PlainLauncher.on(
        plain, simtlab.assemble(find(name).path), scheme=plain.policy.scheme
    )
    run_program(find(name), launcher, size="tiny")
    assert recorded.cycles == plain.cycles
    assert recorded.counters() == plain.counters()
    assert found.values().is_exact
    statistics = plain.statistics()
    if policy != "lwm":  # a sub-warp of several rows has a row for each
        assert int(found.issues["n"].sum()) == statistics.warp_instructions
    lanes = [int(m).bit_count() * int(n) for m, n in found.issues[["mask", "n"]].tolist()]
    riding = int(recorded.state.rows["wpu"]["n_riding"].sum())  # jump with others (LWM-12)
    assert sum(lanes) + riding == statistics.thread_instructions


@pytest.mark.parametrize(("name", "policy", "machine"), RUNS)
def test_a_group_waits_for_one_thing_at_a_time(name: str, policy: str, machine: str) -> None:
    found, _ = simulated(name, policy, machine)
    waits = found.tables["wait"]
    assert (waits["until"] > waits["t"]).all()
    for group in np.unique(waits["group"]):
        mine = waits[waits["group"] == group]
        assert (mine["t"][1:] >= mine["until"][:-1]).all()
    assert found.facts["causes"] == list(NAMES)
    misses = found.tables["instant"]["kind"] == found.facts["instants"].index("miss")
    accesses = found.tables["access"]
    assert misses.sum() == ((accesses["mask"] & ~accesses["hits"]) != 0).sum()


def test_lanes_of_a_warp_are_in_one_place() -> None:
    found, _ = simulated("lessons/stragglers", "dws.revive-split", "dws")
    for state in found.facts["states"]:
        masks = [int(group["mask"], 16) for group in state.get("groups", ())]
        masks += [int(mask, 16) for mask, _, _ in state.get("waiting", ())]
        union = 0
        for mask in masks:
            assert not union & mask
            union |= mask


def test_a_window_late_in_the_run() -> None:
    whole, _ = simulated("dws/merge", "conv", "dws")
    part, _ = simulated("dws/merge", "conv", "dws", begin=1000, end=1400)
    inside = whole.issues[(whole.issues["t"] >= 1000) & (whole.issues["t"] < 1400)]
    assert part.issues.tolist() == inside.tolist()
    with pytest.raises(simtlab.UsageError, match="from the start"):
        part.replay()


def test_a_window_in_which_nothing_is_issued() -> None:
    part, _ = simulated("dws/merge", "conv", "dws", begin=0, end=1)
    assert len(part.issues) == 0
    empty = "nothing was issued in its window, which begins at cycle 0"
    assert repr(part).endswith(f", {empty}>")
    with pytest.raises(simtlab.UsageError, match=f"in launch 0: {empty}"):
        part.why(0)


@pytest.mark.parametrize("warp", [-1, 16, 99])
def test_a_warp_that_the_machine_does_not_have(warp: int) -> None:
    found, _ = simulated("dws/merge", "conv", "dws", end=400)
    for ask in (found.registers, found.state, found.occupant):
        with pytest.raises(simtlab.UsageError, match=f"warp {warp} is not .*: expected 0 to 15"):
            ask(warp, 300)


def test_a_policy_of_ones_own_and_a_trap() -> None:
    source = """
kernel store(global u32* %x) {
    workitemabsid_u32   $s0, 0
    cvt_u64_u32         $d0, $s0
    ld_kernarg_u64      $d1, [%x]
    mad_u64             $d0, $d0, 4, $d1
    st_global_u32       $s0, [$d0]
    ret
}
"""
    kernel = simtlab.assemble(source)["store"]
    launch = simtlab.record(kernel, policy="docs/examples/smaller_side_first.py", items=32)
    x = np.zeros(32, np.uint32)
    found = launch(x)
    assert x.tolist() == list(range(32))
    assert found.values().is_exact
    with pytest.raises(simtlab.Trap):
        launch(np.zeros(20, np.uint32))
    assert launch.recording is not None
    last = launch.recording.tables["instant"][-1]
    assert launch.recording.facts["instants"][last["kind"]] == "trap"
