"""Random kernels under the policies of paired paths: what the functional schemes count, and more.

Instruction counts, activity factor and comparisons do not depend on time (PPC-13): whatever the
memory answers, they are those of the scheme without a clock.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simtlab.emu.engine import SchemeSpec
from simtlab.emu.traps import Trap
from simtlab.testing import Case, acyclic_kernels, kernels, run_case
from simtlab.timing.compiler.files import find
from simtlab.timing.machines import machine as machines
from simtlab.timing.simulation.simulator import Simulator

from ....quick import examples

WIDTHS = st.sampled_from([1, 2, 5, 8, 16])
SEEDS = st.integers(1, 1000)

COUNTERPARTS = [
    # policy, its settings, the scheme's knobs
    ("conv", {}, {}),
    ("conv-explicit", {}, {}),
    ("ppc", {}, {}),
    ("ppc", {"policy.cascade": False}, {"cascade": False}),
    ("ppc-explicit", {}, {}),
    ("ppc-explicit", {"policy.cascade": False}, {"cascade": False}),
    ("per-thread", {}, {}),
]


def simulate(case: Case, policy: str, **fields: Any) -> Simulator:
    """A simulator that has run a case, whose memory must be the oracle's."""
    geometry = case.geometry
    items = int(np.prod(geometry.group_size))
    warps = min(64, -(-items // geometry.width) + 1)
    rules = find(policy)
    machine = machines.load("toy", {"width": geometry.width, "warps": warps, **fields})
    simulator = Simulator(machine, rules)
    (function,) = case.module
    launch = function.launch(
        items=geometry.items,
        group_size=geometry.group_size,
        warp=geometry.width,
        scheme=rules.scheme,
        budget=1 << 16,
    )
    arguments = case.arguments()
    try:
        launch.run_by(simulator.run, *arguments)
    except Trap as trap:
        raise AssertionError(f"{policy}: {trap}") from trap
    _, expected, _ = run_case(case, "oracle")
    got = [a for a in arguments if isinstance(a, np.ndarray)]
    for a, b in zip(got, expected, strict=True):
        np.testing.assert_array_equal(a.view(np.uint8), b.view(np.uint8), policy)
    return simulator


def total(simulator: Simulator, name: str) -> int:
    return int(simulator.state.rows["wpu"][name].sum())


def of_width(case: Case, width: int) -> Case:
    return replace(case, geometry=replace(case.geometry, width=width))


def check_counts(case: Case, seed: int) -> None:
    for policy, set_, knobs in COUNTERPARTS:
        result, _, trap = run_case(case, "interp", SchemeSpec(find(policy).scheme, knobs))
        if set_ and trap is not None:
            # To the letter, a part of a warp may come to a barrier an instruction before the rest.
            with pytest.raises(AssertionError, match="divergent barrier"):
                simulate(case, policy, adversary_seed=seed, **set_)
            continue
        assert result is not None, trap
        found = result.statistics
        assert found is not None
        simulator = simulate(case, policy, adversary_seed=seed, **set_)
        assert (
            total(simulator, "n_warp_instr"),
            total(simulator, "n_thread_instr"),
            total(simulator, "n_branch_div"),
        ) == (found.warp_instructions, found.thread_instructions, found.divergent_branches), policy
        if "pc_comparison" in simulator.counters():
            assert simulator.counters()["pc_comparison"] == found.pc_comparisons, (policy, set_)
            if policy != "per-thread":
                assert simulator.state.S.max_depth == found.max_depth < case.geometry.width


LATENCY = [
    # policy and its settings: sides that issue while others wait
    ("ppc", {"policy.interleave": True}),
    ("ppc", {"policy.run-ahead": True}),
    ("dps", {}),
]


def check_latency(case: Case, seed: int, slots: int) -> None:
    conv = simulate(case, "conv", adversary_seed=seed)
    for policy, set_ in LATENCY:
        simulator = simulate(case, policy, adversary_seed=seed, slots=slots, **set_)
        # Every work-item executes its own instructions, as often as alone.
        assert total(simulator, "n_thread_instr") == total(conv, "n_thread_instr"), policy
        assert simulator.state.S.max_depth < case.geometry.width


def check_order(case: Case, seed: int) -> None:
    """Who compares more PCs merges at least as much, where code is acyclic, in order of PCs."""
    n = [
        total(simulate(case, policy, adversary_seed=seed), "n_warp_instr")
        for policy in ("per-thread", "ppc", "conv")
    ]
    assert n == sorted(n)


def check_structured(case: Case, seed: int) -> None:
    """Where control flow is structured there is nowhere to meet but the post-dominator."""
    conv = simulate(case, "conv", first="minpc", adversary_seed=seed)
    for policy in ("ppc", "per-thread"):
        assert simulate(case, policy, adversary_seed=seed).cycles == conv.cycles, policy


def check_baselines(case: Case, seed: int) -> None:
    """They cost issue slots and change nothing else."""
    conv = simulate(case, "conv", adversary_seed=seed)
    guarded = simulate(case, "predication", adversary_seed=seed)
    assert total(guarded, "n_thread_instr") == total(conv, "n_thread_instr")
    assert total(guarded, "n_warp_instr") >= total(conv, "n_warp_instr")
    enough = {"policy.units": case.geometry.width}
    assert simulate(case, "density-time", adversary_seed=seed, **enough).cycles == conv.cycles
    few = simulate(case, "density-time", adversary_seed=seed)
    assert total(few, "n_warp_instr") == total(conv, "n_warp_instr")


SLOTS = st.sampled_from([0, 0, 1, 3])
EXAMPLES = examples(6, 15)
MANY = settings(max_examples=1000)


@EXAMPLES
@given(kernels(), WIDTHS, SEEDS)
def test_counts_are_those_of_the_functional_scheme(case, width, seed):
    check_counts(of_width(case, width), seed)


@EXAMPLES
@given(kernels(), WIDTHS, SEEDS, SLOTS)
def test_sides_that_hide_latency_lose_no_lane(case, width, seed, slots):
    check_latency(of_width(case, width), seed, slots)


@EXAMPLES
@given(acyclic_kernels(), WIDTHS, SEEDS)
def test_more_chances_to_meet_never_take_more_instructions(case, width, seed):
    check_order(of_width(case, width), seed)


@EXAMPLES
@given(kernels(gotos=False), WIDTHS, SEEDS)
def test_structured_code_takes_the_cycles_of_conv(case, width, seed):
    check_structured(of_width(case, width), seed)


@EXAMPLES
@given(kernels(), WIDTHS, SEEDS)
def test_baselines_cost_slots_only(case, width, seed):
    check_baselines(of_width(case, width), seed)


@pytest.mark.slow
@MANY
@given(kernels(), acyclic_kernels(), kernels(gotos=False), WIDTHS, SEEDS, SLOTS)
def test_all_of_it_at_length(case, acyclic, structured, width, seed, slots):
    check_counts(of_width(case, width), seed)
    check_latency(of_width(case, width), seed, slots)
    check_baselines(of_width(case, width), seed)
    check_order(of_width(acyclic, width), seed)
    check_structured(of_width(structured, width), seed)
