"""Results as rows of a table."""

from __future__ import annotations

import json
import platform
import zlib
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any

from ...isa.errors import Diagnostic, Outcome, Span
from ...isa.version import __version__
from ...timing.results.energy.model import Energy
from ...timing.results.restored import restored, stored_form
from ..runs.resolve import Resolved
from ..runs.result import Failure, Result, RunOutcome
from ..runs.run import KernelLaunch, Run
from ..runs.sources import digest_of
from .schema import COLUMNS


@dataclass(frozen=True)
class Record:
    """A row of `results`, in the order of `COLUMNS`, and the fields of its machine."""

    row: tuple[Any, ...]
    fields: str

    @property
    def key(self) -> str:
        """The key of the run."""
        return self.row[0]

    @property
    def configuration(self) -> str:
        """The digest of the fields."""
        return self.row[COLUMNS.index("configuration")]


def record_of(resolved: Resolved, outcome: RunOutcome) -> Record:
    """Return the row of a result, or of a failure that is to be kept."""
    run, names = outcome.run, outcome.run.names()
    fields = _text(resolved.fields)
    row: dict[str, Any] = {
        "key": resolved.key,
        **{name: names[name] for name in ("program", "size", "seed", "machine", "policy")},
        "sets": _text(run.values),
        "run": _text(run.to_dict()),
        "parts": _text(resolved.parts),
        "configuration": digest_of(fields)[:16],
        "simtlab": __version__,
        "host_seconds": 0.0,
        "host": platform.node(),
        "finished_at": datetime.now(UTC).isoformat(timespec="milliseconds"),
    }
    if isinstance(outcome, Result):
        form = {"statistics": stored_form(outcome.stats), "energy": vars(outcome.energy)}
        row |= {
            "cycles": outcome.cycles,
            "numbers": _text(outcome.numbers()),
            "statistics": zlib.compress(_text(form).encode(), 1),
            "memory_digest": outcome.memory_digest,
            "digest": outcome.digest,
            "host_seconds": outcome.seconds,
        }
    else:
        shown = asdict(outcome.diagnostic)
        row |= {
            "error": outcome.code,
            "diagnostic": _text({**shown, "outcome": outcome.outcome.name}),
        }
    return Record(tuple(row.get(name) for name in COLUMNS), fields)


def outcome_of(row: Any, run: Run | None = None) -> RunOutcome:
    """Return the outcome of a row of `results` with `fields`; `run` as it was asked for.

    Raises ValueError for a damaged row.
    """
    run = run or run_of(json.loads(row["run"]))
    if row["error"] is not None:
        found = json.loads(row["diagnostic"])
        outcome = Outcome[found["outcome"]]
        return Failure(run, _diagnostic(found), outcome, True, row["key"])
    try:
        form = json.loads(zlib.decompress(row["statistics"]))
    except (zlib.error, TypeError) as problem:
        raise ValueError(str(problem)) from None
    return Result(
        run,
        restored(form["statistics"]),
        row["memory_digest"],
        row["host_seconds"],
        Energy(**form["energy"]),
        json.loads(row["fields"]),
        row["key"],
    )


def run_of(form: dict[str, Any]) -> Run:
    """Return the run that `Run.to_dict` has described."""
    launch = form.pop("launch", None)
    if launch is not None:
        shapes = {k: tuple(v) for k, v in launch.items() if isinstance(v, list)}
        args = tuple(launch.pop("args", {}).items())
        launch = KernelLaunch(**{**launch, **shapes, "args": args})
    return Run(**{**form, "sets": tuple(form["sets"].items()), "launch": launch})


def _diagnostic(found: dict[str, Any]) -> Diagnostic:
    """Return what is kept of a diagnostic: its message with hint and place."""
    span = found["span"]
    place = None
    if span is not None:
        place = Span(span["file"], span["line"], span["column"], span["length"], span["source"])
    return Diagnostic(
        found["code"], found["message"], place, label=found["label"], hint=found["hint"]
    )


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=dict)
