"""Options of a recording: where it goes, and what part of a run it covers."""

from __future__ import annotations

from collections.abc import Sequence
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


def record_settings(
    window: str | None, issues: str | None, uses: Sequence[str]
) -> RecordSettings | None:
    """Return the options as values, None where no option `uses` a recording. Raises UsageError."""
    if not uses:
        for option, value in (("--record-window", window), ("--record-issues", issues)):
            if value is not None:
                raise UsageError(f"{option} has no effect without --record", code="SIM517")
        return None
    most = None if issues is None else whole_number(issues, "--record-issues")
    if window is None:
        return RecordSettings(most=most)
    first, end = parse_window(window, "--record-window")
    return RecordSettings(first, end, most)


def traced_window(trace: str | None, window: str | None, recorded: str | None) -> str | None:
    """Return the window of a run's only recording, which --trace shares. Raises UsageError."""
    if window is None:
        return recorded
    if trace is None:
        raise UsageError("--trace-window has no effect without --trace", code="SIM517")
    parse_window(window, "--trace-window")
    if recorded not in (None, window):
        raise UsageError(
            "a run has one recording: --trace-window and --record-window differ",
            code="SIM517",
            hint="leave one of them out",
        )
    return window


def parse_item(text: str) -> tuple[int | tuple[int, int], int]:
    """Return the work-item and the launch of ITEM, GROUP:LOCAL or either with @LAUNCH.

    Raises UsageError.
    """
    item, at, launch = text.partition("@")
    numbers = [*item.split(":"), launch] if at else item.split(":")
    if not all(number.isascii() and number.isdigit() for number in numbers) or item.count(":") > 1:
        raise UsageError(
            f"--why takes a work-item, not {text!r}",
            code="SIM515",
            hint="as --why 37 (global id) or --why 2:5 (work-item 5 of workgroup 2); in the "
            "launch after the first one --why 37@1",
        )
    found = [int(number) for number in item.split(":")]
    return (found[0] if len(found) == 1 else (found[0], found[1])), int(launch or 0)


def parse_window(text: str, option: str) -> tuple[int, int | None]:
    """Return FROM and TO of a window; None where TO is missing. Raises UsageError."""
    begin, colon, end = text.partition(":")
    if not colon or not (begin + end):
        raise UsageError(f"{option} takes FROM:TO, not {text!r}", code="SIM515")
    return whole_number(begin or "0", option), whole_number(end, option) if end else None
