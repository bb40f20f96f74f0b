"""Runs of the command for pictures in pages, in a folder with the kernels of the page."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

DOCS = Path(__file__).parents[1]
RAN = "simtlab"


class CommandFailed(Exception):
    """A command of a page ended with an error; its text is what the command printed."""


@contextmanager
def folder_like(page: Path) -> Iterator[Path]:
    """Yield a new folder with the kernels and Python files beside a page, and the tutorial's."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for source in (DOCS / "tutorial", page.parent):
            for file in source.iterdir():
                if file.suffix in (".sasm", ".py", ".toml"):
                    shutil.copy(file, folder)
        yield folder


def run(line: str, folder: Path) -> str:
    """Run a command line that begins with `simtlab`. Raises CommandFailed."""
    words = shlex.split(line)
    if words[:1] != [RAN]:
        raise CommandFailed(f"a command begins with `{RAN}`, not {line!r}")
    done = subprocess.run(
        [sys.executable, "-m", *words], cwd=folder, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise CommandFailed(f"$ {line}\n{done.stdout}{done.stderr}")
    return done.stdout


def recording_of(lines: list[str], folder: Path) -> list[Path]:
    """Run the lines, and return the files that they recorded. Raises CommandFailed."""
    found: list[Path] = []
    for line in lines:
        words = shlex.split(line)
        if "--record" not in words:
            line += f" --record recording{len(found)}.npz"
            words = shlex.split(line)
        run(line, folder)
        found.append(folder / words[words.index("--record") + 1])
    return found
