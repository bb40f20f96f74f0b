"""Worker processes on this machine.

Each worker is a pool of one process, so that a worker that dies takes only its own run with it. The
processes are started afresh (by loky), never forked: threads of compilers do not survive a fork.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from queue import Empty, SimpleQueue
from typing import Any

from ...isa.errors import UsageError
from .work import Answer, Job, work

AHEAD = 2
"""Jobs of a worker: one that it does, and one that it finds when that is done."""


class _Worker:
    """One process, and the jobs that it has, the oldest first."""

    def __init__(self, start: Callable[[], Any]) -> None:
        self.jobs: list[Job] = []
        self.executor = start()


class LocalPool:
    """`workers` processes of this machine. Raises UsageError without loky."""

    shares_engines = True
    trouble = ""

    def __init__(self, workers: int) -> None:
        self._start = _starter()
        self._workers = [_Worker(self._start) for _ in range(workers)]
        self._done: SimpleQueue[tuple[_Worker, Any, Job, Any]] = SimpleQueue()

    @property
    def room(self) -> int:
        """The number of jobs that keep all workers busy, beyond those they have."""
        return sum(AHEAD - len(worker.jobs) for worker in self._workers)

    def submit(self, job: Job) -> None:
        """Give a job to the worker that has the fewest."""
        worker = min(self._workers, key=lambda w: len(w.jobs))
        worker.jobs.append(job)
        executor = worker.executor
        try:
            future = executor.submit(work, job)
        except RuntimeError:  # it has died with nothing to do, or since the last look
            self._done.put((worker, executor, job, None))
        else:
            future.add_done_callback(partial(self._report, worker, executor, job))

    def _report(self, worker: _Worker, executor: Any, job: Job, future: Any) -> None:
        self._done.put((worker, executor, job, future))

    def answers(self, seconds: float) -> list[Answer]:
        """Wait up to this long for answers, and return those that have arrived."""
        found: list[Answer] = []
        with suppress(Empty):
            found += self._answers(*self._done.get(timeout=seconds))
            while True:
                found += self._answers(*self._done.get_nowait())
        return found

    def _answers(self, worker: _Worker, executor: Any, job: Job, future: Any) -> list[Answer]:
        if executor is not worker.executor:
            return []  # of a process that is known to have died
        if future is not None and not future.cancelled() and future.exception() is None:
            worker.jobs.remove(job)
            return [future.result()]
        # It does its jobs in their order, so that only the oldest one has begun.
        lost, worker.jobs = worker.jobs, []
        self._stop(executor)
        worker.executor = self._start()
        return [Answer(job, died=True, began=place == 0) for place, job in enumerate(lost)]

    def close(self) -> None:
        """Kill the processes."""
        for worker in self._workers:
            self._stop(worker.executor)

    def _stop(self, executor: Any) -> None:
        with suppress(Exception):  # whatever is wrong with a pool that is given up
            executor.shutdown(wait=False, kill_workers=True)


def _starter() -> Callable[[], Any]:
    try:
        from loky import ProcessPoolExecutor
    except ImportError:
        raise UsageError(
            "several workers need loky, which is not installed",
            code="SIM520",
            hint="pip install 'simtlab[lab]', or leave out --workers",
        ) from None
    return partial(ProcessPoolExecutor, 1, initializer=_begin, initargs=(os.getpid(),))


def _begin(parent: int) -> None:
    """Prepare a worker process: Ctrl-C is for the parent, and no worker outlives it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def watch() -> None:
        while os.getppid() == parent:
            threading.Event().wait(0.5)
        os._exit(1)

    if hasattr(os, "fork"):
        threading.Thread(target=watch, daemon=True).start()
