"""Every benchmark, one after the other, each in a process of its own: `make bench`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

BENCHMARKS = (
    ("assemble.py",),
    ("compare.py", "--small"),  # that it works; the sizes that mean something take minutes
    ("interpreter.py",),
    ("jit_alu.py",),
    ("launch.py",),
    ("startup.py",),
    ("timing.py", "--size", "small", "--runs", "1"),
)


def main() -> int:
    """Run them all; the exit status is that of the first that fails."""
    for name, *options in BENCHMARKS:
        print("---", name, *options, flush=True)
        status = subprocess.call([sys.executable, Path(__file__).with_name(name), *options])
        if status:
            return status
    return 0


if __name__ == "__main__":
    sys.exit(main())
