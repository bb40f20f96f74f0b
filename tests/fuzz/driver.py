"""Deals out the time: slices of generators in child processes, whose crash or hang is a finding."""

from __future__ import annotations

import multiprocessing
import os
import signal
import tempfile
import time
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from . import worker
from .example import Files, Generator
from .findings import Finding, Findings

SLICE = 45.0
"""Seconds of a slice: long enough that importing simtlab does not count, short enough to mix."""

STARTING = 120.0
"""Seconds until the first example of a slice."""

_CONTEXT = multiprocessing.get_context("spawn")


@dataclass
class Child:
    """A slice under way."""

    generator: Generator
    number: int
    process: BaseProcess
    inbox: Any
    progress: Any
    stacks: Path
    started: float
    counts: dict[str, int] = field(default_factory=dict)

    def key(self, seed: str) -> str:
        """The key of the example that it tries now."""
        return f"{seed}/{self.generator.name}/{self.number}/{int(self.progress[0])}"

    def hangs(self) -> bool:
        """Whether the example takes longer than it may."""
        now = time.monotonic()
        if self.progress[1] == 0.0:
            return now - self.started > STARTING
        return now - self.progress[1] > self.generator.limit

    def kill(self) -> str:
        """End it; the stacks of its threads if it has any."""
        if self.process.pid is not None and self.process.is_alive():
            os.kill(self.process.pid, signal.SIGUSR1)
            time.sleep(0.5)
        self.process.kill()
        self.process.join()
        return self.stacks.read_text(errors="replace") if self.stacks.exists() else ""


@dataclass
class Driver:
    """A run over some generators."""

    seed: str
    generators: list[Generator]
    findings: Findings
    spent: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    """Seconds of children by generator."""
    counts: dict[str, Counter[str]] = field(default_factory=dict)
    slices: int = 0
    _stacks: Path = field(default_factory=lambda: Path(tempfile.mkdtemp(prefix="simtlab-fuzz-")))

    def run(self, seconds: float, workers: int) -> None:
        """Keep so many children busy until the time is over or Ctrl-C."""
        end = time.monotonic() + seconds
        slice_ = min(SLICE, max(5.0, seconds * workers / (3 * len(self.generators))))
        children: list[Child] = []
        try:
            while True:
                left = end - time.monotonic()
                while left > 0 and len(children) < workers:
                    children.append(self.start(min(slice_, left), children))
                if not children:
                    return
                time.sleep(0.1)
                children = [child for child in children if not self.attend(child)]
        finally:
            for child in children:
                child.kill()
                self.close(child)

    def start(self, seconds: float, others: list[Child]) -> Child:
        """Start a slice of the generator that is owed most."""

        def owed(generator: Generator) -> float:
            running = sum(SLICE for child in others if child.generator is generator)
            return (self.spent[generator.name] + running) / generator.share

        generator = min(self.generators, key=owed)
        self.slices += 1
        inbox, outbox = _CONTEXT.Pipe(duplex=False)
        progress = _CONTEXT.Array("d", 2, lock=False)
        stacks = self._stacks / f"{self.slices}.txt"
        known = self.findings.known(generator.name)
        process = _CONTEXT.Process(
            target=worker.work,
            args=(self.seed, generator.name, self.slices, seconds, known, outbox, progress,
                  str(stacks)),
        )  # fmt: skip
        process.start()
        outbox.close()
        return Child(
            generator, self.slices, process, inbox, progress, stacks, time.monotonic()
        )  # fmt: skip

    def attend(self, child: Child) -> bool:
        """Take what a child has sent; True once it has ended."""
        self.receive(child)
        if child.process.is_alive():
            if not child.hangs():
                return False
            stack = child.kill()
            self.lost(child, f"no end within {child.generator.limit:g} s", stack)
        elif child.process.exitcode:
            self.receive(child)
            status = child.process.exitcode
            how = signal.Signals(-status).name if status < 0 else f"status {status}"
            self.lost(child, f"the process ended: {how}", child.kill())
        self.close(child)
        return True

    def receive(self, child: Child) -> None:
        """Empty the pipe."""
        try:
            while child.inbox.poll():
                what, content = child.inbox.recv()
                if what == "counts":
                    child.counts = content
                else:
                    self.report(content)
        except (EOFError, OSError):
            pass

    def close(self, child: Child) -> None:
        """Account for a child that has ended."""
        self.receive(child)
        child.inbox.close()
        child.process.join()
        child.stacks.unlink(missing_ok=True)
        name = child.generator.name
        self.spent[name] += time.monotonic() - child.started
        self.counts.setdefault(name, Counter()).update(child.counts)

    def lost(self, child: Child, what: str, stack: str) -> None:
        """Report an example that took the process with it."""
        key = child.key(self.seed)
        name = child.generator.name
        top = next((x.strip() for x in stack.splitlines() if "/simtlab" in x or "File" in x), "")
        place = top.rpartition("/")[2].replace('"', "")
        self.report(Finding(name, key, f"{what} {place}".rstrip(), stack, self.files(key)))

    def files(self, key: str) -> Files:
        """The files of an example, drawn in a process of its own since drawing may fail too."""
        inbox, outbox = _CONTEXT.Pipe(duplex=False)
        process = _CONTEXT.Process(target=worker.files_of, args=(key, outbox))
        process.start()
        outbox.close()
        try:
            return inbox.recv() if inbox.poll(STARTING) else {}
        except EOFError:
            return {}
        finally:
            process.kill()
            process.join()
            inbox.close()

    def report(self, finding: Finding) -> None:
        """Count a finding and say so where it is one of the first of its kind."""
        place = self.findings.add(finding)
        if place is not None:
            print(f"{finding.key}: {finding.signature}\n    {place}", flush=True)

    def summary(self) -> str:
        """How much was tried, how fast, and what was found."""
        lines = [f"{'generator':<12}{'tried':>10}{'a second':>10}{'seconds':>9}  of which"]
        for generator in self.generators:
            counts = self.counts.get(generator.name, Counter())
            tried, seconds = sum(counts.values()), self.spent[generator.name]
            rate = tried / seconds if seconds else 0.0
            parts = ", ".join(f"{n:,} {word}" for word, n in counts.most_common())
            lines.append(f"{generator.name:<12}{tried:>10,}{rate:>10.1f}{seconds:>9.0f}  {parts}")
        total = sum(self.findings.counts.values())
        lines.append(f"{total} findings of {len(self.findings.counts)} kinds (seed {self.seed})")
        for (name, signature), n in self.findings.counts.most_common():
            lines.append(f"  {n:>6}  {name}: {signature}")
        return "\n".join(lines)
