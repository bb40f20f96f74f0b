"""`simtlab.simulate(kernel, machine="dws", groups=4)(x, y)`: how long a launch takes, and why."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..emu.engine import DEFAULT_BUDGET, Work
from ..emu.geometry import dim3
from ..emu.launch import Launch
from ..emu.module import KernelFunction
from ..emu.result import memory_digest
from ..isa import expect
from ..isa.calls import options_by_name
from ..isa.errors import SimtError, UsageError
from ..isa.quoting import shown
from .compiler.files import Policy, find
from .machines.machine import Machine, load
from .results.energy.model import Energy, energy_of
from .results.lines import annotated
from .results.report import hooks_text
from .results.statistics import Statistics
from .simulation.simulator import Simulator


@dataclass(frozen=True)
class Simulation:
    """The result of a simulation: `stats`, with kernel, machine and policy.

    `finished` is false where the launch trapped or was interrupted; the counts go up to there.
    `memory_digest` covers the buffers of the launch, in order.
    """

    kernel: str
    machine: Machine
    policy: Policy
    stats: Statistics
    memory_digest: str
    host_seconds: float
    finished: bool = True
    own_checked: Mapping[str, bool] = field(default_factory=dict)
    """Whether what hooks do was checked, by the names of the user's engine files."""

    @property
    def cycles(self) -> int:
        """Cycles of the machine's clock."""
        return self.stats.cycles

    @property
    def digest(self) -> str:
        """Eight digits over memory and counts: equal on every host, whatever its speed."""
        return self.stats.digest(self.memory_digest)

    @property
    def speed(self) -> float:
        """Simulated warp-instructions per second of this host."""
        return self.stats.warp_instructions / self.host_seconds if self.host_seconds else 0.0

    @property
    def energy(self) -> Energy:
        """The energy (results/energy), with the figures of the preset `65nm`."""
        return energy_of(self.stats, self.machine)

    def annotate(self) -> str:
        """Return the kernel's lines with executions, mean lanes, and where warp-cycles went."""
        return annotated(self.stats.lines)

    def to_dict(self) -> dict[str, Any]:
        """Return the fields for JSON."""
        return {
            "kernel": self.kernel,
            "machine": self.machine.name,
            "policy": self.policy.name,
            "finished": self.finished,
            "cycles": self.cycles,
            "warp_instructions": self.stats.warp_instructions,
            "thread_instructions": self.stats.thread_instructions,
            "stall_cycles": stalls(self.stats),
            "memory_digest": self.memory_digest,
            "digest": self.digest,
            "host_seconds": self.host_seconds,
            "simulated_warp_instructions_per_second": self.speed,
            "energy": self.energy.to_dict(),
            "statistics": self.stats.to_dict(),
        }

    def to_frame(self) -> Any:
        """Return a pandas DataFrame of one row: the names, and all single numbers.

        Raises UsageError without pandas.
        """
        frame = self.stats.to_frame()
        names = (
            ("kernel", self.kernel),
            ("machine", self.machine.name),
            ("policy", self.policy.name),
        )
        for place, (name, value) in enumerate(names):
            frame.insert(place, name, value)
        return frame.assign(memory_digest=self.memory_digest, digest=self.digest)

    def _title(self) -> str:
        done = "" if self.finished else ", not finished"
        return f"{self.kernel} on {self.machine.name} with {self.policy.name}{done}"

    def __str__(self) -> str:
        hooks = hooks_text(self.own_checked)
        return f"{self._title()}\n{self.stats}" + (f"\n\nhooks: {hooks}" if hooks else "")

    def __repr__(self) -> str:
        return f"<Simulation: {self._title()}, {self.cycles:,} cycles>"

    def _repr_html_(self) -> str:
        return f"<p>{self._title()}</p>{self.stats._repr_html_()}"


def stalls(stats: Statistics) -> dict[str, int]:
    """Return issue slots by cause, without those that issued."""
    return {name: n for name, n in stats.issue_slots.items() if name != "issued"}


class SimulatedLaunch:
    """A launch with its machine; call it with the kernel's arguments, as often as you like.

    Every call begins with a cold machine. `simulation` is the last result, also where the launch
    trapped or was interrupted.
    """

    def __init__(
        self,
        launch: Launch,
        machine: Machine,
        policy: Policy,
        *,
        plain: bool,
        checked: bool = False,
    ) -> None:
        self.launch = launch
        self.machine = machine
        self.policy = policy
        self.plain = plain
        self.checked = checked
        self.simulation: Simulation | None = None

    def __call__(self, /, *args: object, **named: object) -> Simulation:
        """Simulate on arguments by place or by name; arrays are changed in place.

        Raises ArgumentError, Trap, SimulationError.
        """
        return self.run_on(self.cold_machine(), *args, **named)

    def cold_machine(self) -> Simulator:
        """Return a machine in its initial state. Raises UsageError if it cannot run the policy."""
        return Simulator(self.machine, self.policy, plain=self.plain, checked=self.checked)

    def run_on(self, simulator: Simulator, /, *args: object, **named: object) -> Simulation:
        """Simulate on a cold machine of this launch."""
        digest = ""
        self.simulation = None
        started = time.perf_counter()

        def execute(work: Work) -> None:
            nonlocal digest, started
            started = time.perf_counter()
            try:
                simulator.run(work)
            finally:
                digest = memory_digest(work.memory)

        def found(*, finished: bool) -> Simulation:
            return Simulation(
                self.launch.function.name,
                self.machine,
                self.policy,
                simulator.statistics(),
                digest,
                time.perf_counter() - started,
                finished,
                simulator.own_checked,
            )

        try:
            self.launch.run_by(execute, *args, **named)
        except SimtError:
            if simulator.launches:
                self.simulation = found(finished=False)
            raise
        self.simulation = found(finished=True)
        return self.simulation


def check_kernel(kernel: object, function: str) -> None:
    """Raise UsageError unless `kernel` is a kernel."""
    if isinstance(kernel, Launch):
        name = kernel.function.name
        raise UsageError(
            f"{function} takes a kernel, not a launch of it",
            code="SIM515",
            hint=f'pass program["{name}"]; groups= (or items=) and group_size= are options of '
            f"{function}",
        )
    if not isinstance(kernel, KernelFunction):
        takes_programs = function in ("simtlab.simulate", "simtlab.compare")
        raise UsageError(
            f"{function} takes a kernel, not {shown(kernel)}",
            code="SIM515",
            hint='pass program["name"], where program = simtlab.assemble(...)'
            + ('; or the name of a program, as "dws/merge"' if takes_programs else ""),
        )


@options_by_name("simtlab.simulate", "simtlab.simulate(program.k, groups=2, group_size=32)(x, y)")
def simulate(
    kernel: KernelFunction,
    *,
    machine: str | Path | Machine = "dws",
    policy: str | Policy = "conv",
    groups: int | Sequence[int] | None = None,
    items: int | Sequence[int] | None = None,
    group_size: int | Sequence[int] | None = None,
    set: Mapping[str, object] | None = None,
    budget: int = DEFAULT_BUDGET,
    exited_arrive: bool = False,
    plain: bool = False,
    checked: bool = False,
) -> SimulatedLaunch:
    """Return a launch that simulates a kernel on a machine; call it with the kernel's arguments.

    `machine` is a preset, a TOML file or a Machine, of which `set` replaces fields
    (`{"l1d.size": "16KiB"}`). `groups` counts workgroups, `items` work-items in total (one of the
    two); a workgroup has 256 work-items by default, or as many as a WPU holds. `plain` runs the
    engine uncompiled, `checked` one that checks what hooks do. Raises UsageError for an impossible
    machine, policy or shape.
    """
    check_kernel(kernel, "simtlab.simulate")
    found = machine if isinstance(machine, Machine) else load(machine)
    if set is not None:
        found = found.replaced(set)
    rules = policy if isinstance(policy, Policy) else find(policy)
    expect.flag(plain, "plain")
    expect.flag(checked, "checked")
    size = dim3(min(256, found.core_contexts) if group_size is None else group_size, "group_size")
    launch = kernel.launch(
        groups=groups,
        items=items,
        group_size=size,
        warp=found.width,
        scheme=rules.scheme,
        budget=budget,
        exited_arrive=exited_arrive,
    )
    return SimulatedLaunch(launch, found, rules, plain=plain, checked=checked)
