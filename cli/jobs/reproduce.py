"""The work of `simtlab reproduce`."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from ...isa.errors import UsageError
from ...lab.experiment import check_scale, experiments, find
from ...lab.reproduce import Reproduction
from ...lab.reproduction.drawing import check_drawing
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
    store = Store(settings.store) if any(e.runs(settings.scale) for e in chosen) else None
    made = Reproduction(chosen, settings.scale, store)
    interrupted = _carry_out(made, settings)
    for failure in made.failures:
        print_error(failure.error)
    if interrupted:
        print_remark(
            f"interrupted; {len(made.results)} of {made.wanted} simulations are done and kept"
        )
    if settings.json:
        failed = [{"setup": str(f.run), **error_dict(f.error)} for f in made.failures]
        print_json({**made.to_dict(), "failed": failed, "interrupted": interrupted})
    else:
        print(made.markdown() if settings.markdown else made.text())
    if folder is not None:
        pages = made.write(folder, command=settings.command)
        sys.stdout.flush()
        print_remark(f"the report is {pages[0].with_suffix('.html')}")
    if interrupted:
        return status.INTERRUPTED
    return max((status.of(f.error) for f in made.failures), default=status.DONE)


def _carry_out(made: Reproduction, settings: Settings) -> bool:
    """Simulate what is missing; return whether this was cut short."""
    with SweepProgress() as progress:
        try:
            made.run(workers=settings.workers, scheduler=settings.scheduler, watcher=progress)
        except KeyboardInterrupt:
            return True
    return False


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
