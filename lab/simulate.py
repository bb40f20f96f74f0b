"""`simtlab.simulate`: a kernel on arguments, or a program by name with its own inputs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, overload

from ..emu.module import KernelFunction
from ..isa import expect
from ..isa.calls import options_by_name
from ..isa.errors import UsageError
from ..timing.compiler.files import Policy
from ..timing.machines.machine import Machine, MachineError
from ..timing.simulate import SimulatedLaunch
from ..timing.simulate import simulate as simulate_kernel
from .runs.execute import RESOLVER, execute
from .runs.resolve import Resolved
from .runs.result import Result
from .runs.run import Run


@overload
def simulate(kernel: KernelFunction, **options: Any) -> SimulatedLaunch: ...
@overload
def simulate(
    kernel: str | Path,
    *,
    size: str = "small",
    seed: int = 0,
    machine: str | Path | Machine = "dws",
    policy: str | Policy = "conv",
    set: Mapping[str, object] | None = None,
    checked: bool = False,
) -> Result: ...


@options_by_name("simtlab.simulate", "simtlab.simulate(program.k, groups=2, group_size=32)(x, y)")
def simulate(kernel: Any, **options: Any) -> SimulatedLaunch | Result:
    """Simulate a kernel or a program on a machine under a policy.

    Of a kernel, return a launch, which is called with the kernel's arguments: `machine` is a
    preset, a TOML file or a Machine, of which `set` replaces fields (`{"l1d.size": "16KiB"}`);
    `groups` counts workgroups, `items` work-items in total (one of the two), `group_size` those of
    a workgroup; further options are those of `simtlab.timing.simulate.simulate`.

    Of a program, such as "dws/merge", or of a workload of your own, such as "mine.py", return the
    result: its inputs are those of `size` and `seed`, all its launches are simulated, and the final
    memory is compared with its reference. Raises UsageError for what does not exist or does not fit
    together, CheckFailed for a wrong result, Trap and SimulationError.
    """
    if isinstance(kernel, (str, Path)):
        return _program(str(kernel), **options)
    return simulate_kernel(kernel, **options)


def _program(
    name: str,
    *,
    size: str = "small",
    seed: int = 0,
    machine: str | Path | Machine = "dws",
    policy: str | Policy = "conv",
    set: Mapping[str, object] | None = None,
    checked: bool = False,
    **others: Any,
) -> Result:
    refuse_launch_options(others, "size, seed, machine, policy, set and checked")
    sets = expect.mapping(set, "set", MachineError)
    is_checked = expect.flag(checked, "checked")
    return execute(program_run(name, size, seed, machine, policy, sets), checked=is_checked)


def refuse_launch_options(options: Mapping[str, object], taken: str) -> None:
    """Raise UsageError for options that a program does not take; `taken` lists those it takes."""
    if options:
        raise UsageError(
            f"a program is not simulated with {next(iter(options))}: it has launches of its own",
            code="SIM517",
            hint=f"it takes {taken}",
        )


def program_run(
    name: str,
    size: str,
    seed: int,
    machine: str | Path | Machine,
    policy: str | Policy,
    sets: Mapping[str, Any],
) -> Resolved:
    """Return the run of a program, with its machine and policy. Raises UsageError."""
    number = expect.whole(seed, "seed", 0, (1 << 63) - 1)
    named = machine.name if isinstance(machine, Machine) else expect.path(machine, "a machine")
    rules = policy.name if isinstance(policy, Policy) else expect.path(policy, "a policy")
    run = Run(name, size, named, rules, tuple(sets.items()), number)
    return RESOLVER.resolved(
        run,
        machine if isinstance(machine, Machine) else None,
        policy if isinstance(policy, Policy) else None,
    )
