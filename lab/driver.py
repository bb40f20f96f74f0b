"""The loop of a sweep: claim runs, let a pool simulate them, keep what comes back.

The store is the only memory: what is in it is finished, everything else is still to be done. So a
sweep may be ended at any moment, and several processes may work on one store.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import islice

from ..isa.errors import SimtError, UsageError
from .database import claims
from .database.database import Database
from .database.errors import StoreError
from .runs.resolve import Resolved
from .runs.result import Failure
from .workers.work import Answer, Job, Pool

TRIES = 2
"""How many workers may die of one run."""

POLL = 0.25
"""Seconds between looks for what other processes have finished."""

BATCH = 16
"""Most jobs that are claimed in one transaction."""


class Watcher:
    """What a sweep reports while it runs; this one shows nothing."""

    def begin(self, total: int, found: int) -> None:
        """Receive the number of different runs, and how many of them are in the store already."""

    def finished(self, failure: Failure | None, *, elsewhere: bool = False) -> None:
        """Receive a run that is finished, by another process if `elsewhere`."""

    def waiting(self, text: str) -> None:
        """Receive the reason for a pause; an empty text at its end."""


def drive(
    database: Database, runs: Sequence[Resolved], pool: Pool, watcher: Watcher, *, retry: bool
) -> dict[str, Failure]:
    """Simulate those runs that the store has no result for; return failures that it does not keep.

    With `retry`, kept failures are simulated again. Raises StoreError if the store cannot be used
    any more, and KeyboardInterrupt; claims are given up and finished runs are kept in every case.
    """
    return _Drive(database, runs, pool, watcher, retry=retry).all()


class _Drive:
    """One call of `drive`."""

    def __init__(
        self,
        database: Database,
        runs: Sequence[Resolved],
        pool: Pool,
        watcher: Watcher,
        *,
        retry: bool,
    ) -> None:
        self.database = database
        self.pool = pool
        self.watcher = watcher
        jobs = {r.key: (r, Job(r.run, r.key, tuple(r.parts.items()))) for r in runs}
        if retry:
            self._forget_failures(list(jobs))
        done = database.present(jobs)
        # Runs with the same inputs follow each other, so that a worker makes them once.
        order = sorted(
            (r for key, (r, _) in jobs.items() if key not in done),
            key=lambda r: (r.run.program, r.run.size, r.run.seed),
        )
        self.pending = {r.key: jobs[r.key][1] for r in order}
        self.engines = {r.key: r.parts["engine"] for r in order}
        self.total, self.found = len(jobs), len(done)
        self.flying: dict[str, Job] = {}
        self.tries: dict[str, int] = {}
        self.failures: dict[str, Failure] = {}
        self.prepared: set[str] = set()
        self.preparing: set[str] = set()

    def _forget_failures(self, keys: list[str]) -> None:
        rows = self.database.rows(keys, "SELECT r.key, r.error FROM results r")
        self.database.remove([row["key"] for row in rows if row["error"] is not None])

    def all(self) -> dict[str, Failure]:
        self.watcher.begin(self.total, self.found)
        if not self.pending:
            return self.failures
        with _renewed(self.database):
            try:
                while self.pending or self.flying:
                    self._submit()
                    answers = self.pool.answers(POLL) if self.flying or self.preparing else []
                    self._take(answers)
            finally:
                self.pool.close()
                with suppress(StoreError):
                    self.database.release()
        return self.failures

    # --- out

    def _submit(self) -> None:
        """Give the pool as many runs as it has room for; wait a little if others have them all."""
        room = min(self.pool.room, BATCH)
        if room <= 0 or not self.pending:
            return
        first = list(islice(filter(self._has_engine, self.pending.values()), 4 * BATCH))
        if not first:
            return
        claimed = self.database.claim((job.key for job in first), room)
        for key in claimed.finished:
            del self.pending[key]
            self.watcher.finished(None, elsewhere=True)
        for key in claimed.mine:
            self.flying[key] = self.pending.pop(key)
            self.pool.submit(self.flying[key])
        for key in claimed.busy:  # to the end
            self.pending[key] = self.pending.pop(key)
        if claimed.busy and not self.flying and not claimed.finished:
            self.watcher.waiting("another process simulates what is left")
            time.sleep(POLL)

    def _has_engine(self, job: Job) -> bool:
        """Return whether a run need not wait for its engine to be compiled by another worker."""
        engine = self.engines[job.key]
        if not self.pool.shares_engines or engine in self.prepared:
            return True
        if engine not in self.preparing and self.pool.room > 0:
            self.preparing.add(engine)
            self.pool.submit(Job(job.run, "", engine=engine))
        return False

    # --- back

    def _take(self, answers: Sequence[Answer]) -> None:
        self.watcher.waiting(self.pool.trouble)
        records = [a.record for a in answers if a.record is not None]
        if records:
            self.database.save(records)
        for answer in answers:
            job = answer.job
            if job.engine:  # also where it failed: its runs then say so themselves
                self.prepared.add(job.engine)
                self.preparing.discard(job.engine)
            elif not (answer.died and self._tries_again(answer)):
                self._finish(answer)

    def _finish(self, answer: Answer) -> None:
        job, failure = answer.job, answer.failure
        if answer.died:
            failure = Failure.of(job.run, _died(), job.key)
        if failure is not None and answer.record is None:
            self.failures[job.key] = failure
            self.database.release(job.key)
        del self.flying[job.key]
        self.watcher.finished(failure)

    def _tries_again(self, answer: Answer) -> bool:
        """Give the run of a worker that died to another one, unless that has happened before."""
        job = answer.job
        self.tries[job.key] = self.tries.get(job.key, 0) + answer.began
        if self.tries[job.key] >= TRIES or answer.tried_enough:
            return False
        self.pool.submit(job)
        return True


def _died() -> UsageError:
    return UsageError(
        "every worker that simulated this run has died, two at least",
        code="SIM553",
        hint="a worker dies if the system is out of memory, or if an engine file of your own "
        "accesses memory that it does not have: `simtlab time --checked` names its line",
    )


@contextmanager
def _renewed(database: Database) -> Iterator[None]:
    """Renew the claims of this process in a thread, also while a simulation takes long."""
    over = threading.Event()

    def renew() -> None:
        while not over.wait(claims.LEASE / 4):
            with suppress(SimtError):
                database.renew()
        database.close()

    thread = threading.Thread(target=renew, name="simtlab-claims", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
