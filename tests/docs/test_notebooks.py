"""The notebooks run, and show what is committed. `make notebooks` brings them up to date."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest

import simtlab

from .support.notebooks import execute, texts

NOTEBOOKS = sorted((Path(simtlab.__file__).parent / "docs" / "notebooks").glob("*.ipynb"))


LONG = {"the-story-of-dws", "your-own-scheduler"}
"""Notebooks that take half a minute: dozens of simulations, and a contract."""


@pytest.mark.parametrize(
    "path",
    [pytest.param(p, marks=[pytest.mark.slow] * (p.stem in LONG), id=p.stem) for p in NOTEBOOKS],
)
def test_a_notebook_shows_what_is_committed(path, tmp_path, monkeypatch):
    monkeypatch.setenv("SIMTLAB_STORE", str(tmp_path / "results.db"))
    committed = nbformat.read(path, as_version=4)
    assert texts(execute(path, tmp_path)) == texts(committed)


def test_there_are_notebooks():
    assert len(NOTEBOOKS) == 3


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_cell_has_been_executed_in_order(path):
    cells = [c for c in nbformat.read(path, as_version=4).cells if c.cell_type == "code"]
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_picture_has_words_for_who_does_not_see_it(path):
    """The site takes them from the cell's metadata, `{"mystnb": {"image": {"alt": ...}}}`."""
    for cell in nbformat.read(path, as_version=4).cells:
        if any("image/png" in output.get("data", {}) for output in cell.get("outputs", ())):
            assert len(cell.metadata["mystnb"]["image"]["alt"]) > 60, cell.source
