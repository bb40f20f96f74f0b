"""A run of a program: its launch sequence on an engine, checked against its reference."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, Protocol

import numpy as np

from ..emu.device import Device, DeviceArray
from ..emu.engine import DEFAULT_BUDGET, Engine, Work
from ..emu.geometry import DEFAULT_WIDTH
from ..emu.jit.llvm.compiling import compiling_seconds
from ..emu.launch import Launch
from ..emu.module import LAUNCHES_KEPT, Module
from ..emu.result import Result, memory_digest
from ..emu.statistics import Statistics
from ..isa.errors import Outcome, SimtError, UsageError, did_you_mean
from .index import Entry
from .mappings import CYCLIC, TaskMapping
from .workload import Data, Mismatch, Workload, check

PLAIN_CONTEXTS = 1024
"""Work-items that a plain run, which has no machine, holds at once."""

PLAIN_CORE_CONTEXTS = 256


class Simulated(Protocol):
    """A machine that launches take time on, as `timing.simulate.Simulator`."""

    def run(self, work: Work) -> None:
        """Simulate one launch."""
        ...

    @property
    def width(self) -> int:
        """Lanes of a warp."""
        ...

    @property
    def contexts(self) -> int:
        """Work-items that it holds at once."""
        ...

    @property
    def core_contexts(self) -> int:
        """Work-items that one of its cores holds at once."""
        ...


@dataclass
class PlainLauncher:
    """Starts the kernels of one run without a machine, or `on` one; see `workload.Launcher`.

    Every array object is mapped once, in the order of first use, so addresses stay the same from
    launch to launch.
    """

    module: Module
    engine: str | None = None
    scheme: str = "stack"
    knobs: Mapping[str, str | int | bool] = field(default_factory=dict)
    warp: int = DEFAULT_WIDTH
    budget: int = DEFAULT_BUDGET
    stats: bool = False
    exited_arrive: bool = False
    threads: int | Literal["auto"] = "auto"
    contexts: int = PLAIN_CONTEXTS
    core_contexts: int = PLAIN_CORE_CONTEXTS
    mapping: TaskMapping = CYCLIC
    device: Device = field(default_factory=Device)
    results: list[Result] = field(default_factory=list)
    started: list[str] = field(default_factory=list)
    """The kernels of all launches, also of one that did not finish."""
    executor: Engine | None = None
    """Runs the launches in place of the engine: a simulator."""
    compiling: float = 0.0
    """Seconds of all launches that were spent to compile."""
    before_launch: Callable[[Launch], None] | None = None
    """Called with each launch before it begins, to show what is made for it."""
    after_launch: Callable[[Result], None] | None = None
    """Called after each launch, to show progress."""
    _arrays: dict[int, tuple[np.ndarray, DeviceArray]] = field(default_factory=dict)
    _launches: dict[str, Launch] = field(default_factory=dict)

    @classmethod
    def on(cls, simulator: Simulated, module: Module, **options: Any) -> PlainLauncher:
        """Return a launcher whose launches are simulated, one after the other, on one machine."""
        return cls(
            module,
            warp=simulator.width,
            contexts=simulator.contexts,
            core_contexts=simulator.core_contexts,
            executor=simulator.run,
            **options,
        )

    def __call__(
        self,
        kernel_name: str,
        /,
        *,
        groups: int | Sequence[int] | None = None,
        items: int | Sequence[int] | None = None,
        group_size: int | Sequence[int] = 256,
    ) -> Callable[..., Result]:
        """Prepare a launch; see `workload.Launcher`."""
        launch = self._launch(kernel_name, groups, items, group_size)
        names = [p.name for p in launch.function.kernel.params]

        def start(*args: object) -> Result:
            mapped = [
                self._map(a, n) if isinstance(a, np.ndarray) and a.ndim else a
                for a, n in zip(args, names, strict=False)
            ]
            if self.before_launch is not None:
                self.before_launch(launch)
            every = *mapped, *args[len(names) :]
            self.started.append(kernel_name)
            run, before = self.executor, compiling_seconds()
            try:
                result = launch(*every) if run is None else launch.run_by(run, *every)
            finally:
                self.compiling += compiling_seconds() - before
            self.results.append(result)
            if self.after_launch is not None:
                self.after_launch(result)
            return result

        return start

    def _launch(
        self,
        kernel_name: str,
        groups: int | Sequence[int] | None,
        items: int | Sequence[int] | None,
        group_size: int | Sequence[int],
    ) -> Launch:
        """Return a launch: for equal dimensions the same one, which is prepared once."""
        key = f"{kernel_name} {groups!r} {items!r} {group_size!r}"
        found = self._launches.get(key)
        if found is None:
            if len(self._launches) >= LAUNCHES_KEPT:
                self._launches.clear()
            found = self._launches[key] = self.module[kernel_name].launch(
                groups=groups,
                items=items,
                group_size=group_size,
                warp=self.warp,
                engine=self.engine,
                scheme=self.scheme,
                knobs=self.knobs,
                budget=self.budget,
                stats=self.stats,
                exited_arrive=self.exited_arrive,
                threads=self.threads,
            )
        return found

    @property
    def arrays(self) -> list[DeviceArray]:
        """The arrays that were passed to kernels, in the order of first use."""
        return [mapped for _, mapped in self._arrays.values()]

    def _map(self, array: np.ndarray, name: str) -> DeviceArray:
        found = self._arrays.get(id(array))
        if found is None:
            # The array is kept with its buffer, so that its id stays its own.
            found = self._arrays[id(array)] = (array, self.device.map(array, name))
        return found[1]


class CheckFailed(SimtError):
    """A program's result differs from its reference."""

    code = "SIM420"
    outcome = Outcome.FINDING


@dataclass
class ProgramRun:
    """One run of a program: its data after it, its launches, what differs from the reference."""

    entry: Entry
    size: str
    data: Data
    launcher: PlainLauncher
    mismatches: list[Mismatch]

    @property
    def results(self) -> list[Result]:
        """One result per launch, in order."""
        return self.launcher.results

    @property
    def statistics(self) -> Statistics | None:
        """All launches added up; None where nothing was counted."""
        counted = [r.statistics for r in self.results if r.statistics is not None]
        return sum(counted[1:], counted[0]) if counted else None

    @property
    def host_seconds(self) -> float:
        """Time in the engine, all launches together."""
        return sum(r.host_seconds for r in self.results)

    @property
    def memory_digest(self) -> str:
        """Over the final content of all buffers; equal for every engine and scheme."""
        return memory_digest(self.launcher.device.memory)

    @property
    def error(self) -> CheckFailed | None:
        """What is wrong with the result; None where it was not compared, too."""
        if not self.mismatches:
            return None
        return CheckFailed(
            f"{self.entry.name}: the result differs from the reference in "
            + "; ".join(str(m) for m in self.mismatches)
        )


def size_of(entry: Entry, size: str) -> Mapping[str, float]:
    """Return the parameters of a size, or the entry's in their place. Raises UsageError."""
    sizes = entry.workload.sizes
    if size not in sizes:
        raise UsageError(
            f"{entry.name} has no size {size!r}; it has {', '.join(sizes)}",
            hint=did_you_mean(size, tuple(sizes)),
        )
    return {**sizes[size], **dict(entry.parameters)}


def prepare(entry: Entry, size: str = "small", seed: int = 0) -> Data:
    """Return the inputs of a program; equal seeds give equal data."""
    return entry.workload.make(np.random.default_rng(seed), **size_of(entry, size))


class Inputs:
    """The data of a program at a size and a seed, made once for several runs.

    So is what its reference computes of them.
    """

    def __init__(self, entry: Entry, size: str, seed: int) -> None:
        self.entry = entry
        self.size = size
        self.pristine = prepare(entry, size, seed)
        """As `Workload.make` left them: to be read only."""

    @cached_property
    def _expected(self) -> dict[str, np.ndarray]:
        return self.entry.workload.reference(self.pristine)

    @property
    def workload(self) -> Workload:
        """The program's workload, whose reference is computed once."""
        return replace(self.entry.workload, reference=lambda pristine: self._expected)

    @property
    def bytes(self) -> int:
        """Host memory of the arrays."""
        arrays = (*self.pristine.values(), *self.__dict__.get("_expected", {}).values())
        return sum(a.nbytes for a in arrays if isinstance(a, np.ndarray))

    def fresh(self) -> Data:
        """Return a copy, for one run."""
        return copy.deepcopy(self.pristine)


def run_program(
    entry: Entry,
    launcher: PlainLauncher | None = None,
    *,
    size: str = "small",
    seed: int = 0,
    verify: bool = True,
    inputs: Inputs | None = None,
) -> ProgramRun:
    """Run a program to its end and, with `verify`, compare it with its reference.

    The module of a `launcher` must be the program that `entry.assemble()` returns. `inputs` are
    those of this size and seed, if they are made already.
    """
    if launcher is None:
        launcher = PlainLauncher(Module(entry.assemble()))
    launcher.mapping = entry.mapping
    inputs = inputs or Inputs(entry, size, seed)
    data = inputs.fresh() if verify else inputs.pristine
    entry.workload.launch(launcher, data)
    mismatches = check(inputs.workload, data, inputs.pristine) if verify else []
    return ProgramRun(entry, size, data, launcher, mismatches)
