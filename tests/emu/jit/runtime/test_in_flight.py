"""The measurement of how many vectors are computed at a time, and its cache."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from simtlab.emu.jit.llvm.cache import FOLDER_VARIABLE
from simtlab.emu.jit.llvm.toolchain import host_has
from simtlab.emu.jit.runtime import in_flight
from simtlab.emu.jit.runtime.measured import Gain

pytestmark = pytest.mark.skipif(not host_has("avx512f"), reason="vectors of another size")


@pytest.fixture(autouse=True)
def measured_anew() -> Iterator[None]:
    """No test sees, or leaves, what another one has measured."""
    forget()
    yield
    forget()


def forget() -> None:
    """Begin as another process does."""
    in_flight._measured.cache_clear()
    in_flight._measured_integers.cache_clear()


@pytest.mark.parametrize(("floats", "integers"), [(1.0, 1.0), (1.9, 1.0), (1.0, 1.9), (1.9, 1.9)])
def test_what_two_processes_measure_is_kept(
    floats: float, integers: float, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "cache"))
    gains = {in_flight.FLOATS: floats, in_flight.INTEGERS: integers}
    monkeypatch.setattr(in_flight, "gain", lambda kind=in_flight.FLOATS: Gain(gains[kind]))
    many = floats > 1.5, integers > 1.5
    for _ in range(2):
        assert (in_flight.takes_many(), in_flight.takes_integers()) == many
        forget()
    monkeypatch.setattr(in_flight, "gain", lambda _=None: pytest.fail("measured again"))
    assert (in_flight.takes_many(), in_flight.takes_integers()) == many


def test_vectors_are_few_on_doubt(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "cache"))
    monkeypatch.setattr(in_flight, "gain", lambda _=None: Gain(1.9, is_clear=False))
    assert (in_flight.takes_many(), in_flight.takes_integers()) == (False, False)


@pytest.mark.parametrize("kind", [in_flight.FLOATS, in_flight.INTEGERS])
def test_the_loops_run_here(kind: in_flight.Kind) -> None:
    assert 0.3 < in_flight.gain(kind).value < 6
