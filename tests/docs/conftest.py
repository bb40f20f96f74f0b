"""A folder with what lies beside a page, and the command in it."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import simtlab
from simtlab.cli import main

DOCS = Path(simtlab.__file__).parent / "docs"


@pytest.fixture
def beside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[Path], Path]:
    """Go to a new folder that has the files beside a page, as its reader has saved them."""

    def go(page: Path) -> Path:
        monkeypatch.chdir(tmp_path)
        monkeypatch.setenv("SIMTLAB_STORE", str(tmp_path / "results.db"))
        monkeypatch.setenv("COLUMNS", "140")
        folders = (DOCS / "examples", DOCS / "tutorial", page.parent)
        for file in (f for folder in folders for f in folder.iterdir()):
            if file.suffix in (".sasm", ".py", ".toml"):
                shutil.copy(file, tmp_path)
        return tmp_path

    return go


@pytest.fixture
def printed(capsys: pytest.CaptureFixture[str]) -> Callable[[list[str]], str]:
    """Run the command and return what it prints."""

    def run(words: list[str]) -> str:
        main(words)
        captured = capsys.readouterr()
        return captured.out + captured.err

    return run
