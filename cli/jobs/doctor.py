"""The work of `simtlab doctor`: the state of an installation."""

from __future__ import annotations

import os
import platform
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from ...emu.cachefolder import problem, shown
from ...emu.jit.llvm.cache import FOLDER
from ...isa.errors import SimtError
from ..output.versions import versions

OPTIONAL = {
    "matplotlib": ("plot", "figures"),
    "textual": ("tui", "panes of the debugger"),
    "pygls": ("lsp", "simtlab lsp: the language server"),
    "hypothesis": ("test", "simtlab.testing: random kernels for tests"),
}
"""Package -> the extra that brings it, and what it is for."""


@dataclass(frozen=True)
class Health:
    """The state of an installation. `failure` is empty where the smoke test passed."""

    versions: dict[str, str | None]
    processor: str
    processors: int
    system: str
    cache: Path | None
    cache_problem: str
    missing: list[str]
    failure: str

    @property
    def works(self) -> bool:
        return not self.failure

    @property
    def _cache_shown(self) -> str:
        return f"none: {self.cache_problem}" if self.cache_problem else str(self.cache)

    def to_dict(self) -> dict[str, object]:
        """Return the state for --json."""
        return {
            "works": self.works,
            "failure": self.failure or None,
            "versions": self.versions,
            "processor": self.processor,
            "processors": self.processors,
            "system": self.system,
            "cache": self.cache and str(self.cache),
            "cache_usable": not self.cache_problem,
            "cache_problem": self.cache_problem or None,
            "missing": self.missing,
        }

    def rows(self) -> list[tuple[str, str]]:
        """Return label and value of each line of the text."""
        return [
            *((name, version or "missing") for name, version in self.versions.items()),
            ("processor", f"{self.processor}, {self.processors} usable"),
            ("system", self.system),
            ("cache folder", self._cache_shown),
            *(
                ("optional", f"{name} is not installed: pip install 'simtlab[{OPTIONAL[name][0]}]' "
                 f"for {OPTIONAL[name][1]}")
                for name in self.missing
            ),
            ("smoke test", self.failure or "passed: saxpy was assembled, run and checked"),
        ]  # fmt: skip


def examine() -> Health:
    """Examine the installation and run a program as a test."""
    return Health(
        versions(),
        _processor(),
        len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1,
        f"{platform.system()} {platform.release()} {platform.machine()}",
        shown(),
        problem(FOLDER),
        [name for name in OPTIONAL if find_spec(name) is None],
        _smoke_test(),
    )


def _processor() -> str:
    """Return the processor's name as it gives it; Python knows only the architecture."""
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def _smoke_test() -> str:
    """Assemble, run and check a program; return the error, or an empty string."""
    try:
        from ...programs.index import find
        from ...programs.runner import run_program

        mismatches = run_program(find("saxpy"), size="tiny").mismatches
    except SimtError as error:
        return str(error)
    except Exception as error:
        # A broken installation can fail in any way, and doctor is there to show it.
        return f"{type(error).__name__}: {error}"
    return "; ".join(map(str, mismatches))
