"""The measurements of a figure by configuration and program, and the means over programs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeVar

from ...timing.results.statistics import Statistics
from ..runs.result import Result
from ..runs.run import KernelLaunch, Run, Scalar

T = TypeVar("T")

Mean = Literal["arithmetic", "geometric", "harmonic"]


class NotMeasured(Exception):
    """A figure of a simulation that has failed or has not been carried out."""


def mean(values: Iterable[float], kind: Mean) -> float:
    """Return a mean of positive numbers; NotMeasured for none."""
    found = list(values)
    if not found:
        raise NotMeasured
    if kind == "arithmetic":
        return math.fsum(found) / len(found)
    if min(found) <= 0:
        return 0.0
    if kind == "geometric":
        return math.exp(math.fsum(map(math.log, found)) / len(found))
    return len(found) / math.fsum(1 / value for value in found)


@dataclass(frozen=True)
class Config:
    """A column of a figure: a machine with replaced fields, and a policy.

    `programs` and `size` replace those of the study. `launch` is that of programs that are kernels.
    `sample` is the number of cycles of an interval, 0 for a million.
    """

    machine: str
    policy: str = "conv"
    sets: Mapping[str, Scalar] = field(default_factory=dict)
    programs: tuple[str, ...] = ()
    size: str = ""
    launch: KernelLaunch | None = None
    sample: int = 0

    def run(self, program: str, size: str) -> Run:
        """Return the simulation of a program, at `size` unless the configuration has its own."""
        size, sets = self.size or size, tuple(sorted(self.sets.items()))
        return Run(
            program, size, self.machine, self.policy, sets, launch=self.launch, sample=self.sample
        )


@dataclass(frozen=True)
class Results:
    """What has been measured of a figure. Numbers that depend on others raise NotMeasured."""

    programs: Sequence[str]
    configs: Mapping[str, Config]
    sizes: Callable[[str], str]
    found: Mapping[Run, Result] = field(repr=False)

    def __call__(self, config: str, program: str) -> Statistics:
        """Return the statistics of a program under a configuration."""
        return self.result(config, program).stats

    def result(self, config: str, program: str) -> Result:
        """Return the result of a program under a configuration."""
        run = self.configs[config].run(program, self.sizes(program))
        if run not in self.found:
            raise NotMeasured
        return self.found[run]

    def cycles(self, config: str, program: str) -> int:
        """Return the machine cycles of all launches."""
        return self(config, program).cycles

    def ipc(self, config: str, program: str) -> float:
        """Return instructions of work-items per cycle."""
        return self(config, program).ipc

    def speedup(self, config: str, program: str, base: str) -> float:
        """Return the cycles under `base` over those under `config`."""
        return self.cycles(base, program) / self.cycles(config, program)

    def energy(self, config: str, program: str) -> float:
        """Return the energy of all launches in nJ."""
        return self.result(config, program).energy.total

    def over(self, number: Callable[[str], float], kind: Mean) -> float:
        """Return a mean of a number of each program."""
        return mean((number(program) for program in self.programs), kind)

    def mean_speedup(self, config: str, base: str, kind: Mean) -> float:
        """Return the mean of the programs' speedups."""
        return self.over(lambda program: self.speedup(config, program, base), kind)

    def speedups(self, config: str, base: str) -> dict[str, float]:
        """Return each program's speedup by its short name."""
        return {short(p): self.speedup(config, p, base) for p in self.programs}


def short(program: str) -> str:
    """Return a program's name without its suite: `fft` for `dws/fft`."""
    return program.rpartition("/")[2]


def or_none(value: Callable[[], T]) -> T | None:
    """Return a value, None if it has not been measured."""
    try:
        return value()
    except (NotMeasured, ZeroDivisionError):
        return None
