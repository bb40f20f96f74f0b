"""`simtlab.reproduce(...)`: experiments by name, carried out, and their reports."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from ..isa import expect
from ..isa.errors import UsageError
from .driver import Watcher
from .experiment import Experiment, Report, check_scale, find
from .reproduction.figure import Figure
from .reproduction.report import Section, write
from .runs.result import Failure, Result
from .runs.run import Run
from .store import Store


class Reproduction:
    """Experiments of the papers at a scale, with what the store has of them.

    `chosen` are experiments, as `experiment.find` returns them.
    """

    def __init__(self, chosen: Sequence[Experiment], scale: str, store: Store | None) -> None:
        check_scale(scale)
        self.experiments = tuple(chosen)
        self.scale = scale
        wanted = list(dict.fromkeys(run for e in chosen for run in e.runs(scale)))
        # Experiments without simulations need no store.
        self._store = (store or Store()) if wanted else None
        resolved, self._refused = self._store.resolve(wanted) if self._store else ({}, {})
        self._resolved = resolved
        self._unkept: Mapping[str, Failure] = {}

    @property
    def wanted(self) -> int:
        """The number of simulations that the experiments need."""
        return len(self._resolved) + len(self._refused)

    def run(
        self, *, workers: int = 1, scheduler: str | None = None, watcher: Watcher | None = None
    ) -> None:
        """Simulate what is missing, as `Store.run`. What is finished is kept in every case."""
        for cached in ("_outcomes", "reports"):
            self.__dict__.pop(cached, None)
        if self._store is not None:
            self._unkept = self._store.complete(
                list(self._resolved.values()),
                workers=workers,
                scheduler=scheduler,
                watcher=watcher,
            )

    @cached_property
    def _outcomes(self) -> tuple[Mapping[Run, Result], Sequence[Failure]]:
        if self._store is None:
            return {}, ()
        kept = self._store.outcomes({r.run: r.key for r in self._resolved.values()})
        done = {run: o for run, o in kept.items() if isinstance(o, Result)}
        failed = [o for o in kept.values() if isinstance(o, Failure)]
        return done, (*self._refused.values(), *failed, *self._unkept.values())

    @property
    def results(self) -> Mapping[Run, Result]:
        """The simulations that are done."""
        return self._outcomes[0]

    @property
    def failures(self) -> Sequence[Failure]:
        """The simulations that failed; reports leave them out."""
        return self._outcomes[1]

    @cached_property
    def reports(self) -> Mapping[str, Report]:
        """The reports by the name of their experiment."""
        return {e.name: e.report(self.results, self.scale) for e in self.experiments}

    def __getitem__(self, name: str) -> Report:
        """Return the report on an experiment. Raises UsageError."""
        wanted = name.lower() if isinstance(name, str) else name
        if wanted not in self.reports:
            names = ", ".join(self.reports)
            raise UsageError(f"no experiment {name!r} here", hint=f"there are {names}")
        return self.reports[wanted]

    @property
    def figures(self) -> Mapping[str, Figure]:
        """All figures by name; tables of a paper have none."""
        return {
            figure.name: figure
            for report in self.reports.values()
            for figure in getattr(report, "figures", ())
        }

    def text(self) -> str:
        """Return the reports for a terminal."""
        return "\n\n\n".join(report.text() for report in self.reports.values())

    def markdown(self) -> str:
        """Return the reports as Markdown."""
        return "\n\n\n".join(report.markdown() for report in self.reports.values())

    def to_dict(self) -> dict[str, Any]:
        """Return the reports for JSON."""
        return {"experiments": [report.to_dict() for report in self.reports.values()]}

    def write(self, folder: str | os.PathLike[str], *, command: str = "") -> list[Path]:
        """Write a report as Markdown and HTML with pictures; return its pages.

        `command` is the one that makes the same report. Raises UsageError and OSError.
        """
        path = Path(expect.path(folder, "a folder"))
        path.mkdir(parents=True, exist_ok=True)
        sections = [Section(e.name, e.title, e.source, self[e.name]) for e in self.experiments]
        return write(sections, path, command, self.scale)

    def __repr__(self) -> str:
        names = ", ".join(e.name for e in self.experiments)
        return f"<Reproduction: {names} at scale {self.scale}, {len(self.results)} simulations>"

    def _repr_markdown_(self) -> str:
        return self.markdown()


def reproduce(
    name: str,
    *,
    scale: str = "paper",
    store: Store | str | os.PathLike[str] | None = None,
    workers: int = 1,
    scheduler: str | None = None,
) -> Reproduction:
    """Repeat an experiment of the papers, and return our figures with a verdict on each claim.

    `name` is an experiment (`dws-fig13`), a paper (`dws`), or `all`. At scale `small` the inputs
    are small; caches always have the paper's size. Results are kept in the store (a file, a
    `Store`, or the default one), so that a simulation is done once. Raises UsageError, StoreError,
    and KeyboardInterrupt, when everything that is finished is kept.
    """
    chosen = find(name)
    check_scale(scale)
    kept = store if isinstance(store, Store) or store is None else Store(store)
    made = Reproduction(chosen, scale, kept)
    made.run(workers=workers, scheduler=scheduler)
    return made
