"""The last few sets of arrays stay written, where Python looks arguments up (test_direct.py)."""

from __future__ import annotations

import threading
from itertools import pairwise

import numpy as np
import pytest

from simtlab import Device
from simtlab.emu.jit.launch import again

from ..support.short_launches import N, scale, short, shorter, warm


@pytest.fixture(autouse=True)
def every_call_is_short(monkeypatch: pytest.MonkeyPatch) -> None:
    """However slow the machine is, and as without Python's C interface."""
    short(monkeypatch, 1e9)
    monkeypatch.setattr(again, "is_supported", lambda: False)


def test_arrays_that_swap_stay_written(monkeypatch: pytest.MonkeyPatch) -> None:
    device, launch = Device(), scale()
    arrays = [device.zeros(N, np.float32) for _ in range(again.MOST_WRITTEN + 2)]
    warm(launch, N, 1.0, 1, arrays[0], arrays[1])
    quick = shorter(launch)
    written: list[object] = []
    take = quick._take
    monkeypatch.setattr(quick, "_take", lambda *a: written.append(a) or take(*a))
    pairs = list(pairwise(arrays))
    kept = pairs[: again.MOST_WRITTEN]
    for turn in range(3):
        for source, target in kept:
            # Numbers of NumPy are other objects each time, with other values.
            assert (
                quick.run((np.uint32(N), np.float32(turn), np.int16(turn + 1), source, target))
                is not None
            )
            expected = source.to_host() * np.float32(turn) + np.float32(turn + 1)
            np.testing.assert_array_equal(target.to_host(), expected)
    assert len(written) == len(kept)
    # One pair more takes the place of the one used least lately.
    last = np.uint32(N), np.float32(2), np.int16(1)
    for pair in (pairs[again.MOST_WRITTEN], kept[-1], kept[0]):
        assert quick.run((*last, *pair)) is not None
    assert len(written) == len(kept) + 2
    # An equal number of another type, and a NaN, are not written in place.
    assert quick.run((N, *last[1:], *kept[0])) is not None
    assert quick.run((N, np.float32("nan"), 1, *kept[0])) is None
    assert quick.run((N, 2.0, 1 << 20, *kept[0])) is None
    assert quick.run((N, 2.0, 1, *kept[0])) is not None
    np.testing.assert_array_equal(kept[0][1].to_host(), kept[0][0].to_host() * 2 + 1)
    assert len(quick._written) <= again.MOST_WRITTEN


def test_launches_with_large_memory_of_their_own_keep_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(again, "MOST_BYTES", -1)
    device, launch = Device(), scale()
    x, y, z = (device.zeros(N, np.float32) for _ in "xyz")
    warm(launch, N, 1.0, 1, x, y)
    quick = shorter(launch)
    for target in (y, z, y, z):
        assert quick.run((N, 1.0, 1, x, target)) is not None
        assert len(quick._written) == 1
        assert target.to_host()[0] == 1


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
