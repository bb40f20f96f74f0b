"""Policies and schedulers of one's own that would never come to an end are told so."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import simtlab
from simtlab.timing.compiler.files import find
from simtlab.timing.machines import machine as machines
from simtlab.timing.simulation import simulator as simulate
from simtlab.timing.simulation.failures import SimulationError
from simtlab.timing.simulation.simulator import Simulator

from ..support.kernels import INCREMENT

BEGIN = """
from simtlab.timing.engine.intrinsics import NEVER, device
EXTENDS = ("policy/splits", "policy/local_stack", "policy/dws", "policy/pc_merge")
SETTINGS = {"branch-split": True, "branch-limited": False, "pc-merge": True}
@device
"""


def splitting(lanes: str, when: str) -> str:
    """A policy that splits some lanes off at an access, and wakes them some time."""
    return f"""{BEGIN}
def on_access(S, w, g, t):
    h = split(S, w, g, {lanes})
    local_level(S, h).n = 0
    return wake(S, h, {when}, HIT)
"""


@pytest.fixture
def message(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """What is said of a policy and a scheduler; "" for those of the package."""
    monkeypatch.setattr(simulate, "EVENTS", 500)
    monkeypatch.setattr(simulate, "PATIENCE", 1000)

    def run(policy: str, scheduler: str = "") -> str:
        mine, order = tmp_path / "mine.py", tmp_path / "order.py"
        mine.write_text(policy)
        order.write_text(scheduler)
        fields: dict[str, object] = {"memory": "adversary", "adversary_seed": 3, "width": 4}
        if scheduler:
            fields["scheduler"] = str(order)
        policy_of = find(str(mine) if policy else "conv")
        simulator = Simulator(machines.load("toy", fields), policy_of, plain=True)
        (kernel,) = simtlab.assemble(INCREMENT)
        # Many workgroups: some accesses miss for some lanes only.
        launch = kernel.launch(items=64, group_size=4)
        with pytest.raises(SimulationError) as caught:
            launch.run_by(simulator.run, np.zeros(64, np.uint32))
        return str(caught.value)

    return run


@pytest.mark.parametrize("lanes", ["0", "group(S, g).mask", "-1"])
def test_a_split_without_lanes_for_both(lanes: str, message) -> None:
    found = message(splitting(lanes, "t + 1"))
    assert "the policy splits lanes " in found
    assert " off a group with lanes 1111" in found


def test_a_stall_that_no_hook_ends(message) -> None:
    found = message(f"{BEGIN}def on_stall(S, w, t):\n    return 1\n")
    assert "hook on_stall (mine.py:6) returns 1, and has not woken or made a group" in found
    never = "wake(S, slot(S, w * S.slots).group, NEVER, HIT)"
    found = message(f"{BEGIN}def on_stall(S, w, t):\n    return 1 + {never}\n")
    assert " on, no lane executes an instruction, but" in found
    assert "`rank` returns NEVER" in found
    assert "--checked (or checked=True) names the hook" in found


def test_a_wake_up_that_is_too_late(message) -> None:
    found = message(splitting("group(S, g).hits", "t + 10**12"))
    assert "nothing happens from cycle " in found
    assert "to cycle 1,000,000,0" in found


def test_a_scheduler_that_chooses_no_group(message) -> None:
    scheduler = """
from simtlab.timing.engine.intrinsics import NEVER, device
@device
def rank(S, w, g, t):
    return NEVER
"""
    found = message("", scheduler)
    assert "SIM442" in found
    assert "hook rank (order.py:4) returns 4611686018427387903 for group " in found
    assert "expected: a number less than NEVER" in found


def test_lanes_that_wait_in_a_table_of_ones_own(message) -> None:
    """The policy's file says where they are, and the report of the deadlock shows it."""
    found = message("""
from simtlab.timing.engine.intrinsics import device, record, table
EXTENDS = ("policy/conv",)
kept = table("kept", record(mask="i8", seg="i8"))
@device
def on_start(S, w, v, t):
    kept(S, v).mask = warp(S, v).live & 5
    kept(S, v).seg = seg(S, 0).next
    return 0
@device
def on_exit(S, w, g, t):
    return 0
@device
def on_sync(S, w, g, t):
    return 1
def waiting_lanes(rows, S, v):
    yield rows["kept"]["mask"][v], rows["kept"]["seg"][v], False
def setup(machine):
    return {"kept": machine.wpus * machine.warps}
""")
    assert "warp 0), lanes 1010: the policy keeps them until others arrive" in found
    assert "\n8 |     add_u32" in found
