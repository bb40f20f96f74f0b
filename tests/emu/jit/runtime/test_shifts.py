"""The measurement of shifts beside loads that cross lines, and its cache."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from simtlab.emu.jit.llvm.cache import FOLDER_VARIABLE
from simtlab.emu.jit.llvm.toolchain import host_has
from simtlab.emu.jit.runtime import shifts
from simtlab.emu.jit.runtime.measured import Gain

pytestmark = pytest.mark.skipif(not host_has("avx512f"), reason="vectors of another size")


@pytest.fixture(autouse=True)
def measured_anew() -> Iterator[None]:
    """No test sees, or leaves, what another one has measured."""
    shifts._measured.cache_clear()
    yield
    shifts._measured.cache_clear()


@pytest.mark.parametrize(("gain", "fast"), [(1.0, False), (1.6, True)])
def test_what_two_processes_measure_is_kept(
    gain: float, fast: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "cache"))
    monkeypatch.setattr(shifts, "gain", lambda _: Gain(gain))
    for _ in range(2):
        assert shifts.shifts_fast() is fast
        shifts._measured.cache_clear()  # as in another process
    monkeypatch.setattr(shifts, "gain", lambda _: pytest.fail("measured again"))
    assert shifts.shifts_fast() is fast


@pytest.mark.parametrize(("gain", "fast"), [(1.0, False), (1.3, True)])
def test_the_median_decides_on_doubt(
    gain: float, fast: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "cache"))
    monkeypatch.setattr(shifts, "gain", lambda _: Gain(gain, is_clear=False))
    assert shifts.shifts_fast() is fast


@pytest.mark.parametrize("kind", [shifts.WORDS, shifts.SMALL])
def test_the_loops_run_here(kind: shifts.Kind) -> None:
    if host_has(kind.feature):
        assert 0.1 < shifts.gain(kind).value < 20
