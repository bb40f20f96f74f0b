"""Arrays of NumPy that native code looks up itself, wherever they lie."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

from simtlab import ArgumentError, Trap
from simtlab.emu.jit.launch import again, direct, hosts
from simtlab.emu.launch import Launch

from ..support.short_launches import PROGRAM, N, scale, short, shorter

pytestmark = pytest.mark.skipif(
    not (direct.is_supported() and hosts.are_known()), reason="another Python"
)


@pytest.fixture(autouse=True)
def every_call_is_short(monkeypatch: pytest.MonkeyPatch) -> None:
    """However slow the machine is."""
    short(monkeypatch, 1e9)


def ramp(start: int = 0) -> np.ndarray:
    return np.arange(start, start + N, dtype=np.float32)


def zeros() -> np.ndarray:
    return np.zeros(N, np.float32)


def known(launch: Launch, *args: Any) -> Any:
    """Launch until native code knows the arguments; return the function."""
    for _ in range(3):
        launch(*args)
    run = shorter(launch).native
    assert run(args) is not None
    return run


def test_arrays_at_other_places() -> None:
    launch = scale()
    run = known(launch, N, 1.0, 0, ramp(), zeros())
    kept = []
    for turn in range(20):
        x, y = ramp(turn), zeros()
        kept += [x, y]
        for source, target in ((x, y), (y, x)):
            expected = source * np.float32(2) + np.float32(turn)
            assert run((N, 2.0, turn, source, target)) is not None
            np.testing.assert_array_equal(target, expected)
    rows = np.zeros((2, N), np.float32)
    rows[0] = 7
    assert run((N, 1.0, 1, *rows)) is not None
    assert (rows[1] == 8).all()


def test_another_kind_of_array_is_left_to_python() -> None:
    launch, x = scale(), ramp()
    run = known(launch, N, 1.0, 0, x, zeros())
    subclass = type("Own", (np.ndarray,), {})
    swapped = zeros().astype(">f4")
    for other in (
        zeros()[:20], np.zeros(2 * N, np.float32)[::2], np.zeros(N, np.int32), zeros()[::-1],
        zeros().reshape(8, 8), zeros().view(subclass), swapped, None, [0.0] * N, x, x[1:],
    ):  # fmt: skip
        assert run((N, 1.0, 0, x, other)) is None
    frozen = zeros()
    frozen.flags.writeable = False
    assert run((N, 1.0, 0, x, frozen)) is None
    with pytest.raises(ArgumentError):
        launch(N, 1.0, 0, x, swapped)
    with pytest.raises(Trap, match="read-only"):
        launch(N, 1.0, 0, x, frozen)
    # The launch takes what it can take: strided, overlapping, of another shape.
    strided = np.zeros(2 * N, np.float32)
    for turn in range(3):
        launch(N, 1.0, turn, x, strided[::2])
        np.testing.assert_array_equal(strided[::2], x + turn)
        launch(N, 1.0, 1, x, x)
        np.testing.assert_array_equal(x, ramp(turn + 1))


def test_an_array_that_changes_in_place() -> None:
    launch, x, y = scale(), ramp(), zeros()
    run = known(launch, N, 1.0, 0, x, y)
    y.flags.writeable = False
    assert run((N, 1.0, 0, x, y)) is None
    y.flags.writeable = True
    assert run((N, 1.0, 0, x, y)) is not None
    y.shape = 8, 8
    assert run((N, 1.0, 0, x, y)) is None
    y.shape = (N,)
    setattr(y, "dtype", np.int32)  # noqa: B010 (the stubs do not know it)
    assert run((N, 1.0, 0, x, y)) is None
    setattr(y, "dtype", np.float32)  # noqa: B010
    assert run((N, 1.0, 0, x, y)) is not None
    y.resize(16, refcheck=False)
    assert run((N, 1.0, 0, x, y)) is None
    with pytest.raises(Trap, match="workgroup 1"):
        launch(N, 1.0, 0, x, y)


def test_arrays_that_overlap_keep_their_places() -> None:
    launch, room = scale(), np.arange(4 * N, dtype=np.float32)
    for shift in (1, N // 2):
        x, y = room[:N], room[shift : shift + N]
        run = known(launch, N, 1.0, 0, x, y)
        before = room.copy()
        assert run((N, 1.0, 0, room[N : 2 * N], room[N + shift : 2 * N + shift])) is None
        np.testing.assert_array_equal(room, before)
    # Apart first, then overlapping.
    run = known(launch, N, 1.0, 0, room[:N], room[2 * N : 3 * N])
    assert run((N, 1.0, 0, room[:N], room[N : 2 * N])) is not None
    before = room[:N].copy()
    assert run((N, 1.0, 0, room[:N], room[N - 1 : 2 * N - 1])) is None
    assert run((N, 1.0, 0, room[N - 1 : 2 * N - 1], room[:N])) is None
    np.testing.assert_array_equal(room[:N], before)


def test_traps_name_the_work_item_and_the_address() -> None:
    launch, x, small = scale(), ramp(), np.zeros(20, np.float32)
    found = []
    for _ in range(6):
        known(launch, 20, 1.0, 0, x, small)
        with pytest.raises(Trap) as caught:
            launch(N, 1.0, 0, x.copy(), small.copy())
        found.append((caught.value.code, caught.value.record, str(caught.value)))
        assert caught.value.seconds > 0
    assert found == [found[0]] * 6
    assert found[0][1].local == 4
    assert found[0][1].group == 1


def test_empty_arrays() -> None:
    launch, empty = scale(), np.zeros(0, np.float32)
    for _ in range(5):
        launch(0, 1.0, 0, empty, empty.copy())
        launch(0, 1.0, 0, ramp(), empty)
    with pytest.raises(Trap):
        launch(1, 1.0, 0, ramp(), empty)


def test_many_shapes_and_none_is_kept_alive() -> None:
    launch = PROGRAM["scale"].launch(groups=1, group_size=16)
    for n in range(1, 3 * again.MOST_ENTRIES):
        x, y = np.ones(n, np.float32), np.zeros(n, np.float32)
        for turn in range(3):
            launch(min(n, 16), 1.0, turn, x, y)
            assert (y[:16] == 1 + turn).all()


def test_threads_have_entries_of_their_own() -> None:
    launch, wrong = scale(), []

    def work(number: int) -> None:
        for turn in range(300):
            x, y = ramp(turn), zeros()
            launch(N, 1.0, number, x, y)
            if not np.array_equal(y, x + number):
                wrong.append(turn)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
