"""What statistics cost: launches with and without them, CPU time in ms, on one core.

    python bench/counting.py                          # all kernels of bench/kernels and programs
    python bench/counting.py bitonic basics/scan --rounds 9

Each round runs all launches of a kernel or program without statistics, then with them, from the
same inputs; a figure is the least of the rounds, and the ratio is the median of the rounds' ratios.
Preparing launches is included, compiling is not. Programs have the size `paper`. `by` is the engine
that counted: the interpreter where native code cannot.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, cast

from peers.problem import NAMES, folder_of, make
from peers.python import simtlab_job

import simtlab
from simtlab.programs import catalogue, find
from simtlab.programs.runner import Inputs, PlainLauncher

SHORT = 0.02
"""Seconds of CPU time that a measurement takes at least: shorter ones are repeated."""


class Todo(NamedTuple):
    """`prepare` inputs, then `run` all launches, which returns the engine that ran them."""

    prepare: Callable[[], object]
    run: Callable[[], str]


def todo(name: str, size: str, *, stats: bool) -> Todo:
    """What one kernel or program is to do."""
    if "/" not in name:
        problem = make(name)
        job = simtlab_job(folder_of(name) / "kernel.sasm", problem, "jit", stats=stats)
        return Todo(job.reset, lambda: _engines(cast("list[Any]", job.run())))
    entry = find(name)
    module = simtlab.Module(entry.assemble())
    inputs = Inputs(entry, size, 0)
    fresh: list[dict[str, object]] = []

    def run() -> str:
        launcher = PlainLauncher(module, stats=stats)
        entry.workload.launch(launcher, fresh.pop())
        return _engines(launcher.results)

    return Todo(lambda: fresh.append(inputs.fresh()), run)


def _engines(results: Iterable[Any]) -> str:
    return "+".join(sorted({result.engine for result in results}))


def measured(work: Todo) -> tuple[float, str]:
    """Seconds of CPU time of one run, and who ran it."""
    spent, runs, by = 0.0, 0, ""
    while spent < SHORT:
        work.prepare()
        start = time.process_time()
        by = work.run()
        spent += time.process_time() - start
        runs += 1
    return spent / runs, by


def main() -> None:
    """Print a line per kernel and program."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("names", nargs="*", help="kernels of bench/kernels, or folder/program")
    options.add_argument("--size", default="paper", help="of programs")
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--cpu", type=int, default=(os.cpu_count() or 1) - 1)
    given = options.parse_args()
    os.sched_setaffinity(0, {given.cpu})
    names = given.names or [*NAMES, *(entry.name for entry in catalogue())]
    print(f"{'launches of':<24}{'without':>9}{'with':>9}{'ratio':>7}  by")
    for name in names:
        plain, counted = (todo(name, given.size, stats=stats) for stats in (False, True))
        (_, engine), (_, by) = measured(plain), measured(counted)
        if engine != "jit" or by != "jit":
            print(f"{name:<24}{'':>25}  {by} (without: {engine})", flush=True)
            continue
        rounds = [(measured(plain)[0], measured(counted)[0]) for _ in range(given.rounds)]
        without, with_ = (min(times) * 1e3 for times in zip(*rounds, strict=True))
        ratio = statistics.median(b / a for a, b in rounds)
        print(f"{name:<24}{without:>9.3g}{with_:>9.3g}{ratio:>7.2f}  {by}", flush=True)


if __name__ == "__main__":
    main()
