"""Arguments are written by Python where native code does not look them up (test_direct.py)."""

from __future__ import annotations

import threading
from itertools import pairwise

import numpy as np
import pytest

from simtlab import Device
from simtlab.emu.jit.launch import again, direct

from ..support.short_launches import N, run_short, scale, short, shorter, warm


@pytest.fixture(autouse=True)
def every_call_is_short(monkeypatch: pytest.MonkeyPatch) -> None:
    """However slow the machine is."""
    short(monkeypatch, 1e9)


@pytest.fixture
def without_interface(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(again, "is_supported", lambda: False)


@pytest.mark.usefixtures("without_interface")
def test_arrays_and_numbers_that_change() -> None:
    device, launch = Device(), scale()
    arrays = [device.zeros(N, np.float32) for _ in range(6)]
    warm(launch, N, 1.0, 1, arrays[0], arrays[1])
    pairs = list(pairwise(arrays))
    for turn in range(3):
        for source, target in pairs:
            # Numbers of NumPy are other objects each time, with other values.
            numbers = np.uint32(N), np.float32(turn), np.int16(turn + 1)
            assert run_short(launch, (*numbers, source, target)) is not None
            expected = source.to_host() * np.float32(turn) + np.float32(turn + 1)
            np.testing.assert_array_equal(target.to_host(), expected)
    # An equal number of another type, and a NaN.
    last = np.uint32(N), np.float32(2), np.int16(1)
    assert run_short(launch, (N, *last[1:], *pairs[0])) is not None
    assert run_short(launch, (N, np.float32("nan"), 1, *pairs[0])) is None
    assert run_short(launch, (N, 2.0, 1 << 20, *pairs[0])) is None
    assert run_short(launch, (N, 2.0, 1, *pairs[0])) is not None
    np.testing.assert_array_equal(pairs[0][1].to_host(), pairs[0][0].to_host() * 2 + 1)


@pytest.mark.skipif(not direct.is_supported(), reason="another Python")
def test_the_last_arrays_stay_written(monkeypatch: pytest.MonkeyPatch) -> None:
    device, launch = Device(), scale()
    arrays = [device.zeros(N, np.float32) for _ in range(again.MOST_ENTRIES + 2)]
    warm(launch, N, 1.0, 1, arrays[0], arrays[1])
    written: list[object] = []
    take = shorter(launch)._take
    monkeypatch.setattr(shorter(launch), "_take", lambda *a: written.append(a) or take(*a))
    pairs = list(pairwise(arrays))
    kept = pairs[: again.MOST_ENTRIES]
    for turn in range(4):
        for source, target in kept:
            launch(N, float(turn), turn + 1, source, target)
            expected = source.to_host() * np.float32(turn) + np.float32(turn + 1)
            np.testing.assert_array_equal(target.to_host(), expected)
    # The second launch with the same arrays enters them.
    assert len(written) == 2 * len(kept)
    # One pair more takes the place of the first one.
    more = pairs[again.MOST_ENTRIES]
    for pair in (more, more, kept[-1], kept[0]):
        launch(N, 2.0, 1, *pair)
    assert len(written) == 2 * len(kept) + 3


def test_launches_with_large_memory_of_their_own_keep_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(again, "MOST_BYTES", -1)
    device, launch = Device(), scale()
    x, y, z = (device.zeros(N, np.float32) for _ in "xyz")
    warm(launch, N, 1.0, 1, x, y)
    for target in (y, z, y, z):
        assert run_short(launch, (N, 1.0, 1, x, target)) is not None
        assert len(shorter(launch)._idle) <= 1
        assert target.to_host()[0] == 1


@pytest.mark.usefixtures("without_interface")
def test_threads_that_launch_the_same_have_memory_of_their_own() -> None:
    device, launch = Device(), scale()
    x = device.to_device(np.arange(N, dtype=np.float32))
    targets = [device.zeros(N, np.float32) for _ in range(3)]
    warm(launch, N, 1.0, 0, x, targets[0])
    wrong: list[int] = []

    def work(number: int) -> None:
        for turn in range(200):
            target = targets[number]
            launch(N, float(number), turn % 100, x, target)
            if (target.to_host() != x.to_host() * number + turn % 100).any():
                wrong.append(turn)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
