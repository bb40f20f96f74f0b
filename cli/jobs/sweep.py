"""The work of `simtlab sweep`."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from pathlib import Path

from ...emu.engine import Interrupted
from ...isa.errors import SimtError, UsageError
from ...lab.database.export import check_export
from ...lab.runs.result import Failure
from ...lab.store import Store
from ...lab.sweep.definition import read_definition
from ...lab.sweep.plot import check_file
from ...lab.sweep.sweep import Sweep, SweepResults
from .. import status
from ..output.output import print_error, print_json, print_remark, print_rows
from ..output.sweep_progress import SweepProgress

MOST_ROWS = 200
"""Lines of the table that are printed."""

MOST_ERRORS = 5
"""Failures whose whole message is printed."""


@dataclass(frozen=True)
class SweepSettings:
    """The options of one sweep, with None for those that were not given."""

    file: str
    store: str | None
    workers: int
    scheduler: str | None
    retry: bool
    dry_run: bool
    out: str | None
    picture: str | None
    json: bool


def sweep(settings: SweepSettings) -> int:
    """Carry out a sweep, print its table, write its files; return the status."""
    definition = read_definition(Path(settings.file))
    out = check_export(settings.out) if settings.out is not None else None
    if settings.picture is not None:
        check_file(Path(settings.picture))
        if definition.plot is None:
            raise UsageError(
                "--picture needs a table [plot], which the sweep does not have",
                code="SIM517",
                hint=f'add it, as [plot] with x = "{(*definition.fields, "program")[0]}"',
            )
    store = Store(settings.store)
    planned = Sweep(definition, store)
    if settings.dry_run:
        return _count(planned, settings)
    started = time.monotonic()
    with SweepProgress() as progress:
        results, stopped = _carry_out(planned, settings, progress)
    files: list[tuple[str, str]] = []
    finished = [row for row in results.rows if row.get("cycles") is not None]
    if out is not None:
        results.save(out)
        files.append(("table", str(out)))
    picture = settings.picture or (definition.plot.file if definition.plot else None)
    if picture is not None and finished:
        results.save_picture(str(picture))
        files.append(("picture", str(picture)))
    seconds = time.monotonic() - started
    _print(results, settings, progress, files, seconds, interrupted=stopped is not None)
    if stopped is not None:
        raise stopped
    return _status(results)


def _carry_out(
    planned: Sweep, settings: SweepSettings, progress: SweepProgress
) -> tuple[SweepResults, SimtError | None]:
    """Return what has become of the runs, and the error that has ended the sweep early, if any."""
    try:
        return planned.run(
            workers=settings.workers,
            scheduler=settings.scheduler,
            watcher=progress,
            retry=settings.retry,
        ), None
    except KeyboardInterrupt:
        return planned.results(), Interrupted(None)


def _count(planned: Sweep, settings: SweepSettings) -> int:
    finished, distinct = planned.finished(), planned.distinct
    counts = {
        "runs": len(planned.runs),
        "different": distinct,
        "in_the_store": finished,
        "missing": distinct - finished,
        "cannot_run": len(planned.refused),
        "store": str(planned.store.path),
    }
    if settings.json:
        print_json(counts)
    else:
        print_rows(
            [
                (name.replace("_", " "), f"{n:,}" if isinstance(n, int) else n)
                for name, n in counts.items()
            ]
        )
    return status.DONE


def _print(
    results: SweepResults,
    settings: SweepSettings,
    progress: SweepProgress,
    files: list[tuple[str, str]],
    seconds: float,
    *,
    interrupted: bool,
) -> None:
    store = str(results.sweep.store.path)
    if settings.json:
        print_json(
            {
                "title": results.definition.title,
                "store": store,
                "simulated": progress.simulated,
                "interrupted": interrupted,
                "runs": results.rows,
                **dict(files),
            }
        )
        return
    rows = results.rows
    title = [("sweep", results.definition.title)] if results.definition.title else []
    elsewhere = f", {progress.elsewhere:,} by another process" if progress.elsewhere else ""
    done = sum(row.get("cycles") is not None for row in rows)
    print_rows(
        [
            *title,
            ("runs", f"{done:,} of {len(rows):,} are done"),
            ("simulated", f"{progress.simulated:,} in {seconds:.1f} s{elsewhere}"),
            ("store", store),
            *files,
        ]
    )
    print(f"\n{results.table(MOST_ROWS)}")
    if len(rows) > MOST_ROWS:
        print(f"… and {len(rows) - MOST_ROWS:,} more: --out F.csv writes all of them")
    sys.stdout.flush()
    _print_failures(results.failures)


def _print_failures(failures: list[Failure]) -> None:
    """Print whole messages of a few failures: of different kinds first."""
    kinds = {failure.code: failure for failure in reversed(failures)}
    for failure in list(kinds.values())[:MOST_ERRORS]:
        print_error(failure.error)
        others = sum(f.code == failure.code for f in failures) - 1
        if others:
            print_remark(f"and {others:,} more with {failure.code}")


def _status(results: SweepResults) -> int:
    return max((status.of(failure.error) for failure in results.failures), default=status.DONE)
