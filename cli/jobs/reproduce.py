"""The work of `simtlab reproduce`."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ...isa.errors import UsageError
from ...lab.experiment import Experiment, check_scale, experiments, find
from ...lab.reproduction.drawing import check_drawing
from ...lab.reproduction.report import Section, write
from ...lab.runs.result import Failure, Result
from ...lab.runs.run import Run
from ...lab.store import Store
from .. import status
from ..output.output import error_dict, print_error, print_json, print_remark, print_table
from ..output.sweep_progress import SweepProgress


@dataclass(frozen=True)
class Settings:
    """The options of one call, with None for those that were not given."""

    name: str
    scale: str
    store: str | None
    workers: int
    scheduler: str | None
    out: str | None
    markdown: bool
    json: bool

    @property
    def command(self) -> str:
        """The command that makes the same report elsewhere."""
        return f"simtlab reproduce {self.name} --scale {self.scale}"


def print_list(*, json: bool) -> None:
    """Print the experiments."""
    if json:
        print_json([{"name": e.name, "title": e.title, "source": e.source} for e in experiments()])
    else:
        lines = [(e.name, e.title, e.source) for e in experiments()]
        print_table(("name", "what it shows", "source"), lines)


def reproduce(settings: Settings) -> int:
    """Simulate what is missing, print and write the reports; return the status."""
    check_scale(settings.scale)
    chosen = find(settings.name)
    folder = _folder(settings.out) if settings.out is not None else None
    found, failures, interrupted = _simulate(chosen, settings)
    reports = [e.report(found, settings.scale) for e in chosen]
    if settings.json:
        dicts = [r.to_dict() for r in reports]
        failed = [{"setup": str(f.run), **error_dict(f.error)} for f in failures]
        print_json({"experiments": dicts, "failed": failed, "interrupted": interrupted})
    else:
        texts = (r.markdown() if settings.markdown else r.text() for r in reports)
        print("\n\n\n".join(texts))
    if folder is not None:
        sections = [
            Section(e.name, e.title, e.source, r) for e, r in zip(chosen, reports, strict=True)
        ]
        pages = write(sections, folder, settings.command, settings.scale)
        sys.stdout.flush()
        print_remark(f"the report is {pages[0].with_suffix('.html')}")
    if interrupted:
        return status.INTERRUPTED
    return max((status.of(f.error) for f in failures), default=status.DONE)


def _folder(name: str) -> Path:
    """Return the folder of a report before anything is simulated. Raises UsageError."""
    check_drawing()
    folder = Path(name)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        reason = (problem.strerror or str(problem)).lower()
        raise UsageError(f"cannot make the folder {folder}: {reason}", code="SIM511") from None
    return folder


def _simulate(
    chosen: Sequence[Experiment], settings: Settings
) -> tuple[Mapping[Run, Result], list[Failure], bool]:
    """Return results by run, what went wrong, and whether this was cut short."""
    wanted = list(dict.fromkeys(run for e in chosen for run in e.runs(settings.scale)))
    if not wanted:
        return {}, [], False
    store = Store(settings.store)
    resolved, refused = store.resolve(wanted)
    unkept: Mapping[str, Failure] = {}
    interrupted = False
    with SweepProgress() as progress:
        try:
            unkept = store.complete(
                list(resolved.values()),
                workers=settings.workers,
                scheduler=settings.scheduler,
                watcher=progress,
            )
        except KeyboardInterrupt:
            interrupted = True
    outcomes = store.outcomes({r.run: r.key for r in resolved.values()})
    done = {run: o for run, o in outcomes.items() if isinstance(o, Result)}
    kept = (o for o in outcomes.values() if isinstance(o, Failure))
    failures = [*refused.values(), *kept, *unkept.values()]
    for failure in failures:
        print_error(failure.error)
    if interrupted:
        print_remark(f"interrupted; {len(done)} of {len(wanted)} simulations are done and kept")
    return done, failures, interrupted
