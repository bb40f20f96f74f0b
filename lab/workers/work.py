"""The work of a worker: one run, and what becomes of it."""

from __future__ import annotations

import traceback
from dataclasses import dataclass
from typing import Any, Protocol

from ...isa.errors import Outcome, SimtError, UsageError
from ..database.records import Record, record_of
from ..runs.execute import RESOLVER, Look, execute, prepare_engine
from ..runs.resolve import Resolved
from ..runs.result import Failure
from ..runs.run import Run


@dataclass(frozen=True)
class Job:
    """A run to be simulated under its key.

    With the digest of an `engine`, that engine is to be made ready and nothing is simulated.
    """

    run: Run
    key: str
    parts: tuple[tuple[str, str], ...] = ()
    """The digests that make the key, to say which of them differs."""
    engine: str = ""


@dataclass(frozen=True)
class Answer:
    """What became of a job: a record to keep, or a failure that is not kept.

    It has neither if the worker died, or if the job was to prepare an engine.
    """

    job: Job
    record: Record | None = None
    failure: Failure | None = None
    died: bool = False
    """The worker died while it had this job."""
    began: bool = True
    """Of a worker that died: it was simulating this job, which counts as a try."""
    tried_enough: bool = False
    """Several workers have died of it already."""


class Pool(Protocol):
    """Workers: they take jobs and answer them, in any order."""

    @property
    def room(self) -> int:
        """The number of jobs that it takes now: enough to keep the workers busy."""
        ...

    @property
    def trouble(self) -> str:
        """Why no job is being done at the moment; empty if all is well."""
        ...

    @property
    def shares_engines(self) -> bool:
        """Whether compiled engines are worth preparing before the first run of each."""
        ...

    def submit(self, job: Job) -> None:
        """Take a job."""
        ...

    def answers(self, seconds: float) -> list[Answer]:
        """Wait up to this long for answers, and return those that have arrived."""
        ...

    def close(self) -> None:
        """End the workers; jobs without an answer are lost."""
        ...


def work(job: Job, look: Look | None = None) -> Answer:
    """Do a job in this process. Whatever goes wrong is in the answer, except an interrupt."""
    try:
        if job.engine:
            prepare_engine(job.run)
            return Answer(job)
        resolved = _unchanged(job)
        try:
            result = execute(resolved, look)
        except SimtError as error:
            if error.outcome is Outcome.INTERRUPTED:
                raise KeyboardInterrupt from None
            failure = Failure.of(job.run, error, job.key)
            return Answer(job, record_of(resolved, failure) if failure.kept else None, failure)
        _unchanged(job)  # nor while it ran
        return Answer(job, record_of(resolved, result))
    except SimtError as error:
        return Answer(job, failure=Failure.of(job.run, error, job.key))
    except MemoryError:
        error = UsageError("out of memory", code="SIM513", hint="use a smaller size")
        return Answer(job, failure=Failure.of(job.run, error, job.key))
    except Exception as error:
        return Answer(job, failure=Failure.of(job.run, _bug(error), job.key))


def _unchanged(job: Job) -> Resolved:
    """Return the run with its program, machine and policy. Raises UsageError if they differ."""
    resolved = RESOLVER.resolved(job.run)
    if not job.key or resolved.key == job.key:
        return resolved
    differ = [name for name, digest in job.parts if resolved.parts.get(name) != digest]
    if "simtlab" in differ:
        raise UsageError(
            "the worker has another version of simtlab than the sweep",
            code="SIM552",
            hint="install the same one in both places",
        )
    raise UsageError(
        f"files of the run have changed since the sweep began: {', '.join(differ)}",
        code="SIM551",
        hint="give the same command again: what is finished is kept",
    )


def _bug(error: Exception) -> SimtError:
    last: Any = (traceback.extract_tb(error.__traceback__) or [None])[-1]
    where = f" ({last.filename}:{last.lineno})" if last is not None else ""
    return UsageError(
        f"this is a bug in simtlab: {type(error).__name__}: {error}{where}",
        code="SIM000",
        hint="please report it with the command line and what `simtlab doctor` prints",
    )
