"""simtlab beside ISPC, OpenCL runtimes, plain C and numba: the same kernels, every answer checked.

    python bench/compare.py                       # some minutes
    python bench/compare.py -k saxpy edit -c jit ispc-x16
    python bench/compare.py --compare ../before   # this checkout beside another one
    python bench/compare.py --small               # seconds: does everything work here?
    python bench/compare.py --others              # kernels of other kinds, in bench/others

Each column is a process of its own, and all are pinned to one CPU. They take turns at a kernel, in
rounds, so that a busy minute of the machine is every column's. What is measured is the CPU time of
the computing: data are in place, and code has been compiled by a run before. Compare numbers of one
run only.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

from peers.columns import COLUMNS, OTHER_TREE
from peers.job import Unavailable
from peers.problem import NAMES, OTHER_NAMES
from peers.report import COMMAND, best_ratios, geometric, marks, put_into, report
from peers.rounds import Cell, measure
from peers.worker import Failed, Worker

HERE = Path(__file__).resolve().parents[1]


def start(
    names: list[str], other: Path | None, cpu: int, *, small: bool, folder: Path
) -> tuple[list[Worker], dict[str, str], dict[str, str]]:
    """The workers of the columns, what each is, and why others cannot run."""
    workers, versions, missing = [], {}, {}
    for name in names:
        tree = other if name == OTHER_TREE and other else HERE
        worker = Worker(name, tree, cpu, small=small, folder=folder)
        try:
            versions[name] = worker.answer()
        except (Unavailable, Failed) as reason:
            missing[name] = str(reason)
            worker.end()
        else:
            workers.append(worker)
    return workers, versions, missing


def machine() -> dict[str, object]:
    """What a reader of the numbers needs to know about where they come from."""
    processor, cpuinfo = platform.processor(), Path("/proc/cpuinfo")
    if cpuinfo.exists():
        lines = (line.split(":", 1) for line in cpuinfo.read_text().splitlines() if ":" in line)
        facts = {name.strip(): value.strip() for name, value in lines}
        if "model name" in facts:
            processor = "{model name}, family {cpu family}, model {model}".format_map(facts)
    return {
        "machine": platform.machine(),
        "processor": processor,
        "cpus": os.cpu_count(),
        "system": platform.system(),
        "python": platform.python_version(),
    }


def parser() -> argparse.ArgumentParser:
    """The options."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for flags, choices in (
        (("-k", "--kernels"), (*NAMES, *OTHER_NAMES)),
        (("-c", "--columns"), tuple(COLUMNS)),
    ):
        options.add_argument(
            *flags, choices=choices, nargs="+", metavar="NAME", help=", ".join(choices)
        )
    options.add_argument(
        "--others",
        action="store_true",
        help="all kernels of bench/others in place of the usual ones",
    )
    options.add_argument("--compare", type=Path, metavar="TREE", help="a checkout to compare with")
    options.add_argument("--small", action="store_true", help="sizes for a test of the program")
    options.add_argument("--rounds", type=int, default=7, metavar="N", help="default 7")
    options.add_argument(
        "--seconds", type=float, default=0.05, metavar="S", help="a column's turn, default 0.05"
    )
    options.add_argument(
        "--cpu", type=int, default=(os.cpu_count() or 1) - 1, help="to pin to; -1: none"
    )
    options.add_argument("--json", type=Path, metavar="FILE", help="write every round")
    options.add_argument("--page", type=Path, metavar="FILE", help="put the tables into a page")
    return options


def main() -> int:
    """Exit status 1 where an answer is wrong or a column fails."""
    options = parser()
    given = options.parse_args()
    if given.rounds < 1:
        options.error("--rounds: expected 1 or more")
    if given.compare and not (given.compare / "__init__.py").exists():
        options.error(f"--compare: {given.compare} is not a checkout of simtlab")
    command = f"{COMMAND} --others" if given.others else COMMAND
    begin, _ = marks(command)
    if given.page and not (given.page.exists() and begin in given.page.read_text("utf-8")):
        options.error(f"--page: expected a file with a line {begin}: {given.page}")
    usual = ["jit"] if given.compare else [c.name for c in COLUMNS.values() if c.usual]
    names = list(given.columns or usual) + ([OTHER_TREE] if given.compare else [])
    cells: list[Cell] = []
    with tempfile.TemporaryDirectory() as folder:
        workers, versions, missing = start(
            names, given.compare, given.cpu, small=given.small, folder=Path(folder)
        )
        try:
            for kernel in given.kernels or (OTHER_NAMES if given.others else NAMES):
                latest = measure(
                    kernel,
                    workers,
                    small=given.small,
                    rounds=given.rounds,
                    seconds=0.0 if given.small else given.seconds,
                )
                cells += latest
                each = (f"{c.column} {c.wrong or f'{c.median * 1e3:.3g}'}" for c in latest)
                print(f"{kernel}: {', '.join(each)}", file=sys.stderr, flush=True)
        finally:
            for worker in workers:
                worker.end()
    cpu = machine()["processor"]
    text = report(cells, versions, missing) + f"\n\nThe CPU: {cpu}."
    print(text)
    if given.page:
        put_into(given.page, text, command)
    if given.json:
        by = {(cell.kernel, cell.column): cell for cell in cells}
        ratios = best_ratios(list(dict.fromkeys(cell.kernel for cell in cells)), by)
        results = {
            "machine": machine(),
            "columns": versions,
            "missing": missing,
            "ratios": ratios,
            "mean": geometric(ratios.values()) if ratios else None,
            "results": [asdict(cell) for cell in cells],
        }
        given.json.write_text(json.dumps(results, indent=1) + "\n")
    return int(any(cell.wrong for cell in cells))


if __name__ == "__main__":
    sys.exit(main())
