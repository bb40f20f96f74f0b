"""The programs under every policy: the reference's results, in whatever order warps issue.

Engines are those of test_every_policy: `toy` with another number of warps, so that workgroups fit.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from simtlab.asm.assemble import assemble
from simtlab.emu.module import Module
from simtlab.emu.result import memory_digest
from simtlab.programs import Entry, catalogue, find
from simtlab.programs.runner import PlainLauncher, run_program
from simtlab.timing.compiler.choice import refusal
from simtlab.timing.compiler.files import POLICIES, Policy
from simtlab.timing.machines import machine as machines
from simtlab.timing.simulation.simulator import Simulator

WIDTH = 16
LARGEST_GROUP = 256

each_program = pytest.mark.parametrize("entry", catalogue(), ids=lambda e: e.name)


def toy(policy: Policy) -> machines.Machine:
    """Two WPUs that hold the largest workgroup, with slots for a quarter of their splits."""
    fields: dict[str, Any] = {
        "width": WIDTH, "wpus": 2, "warps": LARGEST_GROUP // WIDTH, "slots": 20, "wst_entries": 40,
        "adversary_seed": 7,
    }  # fmt: skip
    if "warp" in policy.settings:
        fields["policy.warp"] = 4 * WIDTH
    found = machines.load("toy", fields)
    return found if refusal(found, policy) is None else found.replaced({"issue": "barrel"})


def paper(entry: Entry) -> machines.Machine:
    """The papers' machine for a program, with room for its workgroups."""
    fields = {} if entry.folder in ("dws", "lwm") else {"warps": LARGEST_GROUP // WIDTH}
    return machines.load("dws", fields)


def run(entry: Entry, size: str, machine: machines.Machine, policy: Policy) -> str:
    """Simulate a program, whose result must be right; the digest of its memory."""
    module = Module(assemble(entry.path))
    launcher = PlainLauncher.on(Simulator(machine, policy), module, scheme=policy.scheme)
    found = run_program(entry, launcher, size=size, seed=1)
    assert not found.mismatches, f"{policy.name}: {found.error}"
    return memory_digest(launcher.device.memory)


def check(entry: Entry, size: str, policies: Iterable[Policy]) -> None:
    digests = {p.name: run(entry, size, toy(p), p) for p in policies}
    assert len(set(digests.values())) == 1, digests


PARTS = 10
"""So many programs have among them what each has in `make test-all`: runs under every policy."""


@each_program
def test_tiny_is_right_under_some_policies(entry: Entry) -> None:
    part = catalogue().index(entry) % PARTS
    check(entry, "tiny", [*POLICIES.values()][part::PARTS])


@pytest.mark.slow
@each_program
def test_tiny_is_right_under_every_policy(entry: Entry) -> None:
    check(entry, "tiny", POLICIES.values())


@pytest.mark.slow
@each_program
def test_small_is_right_under_every_policy(entry: Entry) -> None:
    check(entry, "small", POLICIES.values())


@pytest.mark.slow
@each_program
@pytest.mark.parametrize("policy", ["conv", "dws.revive-split"])
def test_paper_is_right(entry: Entry, policy: str) -> None:
    run(entry, "paper", paper(entry), POLICIES[policy])


@pytest.mark.parametrize("policy", ["conv", "dws.revive-split", "slip.branch-bypass", "lwm", "ppc"])
def test_mappings_are_right_under_a_policy_of_each_kind(policy: str) -> None:
    """On 64 contexts, so that a work-item has several tasks; with a workgroup a warp, too."""
    chosen = POLICIES[policy]
    small = toy(chosen).replaced({"warps": 4 if "warp" in chosen.settings else 2})
    digests: set[str] = set()
    for mapping in find("dws/hotspot").workload.mappings:
        entry = find("dws/hotspot").variant(mapping)
        simulator = Simulator(small, chosen)
        module = Module(entry.assemble("explicit" if "explicit" in chosen.scheme else "auto"))
        launcher = PlainLauncher.on(simulator, module, scheme=chosen.scheme)
        found = run_program(entry, launcher, size="tiny", seed=1)
        assert not found.mismatches, f"{policy}, {mapping}: {found.error}"
        digests.add(found.memory_digest)
    assert len(digests) == 1
