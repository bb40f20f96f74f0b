"""Progress on stderr for runs that take longer than a second."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING

from .output import on_terminal

if TYPE_CHECKING:
    from ...timing.simulation.simulator import Simulator

PATIENCE = 1.0
"""Seconds before anything is shown."""


class Progress:
    """Shows elapsed time and finished launches during a run; does nothing off a terminal.

    A thread draws, so that the clock also moves during a single long launch. Nothing is shown
    before `PATIENCE` has passed, and nothing stays on the terminal.
    """

    def __init__(self, title: str) -> None:
        self.title = title
        self.launches = 0
        self.instructions = 0
        self.detail = ""
        self._over = threading.Event()
        self._thread: threading.Thread | None = None

    def launched(self, warp_instructions: int | None) -> None:
        """Count a finished launch of this many warp-instructions."""
        self.launches += 1
        self.instructions += warp_instructions or 0

    def text(self, seconds: float) -> str:
        """Return the text that is shown after this time."""
        parts = [f"{self.title}: {seconds:.0f} s"]
        if self.detail:
            parts.append(self.detail)
        if self.launches:
            parts.append(f"{self.launches:,} launch{'es' if self.launches > 1 else ''} done")
        if self.instructions:
            parts.append(f"{self.instructions / seconds / 1e6:.2f} M warp-instructions/s")
        return ", ".join(parts)

    def __enter__(self) -> Progress:
        if on_terminal(sys.stderr):
            self._thread = threading.Thread(target=self._draw, daemon=True)
            self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._over.set()
        if self._thread is not None:
            self._thread.join()

    def _draw(self) -> None:
        start = time.monotonic()
        if self._over.wait(PATIENCE):
            return
        from .output import console

        with console(sys.stderr).status(self.text(PATIENCE)) as display:
            while not self._over.wait(0.25):
                display.update(self.text(time.monotonic() - start))


def machine_clock(progress: Progress) -> Callable[[Simulator], None]:
    """Show the clock of a simulated machine; for `Simulator.on_progress`."""

    def look(simulator: Simulator) -> None:
        S, cores = simulator.state.S, simulator.state.rows["wpu"]
        progress.instructions = int(cores["n_warp_instr"].sum())
        progress.detail = f"cycle {simulator.cycles:,}"
        if S.workgroups > 1:
            done = max(0, int(S.next_workgroup) - int(S.running))
            progress.detail += f", {done / int(S.workgroups):.0%} of the launch"

    return look
