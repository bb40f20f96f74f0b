"""The work of `simtlab time`: a simulation and its report."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ...emu.engine import SchemeSpec
from ...emu.module import Module
from ...isa.errors import SimtError, UsageError
from ...programs.runner import PlainLauncher
from ...recording.recording import Recording
from ...recording.timed import TimedRecorder
from ...timing.compiler.files import Policy, find
from ...timing.machines.machine import Machine, load
from ...timing.results.energy.model import energy_of
from ...timing.results.lines import annotated
from ...timing.results.report import hooks_text, rows
from ...timing.results.statistics import Statistics
from ...timing.simulate import stalls
from ...timing.simulation.failures import BooksError, HookError
from ...timing.simulation.simulator import Simulator
from ..inputs.sources import Listings
from ..inputs.target import chosen_target, load_module
from ..options.launch import LaunchOptions
from ..options.recording import RecordSettings
from ..options.settings import DEFAULT_BLOCK
from ..output.progress import Progress, machine_clock
from .outcome import Outcome
from .record import recording
from .run import launch_and_report


@dataclass(frozen=True)
class TimeSettings:
    """The options of one simulation, with None for those that were not given."""

    launch: LaunchOptions
    machine: str
    policy: str
    sets: Mapping[str, str]
    checked: bool
    annotate: bool
    dump: str | None
    record: RecordSettings | None = None
    history: bool = False


def parse_sets(words: Sequence[str]) -> dict[str, str]:
    """Return `key=value` words as a dictionary. Raises UsageError."""
    found: dict[str, str] = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not equals or not key or not value:
            raise UsageError(
                f"--set takes KEY=VALUE, not {word!r}",
                code="SIM515",
                hint="as --set policy.pc-merge=false; `simtlab policies NAME` lists the settings"
                if key.startswith("policy.")
                else "as --set l1d.size=16KiB; `simtlab machines NAME` lists the keys",
            )
        if key in found:
            raise UsageError(f"--set {key} is given twice", code="SIM515")
        found[key] = value
    return found


def simulate(
    name: str, settings: TimeSettings, recorded: Callable[[Recording], None] | None = None
) -> int:
    """Simulate a file or a program and print its results; return the exit status.

    `recorded` gets the recording that the settings ask for.
    """
    options = settings.launch
    target = chosen_target(name, options)
    machine, policy = load(settings.machine, settings.sets), find(settings.policy)
    listings = Listings(settings.dump, keep=options.json)
    module = load_module(target, options, SchemeSpec(policy.scheme), listings)
    listens = settings.record is not None
    simulator = build_simulator(machine, policy, checked=settings.checked, listens=listens)
    outcome = prepare(simulator, module, options, settings.sets, listings)
    outcome.wants_annotation = settings.annotate
    recorder = None
    if settings.record is not None:
        title = f"{target.name} on {machine_text(machine, settings.sets)} with {policy.name}"
        recorder = TimedRecorder(simulator, title, **settings.record.options())
        recorder.facts |= {"seed": options.seed, "command": sys.argv[1:]}
        outcome.launcher.executor = recorder.run
    with recording(recorder, recorded, history=settings.history):
        return launch_and_report(target, options, outcome)


def build_simulator(
    machine: Machine,
    policy: Policy,
    *,
    checked: bool = False,
    listens: bool = False,
    step: str = "",
) -> Simulator:
    """Return a simulator, which may compile the engine; `step` is shown meanwhile.

    Raises UsageError if machine and policy do not fit.
    """
    with Progress(step or policy.name) as progress:
        progress.detail = "preparing the engine"
        return Simulator(machine, policy, checked=checked, listens=listens)


def prepare(
    simulator: Simulator,
    module: Module,
    options: LaunchOptions,
    sets: Mapping[str, str],
    listings: Listings,
    step: str = "",
) -> TimeOutcome:
    """Return a simulation that has not begun; `step` says which one of several it is."""
    scheme = SchemeSpec(simulator.policy.scheme)
    launcher = PlainLauncher.on(
        simulator,
        module,
        scheme=scheme.name,
        budget=options.budget,
        exited_arrive=options.exited_arrive,
    )
    return TimeOutcome(
        launcher,
        module.for_scheme(scheme),
        "timing",
        listings,
        simulator=simulator,
        sets=sets,
        step=step,
        default_block=(min(*DEFAULT_BLOCK, simulator.machine.core_contexts),),
    )


def machine_text(machine: Machine, sets: Mapping[str, str]) -> str:
    """Return the machine's name and the fields that were set."""
    return ", ".join([machine.name, *(f"{key}={value}" for key, value in sets.items())])


@dataclass(kw_only=True)
class TimeOutcome(Outcome):
    """A simulation of a file or a program, as it is reported."""

    simulator: Simulator
    sets: Mapping[str, str]
    step: str = ""
    """Which simulation of several this is, for the progress display."""
    wants_annotation: bool = False

    def keeps(self, error: SimtError) -> bool:
        """Return whether anything was simulated: it is reported whatever error ended the run."""
        return self.simulator.launches > 0

    def voids(self, error: SimtError) -> bool:
        """Return whether the user's hooks are at fault, so that the cycles are wrong."""
        return isinstance(error, (HookError, BooksError))

    @property
    def engine(self) -> str:
        """The timing engine, which is none of those that only compute."""
        return "timing"

    @property
    def scheme(self) -> None:
        """None: a simulation has a policy instead."""
        return None

    @property
    def stats(self) -> Statistics:
        """The statistics of all launches together."""
        return self.simulator.statistics()

    @property
    def digest(self) -> str:
        return self.stats.digest(self.memory_digest)

    def watch(self, progress: Progress) -> None:
        """Let `progress` show the clock of the machine while it runs."""
        if self.step:
            progress.title += f" under {self.step}"
        progress.detail = "preparing the engine"
        self.simulator.on_progress = machine_clock(progress)

    def to_dict(self) -> dict[str, object]:
        """Return the outcome for --json."""
        s, seconds = self.stats, self.host_seconds
        found: dict[str, object] = {
            "kernel": self.kernels[0],
            "kernels": self.kernels,
            "engine": self.engine,
            "scheme": self.scheme,
            "machine": self.simulator.machine.name,
            "policy": self.simulator.policy.name,
            "settings": dict(self.sets),
            "warp": self.launcher.warp,
            "launches": self.simulator.launches,
            **self.facts,
            "cycles": s.cycles,
            "warp_instructions": s.warp_instructions,
            "thread_instructions": s.thread_instructions,
            "activity_factor": s.mean_width / s.width,
            "stall_cycles": stalls(s),
            "checked": self.checked,
            "memory_digest": self.memory_digest,
            "digest": self.digest,
            "host_seconds": seconds,
            "compiling_seconds": self.compiling_seconds,
            "simulated_warp_instructions_per_second": self._speed(s),
            "energy": energy_of(s, self.simulator.machine).to_dict(),
            "statistics": s.to_dict(),
            **self.listings.to_dict(),
        }
        if self.simulator.own_checked:
            found["hooks_checked"] = all(self.simulator.own_checked.values())
        if self.wants_annotation:
            found["annotated"] = annotated(s.lines)
        return found

    def text_rows(self) -> list[tuple[str, str]]:
        """Return label and value of each line of the text."""
        s, machine = self.stats, self.simulator.machine
        policy = self.simulator.policy.name
        hooks = hooks_text(self.simulator.own_checked)
        return [
            ("kernel" if len(self.kernels) == 1 else "kernels", ", ".join(self.kernels)),
            ("machine", f"{machine_text(machine, self.sets)}, policy {policy}"),
            *([("hooks", hooks)] if hooks else []),
            ("launches", self._launches()),
            *rows(s),
            ("energy", str(energy_of(s, machine))),
            ("host time", f"{self.host_text()}, {self._speed(s) / 1e6:.2f} M "
             "warp-instructions a second"),
            *self.rows,
            ("digest", f"{self.digest} (memory {self.memory_digest})"),
        ]  # fmt: skip

    def listing(self) -> str:
        """Return the text that is printed after the rows."""
        return "\n" + annotated(self.stats.lines) if self.wants_annotation else ""

    def _speed(self, s: Statistics) -> float:
        seconds = self.host_seconds - self.compiling_seconds or self.host_seconds
        return s.warp_instructions / seconds if seconds else 0.0

    def _launches(self) -> str:
        cut = self.simulator.launches - len(self.launcher.results)
        if cut and self.interrupted is None:
            return f"{len(self.launcher.results):,}, and one that did not finish"
        return super()._launches()
