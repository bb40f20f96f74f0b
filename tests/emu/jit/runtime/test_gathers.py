"""The choice between gathers and single loads: the setting, the measurement, and its cache."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from simtlab.emu.analysis.facts import NEVER_TOGETHER
from simtlab.emu.geometry import Geometry
from simtlab.emu.jit.kernel.launch_facts import facts_of
from simtlab.emu.jit.llvm.cache import FOLDER_VARIABLE
from simtlab.emu.jit.llvm.toolchain import host_has
from simtlab.emu.jit.runtime import gathers
from simtlab.emu.jit.runtime.measured import Gain
from simtlab.isa.errors import UsageError
from simtlab.programs import find


@pytest.fixture(autouse=True)
def measured_anew(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No test sees, or leaves, what another one has measured."""
    monkeypatch.delenv(gathers.VARIABLE, raising=False)
    gathers._measured.cache_clear()
    yield
    gathers._measured.cache_clear()


@pytest.mark.parametrize(
    ("setting", "lanes"),
    [
        ("alone", NEVER_TOGETHER),
        ("together", 0),
        ("measured", NEVER_TOGETHER),
        ("1", 1),
        ("7", 7),
        ("64", 64),
    ],
)
def test_a_setting_is_taken(setting: str, lanes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(gathers.VARIABLE, setting)
    monkeypatch.setattr(gathers, "crossover", lambda: pytest.fail("measured all the same"))
    assert gathers.together_from() == lanes
    finds = setting == "measured" and host_has("sse2")
    assert gathers.finds_limit() is finds


@pytest.mark.parametrize("ratio", [20.0, gathers.MOST + 1])
def test_native_code_finds_the_number_whatever_gathers_take(
    ratio: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(FOLDER_VARIABLE, "/dev/null")
    monkeypatch.setattr(gathers, "crossover", lambda: Gain(ratio))
    assert gathers.finds_limit() is host_has("sse2")


def test_lanes_run_alone_on_doubt(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "cache"))
    monkeypatch.setattr(gathers, "crossover", lambda: Gain(20.0, is_clear=False))
    assert (gathers.together_from(), gathers.gathers_fast()) == (NEVER_TOGETHER, False)


@pytest.mark.parametrize("setting", ["0", "65", "-1", "some", "1.5", "²"])
def test_another_setting_is_an_error(setting: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(gathers.VARIABLE, setting)
    with pytest.raises(UsageError) as caught:
        gathers.together_from()
    assert caught.value.diagnostics[0].code == "SIM522"
    assert repr(setting) in str(caught.value)


def test_what_two_processes_measure_is_kept(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "cache"))
    for ratio in (19.0, 22.0):
        monkeypatch.setattr(gathers, "crossover", partial(Gain, ratio))
        assert gathers.together_from() == 4
        gathers._measured.cache_clear()  # as in another process
    monkeypatch.setattr(gathers, "crossover", lambda: pytest.fail("measured again"))
    assert gathers.together_from() == 4


@pytest.mark.parametrize(
    ("ratio", "lanes"),
    [
        (1.0, 2),
        (20.0, 4),
        (28.0, 8),
        (42.0, 8),
        (60.0, 16),
        (60.1, NEVER_TOGETHER),
        (95.0, NEVER_TOGETHER),
    ],
)
def test_slow_gathers_leave_lanes_alone(ratio: float, lanes: int) -> None:
    assert gathers.lanes_for(ratio) == lanes


def test_the_loops_run_here() -> None:
    assert 1 < gathers.crossover().value < 1000


def test_only_kernels_that_may_be_sparse_depend_on_it(monkeypatch: pytest.MonkeyPatch) -> None:
    import simtlab

    found = {}
    for name in ("bfs", "saxpy", "mandelbrot"):
        (function,) = simtlab.assemble(find(name).path)
        seen = set()
        for setting in ("alone", "together", "measured", "6"):
            monkeypatch.setenv(gathers.VARIABLE, setting)
            seen.add(facts_of(function.kernel, Geometry((256, 1, 1), (64, 1, 1), 32)))
        found[name] = len(seen)
    assert found == {"bfs": 4, "saxpy": 1, "mandelbrot": 1}
