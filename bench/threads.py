"""What a second thread costs: CPU time of launches on one thread, and on two, by thread.

python bench/threads.py [--rounds 7]

On a busy machine the time on the wall says nothing. CPU time does: `gain` is the CPU time of one
thread over that of the busier one of two, which is what two free cores would gain. Threads take
parts of a launch one after the other, so the thread that the system runs less takes fewer; `even`
is the gain if each took half.
"""

from __future__ import annotations

import argparse
import statistics
import time
from functools import partial
from typing import Any

import numpy as np

import simtlab
from simtlab.programs import find
from simtlab.programs.runner import PlainLauncher
from simtlab.programs.workload import Workload

SIZES = {
    "basics/mandelbrot": {"width": 4096, "height": 4096},
    "basics/collatz": {"n": 1 << 23},
    "basics/matmul": {"m": 1024, "k": 1024, "n": 1024},
}
"""Compute-bound programs, at sizes that take about half a second: each is one launch."""


def spent(
    module: simtlab.Module, workload: Workload, data: dict[str, Any], threads: int
) -> tuple[float, float]:
    """CPU seconds of all threads, and of the busier one of two."""
    launcher = PlainLauncher(module, threads=threads)
    whole, own = time.process_time(), time.thread_time()
    workload.launch(launcher, data)
    whole, own = time.process_time() - whole, time.thread_time() - own
    return whole, max(own, whole - own)


def main() -> None:
    """Print a line per program."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--rounds", type=int, default=7)
    given = options.parse_args()
    head = ("one, ms", 9), ("two, ms", 9), ("growth", 8), ("busier", 8), ("gain", 6), ("even", 6)
    print(f"{'program':<22}" + "".join(f"{text:>{width}}" for text, width in head))
    for name, sizes in SIZES.items():
        entry = find(name)
        module = simtlab.Module(entry.assemble())
        sizes = {**entry.workload.sizes["paper"], **sizes}
        data = entry.workload.make(np.random.default_rng(0), **sizes)
        run = partial(spent, module, entry.workload, data)
        for threads in (1, 2):
            run(threads)
        rounds = [(run(1)[0], *run(2)) for _ in range(given.rounds)]
        one, two, busier = (statistics.median(column) for column in zip(*rounds, strict=True))
        growth = statistics.median(b / a for a, b, _ in rounds)
        gain = statistics.median(a / c for a, _, c in rounds)
        print(
            f"{entry.name:<22}{one * 1e3:>9.1f}{two * 1e3:>9.1f}{growth:>8.2f}"
            f"{busier / two:>8.0%}{gain:>6.2f}{2 / growth:>6.2f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
