"""The experiments by name: their simulations and the reports on them.

An experiment stands for one table or figure of a paper. The caller simulates its runs, in any
order, and passes the results to `report`. Some of them suffice for a report, so that nothing
is lost if a run is cut short.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, Protocol

from ..isa.errors import UsageError, did_you_mean
from ..isa.quoting import shown
from .runs.result import Result
from .runs.run import Run

SCALES = ("small", "paper")


class Report(Protocol):
    """The result of an experiment beside the paper's."""

    def text(self) -> str:
        """Return the report for a terminal."""
        ...

    def markdown(self) -> str:
        """Return the report as Markdown."""
        ...

    def to_dict(self) -> dict[str, Any]:
        """Return the report as values for JSON."""
        ...


class Experiment(Protocol):
    """A table or a figure of a paper."""

    @property
    def name(self) -> str:
        """The name, such as `dws-tab1`."""
        ...

    @property
    def title(self) -> str:
        """What it shows, in one line."""
        ...

    @property
    def source(self) -> str:
        """Paper and table or figure."""
        ...

    def runs(self, scale: str) -> tuple[Run, ...]:
        """Return the simulations that it needs, at one of `SCALES`."""
        ...

    def report(self, found: Mapping[Run, Result], scale: str) -> Report:
        """Return the report on the runs that have been simulated."""
        ...


@cache
def experiments() -> tuple[Experiment, ...]:
    """Return all experiments, paper by paper; a paper's table comes before its figures."""
    from .characterisation import characterisations
    from .reproduction import ablations, dws, lwm, maws, ppc

    tables = {table.name.partition("-")[0]: table for table in characterisations()}
    papers = {
        "dws": dws.studies, "maws": maws.studies, "ppc": ppc.studies, "lwm": lwm.studies,
        "ablations": ablations.studies,
    }  # fmt: skip
    return tuple(
        experiment
        for paper, studies in papers.items()
        for experiment in (*((tables[paper],) if paper in tables else ()), *studies())
    )


def find(name: str) -> tuple[Experiment, ...]:
    """Return the experiment of this name; for `all` every one, for `dws` all of that paper.

    Case does not matter: `DWS-Fig13` is `dws-fig13`. Raises UsageError.
    """
    every = experiments()
    if not isinstance(name, str):
        raise UsageError(f"the name of an experiment is a string, not {shown(name)}", code="SIM515")
    wanted = name.lower()
    if wanted == "all":
        return every
    found = tuple(e for e in every if wanted in (e.name, e.name.partition("-")[0]))
    if not found:
        parts = [e.name for e in every if e.name[:-1] == wanted and e.name[-1].isalpha()]
        raise UsageError(
            f"unknown experiment {shown(name)}",
            hint=(f"there are {', '.join(parts)}" if parts else "")
            or did_you_mean(name, [e.name for e in every])
            or "`simtlab reproduce --list` lists them all",
        )
    return found


def check_scale(scale: str) -> None:
    """Raise UsageError if there is no such scale."""
    if not isinstance(scale, str) or scale not in SCALES:
        raise UsageError(
            f"unknown scale {shown(scale)}", hint=f"the scales are {' and '.join(SCALES)}"
        )
