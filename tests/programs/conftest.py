"""Running a program at any size on any engine, scheme, warp width and number of contexts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from simtlab.asm.assemble import assemble
from simtlab.emu.module import Module
from simtlab.emu.statistics import Statistics
from simtlab.programs import Data, Entry, Mismatch, check, find
from simtlab.programs.runner import PlainLauncher


@dataclass
class Run:
    """A program that has run: its data before and after, and what was counted."""

    entry: Entry
    pristine: Data
    data: Data
    launches: list[Statistics]

    @property
    def mismatches(self) -> list[Mismatch]:
        return check(self.entry.workload, self.data, self.pristine)

    @property
    def instructions(self) -> int:
        """Work-item instructions of all launches."""
        return sum(s.thread_instructions for s in self.launches)

    def memory(self) -> dict[str, bytes]:
        """The bytes of every array."""
        return {k: v.tobytes() for k, v in self.data.items() if isinstance(v, np.ndarray)}


def run_program(name: str, size: str | Mapping[str, float], **options: Any) -> Run:
    """Run a program at one of its sizes, or at a size of the test's own."""
    entry = find(name)
    workload = entry.workload
    parameters = workload.sizes[size] if isinstance(size, str) else size
    pristine, data = (
        workload.make(np.random.default_rng(1), **parameters) for _ in ("before", "after")
    )
    # Tests count instructions unless they ask for native code, which does not.
    options.setdefault("stats", options.get("engine") != "jit")
    launcher = PlainLauncher(Module(assemble(entry.path)), **options)
    workload.launch(launcher, data)
    counted = [r.statistics for r in launcher.results if r.statistics is not None]
    return Run(entry, pristine, data, counted)


@pytest.fixture(scope="session")
def run() -> Callable[..., Run]:
    """`run(name, size, engine=..., scheme=..., warp=..., contexts=..., core_contexts=...)`."""
    return run_program
