"""The measurement of how many lines of far rows are loaded at a time, and its cache."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from simtlab.emu.jit.llvm.cache import FOLDER_VARIABLE
from simtlab.emu.jit.llvm.toolchain import host_has
from simtlab.emu.jit.runtime import far_rows
from simtlab.emu.jit.runtime.measured import Gain

pytestmark = pytest.mark.skipif(not host_has("avx512f"), reason="vectors of another size")


@pytest.fixture(autouse=True)
def measured_anew() -> Iterator[None]:
    """No test sees, or leaves, what another one has measured."""
    far_rows._measured.cache_clear()
    yield
    far_rows._measured.cache_clear()


@pytest.mark.parametrize(("gain", "many"), [(1.0, False), (1.6, True)])
def test_what_two_processes_measure_is_kept(
    gain: float, many: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "cache"))
    monkeypatch.setattr(far_rows, "gain", lambda: Gain(gain))
    for _ in range(2):
        assert far_rows.takes_many_lines() is many
        far_rows._measured.cache_clear()  # as in another process
    monkeypatch.setattr(far_rows, "gain", lambda: pytest.fail("measured again"))
    assert far_rows.takes_many_lines() is many


def test_few_lines_are_loaded_on_doubt(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "cache"))
    monkeypatch.setattr(far_rows, "gain", lambda: Gain(1.6, is_clear=False))
    assert not far_rows.takes_many_lines()


def test_the_loops_run_here() -> None:
    assert 0.1 < far_rows.gain().value < 20
