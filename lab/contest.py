"""`simtlab.compare`: policies on a kernel's arguments, or on a program with its own inputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, overload

from ..emu.engine import Interrupted
from ..emu.module import KernelFunction
from ..isa import expect
from ..isa.calls import options_by_name
from ..isa.errors import SimtError
from ..timing.compare import ComparedLaunch
from ..timing.compare import compare as compare_kernel
from ..timing.compiler.choice import choose, sets_for
from ..timing.compiler.files import Policy
from ..timing.machines.machine import Machine, MachineError
from ..timing.results.comparison import Comparison, Contender, contest
from ..timing.results.energy.model import energy_of
from ..timing.simulation.simulator import Simulator
from .runs.execute import launch_all, simulator_of
from .runs.resolve import Resolved
from .runs.run import PARAMETER
from .simulate import program_run, refuse_launch_options


@overload
def compare(
    kernel: KernelFunction, policies: str | Sequence[str | Policy], **options: Any
) -> ComparedLaunch: ...
@overload
def compare(
    kernel: str | Path,
    policies: str | Sequence[str | Policy],
    *,
    baseline: str | None = None,
    size: str = "small",
    seed: int = 0,
    machine: str | Path | Machine = "dws",
    set: Mapping[str, object] | None = None,
    checked: bool = False,
) -> Comparison: ...


@options_by_name("simtlab.compare", 'simtlab.compare(program.k, "conv,slip", groups=2)(x, y)')
def compare(kernel: Any, policies: Any, **options: Any) -> ComparedLaunch | Comparison:
    """Simulate a kernel or a program under several policies.

    `policies` is a list of names or policies, or names with commas between them; `all` stands for
    every one that the machine can run. Speedups are over the first, or over `baseline`. Settings
    in `set` are for those policies that have them. All other options are those of `simulate`.

    Of a kernel, return a launch, which is called with the kernel's arguments. Of a program, such
    as "dws/merge" or "mine.py", return the comparison; a policy whose result is not that of the
    reference, or under which a kernel traps, has its error there. Raises UsageError for an
    impossible machine, list, size or shape, Interrupted.
    """
    if isinstance(kernel, (str, Path)):
        return _programs(str(kernel), policies, **options)
    return compare_kernel(kernel, policies, **options)


def _programs(
    name: str,
    policies: str | Sequence[str | Policy],
    *,
    baseline: str | None = None,
    size: str = "small",
    seed: int = 0,
    machine: str | Path | Machine = "dws",
    set: Mapping[str, object] | None = None,
    checked: bool = False,
    **others: Any,
) -> Comparison:
    refuse_launch_options(others, "policies, baseline, size, seed, machine, set and checked")
    sets = expect.mapping(set, "set", MachineError)
    expect.flag(checked, "checked")
    # Parameters of the program are no fields of the machine, by which policies are chosen.
    fields = {key: value for key, value in sets.items() if not key.startswith(PARAMETER)}
    chosen, first = choose(policies, machine, fields, baseline)

    def prepare(policy: Policy) -> tuple[Resolved, Simulator]:
        resolved = program_run(name, size, seed, machine, policy, sets_for(policy, sets))
        return resolved, simulator_of(resolved, checked=checked)

    def run(prepared: tuple[Resolved, Simulator]) -> Contender:
        resolved, simulator = prepared
        error: SimtError | None = None
        digest = ""
        try:
            digest = launch_all(resolved, simulator).memory_digest
        except SimtError as stop:
            if not simulator.launches:
                raise
            error = stop
        stats = simulator.statistics()
        energy = energy_of(stats, simulator.machine)
        return Contender(resolved.policy.name, stats, energy, digest, error, simulator.own_checked)

    found = contest(chosen, first, prepare, run)
    for error in found.errors.values():
        if isinstance(error, Interrupted):
            raise error
    return found
