"""simtlab beside NumPy, numba and plain C: seven kernels, every answer checked.

    python bench/compare.py                       # a few minutes, most of them the interpreter's
    python bench/compare.py -c jit gcc -k saxpy collatz
    python bench/compare.py --small               # seconds: does everything work here?

All columns of a kernel take turns in one process, run by run, so that a busy minute of the machine
is every column's; ratios are between columns of one run of this program. What is timed is the
computing: data are in place, and code has been compiled by a run before, unless a column takes so
long (`--patience`) that its first run is its only one. NumPy's time for the sort is `np.sort`'s.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numba
import numpy as np
import peers_column
import rivals
import seven
from peers_column import Job

import simtlab

Columns = dict[str, Callable[[Any], Job]]

MOST_ROUNDS = 50


@dataclass
class Cell:
    """A kernel under a column: its seconds, run by run, or what is wrong with its answer."""

    kernel: str
    column: str
    work: int
    unit: str
    first: float = 0.0
    seconds: list[float] = field(default_factory=list)
    wrong: str = ""

    @property
    def median(self) -> float:
        return statistics.median(self.seconds)


def columns_here(folder: str) -> tuple[Columns, dict[str, str], list[str]]:
    """The columns that can run here, what each is, and what is missing."""
    columns: Columns = {e: partial(peers_column.make, engine=e) for e in ("jit", "interp")}
    what = {engine: f"simtlab {simtlab.__version__}, engine {engine}" for engine in columns}
    missing = []
    if shutil.which("gcc"):
        try:
            columns["gcc"] = partial(rivals.c_job, library=rivals.compile_c(folder))
        except subprocess.CalledProcessError as error:
            missing.append(f"gcc: it does not compile bench/plain.c: {error.stderr.strip()}")
        else:
            version = subprocess.check_output(["gcc", "-dumpfullversion"], text=True).strip()
            what["gcc"] = f"gcc {version}, {' '.join(rivals.GCC[1:3])}, plain loops"
    else:
        missing.append("gcc: not installed")
    columns["numba"] = rivals.numba_job
    what["numba"] = f"numba {numba.__version__}, @njit on plain loops, one thread"
    columns["numpy"] = rivals.numpy_job
    what["numpy"] = f"NumPy {np.__version__}"
    return columns, what, missing


def timed(job: Job) -> float:
    job.reset()
    start = time.perf_counter()
    job.run()
    return time.perf_counter() - start


def measure(
    kernel: str, columns: Columns, *, small: bool, seconds: float, patience: float
) -> list[Cell]:
    """All columns on one kernel, taking turns; answers are checked before and after."""
    problem = seven.make(kernel, small=small)
    jobs: list[tuple[Cell, Job]] = []
    cells = []
    for column, make in columns.items():
        job = make(problem)
        cell = Cell(kernel, column, problem.work, problem.unit)
        cells.append(cell)
        cell.first = timed(job)
        cell.wrong = seven.complaint(problem, job.result())
        if cell.first > patience:
            cell.seconds.append(cell.first)
        elif not cell.wrong:
            jobs.append((cell, job))
    end = time.perf_counter() + seconds * len(jobs)
    rounds = 0
    while jobs and (rounds < 3 or (rounds < MOST_ROUNDS and time.perf_counter() < end)):
        rounds += 1
        for cell, job in jobs:
            cell.seconds.append(timed(job))
    for cell, job in jobs:
        cell.wrong = seven.complaint(problem, job.result())
    return cells


def duration(seconds: float) -> str:
    """Three significant digits with a unit."""
    scale, unit = next(
        ((s, u) for s, u in ((1.0, "s"), (1e-3, "ms")) if seconds >= s), (1e-6, "µs")
    )
    return f"{seconds / scale:.3g} {unit}"


def table(corner: str, columns: list[str], rows: Mapping[str, list[str]]) -> str:
    """Markdown."""
    lines = [[corner, *columns], ["---", *("---:" for _ in columns)]]
    lines += [[name, *cells] for name, cells in rows.items()]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def report(cells: list[Cell], what: Mapping[str, str], missing: list[str]) -> str:
    """Median and minimum of every cell, and times relative to the first column."""
    kernels = list(dict.fromkeys(cell.kernel for cell in cells))
    columns = list(dict.fromkeys(cell.column for cell in cells))
    by = {(cell.kernel, cell.column): cell for cell in cells}

    def shown(cell: Cell) -> str:
        if cell.wrong:
            return "wrong"
        if len(cell.seconds) == 1:
            return f"{duration(cell.median)} (one run)"
        return f"{duration(cell.median)} ({duration(min(cell.seconds))})"

    times = {k: [shown(by[k, c]) for c in columns] for k in kernels}
    parts = ["Median (minimum) time:", table("kernel", columns, times)]
    base = columns[0]
    ratios = {
        k: [by[k, c].median / by[k, base].median for c in columns[1:]]
        for k in kernels
        if not any(by[k, c].wrong for c in columns)
    }
    if columns[1:] and ratios:
        mean = [math.exp(statistics.fmean(map(math.log, c))) for c in zip(*ratios.values())]  # noqa: B905
        ratios["geometric mean"] = mean
        rows = {k: [f"{ratio:.3g}" for ratio in values] for k, values in ratios.items()}
        parts += [f"Time relative to `{base}` (medians):", table("kernel", columns[1:], rows)]
    parts.append("\n".join(f"- `{c}`: {what[c]}" for c in columns))
    notes = [f"- {c.kernel}, {c.column}: {c.wrong}" for c in cells if c.wrong]
    notes += [f"- not here: {line}" for line in missing]
    return "\n\n".join([*parts, *(["\n".join(notes)] if notes else [])])


def machine() -> dict[str, object]:
    """What a reader of the numbers needs to know about where they come from."""
    return {
        "machine": platform.machine(),
        "processor": platform.processor(),
        "cpus": os.cpu_count(),
        "system": platform.system(),
        "python": platform.python_version(),
    }


def main() -> int:
    """Exit status 1 where an answer is wrong."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("-k", "--kernels", nargs="+", choices=seven.FULL, default=list(seven.FULL))
    options.add_argument("-c", "--columns", nargs="+", help="jit interp gcc numba numpy")
    options.add_argument("--small", action="store_true", help="sizes for a test of the program")
    options.add_argument("--seconds", type=float, default=1.0, help="time per cell, about")
    options.add_argument(
        "--patience", type=float, default=4.0, help="what takes longer is run once"
    )
    options.add_argument("--out", type=Path, help="a JSON file with every run")
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        columns, what, missing = columns_here(folder)
        chosen = given.columns or list(columns)
        if unknown := [c for c in chosen if c not in columns]:
            options.error(f"no column {unknown[0]!r} here; there are {', '.join(columns)}")
        cells: list[Cell] = []
        for kernel in given.kernels:
            latest = measure(
                kernel,
                {c: columns[c] for c in chosen},
                small=given.small,
                seconds=0.02 if given.small else given.seconds,
                patience=given.patience,
            )
            cells += latest
            line = ", ".join(f"{c.column} {c.wrong or duration(c.median)}" for c in latest)
            print(f"{kernel}: {line}", file=sys.stderr, flush=True)
    print(report(cells, what, missing if given.columns is None else []))
    if given.out:
        results = {"machine": machine(), "columns": what, "results": [asdict(c) for c in cells]}
        given.out.write_text(json.dumps(results, indent=1) + "\n")
    return int(any(cell.wrong for cell in cells))


if __name__ == "__main__":
    sys.exit(main())
