"""One simulation of an experiment: a program at a size, on a machine, under a policy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from ..asm.assemble import assemble
from ..emu.module import Module
from ..isa.errors import UsageError
from ..isa.quoting import shown
from ..programs.index import find as find_program
from ..programs.runner import PlainLauncher, run_program
from ..timing.compiler.files import find as find_policy
from ..timing.machines.machine import load
from ..timing.results.statistics import Statistics
from ..timing.simulation.simulator import Simulator


@dataclass(frozen=True)
class Setup:
    """A simulation to run: `program` is a full name; `sets` replaces fields of the machine."""

    program: str
    size: str
    machine: str
    policy: str = "conv"
    sets: tuple[tuple[str, str], ...] = ()
    seed: int = 0

    def __str__(self) -> str:
        return f"{self.program}, size {self.size}, {self.policy} on {self.machine}"


@dataclass(frozen=True)
class Measurement:
    """The counts of a simulation whose result agreed with the program's reference."""

    setup: Setup
    stats: Statistics = field(repr=False)
    memory_digest: str
    seconds: float

    @property
    def digest(self) -> str:
        """The digest of statistics and memory; it is the same on every host."""
        return self.stats.digest(self.memory_digest)


def measure(setup: Setup, look: Callable[[Simulator], object] | None = None) -> Measurement:
    """Simulate all launches of a program on a machine that is cold before the first one.

    `look` is called now and then during the simulation. Raises UsageError for a setup that does
    not fit, CheckFailed for a wrong result, and what a kernel raises.
    """
    if not isinstance(setup, Setup):
        raise UsageError(f"a Setup is measured, not {shown(setup)}", code="SIM515")
    entry, policy = find_program(setup.program), find_policy(setup.policy)
    simulator = Simulator(load(setup.machine, dict(setup.sets)), policy)
    if look is not None:
        simulator.on_progress = look
    launcher = PlainLauncher.on(simulator, Module(assemble(entry.path)), scheme=policy.scheme)
    run = run_program(entry, launcher, size=setup.size, seed=setup.seed)
    if run.error is not None:
        raise run.error
    return Measurement(setup, simulator.statistics(), run.memory_digest, run.host_seconds)
