"""How long all programs take at paper size under one policy, on one core.

python bench/paper_set.py [--policy conv] [--size paper] [FOLDER ...]

Each runs on the machine of its paper (`basics` and `lessons` on `dws`), with contexts for its
workgroups, and its result is compared with its reference. CPU time with everything in it: inputs,
assembling, kernels' code, launches, references; not the engines, which are there before it begins.
"""

from __future__ import annotations

import argparse
import time

from simtlab.lab import Run, simulate_run
from simtlab.programs import Entry, catalogue
from simtlab.programs.index import FOLDERS

MACHINES = {"lwm": "lwm", "ppc": "ppc"}
ROOM = {"basics": 16, "ppc": 16, "lessons": 16}
"""Warps of 16 for workgroups of 256."""


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("folders", nargs="*", default=FOLDERS)
    parser.add_argument("--policy", default="conv")
    parser.add_argument("--size", default="paper")
    options = parser.parse_args()

    def run(entry: Entry, size: str) -> Run:
        sets = (("warps", str(ROOM[entry.folder])),) if entry.folder in ROOM else ()
        machine = MACHINES.get(entry.folder, "dws")
        return Run(entry.name, size, machine, options.policy, sets)

    chosen = [e for e in catalogue() if e.folder in options.folders]
    for entry in {e.folder: e for e in chosen}.values():  # makes the engines
        simulate_run(run(entry, "tiny"))
    print(f"policy {options.policy}, size {options.size}, CPU time")
    print(f"{'program':<22}{'cycles':>14}{'M wi':>9}{'seconds':>9}")
    total = 0.0
    for entry in chosen:
        start = time.process_time()
        found = simulate_run(run(entry, options.size)).stats
        total += (seconds := time.process_time() - start)
        millions = found.warp_instructions / 1e6
        print(f"{entry.name:<22}{found.cycles:>14,}{millions:>9.1f}{seconds:>9.1f}", flush=True)
    print(f"{'all':<22}{'':>14}{'':>9}{total:>9.1f}")


if __name__ == "__main__":
    main()
