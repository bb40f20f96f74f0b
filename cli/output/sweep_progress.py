"""Progress of a sweep on stderr: runs done, rate, time left."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Any

from ...lab.driver import Watcher
from ...lab.runs.result import Failure
from .output import console, on_terminal, print_remark

BETWEEN_LINES = 60.0
"""Seconds between lines off a terminal: an hour makes a page of a log, and shows that it lives."""


class SweepProgress(Watcher):
    """Counts what a sweep does; draws it on a terminal, and else prints a line every minute."""

    def __init__(self) -> None:
        self.total = self.found = self.simulated = self.elsewhere = self.failed = 0
        self.started = time.monotonic()
        self.detail = ""
        self._printed = self.started
        self._display: Any = None
        self._task: Any = None

    def __enter__(self) -> SweepProgress:
        if on_terminal(sys.stderr):
            from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

            columns = (BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}"))
            self._display = Progress(*columns, console=console(sys.stderr), transient=True)
            self._display.start()
            self._task = self._display.add_task("beginning", total=None)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._display is not None:
            self._display.stop()

    def begin(self, total: int, found: int) -> None:
        self.total, self.found = total, found
        self.started = self._printed = time.monotonic()
        self._draw()

    def finished(self, failure: Failure | None, *, elsewhere: bool = False) -> None:
        self.elsewhere += elsewhere
        self.simulated += not elsewhere
        self.failed += failure is not None
        self._draw()

    def waiting(self, text: str) -> None:
        if text != self.detail:
            self.detail = text
            self._draw()

    @property
    def done(self) -> int:
        """Finished runs, also those that another process has simulated."""
        return self.found + self.simulated + self.elsewhere

    def text(self, seconds: float) -> str:
        """Return rate, time left and failures after this time."""
        parts: list[str] = []
        rate = (self.simulated + self.elsewhere) / seconds if seconds > 0 else 0.0
        if rate:
            parts.append(f"{rate:.1f} runs/s" if rate >= 1 else f"{60 * rate:.1f} runs/min")
            parts.append(f"{_duration((self.total - self.done) / rate)} left")
        if self.failed:
            parts.append(f"{self.failed:,} failed")
        if self.detail:
            parts.append(self.detail)
        return ", ".join(parts) or "the first runs"

    def _draw(self) -> None:
        now = time.monotonic()
        if self._display is not None:
            text = self.text(now - self.started)
            self._display.update(
                self._task, total=self.total, completed=self.done, description=text
            )
        elif now - self._printed >= BETWEEN_LINES:
            self._printed = now
            text = self.text(now - self.started)
            print_remark(f"{self.done:,} of {self.total:,} runs: {text}")


def _duration(seconds: float) -> str:
    """Return a time as 40 s, 3 min 20 s, or 2 h 5 min."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"
