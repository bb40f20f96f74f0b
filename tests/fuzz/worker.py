"""The child process: draws examples from keys, runs them, and sends what came of them.

A key is SEED/GENERATOR/SLICE/NUMBER, and the same key is the same example.
"""

from __future__ import annotations

import faulthandler
import os
import random
import resource
import shutil
import signal
import tempfile
import time
import traceback
from collections import Counter
from pathlib import Path
from typing import Any

from simtlab.emu.jit.llvm.cache import FOLDER_VARIABLE

from . import generators
from .example import Draw, Example
from .findings import Finding, signature_of

REDUCING = 60.0
"""Seconds that go into making an example smaller."""

MEMORY = 8 << 30
"""Bytes of address space that a child may take."""

TOLD_EVERY = 1.0
"""Seconds between two reports of the counts."""


class Slice:
    """A part of a run: one generator for some seconds. Sends ("counts", ...), ("finding", ...)."""

    def __init__(
        self, seed: str, name: str, number: int, known: frozenset[str],
        out: Any, progress: Any,
    ) -> None:  # fmt: skip
        self.generator = generators.find(name)
        self.prefix = f"{seed}/{name}/{number}"
        self.known = known
        self.out = out
        self.progress = progress
        """[number of the example, time of its start]: read by the parent if this process hangs."""
        self.counts: Counter[str] = Counter()

    def run(self, draw: Draw, seconds: float) -> None:
        """Try one example after the other."""
        end = told = time.monotonic()
        end += seconds
        number = 0
        while (now := time.monotonic()) < end:
            if now - told > TOLD_EVERY:
                self.out.send(("counts", dict(self.counts)))
                told = now
            self.progress[0], self.progress[1] = number, now
            self.one(draw, f"{self.prefix}/{number}")
            number += 1
        self.out.send(("counts", dict(self.counts)))

    def one(self, draw: Draw, key: str) -> None:
        """Try one example."""
        example = draw(random.Random(key))
        error = error_of(example)
        if error is None:
            self.counts[getattr(example, "outcome", "tried")] += 1
            return
        self.counts["findings"] += 1
        signature = signature_of(error)
        if signature not in self.known:
            example, error = self.reduced(example, error)
        text = "".join(traceback.format_exception(error))
        name = self.generator.name
        self.out.send(("finding", Finding(name, key, signature, text, example.files())))

    def reduced(self, example: Example, error: BaseException) -> tuple[Example, BaseException]:
        """The smallest example found that goes wrong in the same way."""
        wanted, end = signature_of(error), time.monotonic() + REDUCING
        first = 0
        while True:
            for at, smaller in enumerate([*example.smaller()][first:], first):
                now = self.progress[1] = time.monotonic()
                if now > end:
                    return example, error
                other = error_of(smaller)
                if other is not None and signature_of(other) == wanted:
                    # What comes next was not tried yet; what came before may succeed now.
                    example, error, first = smaller, other, at
                    break
            else:
                if first == 0:
                    return example, error
                first = 0


def error_of(example: Example) -> BaseException | None:
    """What an example raises."""
    try:
        example.outcome = example.run()  # pyright: ignore[reportAttributeAccessIssue]
    except BaseException as error:  # KeyboardInterrupt and SystemExit too: nobody asked for them
        return error
    return None


def work(
    seed: str, name: str, number: int, seconds: float, known: frozenset[str],
    out: Any, progress: Any, stacks: str,
) -> None:  # fmt: skip
    """Run a slice. `stacks` is the file that shows where the process was when it was stopped."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    with open(stacks, "w", encoding="utf-8") as file:
        faulthandler.enable(file)
        faulthandler.register(signal.SIGUSR1, file, all_threads=True)
        scratch = Path(tempfile.mkdtemp(prefix=f"simtlab-fuzz-{name}-"))
        try:
            part = Slice(seed, name, number, known, out, progress)
            part.run(opened(part.prefix, scratch), seconds)
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
            faulthandler.disable()


def opened(prefix: str, scratch: Path) -> Draw:
    """The generator of a slice, ready to draw."""
    # What random kernels compile to is not worth keeping, and not to be found by others.
    os.environ[FOLDER_VARIABLE] = str(scratch / "cache")
    return generators.find(prefix.split("/")[1]).open(scratch, random.Random(prefix))


def example_of(key: str, scratch: Path) -> Example:
    """The example of a key."""
    return opened(key.rpartition("/")[0], scratch)(random.Random(key))


def files_of(key: str, out: Any) -> None:
    """Send the files of an example without running it."""
    scratch = Path(tempfile.mkdtemp(prefix="simtlab-fuzz-files-"))
    try:
        out.send(example_of(key, scratch).files())
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
