"""Where the host's time goes in the timing engine: samples by source file and by line.

python bench/where.py [--machine dws] [--policy conv] [--size paper] [--lines 20] PROGRAM

Compiles the engine with line numbers, runs the program under `perf record` and lays the samples on
the functions and lines that the instructions come from, inlined ones too. Needs Linux's perf and
binutils.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

SYMBOL = "entry.symbol"


def main() -> None:
    """Record, and report; or be the process that is recorded."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("program")
    parser.add_argument("--machine", default="dws")
    parser.add_argument("--policy", default="conv")
    parser.add_argument("--size", default="paper")
    parser.add_argument("--lines", type=int, default=20)
    parser.add_argument("--folder", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.folder:
        run(options, Path(options.folder))
        return
    missing = [tool for tool in ("perf", "ld", "nm", "addr2line") if not shutil.which(tool)]
    if missing:
        sys.exit(f"needs {', '.join(missing)}")
    with tempfile.TemporaryDirectory() as folder:
        data = f"{folder}/perf.data"
        command = [sys.executable, *sys.argv, "--folder", folder]
        subprocess.run(["perf", "record", "-q", "-F", "1999", "-o", data, *command], check=True)
        report(Path(folder), options.lines)


def run(options: argparse.Namespace, folder: Path) -> None:
    """Run the program three times with a debug build; keep its object and its address."""
    os.environ["SIMTLAB_CACHE"] = str(folder)  # a debug build is for this run only
    from functools import partial

    import numpy as np

    from simtlab.asm.assemble import assemble
    from simtlab.emu.jit.llvm import toolchain as build
    from simtlab.emu.module import Module
    from simtlab.programs import find
    from simtlab.programs.runner import PlainLauncher
    from simtlab.timing.compiler import files as policies
    from simtlab.timing.compiler.native import translation
    from simtlab.timing.compiler.native.entry import ENTRY
    from simtlab.timing.machines import machine
    from simtlab.timing.simulation.simulator import Simulator

    objects: list[bytes] = []
    compile_to_object = build._compile

    def kept(ir: str, level: build.Level) -> bytes:
        made = compile_to_object(ir, level)
        if level is build.Level.WHOLE:
            objects.append(made)
        return made

    build._compile = kept
    translation.native_ir = partial(translation.native_ir, lines=True)

    program = find(options.program)
    module, workload = Module(assemble(program.path)), program.workload
    model, policy = machine.load(options.machine), policies.find(options.policy)
    simulator = Simulator(model, policy)
    simulator.state.optimise()
    for _ in range(3):
        simulator = Simulator(model, policy)
        data = workload.make(np.random.default_rng(0), **workload.sizes[options.size])
        workload.launch(PlainLauncher.on(simulator, module), data)
    engine: Any = simulator.state.fitted
    (folder / "engine.o").write_bytes(objects[0])
    (folder / SYMBOL).write_text(f"{ENTRY} {engine.code[ENTRY]}")


def report(folder: Path, n: int) -> None:
    """Print the shares of files, then those of the n lines with the most samples."""
    name, address = (folder / SYMBOL).read_text().split()
    library = str(folder / "engine.so")
    link = ["ld", "-shared", "--unresolved-symbols=ignore-all", "-z", "notext", "-o", library]
    said(*link, str(folder / "engine.o"))
    symbols = [line.split() for line in said("nm", "-S", library).splitlines()]
    sized = [s for s in symbols if len(s) == 4]
    offset = next(int(s[0], 16) for s in sized if s[3] == name)
    end = max(int(s[0], 16) + int(s[1], 16) for s in sized)
    samples = said("perf", "script", "-i", str(folder / "perf.data"), "-F", "ip").split()
    places = Counter(int(ip, 16) - int(address) + offset for ip in samples)
    places = Counter({at: count for at, count in places.items() if 0 <= at < end})
    known = sorted(places)
    lines = said("addr2line", "-f", "-e", library, *map(hex, known)).splitlines()
    by_line: Counter[str] = Counter()
    by_function: Counter[str] = Counter()
    for at, function, line in zip(known, lines[::2], lines[1::2], strict=True):
        by_line[os.path.basename(line.split(" ")[0])] += places[at]
        by_function[function] += places[at]
    by_file: Counter[str] = Counter()
    for line, count in by_line.items():
        by_file[line.partition(":")[0]] += count
    total = by_line.total()
    print(f"{total:,} samples in the engine, of {len(samples):,}")
    for counts in (by_file.most_common(), by_function.most_common(n), by_line.most_common(n)):
        print("\n".join(f"{count / total:6.1%}  {where}" for where, count in counts), end="\n\n")


def said(*command: str) -> str:
    """What a command prints."""
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


if __name__ == "__main__":
    main()
