"""Work-item instructions per second of the interpreter, for every program at size small.

    python bench/interpreter.py [--size small] [--scheme stack] [--warp 32] [PROGRAM ...]

Time in the engine only; the rate is the program's own instruction count over it. The ratio puts
a program beside the oracle on the same kernels at size tiny, measured in the same process.
"""

from __future__ import annotations

import argparse

from simtlab.asm.assemble import assemble
from simtlab.emu.module import Module
from simtlab.programs import catalogue, find
from simtlab.programs.runner import PlainLauncher, run_program


def rate(name: str, engine: str, size: str, scheme: str, warp: int) -> tuple[float, float]:
    """(work-item instructions, instructions per second), the best of three runs."""
    entry = find(name)
    module = Module(assemble(entry.path))
    best = 0.0
    count = 0
    for _ in range(3):
        launcher = PlainLauncher(module, engine=engine, scheme=scheme, warp=warp, stats=True)
        run = run_program(entry, launcher, size=size, verify=False)
        assert run.statistics is not None
        count = run.statistics.thread_instructions
        best = max(best, count / run.host_seconds)
    return count, best


def main() -> None:
    """Print a line per program and the lowest rate."""
    options = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    options.add_argument("programs", nargs="*")
    options.add_argument("--size", default="small")
    options.add_argument("--scheme", default="stack")
    options.add_argument("--warp", type=int, default=32)
    given = options.parse_args()
    names = given.programs or [entry.name for entry in catalogue()]
    print(f"{'program':<20}{'instructions':>14}{'M/s':>9}{'x oracle':>10}")
    lowest = float("inf")
    for name in names:
        count, speed = rate(name, "interp", given.size, given.scheme, given.warp)
        _, oracle = rate(name, "oracle", "tiny", given.scheme, given.warp)
        lowest = min(lowest, speed)
        print(f"{name:<20}{count:>14,}{speed / 1e6:>9.1f}{speed / oracle:>10.0f}", flush=True)
    print(f"lowest: {lowest / 1e6:.1f} M work-item instructions/s at warp width {given.warp}")


if __name__ == "__main__":
    main()
