"""Results: the counts of a run, or the reason why it has none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ...emu.frames import frame_of
from ...isa.errors import Diagnostic, Outcome, SimtError
from ...timing.results.energy.model import Energy
from ...timing.results.lines import annotated
from ...timing.results.statistics import Statistics
from .run import Run


@dataclass(frozen=True)
class Result:
    """The counts of a simulation whose result agreed with the program's reference.

    `fields` has every field of the machine and setting of the policy that it ran with; `key` is
    its name in a store, where it is found again. `seconds` are those of the host.
    """

    run: Run
    stats: Statistics = field(repr=False)
    memory_digest: str
    seconds: float
    energy: Energy = field(default_factory=lambda: Energy({}, 0.0), repr=False)
    fields: Mapping[str, Any] = field(default_factory=dict, repr=False)
    key: str = ""

    @property
    def result(self) -> Result:
        """The result itself; of a Failure, this raises its error."""
        return self

    @property
    def cycles(self) -> int:
        """Cycles of the machine's clock."""
        return self.stats.cycles

    @property
    def digest(self) -> str:
        """The digest of statistics and memory; it is the same on every host."""
        return self.stats.digest(self.memory_digest)

    def numbers(self) -> dict[str, int | float]:
        """Return every count and derived value that is a single number, and the energy in nJ."""
        return numbers_of(self.stats, self.energy)

    def row(self) -> dict[str, Any]:
        """Return the names of the run and its numbers: a row of a table."""
        return {
            **self.run.names(),
            **self.numbers(),
            "memory_digest": self.memory_digest,
            "digest": self.digest,
            "host_seconds": self.seconds,
        }

    def annotate(self) -> str:
        """Return the kernels' lines with executions, mean lanes, and where warp-cycles went."""
        return annotated(self.stats.lines)

    def to_dict(self) -> dict[str, Any]:
        """Return the fields for JSON."""
        return {
            "key": self.key,
            "run": self.run.to_dict(),
            "cycles": self.cycles,
            "memory_digest": self.memory_digest,
            "digest": self.digest,
            "host_seconds": self.seconds,
            "energy": self.energy.to_dict(),
            "fields": dict(self.fields),
            "statistics": self.stats.to_dict(),
        }

    def to_frame(self) -> Any:
        """Return a pandas DataFrame of one row. Raises UsageError without pandas."""
        return frame_of([self.row()])

    def __str__(self) -> str:
        return f"{self.run}\n{self.stats}"

    def _repr_html_(self) -> str:
        return f"<p>{self.run}</p>{self.stats._repr_html_()}"


def numbers_of(stats: Statistics, energy: Energy) -> dict[str, int | float]:
    """Return counts and derived values that are single numbers, and the energy in nJ."""
    found = {**vars(stats), **{name: getattr(stats, name) for name in _DERIVED}}
    single = {k: v for k, v in found.items() if isinstance(v, (int, float))}
    return {**single, "energy_nj": energy.total}


_DERIVED = tuple(name for name, value in vars(Statistics).items() if isinstance(value, property))


@dataclass(frozen=True)
class Failure:
    """A run without a result: the error that ended it.

    It is `kept` where the same run would fail again: a trap, a deadlock, a wrong result. A file
    that cannot be read or a worker that died is tried again when the run is asked for again.
    """

    run: Run
    diagnostic: Diagnostic
    outcome: Outcome = Outcome.MISTAKE
    kept: bool = False
    key: str = ""

    @classmethod
    def of(cls, run: Run, error: SimtError, key: str = "") -> Failure:
        """Return the failure for an error of the user's."""
        kept = error.outcome is Outcome.FINDING and error.first.code not in _CHANCE
        return cls(run, error.first, error.outcome, kept, key)

    @property
    def result(self) -> Result:
        """Raise the error: there is no result."""
        raise self.error

    @property
    def code(self) -> str:
        """The code of the error, as SIM420."""
        return self.diagnostic.code

    @property
    def message(self) -> str:
        """What is wrong, in one line."""
        return self.diagnostic.message

    @property
    def error(self) -> SimtError:
        """The error with the name of the run, to be raised or printed."""
        named = replace(self.diagnostic, message=f"{self.run}: {self.message}")
        found = SimtError(diagnostics=(named,))
        found.outcome = self.outcome
        return found

    def row(self) -> dict[str, Any]:
        """Return the names of the run and the error: a row of a table."""
        return {**self.run.names(), "error": self.code, "message": self.message}

    def to_dict(self) -> dict[str, Any]:
        """Return the fields for JSON."""
        error = self.diagnostic.to_dict()
        kept = ("code", "message", "file", "line", "column", "hint")
        return {
            "key": self.key,
            "run": self.run.to_dict(),
            "error": {name: error[name] for name in kept},
        }

    def __str__(self) -> str:
        return str(self.error)


_CHANCE = ("SIM513", "SIM553")
"""Codes of errors that depend on the host: out of memory, a worker that died."""

RunOutcome = Result | Failure
