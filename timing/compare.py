"""`simtlab.compare(kernel, "conv,ppc", groups=4)(x, y)`: a launch under several policies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeGuard

import numpy as np

from ..emu.arguments import in_order
from ..emu.device import DeviceArray
from ..emu.engine import Interrupted
from ..emu.module import KernelFunction
from ..isa import expect
from ..isa.errors import SimtError
from .compiler.choice import choose, machine_for
from .compiler.files import Policy
from .machines.machine import Machine, MachineError
from .results.comparison import Comparison, Contender, contest
from .simulate import SimulatedLaunch, check_kernel, simulate
from .simulation.simulator import Simulator


class ComparedLaunch:
    """A launch under several policies; call it with the kernel's arguments.

    `comparison` is the last result, also where it was interrupted.
    """

    def __init__(self, launches: Sequence[SimulatedLaunch], baseline: str) -> None:
        self.launches = {launch.policy.name: launch for launch in launches}
        self.baseline = baseline
        self.comparison: Comparison | None = None

    def __call__(self, /, *args: object, **named: object) -> Comparison:
        """Simulate under every policy, on arguments by place or by name.

        Arrays are changed in place, as by one launch; every policy starts with the original
        content. Traps and other errors of a simulation are in the comparison. Raises ArgumentError,
        Interrupted, and UsageError where no policy can run.
        """
        if named:
            first = next(iter(self.launches.values()))
            args = in_order(first.launch.function.kernel, args, named)
        originals = [(array, _content(array)) for array in args if _is_array(array)]

        def prepare(policy: Policy) -> tuple[SimulatedLaunch, Simulator]:
            launch = self.launches[policy.name]
            return launch, launch.cold_machine()

        def run(prepared: tuple[SimulatedLaunch, Simulator]) -> Contender:
            launch, simulator = prepared
            for array, content in originals:
                _restore(array, content)
            error: SimtError | None = None
            try:
                launch.run_on(simulator, *args)
            except SimtError as stop:
                error = stop
                if launch.simulation is None:
                    raise
            s, name = launch.simulation, launch.policy.name
            assert s is not None
            return Contender(name, s.stats, s.energy, s.memory_digest, error, s.own_checked)

        policies = [launch.policy for launch in self.launches.values()]
        found = self.comparison = contest(policies, self.baseline, prepare, run)
        for error in found.errors.values():
            if isinstance(error, Interrupted):
                raise error
        return found


def _is_array(value: object) -> TypeGuard[np.ndarray | DeviceArray]:
    return isinstance(value, DeviceArray) or (isinstance(value, np.ndarray) and value.ndim > 0)


def _content(array: np.ndarray | DeviceArray) -> np.ndarray:
    return array.to_host() if isinstance(array, DeviceArray) else array.copy()


def _restore(array: np.ndarray | DeviceArray, content: np.ndarray) -> None:
    if isinstance(array, DeviceArray):
        array.copy_from(content)
    elif array.flags.writeable:
        array[...] = content


def compare(
    kernel: KernelFunction,
    policies: str | Sequence[str | Policy],
    *,
    baseline: str | None = None,
    machine: str | Path | Machine = "dws",
    set: Mapping[str, object] | None = None,
    **options: Any,
) -> ComparedLaunch:
    """Return a launch that compares policies; call it with the kernel's arguments.

    `policies` is a list of names or policies, or names with commas between them; `all` stands for
    every one that the machine can run. Speedups are over the first, or over `baseline`. Settings
    in `set` are for those policies that have them. All other options are `simulate`'s. Raises
    UsageError for an impossible machine, list or shape.
    """
    check_kernel(kernel, "simtlab.compare")
    sets = expect.mapping(set, "set", MachineError)
    chosen, first = choose(policies, machine, sets, baseline)
    launches = [
        simulate(kernel, machine=machine_for(policy, machine, sets), policy=policy, **options)
        for policy in chosen
    ]
    return ComparedLaunch(launches, first)
