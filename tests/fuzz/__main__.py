"""Run all generators for a while: `make fuzz SECONDS=600`.

    python -m tests.fuzz --seconds 600 --seed 7 --workers 2 --only kernels,sources
    python -m tests.fuzz --repeat 7/kernels/3/1905

Reproducers are written to the output folder; the exit status is 1 if there are any. Ctrl-C ends
the run with the summary of what was done until then.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import tempfile
import time
from pathlib import Path

from . import generators, worker
from .driver import Driver
from .findings import Findings


def main() -> int:
    """Parse the arguments and run."""
    plain = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser("python -m tests.fuzz", None, __doc__, formatter_class=plain)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", default=time.strftime("%Y%m%d%H%M%S"))
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--only", default="", help="names with commas between them")
    parser.add_argument("--out", type=Path, default=Path("scratch/fuzz"))
    parser.add_argument("--repeat", metavar="KEY", help="run one example in this process")
    options = parser.parse_args()
    if options.repeat:
        return repeat(options.repeat)
    names = [name for name in options.only.split(",") if name]
    chosen = [generators.find(name) for name in names or generators.NAMES]
    seed = str(options.seed).replace("/", "-")
    driver = Driver(seed, chosen, Findings(options.out / seed))
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        driver.run(options.seconds, options.workers)
    except KeyboardInterrupt:
        print("interrupted", flush=True)
    print(driver.summary())
    return 1 if driver.findings.counts else 0


def repeat(key: str) -> int:
    """Draw and run the example of a key, without a net."""
    with tempfile.TemporaryDirectory() as scratch:
        example = worker.example_of(key, Path(scratch))
        for name, content in example.files().items():
            if isinstance(content, str):
                print(f"--- {name}\n{content}")
        print(example.run())
    return 0


if __name__ == "__main__":
    sys.exit(main())
