"""Simulated warp-instructions per second of the timing engine, program by program.

python bench/timing.py [--machine dws] [--policy conv ...] [--size paper] [--runs 3] [PROGRAM ...]

CPU time of the whole launch sequence, the best of some runs in one process; what is compiled or
loaded for the first time is not counted. The engine has code for this one machine, as in a long
run. A *line* is a cache line that one SIMD access wants: the unit that memory-bound programs are
charged by.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from simtlab.asm.assemble import assemble
from simtlab.emu.module import Module
from simtlab.programs import find
from simtlab.programs.runner import PlainLauncher
from simtlab.programs.workload import check
from simtlab.timing.compiler import files as policies
from simtlab.timing.machines import machine
from simtlab.timing.simulation.simulator import Simulator

PROGRAMS = ("dws/filter", "dws/hotspot", "dws/merge")


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("programs", nargs="*", default=PROGRAMS)
    parser.add_argument("--machine", default="dws")
    parser.add_argument("--policy", nargs="+", default=["conv"])
    parser.add_argument("--size", default="paper")
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    print(f"machine {options.machine}, size {options.size}, best of {options.runs}, CPU time")
    print(f"{'program':<14}{'policy':<24}{'cycles':>12}{'M wi':>8}{'M wi/s':>9}{'ns/line':>9}")
    for policy in options.policy:
        rates = [measure(name, policy, options) for name in options.programs]
        print(f"{'mean':<14}{policy:<24}{np.mean(rates):>29.1f}", flush=True)


def measure(name: str, policy: str, options: argparse.Namespace) -> float:
    """One program under one policy; prints its row, returns M warp-instructions per second."""
    entry = find(name)
    workload = entry.workload
    module = Module(assemble(entry.path))
    model = machine.load(options.machine)
    best, row = np.inf, ""
    for run in range(options.runs + 1):
        simulator = Simulator(model, policies.find(policy))
        simulator.state.optimise()
        data = workload.make(np.random.default_rng(0), **workload.sizes[options.size])
        pristine = {k: np.copy(v) if isinstance(v, np.ndarray) else v for k, v in data.items()}
        start = time.process_time()
        workload.launch(PlainLauncher.on(simulator, module), data)
        seconds = time.process_time() - start
        if run == 0:  # compiles, or loads what was compiled
            assert not check(workload, data, pristine)
            continue
        cores = simulator.state.rows["wpu"]
        issued = int(cores["n_warp_instr"].sum())
        counters = simulator.counters()
        lines = counters.get("l1_hit", 0) + counters.get("l1_miss", 0)
        lines += counters.get("mshr_merge", 0) + counters.get("upgrade", 0)
        if seconds < best:
            best = seconds
            row = (
                f"{name:<14}{policy:<24}{simulator.cycles:>12,}{issued / 1e6:>8.1f}"
                f"{issued / seconds / 1e6:>9.1f}{1e9 * seconds / max(1, lines):>9.1f}"
            )
    print(row, flush=True)
    return float(row.split()[-2])


if __name__ == "__main__":
    main()
