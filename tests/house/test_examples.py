"""Hypothesis draws the same examples whatever else the process has done."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest
from hypothesis import Phase, given, seed, settings
from hypothesis import strategies as st


def drawn() -> list[int]:
    found: list[int] = []

    @seed(7)
    @settings(max_examples=400, database=None, phases=[Phase.generate])
    @given(st.integers())
    def draw(number: int) -> None:
        found.append(number)

    draw()
    return found


def test_examples_do_not_depend_on_the_modules_that_are_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = drawn()
    path = tmp_path / "constants.py"
    path.write_text("NUMBERS = [" + ", ".join(str(7919 * 1000 + n) for n in range(300)) + "]\n")
    spec = importlib.util.spec_from_file_location("constants_of_a_test", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setitem(sys.modules, "constants_of_a_test", module)
    assert drawn() == before
