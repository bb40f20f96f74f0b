"""Workers of a cluster, through dask.distributed."""

from __future__ import annotations

import gc
import logging
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from itertools import count
from queue import Empty, SimpleQueue
from typing import Any

from ...isa.errors import UsageError
from .work import Answer, Job, work

AHEAD = 2
"""Jobs for each thread of the workers: one that it does, and one on the way."""

SECONDS = 10.0
"""Seconds to wait for the scheduler to answer."""

COUNTED_EVERY = 2.0
"""Seconds between counts of the workers, which come and go."""


class ClusterPool:
    """The workers of the dask scheduler at an address.

    They open no store: results come back to this process. Raises UsageError without distributed,
    and if the scheduler does not answer.
    """

    shares_engines = False

    def __init__(self, address: str) -> None:
        self.address = address
        self._client = _client(address, SECONDS)
        self._done: SimpleQueue[tuple[Job, Any]] = SimpleQueue()
        self._futures: dict[int, Any] = {}
        self._numbers = count()
        self._threads, self._counted_at = 0, 0.0

    @property
    def room(self) -> int:
        """The number of jobs that keep all workers busy, beyond those they have."""
        return AHEAD * max(1, self._count()) - len(self._futures)

    @property
    def trouble(self) -> str:
        """Whether workers are awaited."""
        return "" if self._count() else f"no worker has connected to {self.address} yet"

    def _count(self) -> int:
        """Return the number of the workers' threads, counted now and then."""
        if time.monotonic() - self._counted_at > COUNTED_EVERY:
            try:
                self._threads = sum(self._client.nthreads().values())
            except Exception:
                raise self._lost() from None
            self._counted_at = time.monotonic()
        return self._threads

    def submit(self, job: Job) -> None:
        """Give a job to the scheduler."""
        number = next(self._numbers)
        name = f"simtlab-{job.key}-{number}"
        try:
            future = self._client.submit(work, job, key=name, pure=False)
        except Exception:
            raise self._lost() from None
        self._futures[number] = future
        future.add_done_callback(partial(self._report, number, job))

    def _report(self, number: int, job: Job, future: Any) -> None:
        self._futures.pop(number, None)
        self._done.put((job, future))

    def answers(self, seconds: float) -> list[Answer]:
        """Wait up to this long for answers, and return those that have arrived."""
        found: list[Answer] = []
        with suppress(Empty):
            found.append(self._answer(*self._done.get(timeout=seconds)))
            while True:
                found.append(self._answer(*self._done.get_nowait()))
        if not found and self._client.status not in ("running", "connecting"):
            raise self._lost()
        return found

    def _answer(self, job: Job, future: Any) -> Answer:
        if future.status == "finished":
            try:
                return future.result(timeout=SECONDS)
            except Exception:
                raise self._lost() from None
        if future.status != "error":  # cancelled or lost: only a scheduler that ends does that
            raise self._lost()
        error = future.exception(timeout=SECONDS)
        if type(error).__name__ == "KilledWorker":  # dask has tried it several times
            return Answer(job, died=True, tried_enough=True)
        raise UsageError(
            f"a worker of {self.address} cannot simulate: {type(error).__name__}: {error}",
            code="SIM552",
            hint="install the same simtlab, dask and Python where the workers run",
        )

    def _lost(self) -> UsageError:
        return UsageError(
            f"the scheduler {self.address} has gone",
            code="SIM552",
            hint="finished runs are kept: start it again and give the same command",
        )

    def close(self) -> None:
        """Cancel what is not finished, and disconnect."""
        with suppress(Exception):
            self._client.cancel(list(self._futures.values()), force=True)
        with suppress(Exception):
            self._client.close(timeout=2)


def _client(address: str, seconds: float) -> Any:
    try:
        from distributed import Client
    except ImportError:
        raise UsageError(
            "sweeps on a cluster need dask.distributed, which is not installed",
            code="SIM520",
            hint="pip install 'simtlab[cluster]'",
        ) from None
    # What is lost and gained is our own report; dask's would come between the lines of progress.
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    connect: Callable[..., Any] = partial(Client, set_as_default=False, timeout=seconds)
    try:
        return connect(address)
    except (OSError, TimeoutError):
        reason = f"no scheduler answers at {address} within {seconds:g} seconds"
    except (ValueError, TypeError) as problem:
        reason = f"{address!r} is not the address of a scheduler: {problem}"
    # What is left of the client is a cycle that closes itself when it is collected, and waits for
    # the loop of all clients there. On the thread of that loop it would wait for itself.
    gc.collect()
    raise UsageError(
        reason,
        code="SIM552",
        hint="`dask scheduler` prints its address, such as tcp://10.0.0.1:8786; workers join it "
        "with `dask worker ADDRESS`",
    )
