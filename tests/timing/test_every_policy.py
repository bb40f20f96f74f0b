"""Random kernels under every policy that there is: the oracle's memory, each lane's own path.

A kernel is compiled once for a warp width and a grain, and then runs under all policies, on small
machines whose memory answers as a seed says, with few scheduler slots and a small warp-split table.
Families have tests of their own beside this one, with what else must hold for them.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, reject, settings
from hypothesis import strategies as st

from simtlab.emu.engine import SchemeSpec
from simtlab.emu.traps import Trap
from simtlab.isa.errors import UsageError
from simtlab.testing import Case, kernels, run_case
from simtlab.timing.compiler.choice import refusal
from simtlab.timing.compiler.files import POLICIES, Policy
from simtlab.timing.machines import machine as machines
from simtlab.timing.policies.settings import settings_of
from simtlab.timing.simulation.failures import SimulationError
from simtlab.timing.simulation.simulator import Simulator

from ..quick import examples
from .support.random_runs import assert_same, short_enough

HOSTILE: dict[str, st.SearchStrategy[Any]] = {
    "case": kernels(barriers_under_branches=True),
    "width": st.sampled_from([1, 2, 5, 8, 16]),
    "seed": st.integers(1, 1000),
    "slots": st.sampled_from([0, 0, 1, 3, 8]),
    "entries": st.sampled_from([0, 0, 2, 5, 16]),
}


def machine_for(case: Case, policy: Policy, like: dict[str, int]) -> machines.Machine:
    """A machine that runs a policy: two WPUs on which a workgroup fits."""
    items, width = int(np.prod(case.geometry.group_size)), like["width"]
    fields: dict[str, object] = {
        "width": width,
        "wpus": 2,
        "warps": min(64, max(-(-items // width), 4) + 1),
        "slots": like["slots"],
        "wst_entries": like["entries"],
        "adversary_seed": like["seed"],
    }
    if "warp" in policy.settings:
        fields["policy.warp"] = 4 * width
    if "max-div" in policy.settings:
        fields["policy.max-div"] = like["seed"] % width
    if needs_barrel(policy.name):
        fields["issue"] = "barrel"
    return machines.load("toy", fields)


@cache
def needs_barrel(policy: str) -> bool:
    """Whether a policy refuses the issue of the toy machine."""
    return refusal(machines.load("toy"), POLICIES[policy]) is not None


def oracle(case: Case) -> list[np.ndarray]:
    """What the oracle leaves in memory."""
    _, expected, trap = run_case(case, "oracle")
    assert trap is None
    return expected


def run(case: Case, policy: Policy, simulator: Simulator, expected: list[np.ndarray]) -> int:
    """Run a case, whose memory must be as expected; how many instructions lanes executed."""
    (function,) = case.module
    g = case.geometry
    launch = function.launch(
        items=g.items, group_size=g.group_size, scheme=policy.scheme, budget=1 << 16
    )
    arguments = case.arguments()
    try:
        launch.run_by(simulator.run, *arguments)
    except Trap as caught:
        raise AssertionError(f"{policy.name}: {caught}") from caught
    assert_same([a for a in arguments if isinstance(a, np.ndarray)], expected, policy.name)
    return int(simulator.state.rows["wpu"]["n_thread_instr"].sum())


def check(case: Case, **like: int) -> None:
    """Run a kernel under every policy; each lane executes what it would alone."""
    expected = oracle(case)
    work = {
        name: run(case, policy, Simulator(machine_for(case, policy, like), policy), expected)
        for name, policy in POLICIES.items()
    }
    assert {n for name, n in work.items() if POLICIES[name].scheme == "stack"} == {work["conv"]}


@examples(12, 120)
@given(**HOSTILE)
def test_every_policy_leaves_the_oracles_memory(case: Case, **like: int) -> None:
    check(case, **like)


@examples(10, 25)
@given(
    policy=st.sampled_from(list(POLICIES.values())),
    scheduler=st.sampled_from(["fifo", "lrr", "gto", "swf", "two-level"]),
    fetch_group=st.integers(1, 4),
    **HOSTILE,
)
def test_every_scheduler_goes_with_every_policy(policy, scheduler, fetch_group, case, **like):
    assume(short_enough(case))
    machine = machine_for(case, policy, like)
    if not policy.name.startswith("dwf"):
        machine = machine.replaced({"scheduler": scheduler, "fetch_group": fetch_group})
    run(case, policy, Simulator(machine, policy, plain=True), oracle(case))


MACHINES: dict[str, st.SearchStrategy[object]] = {
    "issue": st.sampled_from(["switch-on-access", "barrel"]),
    "first": st.sampled_from(["fallthrough", "taken", "majority", "minpc"]),
    "store_buffer": st.booleans(),
    "interval": st.sampled_from([20, 1000]),
    "pipeline": st.integers(1, 9),
    "complex_units": st.integers(0, 4),
    "group_banks": st.sampled_from([1, 3, 32]),
    "private": st.sampled_from(["cached", "on-chip"]),
    "scheduler": st.sampled_from(["fifo", "rr", "lrr", "gto", "swf", "two-level"]),
    "fetch_group": st.integers(1, 4),
}
"""What all policies meet on machines: some of these fields have other values."""


@st.composite
def chosen(draw: st.DrawFn) -> tuple[Policy, dict[str, object]]:
    """A policy with values for its settings, and for some fields of a machine."""
    policy = draw(st.sampled_from(list(POLICIES.values())))
    fields = draw(st.sets(st.sampled_from(sorted(MACHINES))))
    values = {field: draw(MACHINES[field]) for field in sorted(fields)}
    for setting in settings_of(policy):
        if setting.name != "warp":
            kinds = {
                bool: st.booleans(),
                int: st.integers(0, 200),
                str: st.sampled_from(setting.values),
            }
            values[f"policy.{setting.name}"] = draw(kinds[type(setting.value)])
    return policy, values


def run_unless_full(
    case: Case, policy: Policy, simulator: Simulator, expected: list[np.ndarray]
) -> None:
    """Run a case. Splits that wait for entries of a full table may wait for ever (Q-DWS-14)."""
    try:
        run(case, policy, simulator, expected)
    except SimulationError as stuck:
        is_full = "the warp-split table is full" in stuck.first.hint
        if not is_full or simulator.machine.policy["wst-full"] != "stall":
            raise


def comes_late(case: Case, policy: Policy, values: dict[str, object], width: int) -> bool:
    """Whether a part of a warp reaches a barrier before the rest, as to the letter (Q-PPC-5)."""
    if values.get("policy.cascade", True):
        return False
    case = replace(case, geometry=replace(case.geometry, width=width))
    _, _, trap = run_case(case, "interp", SchemeSpec(policy.scheme, {"cascade": False}))
    return trap is not None


def check_settings(
    case: Case, choice: tuple[Policy, dict[str, object]], like: dict[str, int]
) -> None:
    """Whatever settings a policy and its machine have, they are refused or right."""
    assume(short_enough(case))
    policy, values = choice
    try:
        simulator = Simulator(machine_for(case, policy, like).replaced(values), policy, plain=True)
    except UsageError:
        reject()
    if comes_late(case, policy, values, like["width"]):
        with pytest.raises(AssertionError, match="divergent barrier"):
            run(case, policy, simulator, [])
    else:
        run_unless_full(case, policy, simulator, oracle(case))


@examples(6, 60)
@given(choice=chosen(), **HOSTILE)
def test_policies_are_right_with_any_settings(choice, case: Case, **like: int) -> None:
    check_settings(case, choice, like)


@pytest.mark.slow
@settings(max_examples=600)
@given(choice=chosen(), **HOSTILE)
def test_policies_are_right_with_any_settings_at_length(choice, case: Case, **like: int) -> None:
    check_settings(case, choice, like)


@pytest.mark.slow
@settings(max_examples=1_000)
@given(**HOSTILE)
def test_every_policy_leaves_the_oracles_memory_at_length(case: Case, **like: int) -> None:
    check(case, **like)
