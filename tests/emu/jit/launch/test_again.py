"""A short launch is run again by a shorter way, with the same results, errors and traps."""

from __future__ import annotations

import gc
import itertools
import resource
import struct
import sys
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import simtlab
from simtlab import ArgumentError, Device, Trap
from simtlab.emu.jit.launch import engine
from simtlab.emu.launch import Launch

from ..support.short_launches import PROGRAM, N, run_short, scale, short, shorter, warm


@pytest.fixture(autouse=True)
def every_call_is_short(monkeypatch: pytest.MonkeyPatch) -> None:
    """However slow the machine is."""
    short(monkeypatch, 1e9)


def ways(launch: Launch, *args: object) -> list[Any]:
    """What comes of a call both ways: the error or None."""
    found = []
    for call in (
        lambda: run_short(launch, args),
        lambda: launch.run_by(launch._prepared.run, *args),
    ):
        try:
            call()
            found.append(None)
        except (ArgumentError, Trap) as error:
            found.append((type(error), str(error)))
    return found


def test_the_shorter_way_gives_the_same_memory() -> None:
    device, launch = Device(), scale()
    x = device.to_device(np.arange(N, dtype=np.float32))
    y, z = (device.zeros(N, np.float32) for _ in "yz")
    warm(launch, N, 1.0, 0, x, y)
    for n, a, b, target in (
        (N, 2.0, 3, z),
        (5, -0.0, -9, y),
        (N, float("inf"), 1, z),
        (N, 3.0, 4, y),
    ):
        target.copy_from(np.zeros(N, np.float32))
        assert run_short(launch, (n, a, b, x, target)) is not None
        expected = np.zeros(N, np.float32)
        with np.errstate(invalid="ignore"):
            expected[:n] = (np.arange(N, dtype=np.float32) * np.float32(a) + np.float32(b))[:n]
        np.testing.assert_array_equal(target.to_host(), expected)
    # Arrays that swap their places, as a host loop passes them.
    for source, target in ((y, z), (z, y), (y, z)):
        before = source.to_host()
        assert run_short(launch, (N, 2.0, 1, source, target)) is not None
        np.testing.assert_array_equal(target.to_host(), before * 2 + 1)


def test_a_thread_that_comes_before_results_are_known_takes_the_longer_way() -> None:
    """The thread that has made this says after its launch what results are like."""
    device, launch = Device(), scale()
    x, y = device.to_device(np.ones(N, np.float32)), device.zeros(N, np.float32)
    launch(N, 1.0, 0, x, y)
    made = shorter(launch)
    like, made._result = made._result, None
    assert made.finish((N, 1.0, 5, x, y), None) is None
    assert y.to_host()[3] == 1
    made._result = like
    assert made.finish((N, 1.0, 5, x, y), None) is not None
    assert y.to_host()[3] == 6


@pytest.mark.parametrize(
    "change",
    [
        {0: True}, {0: 1.0}, {0: -1}, {0: 1 << 32}, {0: np.int64(-3)}, {0: np.bool_(1)},
        {0: np.timedelta64(3)}, {1: 1}, {1: 1e300}, {1: np.float64(1e300)}, {1: np.int32(2)},
        {1: np.float32("nan")}, {1: np.longdouble(2)}, {2: 40000},
        {2: "3"}, {3: None}, {4: np.zeros(N, np.float32)}, {3: np.zeros(N, np.int32)},
    ],
)  # fmt: skip
def test_other_arguments_take_the_longer_way(change: dict[int, Any]) -> None:
    device, launch = Device(), scale()
    args: list[Any] = [N, 1.0, 0, *(device.zeros(N, np.float32) for _ in "xy")]
    warm(launch, *args)
    for position, value in change.items():
        args[position] = value
    assert run_short(launch, tuple(args)) is None
    direct = scale()
    messages = []
    for one in (launch, direct):
        try:
            messages.append(one(*args).kernel)
        except ArgumentError as error:
            messages.append(str(error))
    assert messages[0] == messages[1]


def test_numbers_of_numpy_take_the_shorter_way() -> None:
    device, launch = Device(), scale()
    x = device.to_device(np.arange(N, dtype=np.float32))
    y = device.zeros(N, np.float32)
    warm(launch, N, 1.0, 0, x, y)
    for n, a, b in (
        (np.uint32(N), np.float32(0.1), np.int16(-3)),
        (np.int64(5), np.float64(0.1), np.uint8(7)),
        (np.longlong(N), np.float16(0.5), 2),
    ):
        assert run_short(launch, (n, a, b, x, y)) is not None
        short = y.to_host()
        launch.run_by(launch._prepared.run, n, a, b, x, y)
        np.testing.assert_array_equal(short, y.to_host())


def test_too_few_arguments_other_types_and_other_devices() -> None:
    device, other, launch = Device(), Device(), scale()
    x, y = (device.zeros(N, np.float32) for _ in "xy")
    warm(launch, N, 1.0, 0, x, y)
    for wrong in ((N, 1.0, 0, x), (N, 1.0, 0, x, y, y), (N, 1.0, 0, x, device.zeros(N, np.int32)),
                  (N, 1.0, 0, x, other.zeros(N, np.float32))):  # fmt: skip
        with pytest.raises(ArgumentError):
            launch(*wrong)


def test_traps_are_those_of_the_longer_way() -> None:
    device, launch = Device(), scale()
    x, y, short = (device.zeros(n, np.float32) for n in (N, N, 20))
    warm(launch, N, 1.0, 0, x, y)
    quick, long = ways(launch, N, 1.0, 0, x, short)
    assert quick == long
    assert quick[0] is Trap
    turn = PROGRAM["turn"].launch(items=N, group_size=16, budget=1000)
    out = device.zeros(1, np.uint32)
    warm(turn, 3, out)
    warm(launch, N, 1.0, 0, x, y)
    quick, long = ways(turn, 0, out)
    assert quick == long
    assert "SIM406" in quick[1]
    with pytest.raises(Trap) as caught:
        turn(0, out)
    assert caught.value.seconds > 0
    turn(3, out)


def test_freed_arrays_trap() -> None:
    device, launch = Device(), scale()
    x, y = (device.zeros(N, np.float32) for _ in "xy")
    warm(launch, N, 1.0, 0, x, y)
    y.free()
    with pytest.raises(Trap, match="freed"):
        launch(N, 1.0, 0, x, y)


def test_a_long_call_takes_the_longer_way_again(monkeypatch: pytest.MonkeyPatch) -> None:
    launch, device = PROGRAM["turn"].launch(items=N, group_size=16), Device()
    out = device.zeros(1, np.uint32)
    warm(launch, 3, out)
    shorter(launch)._limit = 0.0
    short(monkeypatch, 0.0)
    for _ in range(2):
        launch(5_000_000, out)
        assert shorter(launch) is None
    short(monkeypatch, 1e9)
    warm(launch, 3, out)


@pytest.mark.parametrize("threads", [1, 2, "auto"])
@pytest.mark.parametrize("cores", [1, 2])
def test_longer_calls_take_the_shorter_way_if_they_get_one_thread(
    monkeypatch: pytest.MonkeyPatch, threads: int | str, cores: int
) -> None:
    short(monkeypatch, 0.0, alone=1e9)
    monkeypatch.setattr(engine, "host_threads", lambda: cores)
    monkeypatch.setattr(engine, "CALLS_ALONE", 3)
    launch = PROGRAM["scale"].launch(groups=16, group_size=1024, threads=threads)
    device = Device()
    x = device.to_device(np.arange(N, dtype=np.float32))
    y = device.zeros(N, np.float32)
    is_alone = threads == 1 or (threads == "auto" and cores == 1)
    for turn in range(8):
        launch(N, 1.0, turn, x, y)
        # Every fourth call asks again how many threads there are.
        assert (shorter(launch) is not None) == (is_alone and turn % 4 != 3)
        np.testing.assert_array_equal(y.to_host(), x.to_host() + turn)


def test_the_same_arguments_again() -> None:
    device, launch = Device(), scale()
    x = device.to_device(np.arange(N, dtype=np.float32))
    y, z = (device.zeros(N, np.float32) for _ in "yz")
    numbers = np.uint32(N), np.float32(2), 1
    warm(launch, *numbers, x, y)
    for target in (y, y, z, y, y, z, z):
        target.copy_from(np.zeros(N, np.float32))
        assert run_short(launch, (*numbers, x, target)) is not None
        np.testing.assert_array_equal(target.to_host(), x.to_host() * 2 + 1)
    # Equal numbers are not the same arguments if their types differ.
    assert run_short(launch, (*numbers[:2], True, x, z)) is None
    assert run_short(launch, (*numbers, x, z)) is not None
    # A new buffer changes the table of buffers, and a freed one traps.
    z.copy_from(np.zeros(N, np.float32))
    device.zeros(N, np.float32)
    assert run_short(launch, (*numbers, x, z)) is not None
    np.testing.assert_array_equal(z.to_host(), x.to_host() * 2 + 1)
    z.free()
    with pytest.raises(Trap, match="freed"):
        launch(*numbers, x, z)


def test_arguments_are_not_kept() -> None:
    device, launch = Device(), scale()
    x, y = (device.zeros(N, np.float32) for _ in "xy")
    warm(launch, N, 1.0, 0, x, y)
    for _ in range(3):
        launch(N, 1.0, 0, x, y)
    gone = weakref.ref(y)
    del y
    gc.collect()
    assert gone() is None


WAITS = """
kernel follow(u32 %n, global u32* %next, global u32* %length) {
    workitemabsid_u32  $s0, 0
    ld_kernarg_u32     $s9, [%n]
    ld_kernarg_u64     $d0, [%next]
    cvt_u64_u32        $d3, $s0
    mov_u32            $s1, $s0
    mov_u32            $s2, 0
@step:
    cvt_u64_u32        $d1, $s1
    mad_u64            $d1, $d1, 4, $d0
    ld_global_u32      $s1, [$d1]
    add_u32            $s2, $s2, 1
    cmp_lt_u32         $c0, $s1, $s9
    cbr                $c0, @step
    ld_kernarg_u64     $d2, [%length]
    mad_u64            $d2, $d3, 4, $d2
    st_global_u32      $s2, [$d2]
    ret
}
"""


@pytest.mark.parametrize("items", [64, 1 << 16])
def test_kernels_that_may_wait(items: int) -> None:
    """A branch depends on what another work-item may store. What is small is copied before."""
    launch = simtlab.assemble(WAITS)["follow"].launch(items=items, group_size=64, budget=1 << 10)
    device = Device()
    steps = np.arange(items, dtype=np.uint32) + 1
    steps[3::4] = items
    follow, length = device.to_device(steps), device.zeros(items, np.uint32)
    launch(items, follow, length)
    for _ in range(4):
        length.copy_from(np.zeros(items, np.uint32))
        assert run_short(launch, (items, follow, length)).engine == "jit"
        np.testing.assert_array_equal(length.to_host(), 4 - np.arange(items) % 4)
    # A work-item that goes in a circle, and one that leaves the buffer.
    for value, limit in ((items - 4, items), (items + 1, 1 << 31)):
        steps[items - 3] = value
        follow.copy_from(steps)
        found = []
        for call in (launch, lambda *a: launch.run_by(launch._prepared.run, *a)):
            with pytest.raises(Trap) as caught:
                call(limit, follow, length)
            found.append((caught.value.code, str(caught.value)))
        assert found[0] == found[1]


def grown(work: Callable[[], object]) -> int:
    """Return by how many bytes the process has grown while it did something 10,000 times."""

    def pages() -> int:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1])

    for _ in range(500):
        work()
    before = pages()
    for _ in range(10_000):
        work()
    return (pages() - before) * resource.getpagesize()


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_memory_stays_flat_over_many_launches() -> None:
    device, launch = Device(), scale()
    x, y = (device.zeros(N, np.float32) for _ in "xy")
    hosts = [np.zeros(N, np.float32) for _ in "xy"]

    def with_temporary_arrays() -> None:
        z = device.zeros(1 << 12, np.float32)
        launch(N, 1.0, 0, x, z)
        z.free()

    def of_new_arrays() -> None:
        launch(N, 1.0, 0, hosts[0].copy(), np.zeros(N, np.float32))

    longer = launch._prepared.run
    counts = PROGRAM["scale"].launch(items=N, group_size=16, stats=True)
    follow = simtlab.assemble(WAITS)["follow"].launch(items=N, group_size=16)
    ends, lengths = (device.to_device(np.full(N, n, np.uint32)) for n in (N, 0))
    numbers = itertools.cycle(np.arange(100, dtype=np.float32))
    for work in (
        lambda: launch(N, 1.0, 0, x, y),
        lambda: launch(N, next(numbers), 0, x, y),
        lambda: counts(N, 1.0, 0, x, y).statistics,
        lambda: follow(N, ends, lengths),
        of_new_arrays,
        lambda: launch.run_by(longer, N, 1.0, 0, x, y),
        lambda: launch(N, 1.0, 0, *hosts),
        with_temporary_arrays,
    ):
        # Again where it has grown: a leak leaks every time, the heap of another thread does not.
        assert any(grown(work) < 1 << 20 for _ in range(3))


def test_a_float_is_packed_as_its_parameter() -> None:
    launch, device = scale(), Device()
    x, y = device.to_device(np.ones(N, np.float32)), device.zeros(N, np.float32)
    warm(launch, N, 1.0, 0, x, y)
    launch(N, 0.1, 0, x, y)
    assert y.to_host()[0] == struct.unpack("f", struct.pack("f", 0.1))[0]
