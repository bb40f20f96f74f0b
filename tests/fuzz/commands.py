"""The command in processes of its own with a cache of its own: what the next two files share."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

COMMANDS = (
    ("run", "saxpy", "--size", "tiny", "--json"),
    ("run", "collatz", "--size", "tiny", "--json"),
    ("run", "bitonic", "--size", "tiny", "--json"),
    ("run", "vectorsum", "--size", "tiny", "--json"),
    ("time", "saxpy", "--size", "tiny", "--machine", "toy", "--set", "warps=64", "--json"),
)

PATIENCE = 240.0
"""Seconds for a command that has to compile an engine on a busy machine."""


class Shelf:
    """A folder with caches, and what commands answer where nothing happens to them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.answers: dict[tuple[str, ...], dict[str, object]] = {}

    @property
    def environment(self) -> dict[str, str]:
        """For a child: all caches in the folder."""
        return {
            **os.environ,
            "SIMTLAB_CACHE": str(self.folder / "simtlab"),
            "XDG_CACHE_HOME": str(self.folder),
        }

    def start(self, command: tuple[str, ...]) -> subprocess.Popen[bytes]:
        """Start a command."""
        return subprocess.Popen(
            [sys.executable, "-m", "simtlab", *command], env=self.environment,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip

    def answer(self, command: tuple[str, ...]) -> dict[str, object]:
        """What a command prints; raises AssertionError unless it ends well and quietly."""
        with self.start(command) as process:
            try:
                out, err = process.communicate(timeout=PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()
                raise AssertionError(f"no end within {PATIENCE:g} s: {' '.join(command)}") from None
        told = err.decode(errors="replace")
        assert process.returncode == 0, f"status {process.returncode}: {told}"
        assert "Traceback" not in told, told
        found = json.loads(out)
        return {key: found[key] for key in ("memory_digest", "digest", "cycles") if key in found}

    def check(self, command: tuple[str, ...]) -> None:
        """A command answers what it answered at first."""
        found = self.answer(command)
        known = self.answers.setdefault(command, found)
        assert found == known, f"{' '.join(command)}: {found}, not {known}"

    def clear(self) -> None:
        """Throw the caches away."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(mode=0o700)
