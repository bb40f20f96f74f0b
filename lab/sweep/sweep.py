"""`simtlab.sweep(...)`: a sweep from a file or from lists, carried out, and its table."""

from __future__ import annotations

import html
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from ...emu.frames import frame_of
from ...emu.text.tables import aligned
from ...isa import expect
from ...isa.errors import UsageError
from ..database.export import check_export, write_rows
from ..driver import Watcher
from ..runs.execute import Look
from ..runs.resolve import Resolved
from ..runs.result import Failure, RunOutcome
from ..runs.run import Run
from ..store import Store
from ..tables import cell
from .definition import KEYS, Definition, definition_of, read_definition
from .places import SweepError
from .plot import SPEEDUP, Plot, draw

CANNOT = "cannot run"


class Sweep:
    """The runs of a definition, resolved: what can run, and what cannot, with the reason.

    Raises SweepError for a value that no run can take.
    """

    def __init__(self, definition: Definition, store: Store) -> None:
        self.definition = definition
        self.store = store
        runs = definition.runs()
        self.resolved, refused = store.resolve(runs)
        # `all` stands for the policies that the machine can run.
        chosen = {run: run.policy not in definition.optional for run in runs}
        self.refused = {run: failure for run, failure in refused.items() if chosen[run]}
        self.runs = [run for run in runs if run in self.resolved or run in self.refused]
        self._check_refused()

    def _check_refused(self) -> None:
        """Raise an error if a value is of no use: a slip of the pen, or an impossible machine."""
        if not self.refused:
            return
        for failure in self.refused.values():
            if failure.diagnostic.span is not None:  # a mistake in a file of the user's
                raise failure.error
            self._check_kernel(failure)
        first = next(iter(self.refused.values()))
        # The field that the message is about has most probably the wrong value.
        axes = sorted(self.definition.axes(), key=lambda axis: axis[1] not in first.message)
        for table, key, _ in axes:
            column = _COLUMNS.get(key, key)
            bad = Counter(_value(run, column) for run in self.refused)
            every = Counter(_value(run, column) for run in self.runs)
            for value, count in bad.items():
                if count == every[value] and (len(every) > 1 or key in first.message):
                    raise self._refusal(table, key, value)
        if len(self.refused) == len(self.runs):
            raise first.error

    def _check_kernel(self, failure: Failure) -> None:
        """Raise an error at the table of a kernel that has no such parameter, or no such kernel."""
        if failure.run.launch is None or not failure.code.startswith(("SIM3", "SIM504", "SIM518")):
            return
        launches = [kernel.launch for kernel in self.definition.kernels]
        place = self.definition.place("kernels", nth=launches.index(failure.run.launch))
        raise SweepError(failure.message, span=place, hint=failure.diagnostic.hint)

    def _refusal(self, table: str, key: str, value: Any) -> SweepError:
        column = _COLUMNS.get(key, key)
        failure = next(f for run, f in self.refused.items() if _value(run, column) == value)
        written = next(
            (v for _, k, vs in self.definition.axes() for v in vs if k == key and _is(v, value)),
            value,
        )
        return SweepError(
            f"no run can have {column} = {written}: {failure.message}",
            span=self.definition.place(table, key, written),
            hint=failure.diagnostic.hint,
        )

    @property
    def distinct(self) -> int:
        """The number of runs that differ in what they do."""
        return len({r.key for r in self.resolved.values()})

    def finished(self) -> int:
        """Return how many of them have a result in the store."""
        return len(self.store.database.present({r.key for r in self.resolved.values()}))

    def run(
        self,
        *,
        workers: int = 1,
        scheduler: str | None = None,
        watcher: Watcher | None = None,
        look: Look | None = None,
        retry: bool = False,
    ) -> SweepResults:
        """Simulate what is missing, as `Store.run`, and return the results."""
        failures = self.store.complete(
            list(self.resolved.values()),
            workers=workers,
            scheduler=scheduler,
            watcher=watcher,
            look=look,
            retry=retry,
        )
        return self.results(failures)

    def results(self, failures: Mapping[str, Failure] | None = None) -> SweepResults:
        """Return what the store has, and failures that it does not keep, by key."""
        return SweepResults(self, dict(failures or {}))


_COLUMNS = {
    "programs": "program", "sizes": "size", "machines": "machine", "policies": "policy",
    "seeds": "seed",
}  # fmt: skip


def _value(run: Run, column: str) -> Any:
    """Return the value of an axis that a run has: names of files with their folders."""
    return getattr(run, column) if column in _COLUMNS.values() else run.values.get(column)


def _is(written: Any, value: Any) -> bool:
    return written == value or (isinstance(written, str) and str(value).endswith(f"/{written}"))


class SweepResults:
    """The results of a sweep, a row for each run, in the order of the definition."""

    def __init__(self, sweep: Sweep, unkept: Mapping[str, Failure]) -> None:
        self.sweep = sweep
        self.definition = sweep.definition
        self._unkept = unkept

    def __len__(self) -> int:
        return len(self.sweep.runs)

    def __iter__(self) -> Iterator[RunOutcome]:
        return iter(self.outcomes())

    def outcomes(self) -> list[RunOutcome]:
        """Return a Result or a Failure for each run; those without either are left out."""
        keys = {run: r.key for run, r in self.sweep.resolved.items()}
        found = self.sweep.store.outcomes(keys)
        every = {**found, **self._failures_of(keys), **self.sweep.refused}
        return [every[run] for run in self.sweep.runs if run in every]

    def _failures_of(self, keys: Mapping[Run, str]) -> dict[Run, Failure]:
        return {run: self._unkept[key] for run, key in keys.items() if key in self._unkept}

    @cached_property
    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each run: its names, its numbers, and `speedup` with a baseline.

        A run without a result has `error` and `message`; one that was not reached has neither.
        """
        stored = self.sweep.store.table(r.key for r in self.sweep.resolved.values())
        found = [self._row(run, stored) for run in self.sweep.runs]
        if self.definition.baseline is not None:
            self._add_speedups(found)
        return found

    def _row(self, run: Run, stored: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
        names = run.names()
        refused = self.sweep.refused.get(run)
        if refused is not None:
            return {**names, "error": refused.code, "message": f"{CANNOT}: {refused.message}"}
        resolved: Resolved = self.sweep.resolved[run]
        kept = stored.get(resolved.key)
        if kept is not None:
            return {**names, **kept}
        failure = self._unkept.get(resolved.key)
        return failure.row() if failure is not None else names

    def _add_speedups(self, rows: Sequence[dict[str, Any]]) -> None:
        baseline = self.definition.baseline or ""
        names = [{k: v for k, v in run.names().items() if not _is_policys(k)} for run in self.runs]
        base = {
            _frozen(n): row.get("cycles")
            for n, row, run in zip(names, rows, self.runs, strict=True)
            if run.names()["policy"] == Path(baseline).name.removesuffix(".py")
        }
        for name, row in zip(names, rows, strict=True):
            cycles, against = row.get("cycles"), base.get(_frozen(name))
            if cycles and against:
                row[SPEEDUP] = against / cycles

    @property
    def runs(self) -> list[Run]:
        """The runs, in their order."""
        return self.sweep.runs

    @property
    def failures(self) -> list[Failure]:
        """Runs that failed, or cannot run."""
        return [outcome for outcome in self.outcomes() if isinstance(outcome, Failure)]

    def to_frame(self) -> Any:
        """Return the rows as a pandas DataFrame. Raises UsageError without pandas."""
        return frame_of(self.rows)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the rows to a file .csv or .parquet. Raises UsageError."""
        write_rows(self.rows, check_export(expect.path(path, "a table")))

    def save_picture(
        self, path: str | os.PathLike[str] | None = None, plot: Plot | None = None
    ) -> None:
        """Draw the sweep as its `[plot]` says, or `plot`. Raises UsageError."""
        plot = plot or self.definition.plot
        if plot is None:
            raise UsageError(
                "the sweep has no plot",
                code="SIM551",
                hint='a table [plot] says what is drawn, as x = "l2.hit_latency"',
            )
        file = Path(expect.path(path, "a picture")) if path is not None else plot.file
        if file is None:
            raise UsageError("the plot has no file", code="SIM551", hint='as file = "plot.png"')
        draw(self.rows, plot, file, self.definition.title)

    @cached_property
    def varying(self) -> list[str]:
        """The columns in which runs differ; the policy if they do not differ at all."""
        names = [run.names() for run in self.runs]
        columns = dict.fromkeys(key for row in names for key in row)
        found = [c for c in columns if len({repr(row.get(c)) for row in names}) > 1]
        return found or ["policy"]

    def table(self, most: int | None = None) -> str:
        """Return a line for each run: what it differs in, its cycles, speedup, and errors."""
        measures = ["cycles", *([SPEEDUP] if self.definition.baseline is not None else [])]
        lines = [(*self.varying, *measures, "")]
        for row in self.rows[:most]:
            cells = [cell(row.get(column), ".3f") for column in (*self.varying, *measures)]
            lines.append((*cells, _remark(row)))
        left = [*range(len(self.varying)), len(lines[0]) - 1]
        if not any(line[-1] for line in lines):
            lines, left = [line[:-1] for line in lines], left[:-1]
        return aligned(lines, left=tuple(left))

    def __str__(self) -> str:
        return self.table()

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self.table())}</pre>"

    def __repr__(self) -> str:
        done = sum(row.get("cycles") is not None for row in self.rows)
        return f"<SweepResults: {done:,} of {len(self):,} runs>"


def _is_policys(column: str) -> bool:
    return column == "policy" or column.startswith("policy.")


def _frozen(names: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    return tuple((key, repr(value)) for key, value in names.items())


def _remark(row: Mapping[str, Any]) -> str:
    """Return what a run without a result is called in the table."""
    if row.get("error"):
        return f"{row['error']}: {row['message']}" if row.get("message") else str(row["error"])
    return "" if row.get("cycles") is not None else "not run"


def sweep(
    file: str | os.PathLike[str] | None = None,
    *,
    store: Store | str | os.PathLike[str] | None = None,
    workers: int = 1,
    scheduler: str | None = None,
    watcher: Watcher | None = None,
    retry: bool = False,
    **lists: Any,
) -> SweepResults:
    """Simulate all runs of a sweep that the store does not have, and return the results.

    The sweep is a TOML file, or `lists` as one has: `programs=["dws/merge"]`, `sizes=["tiny"]`,
    `machines`, `policies`, `fields={"l2.hit_latency": [10, 100]}`, `seeds`, `kernels`, `baseline`,
    `title`, `plot`. Given with a file, they replace those of the file; relative paths are then
    relative to the file, else to the working folder. Raises SweepError for a mistake.
    """
    unknown = [key for key in lists if key not in KEYS]
    if unknown:
        raise SweepError(
            f"simtlab.sweep has no option {unknown[0]!r}; a sweep has {', '.join(KEYS)}"
        )
    if file is None:
        definition = definition_of(lists, Path.cwd())
    else:
        definition = read_definition(Path(expect.path(file, "a sweep")), lists)
    kept = store if isinstance(store, Store) else Store(store)
    return Sweep(definition, kept).run(
        workers=workers, scheduler=scheduler, watcher=watcher, retry=retry
    )
