"""docs/papers.md explains every cited ID, and its paths and those of docs/jit/ exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import simtlab

ROOT = Path(simtlab.__file__).parent
ID = re.compile(r"\b(?:[SQ]-)?(?:DWS|MAWS|PPC|LWM)-(?:[FX])?\d+\b")
CODE = re.compile(r"`([\w./-]+)`")
SKIPPED = {".venv", ".git", "build", "dist"}


def cited() -> dict[str, Path]:
    """ID -> a file that cites it."""
    found: dict[str, Path] = {}
    for path in sorted(ROOT.rglob("*")):
        inside = path.relative_to(ROOT)
        if path.suffix in (".py", ".md", ".toml", ".sasm") and not SKIPPED & set(inside.parts):
            found |= dict.fromkeys(ID.findall(path.read_text("utf-8")), inside)
    return found


def test_every_id_is_explained():
    page = (ROOT / "docs" / "papers.md").read_text("utf-8")
    # The first column of a table; `S-DWS-F4/F5` and `DWS-09 to DWS-12` stand for several.
    columns = " ".join(re.findall(r"^\| ([^|]*) \|", page, re.MULTILINE))
    listed = set(ID.findall(columns))
    for group, more in re.findall(r"((?:[SQ]-)?[A-Z]+-)[FX]?\d+((?:[/,] ?[FX]?\d+)+)", columns):
        listed |= {f"{group}{n}" for n in re.findall(r"[FX]?\d+", more)}
    missing = {name: str(path) for name, path in cited().items() if name not in listed}
    assert not missing


def test_every_path_in_the_tables_exists():
    page = (ROOT / "docs" / "papers.md").read_text("utf-8")
    missing = [path for path in CODE.findall(page) if "/" in path and not (ROOT / path).exists()]
    assert not missing


PAGES = [path.name for path in sorted((ROOT / "docs" / "jit").glob("*.md"))]


@pytest.mark.parametrize("page", PAGES)
def test_every_file_that_a_page_of_the_jit_lists_exists(page):
    """A table of files names their folder in its heading: "file of `emu/analysis/`"."""
    missing = []
    folder = ROOT
    for line in (ROOT / "docs" / "jit" / page).read_text("utf-8").splitlines():
        paths = CODE.findall(line.partition("|")[2].partition("|")[0])
        if line.startswith("| file of "):
            folder = ROOT / paths[0]
        elif not line.startswith("|"):
            folder = ROOT
        else:
            missing += [path for path in paths if not (folder / path).exists()]
    assert not missing
