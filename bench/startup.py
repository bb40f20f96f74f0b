"""Wall time of whole commands from the shell: the minimum and median of some runs.

python bench/startup.py [--runs 7]
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time

COMMANDS = {
    "python -c pass": ["-c", "pass"],
    "import numpy": ["-c", "import numpy"],
    "simtlab --version": ["-m", "simtlab", "--version"],
    "simtlab check saxpy.sasm": ["-m", "simtlab", "check", "programs/basics/saxpy.sasm"],
    "simtlab run saxpy --size tiny": ["-m", "simtlab", "run", "saxpy", "--size", "tiny"],
}


def main() -> None:
    """Print a line per command, in milliseconds."""
    options = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    options.add_argument("--runs", type=int, default=7)
    runs = options.parse_args().runs
    print(f"{'command':<34}{'min ms':>8}{'median':>8}")
    for label, arguments in COMMANDS.items():
        times = []
        for _ in range(runs):
            start = time.perf_counter()
            subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)
            times.append((time.perf_counter() - start) * 1e3)
        print(f"{label:<34}{min(times):>8.0f}{statistics.median(times):>8.0f}", flush=True)


if __name__ == "__main__":
    main()
