"""The pool without processes of its own: a job is done when its answer is asked for."""

from __future__ import annotations

from collections import deque

from ..runs.execute import Look
from .work import Answer, Job, work


class InlinePool:
    """Runs one job after the other in this process; `look` sees each simulation."""

    shares_engines = False
    trouble = ""

    def __init__(self, look: Look | None = None) -> None:
        self.look = look
        self._jobs: deque[Job] = deque()

    @property
    def room(self) -> int:
        """One job at a time."""
        return 1 - len(self._jobs)

    def submit(self, job: Job) -> None:
        """Take a job."""
        self._jobs.append(job)

    def answers(self, seconds: float) -> list[Answer]:
        """Do the job that was taken."""
        return [work(self._jobs.popleft(), self.look)] if self._jobs else []

    def close(self) -> None:
        """Forget the job."""
        self._jobs.clear()
