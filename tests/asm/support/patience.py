"""A limit on work that would go on for hours where it takes the square of its input's length."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

CPU_SECONDS = 120
"""What work of about a second may take: no load of a machine makes it as long."""


class EndlessError(Exception):
    """Work that was interrupted."""


@contextmanager
def patience(seconds: float = CPU_SECONDS) -> Iterator[None]:
    """Interrupt what takes more than this many seconds of the process's CPU time (POSIX)."""

    def interrupt(number: int, frame: FrameType | None) -> None:
        raise EndlessError(f"not done after {seconds} s of CPU time")

    before = signal.signal(signal.SIGPROF, interrupt)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
