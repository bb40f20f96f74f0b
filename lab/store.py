"""The store of results: runs are simulated once, and found again.

store = Store()
results = store.run([Run("dws/merge", "small", policy=p) for p in ("conv", "dws.lazy-split")])
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

from platformdirs import user_data_path

from ..emu.frames import frame_of
from ..isa import expect
from ..isa.errors import SimtError, UsageError
from .database.database import WITH_FIELDS, Database
from .database.errors import StoreError
from .database.queries import Queries
from .database.records import outcome_of
from .driver import Watcher, drive
from .runs.execute import RESOLVER, Look
from .runs.resolve import Resolved
from .runs.result import Failure, RunOutcome
from .runs.run import Run
from .workers.cluster import ClusterPool
from .workers.inline import InlinePool
from .workers.local import LocalPool
from .workers.work import Pool

VARIABLE = "SIMTLAB_STORE"
"""Environment variable: another file for the store of results."""

MOST_WORKERS = 1024


def default_path() -> Path:
    """Return where results are kept by default: SIMTLAB_STORE, or the data folder."""
    chosen = os.environ.get(VARIABLE)
    return Path(chosen) if chosen else user_data_path("simtlab") / "results.db"


class Store:
    """The results in a file; the default one unless `path` names another.

    Several processes may use a store at once. Raises StoreError for a file that is not a store.
    """

    def __init__(self, path: str | os.PathLike[str] | None = None, *, must_exist: bool = False):
        self.path = default_path() if path is None else Path(expect.path(path, "a store"))
        if must_exist and not self.path.exists():
            raise StoreError(
                f"the store {self.path} does not exist",
                code="SIM510",
                hint="`simtlab sweep` makes one; --store names another",
            )
        folder = self.path.parent
        if path is None and not os.environ.get(VARIABLE):
            try:
                folder.mkdir(parents=True, exist_ok=True)
            except OSError as problem:
                reason = (problem.strerror or str(problem)).lower()
                raise StoreError(
                    f"cannot make the folder {folder}: {reason}",
                    code="SIM511",
                    hint=f"name a store with --store FILE, or in {VARIABLE}",
                ) from None
        elif not folder.is_dir():
            raise StoreError(
                f"the folder {folder} does not exist; it would hold the store",
                code="SIM511",
                hint=f"mkdir {folder}",
            )
        self.database = Database(self.path)

    # --- simulating

    def run(
        self,
        runs: Iterable[Run],
        *,
        workers: int = 1,
        scheduler: str | None = None,
        watcher: Watcher | None = None,
        look: Look | None = None,
        retry: bool = False,
    ) -> list[RunOutcome]:
        """Return a result or a failure for each run, in order; simulate those that are missing.

        One worker is this process; more are processes of their own. `scheduler` is the address of a
        dask scheduler whose workers simulate instead. `look` sees each simulation of this process.
        With `retry`, runs that have failed before are simulated again. Raises StoreError, and
        UsageError for workers that there cannot be; KeyboardInterrupt if interrupted, when
        everything that is finished is kept.
        """
        wanted = list(runs)
        resolved, refused = self.resolve(wanted)
        failures = self.complete(
            list(resolved.values()),
            workers=workers,
            scheduler=scheduler,
            watcher=watcher,
            look=look,
            retry=retry,
        )
        found = self.outcomes({r.run: r.key for r in resolved.values()})
        unkept = {run: failures.get(r.key) for run, r in resolved.items()}
        return [refused.get(run) or found.get(run) or _missing(run, unkept) for run in wanted]

    def resolve(self, runs: Iterable[Run]) -> tuple[dict[Run, Resolved], dict[Run, Failure]]:
        """Return the runs with what their results depend on, and those that cannot be run."""
        resolved: dict[Run, Resolved] = {}
        refused: dict[Run, Failure] = {}
        for run in runs:
            if run in resolved or run in refused:
                continue
            try:
                resolved[run] = RESOLVER.resolved(run)
            except SimtError as error:
                if not isinstance(run, Run):
                    raise
                refused[run] = Failure.of(run, error)
        return resolved, refused

    def complete(
        self,
        runs: Sequence[Resolved],
        *,
        workers: int = 1,
        scheduler: str | None = None,
        watcher: Watcher | None = None,
        look: Look | None = None,
        retry: bool = False,
    ) -> dict[str, Failure]:
        """Simulate those runs that are missing; return failures that are not kept, by key."""
        count = expect.whole(workers, "workers", 1, MOST_WORKERS)
        if scheduler is not None and count > 1:
            raise UsageError(
                "workers and a scheduler exclude each other: the scheduler has workers of its own",
                code="SIM517",
            )
        present = self.database.present(r.key for r in runs) if not retry else set()
        missing = len({r.key for r in runs} - present)
        pool: Pool = InlinePool(look)
        if missing and scheduler is not None:
            pool = ClusterPool(scheduler)
        elif missing and count > 1:
            pool = LocalPool(min(count, missing))
        return drive(self.database, runs, pool, watcher or Watcher(), retry=retry)

    # --- reading

    def find(self, run: Run) -> RunOutcome | None:
        """Return the outcome of a run, if it is in the store. Raises SimtError."""
        key = RESOLVER.resolved(run).key
        return self.outcomes({run: key}).get(run)

    def outcomes(self, keys: Mapping[Run, str]) -> dict[Run, RunOutcome]:
        """Return the outcomes of runs by their keys, as far as they are in the store."""
        rows = {row["key"]: row for row in self.database.rows(dict.fromkeys(keys.values()))}
        found: dict[Run, RunOutcome] = {}
        for run, key in keys.items():
            if key in rows:
                found[run] = self._outcome(rows[key], run)
        return found

    def table(self, keys: Iterable[str]) -> dict[str, dict[str, Any]]:
        """Return the numbers of runs by their keys, or code and message of a failure."""
        columns = "r.key, r.numbers, r.digest, r.memory_digest, r.host_seconds, r.error"
        select = f"SELECT {columns}, r.diagnostic FROM results r"
        return {
            row["key"]: _numbers(row) for row in self.database.rows(dict.fromkeys(keys), select)
        }

    def sql(self, query: str, values: Sequence[object] = ()) -> list[dict[str, Any]]:
        """Return the rows of an SQL query over the view `runs`. Raises UsageError.

        `runs` has a column for each name and number of a result, and for each field of a machine
        that a run has replaced: `SELECT policy, avg(cycles) FROM runs GROUP BY policy`.
        """
        with closing(Queries(self.database)) as queries:
            return queries.rows(query, values)

    def select(self, where: str | None = None, columns: str = "*") -> list[dict[str, Any]]:
        """Return the rows of `runs` for which an SQL condition is true, oldest first."""
        with closing(Queries(self.database)) as queries:
            return queries.selected(where, columns)

    def fields(self) -> tuple[str, ...]:
        """Return the fields of machines that runs have replaced: columns of `runs`."""
        with closing(Queries(self.database)) as queries:
            return queries.fields

    def to_frame(self, where: str | None = None) -> Any:
        """Return the same as a pandas DataFrame. Raises UsageError without pandas."""
        return frame_of(self.select(where))

    def load(self, key: str) -> RunOutcome:
        """Return the outcome of a key, or of the beginning of one. Raises UsageError."""
        pattern = "".join(c for c in key if c.isalnum()) + "%"
        found = self.database.query(f"{WITH_FIELDS} WHERE r.key LIKE ? LIMIT 2", (pattern,))
        if len(found) != 1 or not key:
            what = "no result" if not found else "more than one result"
            raise UsageError(
                f"the store {self.path} has {what} whose key begins with {key!r}",
                code="SIM500",
                hint="`simtlab results list` shows the keys",
            )
        return self._outcome(found[0])

    def remove(self, where: str) -> int:
        """Remove the results for which an SQL condition is true; return how many there were."""
        keys = [row["key"] for row in self.select(where, "key")]
        self.database.remove(keys)
        if keys:
            self.database.shrink()
        return len(keys)

    def _outcome(self, row: object, run: Run | None = None) -> RunOutcome:
        try:
            return outcome_of(row, run)
        except (ValueError, KeyError, TypeError):
            key = row["key"]  # pyright: ignore[reportIndexIssue]
            raise StoreError(
                f"the result {key} in the store {self.path} is damaged",
                hint=f"`simtlab results prune --where \"key = '{key}'\"` removes it",
            ) from None

    def close(self) -> None:
        """Close the file."""
        self.database.close()

    def __repr__(self) -> str:
        return f"Store({str(self.path)!r})"


def _numbers(row: Any) -> dict[str, Any]:
    if row["error"] is not None:
        return {"error": row["error"], "message": json.loads(row["diagnostic"])["message"]}
    names = ("digest", "memory_digest", "host_seconds", "key")
    return {**json.loads(row["numbers"]), **{name: row[name] for name in names}}


def _missing(run: Run, unkept: Mapping[Run, Failure | None]) -> Failure:
    """Return the failure of a run that the store has nothing of."""
    failure = unkept.get(run)
    if failure is None:  # another process has removed the result since
        error = UsageError("the result was removed from the store", code="SIM550")
        return Failure.of(run, error)
    return replace(failure, run=run)
