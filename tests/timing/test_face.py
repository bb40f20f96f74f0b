"""`simtlab.simulate`, `kernel.time`, and programs on a machine."""

from __future__ import annotations

import json
import pickle
from typing import Any

import numpy as np
import pytest

import simtlab
from simtlab.emu.engine import Interrupted
from simtlab.programs.index import find
from simtlab.programs.runner import PlainLauncher, run_program
from simtlab.timing.compiler import files as policies
from simtlab.timing.machines import machine
from simtlab.timing.simulate import Simulation
from simtlab.timing.simulation.simulator import Simulator

from .support.kernels import SCALE

TOY = {"memory": "ideal"}


def scale() -> simtlab.KernelFunction:
    return simtlab.assemble(SCALE)["scale"]


def test_a_kernel_is_timed_and_run():
    x = np.arange(40, dtype=np.uint32)
    result = scale().time(machine="toy", set=TOY, items=40, group_size=8, plain=True)(40, x)
    assert isinstance(result, Simulation)
    np.testing.assert_array_equal(x, 2 * np.arange(40))
    assert result.cycles == result.stats.cycles > 0
    assert result.stats.warp_instructions == 5 * 11
    assert result.finished


def test_compiled_is_the_same_and_every_call_begins_cold():
    compiled, plain = (
        simtlab.simulate(scale(), machine="toy", set=TOY, items=40, group_size=8, plain=p)
        for p in (False, True)
    )
    found = [run(40, np.arange(40, dtype=np.uint32)) for run in (compiled, compiled, plain, plain)]
    assert len({r.digest for r in found}) == 1
    assert len({r.cycles for r in found}) == 1


@pytest.mark.parametrize(("preset", "policy"), [("dws", "conv"), ("lwm", "lwm")])
def test_a_result_can_be_pickled(preset: str, policy: str):
    run = simtlab.simulate(scale(), machine=preset, policy=policy, items=8, plain=True)
    result = run(8, np.arange(8, dtype=np.uint32))
    again = pickle.loads(pickle.dumps(result))
    assert str(again) == str(result)
    assert again.digest == result.digest


def test_forms_of_a_result():
    run = simtlab.simulate(scale(), machine="toy", set=TOY, items=8, plain=True)
    result = run(8, np.zeros(8, np.uint32))
    keys = json.loads(json.dumps(result.to_dict()))
    assert keys["kernel"] == "scale"
    assert keys["machine"] == "toy"
    assert keys["policy"] == "conv"
    assert keys["cycles"] == result.cycles == keys["statistics"]["cycles"]
    assert sum(keys["stall_cycles"].values()) == result.cycles - keys["warp_instructions"]
    assert str(result).startswith("scale on toy with conv\ncycles")
    assert "cbr" in result.annotate()
    assert repr(result).startswith("<Simulation: scale on toy with conv, ")
    assert "<table>" in result._repr_html_()


def test_a_trap_keeps_what_was_counted():
    run = simtlab.simulate(scale(), machine="toy", set=TOY, items=64, group_size=8, plain=True)
    with pytest.raises(simtlab.Trap, match="work-item 40"):
        run(64, np.zeros(40, np.uint32))
    assert run.simulation is not None
    assert not run.simulation.finished
    assert run.simulation.stats.warp_instructions > 40
    assert "not finished" in str(run.simulation)


def test_an_interrupt_keeps_what_was_counted(monkeypatch):
    run = simtlab.simulate(scale(), machine="toy", set=TOY, items=64, group_size=8, plain=True)
    advance = Simulator._advance
    monkeypatch.setattr("simtlab.timing.simulation.simulator.EVENTS", 7)

    def interrupted(self: Simulator, *launch: Any) -> int:
        if self.cycles > 20:
            raise KeyboardInterrupt
        return advance(self, *launch)

    monkeypatch.setattr(Simulator, "_advance", interrupted)
    with pytest.raises(Interrupted):
        run(64, np.zeros(64, np.uint32))
    assert run.simulation is not None
    assert run.simulation.cycles > 20


def test_what_cannot_be_is_said_before_anything_runs():
    kernel = scale()
    with pytest.raises(simtlab.UsageError, match="unknown machine 'dvs'"):
        kernel.time(machine="dvs", items=8)
    with pytest.raises(simtlab.UsageError, match="unknown policy 'konv'"):
        kernel.time(machine="toy", policy="konv", items=8)
    with pytest.raises(simtlab.UsageError, match=r"dws is a family of policies: dws\.branch-only"):
        kernel.time(machine="toy", policy="dws", items=8)
    with pytest.raises(simtlab.UsageError, match="wrap: unknown key"):
        kernel.time(machine="toy", set={"wrap": 3}, items=8)
    with pytest.raises(simtlab.ArgumentError, match="either groups="):
        kernel.time(machine="toy")


def test_a_workgroup_that_is_larger_than_a_wpu():
    run = scale().time(machine="toy", set=TOY, items=64, group_size=64, plain=True)
    with pytest.raises(simtlab.UsageError, match="64 work-items does not fit") as error:
        run(64, np.zeros(64, np.uint32))
    assert "--set warps=" in error.value.first.hint


def test_private_memory_that_is_larger_than_the_chips():
    text = "kernel k() {\n.private u32 a[40]\n st_private_u32 $s0, [a]\n ret\n}"
    fields = {**TOY, "private": "on-chip", "private_bytes": 128}
    run = simtlab.simulate(simtlab.assemble(text)["k"], machine="toy", set=fields, items=1)
    with pytest.raises(simtlab.UsageError, match="160 bytes of private memory"):
        run()


@pytest.mark.parametrize("name", ["saxpy", "bfs"])
def test_a_program_runs_on_one_machine_and_is_checked(name):
    entry = find(name)
    sim = Simulator(machine.load("dws", {"memory": "adversary"}), policies.find("conv"))
    launcher = PlainLauncher.on(sim, simtlab.assemble(entry.path))
    run = run_program(entry, launcher, size="tiny")
    assert not run.mismatches
    assert len(sim.statistics().launches) == len(run.results)
    assert run.memory_digest == run_program(entry, size="tiny").memory_digest
    assert launcher.contexts == 256
    assert launcher.core_contexts == 64
