"""The measurement of how many vectors are computed at a time, and its cache."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from simtlab.emu.jit.llvm.cache import FOLDER_VARIABLE
from simtlab.emu.jit.llvm.toolchain import host_has
from simtlab.emu.jit.runtime import in_flight

pytestmark = pytest.mark.skipif(not host_has("avx512f"), reason="vectors of another size")


@pytest.fixture(autouse=True)
def measured_anew() -> Iterator[None]:
    """No test sees, or leaves, what another one has measured."""
    in_flight._measured.cache_clear()
    yield
    in_flight._measured.cache_clear()


@pytest.mark.parametrize(("gain", "many"), [(1.0, False), (1.9, True)])
def test_the_host_is_measured_once(
    gain: float, many: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "cache"))
    monkeypatch.setattr(in_flight, "gain", lambda: gain)
    assert in_flight.takes_many() is many
    in_flight._measured.cache_clear()  # as in another process
    monkeypatch.setattr(in_flight, "gain", lambda: pytest.fail("measured again"))
    assert in_flight.takes_many() is many


def test_the_loops_run_here() -> None:
    assert 0.3 < in_flight.gain() < 6
