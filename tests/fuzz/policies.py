"""Random kernels under every timing policy: the oracle's memory, on machines of all sorts.

An engine takes half a minute to compile, so a slice has a few of them; they stay in a cache that
the runs of the fuzzer share. Any settings go with the plain engine, which takes longer to run.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from simtlab.emu.jit.llvm import toolchain as build
from simtlab.emu.jit.llvm.cache import FOLDER_VARIABLE
from simtlab.emu.jit.segments import compile as segments
from simtlab.emu.jit.segments import movers
from simtlab.emu.traps import Trap
from simtlab.isa.errors import UsageError
from simtlab.testing import Case, random_kernel
from simtlab.testing.agreement import assert_same_memory
from simtlab.timing.compiler.choice import refusal
from simtlab.timing.compiler.files import POLICIES
from simtlab.timing.machines import machine as machines
from simtlab.timing.policies.settings import settings_of
from simtlab.timing.simulation.failures import SimulationError
from simtlab.timing.simulation.simulator import Simulator

from .example import Draw, Example, Files, Generator, without_lines
from .kernels import expected, is_frame, packed

CACHE = Path("scratch/fuzz/cache").absolute()
"""Compiled engines."""

ENGINES = 2
"""Policies of a slice."""

PLAIN = 0.1
"""The part of the examples that run uncompiled, with any settings."""

BUDGET = 1 << 16

FIELDS: dict[str, Any] = {
    "width": (1, 2, 5, 8, 16, 32, 64),
    "wpus": (1, 2, 3),
    "slots": (0, 0, 1, 3, 8),
    "wst_entries": (0, 0, 2, 5, 16),
    "adversary_seed": range(1, 1000),
    "first": ("fallthrough", "taken", "majority", "minpc"),
    "store_buffer": (False, True),
    "interval": (20, 1000),
    "pipeline": range(1, 10),
    "complex_units": range(5),
    "group_banks": (1, 4, 32),
    "fetch_group": range(1, 5),
}
"""Fields of a machine that need no other engine."""

KINDS: dict[str, Any] = {
    "issue": ("switch-on-access", "barrel"),
    "scheduler": ("fifo", "rr", "lrr", "gto", "swf", "two-level"),
}
"""Fields that choose the engine."""


@dataclass
class Timed:
    """A kernel under a policy on a machine."""

    case: Case
    policy: str
    fields: dict[str, Any]
    plain: bool

    def run(self) -> str:
        want = expected(self.case)
        policy = POLICIES[self.policy]
        try:
            simulator = Simulator(machine_for(self.case, self.fields), policy, plain=self.plain)
        except UsageError:
            return "refused"
        (function,) = self.case.module
        g = self.case.geometry
        launch = function.launch(
            items=g.items, group_size=g.group_size, scheme=policy.scheme, budget=BUDGET
        )
        arguments = self.case.arguments()
        try:
            launch.run_by(simulator.run, *arguments)
        except (Trap, SimulationError) as stop:
            raise AssertionError(f"{self.policy}: {stop}") from stop
        got = [a for a in arguments if isinstance(a, np.ndarray)]
        assert_same_memory(self.policy, want, got, self.case)
        return "plain" if self.plain else "compiled"

    def files(self) -> Files:
        script = REPRODUCE.format(how=(self.policy, self.fields, self.plain))
        return {**packed(self.case), "reproduce.py": script}

    def smaller(self) -> Iterable[Example]:
        for text in without_lines(self.case.source, is_frame):
            yield replace(self, case=replace(self.case, source=text))


def machine_for(case: Case, fields: dict[str, Any]) -> machines.Machine:
    """A small machine on which a workgroup fits."""
    warps = -(-case.geometry.largest_group // fields["width"])
    chosen = {**fields, "warps": min(64, max(warps, 4) + 1)}
    return machines.load("toy", chosen)


REPRODUCE = """\
from pathlib import Path

from tests.fuzz.kernels import case_of
from tests.fuzz.policies import Timed

example = Timed(case_of(Path(__file__).parent), *{how})
try:
    print(example.run())
except AssertionError as wrong:
    print(wrong)
"""


def _open(scratch: Path, rng: random.Random) -> Draw:
    CACHE.mkdir(parents=True, exist_ok=True, mode=0o700)
    os.environ[FOLDER_VARIABLE] = str(CACHE)
    # Kernels are not worth keeping.
    segments.compile_text = movers.compile_text = _uncached
    engines = [_engine(rng) for _ in range(ENGINES)]

    def draw(rng: random.Random) -> Timed:
        case = random_kernel(rng, largest_group=rng.choice((16, 32, 60)))
        policy, kinds = rng.choice(engines)
        fields = {name: rng.choice(values) for name, values in FIELDS.items()}
        plain = rng.random() < PLAIN
        if plain:
            policy = rng.choice(sorted(POLICIES))
            kinds = {name: rng.choice(values) for name, values in KINDS.items()}
            fields["width"] = rng.choice((2, 5, 8))
        fields |= kinds
        for setting in settings_of(POLICIES[policy]):
            if setting.name == "warp":
                fields["policy.warp"] = rng.choice((1, 2, 4)) * fields["width"]
            elif plain and rng.random() < 0.5:
                fields[f"policy.{setting.name}"] = _value(setting, rng)
        return Timed(case, policy, fields, plain)

    return draw


def _uncached(*args: Any, key: object = None, **options: Any) -> build.Compiled:
    return build.compile_text(*args, **options)


def _engine(rng: random.Random) -> tuple[str, dict[str, Any]]:
    """A policy with the fields of a machine that runs it, those of the preset if they do."""
    policy = rng.choice(sorted(POLICIES))
    toy = machines.load("toy", {})
    return policy, {} if refusal(toy, POLICIES[policy]) is None else {"issue": "barrel"}


def _value(setting: Any, rng: random.Random) -> object:
    if setting.values:
        return rng.choice(setting.values)
    return rng.random() < 0.5 if isinstance(setting.value, bool) else rng.randrange(200)


GENERATOR = Generator("policies", _open, 300.0, 2.0)
