"""A process of its own for each column, which prepares kernels and runs them when asked to."""

from __future__ import annotations

import importlib.util
import multiprocessing
import os
import sys
import tempfile
import time
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from . import columns
from .job import Job, Unavailable
from .problem import make

LONGEST = 300.0
"""Seconds after which a worker that does not answer is ended."""


def use_tree(tree: Path) -> None:
    """Make `import simtlab` find the checkout in `tree`."""
    spec = importlib.util.spec_from_file_location(
        "simtlab", tree / "__init__.py", submodule_search_locations=[str(tree)]
    )
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules["simtlab"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)


def turn(job: Job, seconds: float) -> list[float]:
    """Run for about `seconds` after one run that warms the caches; return the CPU time of each run.

    It is that of all threads. On one CPU it is the time of the run, less what other work took.
    """
    times, spent = [], 0.0
    while not times or spent < seconds:
        job.reset()
        start = time.process_time()
        job.run()
        times.append(time.process_time() - start)
        spent += times[-1]
    # Another column has used the caches since the last turn.
    return times[1:] or times


def serve(pipe: Connection, column: str, tree: Path, cpu: int, small: bool) -> None:
    """Answer each request with ("ok", value) or (what failed, text)."""
    if cpu >= 0 and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {cpu})
    job: Job | None = None
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        try:
            use_tree(tree)
            if column == "intel":
                from .opencl import use_wheel

                use_wheel(folder)
            module = columns.module_of(column)
            engine = "jit" if column == columns.OTHER_TREE else column
            pipe.send(("ok", module.probe(engine)))
        except Unavailable as reason:
            pipe.send(("unavailable", str(reason)))
            return
        while True:
            request, *given = pipe.recv()
            try:
                if request == "prepare":
                    (kernel,) = given
                    job = None  # its memory first
                    new = job = module.prepare(kernel, make(kernel, small=small), engine, folder)
                    new.reset()
                    new.run()
                    pipe.send(("ok", new.result()))
                elif request == "turn":
                    assert job is not None
                    pipe.send(("ok", turn(job, *given)))
                elif request == "result":
                    assert job is not None
                    pipe.send(("ok", job.result()))
                else:
                    return
            except Exception as error:  # a column that fails has a cell that says so
                text = getattr(error, "stderr", None) or str(error) or type(error).__name__
                pipe.send(("failed", text.strip().splitlines()[0][:200]))


class Failed(Exception):
    """What a worker reports, or that it ended."""


class Worker:
    """The process of one column."""

    def __init__(self, column: str, tree: Path, cpu: int, *, small: bool, folder: Path) -> None:
        self.column = column
        context = multiprocessing.get_context("spawn")
        self.pipe, other = context.Pipe()
        cache = folder / column
        cache.mkdir(exist_ok=True)
        before = dict(os.environ)
        os.environ |= columns.environment(column, cache)
        arguments = (other, column, tree, cpu, small)
        self.process = context.Process(target=serve, args=arguments, daemon=True)
        self.process.start()
        os.environ.clear()
        os.environ.update(before)
        other.close()

    def answer(self) -> Any:
        """Return the next answer. Raises Failed, and Unavailable for the first one."""
        try:
            if not self.pipe.poll(LONGEST):
                self.end()
                raise Failed(f"no answer within {LONGEST:g} s")
            status, value = self.pipe.recv()
        except (EOFError, OSError):
            self.process.join()
            raise Failed(f"the process ended with status {self.process.exitcode}") from None
        if status == "unavailable":
            raise Unavailable(value)
        if status == "failed":
            raise Failed(value)
        return value

    def ask(self, *request: object) -> Any:
        """Send a request and return its answer. Raises Failed."""
        try:
            self.pipe.send(request)
        except OSError:
            raise Failed("the process has ended") from None
        return self.answer()

    def end(self) -> None:
        """End the process."""
        try:
            self.pipe.send(("end",))
        except OSError:
            pass
        self.process.join(2)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()
