"""Execution of one run in this process."""

from __future__ import annotations

from collections.abc import Callable

from ...programs.runner import PlainLauncher, ProgramRun, run_program
from ...timing.compiler.native.entry import optimise
from ...timing.results.energy.model import energy_of
from ...timing.results.samples import SAMPLE
from ...timing.simulation.simulator import Simulator
from .inputs import inputs_of
from .own import errors_of
from .resolve import Resolved, Resolver
from .result import Result
from .run import Run

Look = Callable[[Simulator], object]
"""Called now and then during a simulation."""

RESOLVER = Resolver()
"""The resolver of this process: what runs share is made once."""


def simulate_run(run: Run, look: Look | None = None) -> Result:
    """Simulate all launches of a run on a machine that is cold before the first one.

    Raises UsageError for a run that does not fit together, CheckFailed for a wrong result, and what
    a kernel raises.
    """
    return execute(RESOLVER.resolved(run), look)


def execute(resolved: Resolved, look: Look | None = None, *, checked: bool = False) -> Result:
    """Simulate a run whose program, machine and policy are known; as `simulate_run`.

    A `checked` engine checks what hooks do.
    """
    simulator = simulator_of(resolved, checked=checked)
    if look is not None:
        simulator.on_progress = look
    done = launch_all(resolved, simulator)
    stats = simulator.statistics()
    energy = energy_of(stats, simulator.machine)
    return Result(
        resolved.run,
        stats,
        done.memory_digest,
        done.host_seconds,
        energy,
        resolved.fields,
        resolved.key,
    )


def simulator_of(resolved: Resolved, *, checked: bool = False) -> Simulator:
    """Return the cold machine of a run, which may compile its engine."""
    sample = resolved.run.sample or SAMPLE
    return Simulator(resolved.machine, resolved.policy, checked=checked, sample=sample)


def launch_all(resolved: Resolved, simulator: Simulator) -> ProgramRun:
    """Simulate all launches of a run on its cold machine; raise as `simulate_run`."""
    run, entry, launch = resolved.run, resolved.entry, resolved.run.launch
    options = (
        {} if launch is None else {"budget": launch.budget, "exited_arrive": launch.exited_arrive}
    )
    launcher = PlainLauncher.on(
        simulator, resolved.module, scheme=resolved.policy.scheme, **options
    )
    inputs = inputs_of(entry, resolved.source, run.size, run.seed)
    with errors_of(entry):
        done = run_program(entry, launcher, size=run.size, seed=run.seed, inputs=inputs)
    if done.error is not None:
        raise done.error
    return done


def prepare_engine(run: Run) -> None:
    """Compile the engine of a run, or load it; simulate nothing. Raises SimtError."""
    resolved = RESOLVER.resolved(run)
    optimise(Simulator(resolved.machine, resolved.policy).composition)
