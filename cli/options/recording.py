"""Options of a recording: where it goes, and what part of a run it covers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from ...isa.errors import UsageError
from .options import whole_number

RECORDING = "Recording"

RecordFile = Annotated[
    str | None,
    typer.Option(
        "--record",
        metavar="F.npz",
        help="Write a recording of the run, for `simtlab view` and `simtlab debug`.",
        rich_help_panel=RECORDING,
    ),
]

RecordWindow = Annotated[
    str | None,
    typer.Option(
        metavar="FROM:TO",
        help="The steps or cycles that the recording covers (all).",
        rich_help_panel=RECORDING,
    ),
]

RecordIssues = Annotated[
    str | None,
    typer.Option(
        metavar="N",
        help="Record at most this many issues (100,000).",
        rich_help_panel=RECORDING,
    ),
]


@dataclass(frozen=True)
class RecordSettings:
    """What is recorded: the times from `begin` up to `end` (None: the last), and `most` issues."""

    begin: int = 0
    end: int | None = None
    most: int | None = None

    def options(self) -> dict[str, int]:
        """Return the options of a recorder that were given."""
        found = {"begin": self.begin, "end": self.end, "most": self.most}
        return {name: value for name, value in found.items() if value is not None}


def record_settings(window: str | None, issues: str | None) -> RecordSettings:
    """Return the options as values. Raises UsageError."""
    most = None if issues is None else whole_number(issues, "--record-issues")
    if window is None:
        return RecordSettings(most=most)
    first, end = parse_window(window, "--record-window")
    return RecordSettings(first, end, most)


def parse_window(text: str, option: str) -> tuple[int, int | None]:
    """Return FROM and TO of a window; None where TO is missing. Raises UsageError."""
    begin, colon, end = text.partition(":")
    if not colon or not (begin + end):
        raise UsageError(f"{option} takes FROM:TO, not {text!r}", code="SIM515")
    return whole_number(begin or "0", option), whole_number(end, option) if end else None


def asks_for_recording(file: str | None, window: str | None, issues: str | None) -> bool:
    """Return whether a run is recorded. Raises UsageError where an option has no effect."""
    for option, value in (("--record-window", window), ("--record-issues", issues)):
        if value is not None and file is None:
            raise UsageError(f"{option} has no effect without --record", code="SIM517")
    return file is not None
