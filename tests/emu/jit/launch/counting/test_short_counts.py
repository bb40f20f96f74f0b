"""Short launches that count: native code looks arguments up, and results have its counts."""

from __future__ import annotations

import copy
import pickle
import threading
from typing import Any

import numpy as np
import pytest

import simtlab
from simtlab import ArgumentError, Device, Trap
from simtlab.emu.jit.launch import direct, engine, known_counts

from ...support.short_launches import PROGRAM, N, short, shorter

pytestmark = pytest.mark.skipif(not direct.is_supported(), reason="another Python")

RELAX = """
kernel relax(u32 %n, u32 %k, global u32* %d, global u32* %via) {
    workitemabsid_u32   $s0, 0
    ld_kernarg_u32      $s2, [%n]
    mul_u32             $s9, $s2, $s2
    cmp_ge_u32          $c0, $s0, $s9
    cbr                 $c0, @done
    div_u32             $s1, $s0, $s2
    mul_u32             $s4, $s1, $s2
    sub_u32             $s3, $s0, $s4
    ld_kernarg_u32      $s8, [%k]
    ld_kernarg_u64      $d0, [%d]
    add_u32             $s4, $s4, $s8
    cvt_u64_u32         $d1, $s4
    mad_u64             $d1, $d1, 4, $d0
    ld_global_u32       $s5, [$d1]
    mad_u32             $s4, $s8, $s2, $s3
    cvt_u64_u32         $d1, $s4
    mad_u64             $d1, $d1, 4, $d0
    ld_global_u32       $s6, [$d1]
    add_u32             $s5, $s5, $s6
    cvt_u64_u32         $d2, $s0
    mad_u64             $d1, $d2, 4, $d0
    ld_global_u32       $s6, [$d1]
    cmp_ge_u32          $c0, $s5, $s6
    cbr                 $c0, @done
    st_global_u32       $s5, [$d1]
    ld_kernarg_u64      $d1, [%via]
    mad_u64             $d1, $d2, 4, $d1
    st_global_u32       $s8, [$d1]
@done:
    ret
}
kernel rows(u32 %n, global u32* %first, global u32* %sum) {
    workitemabsid_u32   $s0, 0
    ld_kernarg_u64      $d0, [%first]
    cvt_u64_u32         $d1, $s0
    mad_u64             $d2, $d1, 4, $d0
    ld_global_u32       $s1, [$d2]
    mov_u32             $s2, 0
@loop:
    cmp_eq_u32          $c0, $s1, 0
    cbr                 $c0, @out
    add_u32             $s2, $s2, $s1
    sub_u32             $s1, $s1, 1
    br                  @loop
@out:
    ld_kernarg_u64      $d3, [%sum]
    mad_u64             $d3, $d1, 4, $d3
    st_global_u32       $s2, [$d3]
    ret
}
"""


@pytest.fixture(autouse=True)
def every_call_is_short(monkeypatch: pytest.MonkeyPatch) -> None:
    """However slow the machine is."""
    short(monkeypatch, 1e9)
    monkeypatch.setattr(engine, "SHORT_KNOWN", 1e9)


def launches(source: str, name: str, **shape: Any) -> tuple[Any, Any]:
    """A launch that is prepared, and one by the interpreter."""
    kernel = simtlab.assemble(source)[name]
    return (
        kernel.launch(**shape, stats=True),
        kernel.launch(**shape, stats=True, engine="interp"),
    )


def assert_same(found: Any, expected: Any) -> None:
    assert found.engine == "jit"
    assert found.statistics.to_dict() == expected.statistics.to_dict()
    np.testing.assert_array_equal(found.statistics.executions, expected.statistics.executions)
    np.testing.assert_array_equal(found.statistics.lanes, expected.statistics.lanes)


@pytest.mark.parametrize("warp", [7, 16, 32, 64])
@pytest.mark.parametrize("on_device", [True, False])
def test_counts_are_those_of_the_interpreter(warp: int, on_device: bool) -> None:
    native, slow = launches(RELAX, "rows", items=96, group_size=48, warp=warp)
    rng, device = np.random.default_rng(3), Device()
    hosts = [np.zeros(96, np.uint32) for _ in "xy"]
    given: list[Any] = [device.to_device(h) if on_device else h.copy() for h in hosts]
    found: Any = None
    for turn in range(6):
        hosts[0][:] = rng.integers(0, 2 + 4 * turn, 96)
        if on_device:
            given[0].copy_from(hosts[0])
        else:
            given[0][:] = hosts[0]
        found = native(96, *given)
        assert_same(found, slow(96, *hosts))
        np.testing.assert_array_equal(np.asarray(given[1]), hosts[1])
    assert shorter(native) is not None
    assert type(found._statistics) is not bytes
    twin = native(96, *given)
    assert type(twin._statistics) is bytes
    for other in (pickle.loads(pickle.dumps(twin)), copy.deepcopy(twin), twin):
        assert_same(other, found)
    # Statistics are the caller's.
    twin.statistics.executions[:] = 0
    assert_same(native(96, *given), found)


@pytest.mark.parametrize("warp", [16, 32])
def test_accesses_that_are_watched(warp: int) -> None:
    n = 24
    native, slow = launches(RELAX, "relax", items=n * n, group_size=64, warp=warp)
    rng, device = np.random.default_rng(5), Device()
    d = rng.integers(1, 1000, (n, n)).astype(np.uint32)
    np.fill_diagonal(d, 0)
    via = np.zeros((n, n), np.uint32)
    given = device.to_device(d), device.to_device(via)
    for k in range(n):
        assert_same(native(n, k, *given), slow(n, k, d, via))
        np.testing.assert_array_equal(given[0].to_host(), d)
        np.testing.assert_array_equal(given[1].to_host(), via)
    # Places that others change: the interpreter counts, from the memory as it was before.
    np.fill_diagonal(d, 2**32 - 3)
    for k in range(4):
        d[k] = rng.integers(1, 1000, n)
        given[0].copy_from(d)
        found, expected = native(n, k, *given), slow(n, k, d, via)
        assert found.statistics.to_dict() == expected.statistics.to_dict()
        np.testing.assert_array_equal(given[0].to_host(), d)
        np.testing.assert_array_equal(given[1].to_host(), via)


def test_threads_that_count_by_one_launch() -> None:
    """Also where another work-item's place is changed, so that the interpreter counts."""
    n, turns = 24, 12
    native, slow = launches(RELAX, "relax", items=n * n, group_size=64)
    wrong: list[tuple[int, int]] = []

    def distances(number: int) -> tuple[np.ndarray, np.ndarray]:
        d = np.random.default_rng(number).integers(1, 1000, (n, n)).astype(np.uint32)
        np.fill_diagonal(d, 0 if number % 2 else 2**32 - 3)
        return d, np.zeros((n, n), np.uint32)

    expected = {}
    for number in range(4):
        given = distances(number)
        counts = [slow(n, k, *given).statistics.to_dict() for k in range(turns)]
        expected[number] = counts, [a.tobytes() for a in given]

    def work(number: int) -> None:
        for again in range(4):
            given = distances(number)
            counts = [native(n, k, *given).statistics.to_dict() for k in range(turns)]
            if (counts, [a.tobytes() for a in given]) != expected[number]:
                wrong.append((number, again))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_one_buffer_for_what_decides_and_what_is_stored() -> None:
    native, slow = launches(RELAX, "rows", items=96, group_size=48)
    device, host = Device(), np.arange(96, dtype=np.uint32) % 5
    x, y = device.to_device(host), device.zeros(96, np.uint32)
    for _ in range(4):
        native(96, x, y)
    expected = slow(96, host, host)
    found = native(96, x, x)
    assert found.statistics.to_dict() == expected.statistics.to_dict()
    np.testing.assert_array_equal(x.to_host(), host)


def test_traps_after_launches_that_count() -> None:
    launch: Any = PROGRAM["scale"].launch(items=N, group_size=16, stats=True)
    device = Device()
    x, y, small = (device.zeros(n, np.float32) for n in (N, N, 20))
    counts = [launch(n, 1.0, 0, x, y).statistics.thread_instructions for n in (N, 20, N, 20, 20)]
    assert counts == [counts[0], counts[1], counts[0], counts[1], counts[1]]
    launch(20, 1.0, 0, x, small)
    launch(20, 1.0, 0, x, small)
    with pytest.raises(Trap) as caught:
        launch(N, 1.0, 0, x, small)
    assert (caught.value.record.group, caught.value.record.local) == (1, 4)
    assert launch(20, 1.0, 0, x, small).statistics.thread_instructions == counts[1]


@pytest.mark.parametrize("on_device", [True, False])
def test_counts_that_are_known(on_device: bool) -> None:
    kernel: Any = PROGRAM["scale"]
    device = Device()
    plain, native = (kernel.launch(items=N, group_size=16, stats=s) for s in (False, True))
    slow = kernel.launch(items=N, group_size=16, stats=True, engine="interp")
    hosts = [np.arange(N, dtype=np.float32), np.zeros(N, np.float32)]
    given: list[Any] = [device.to_device(h) if on_device else h.copy() for h in hosts]
    for _ in range(3):
        plain(N, 1.0, 0, *given)
    for turn in range(4):
        for n in (N, 20, np.uint32(5)):
            found = native(n, 2.0, turn, *given)
            assert_same(found, slow(n, 2.0, turn, *hosts))
            np.testing.assert_array_equal(np.asarray(given[1]), hosts[1])
            # Statistics are the caller's.
            found.statistics.lanes[:] = 0
    again = shorter(native)
    assert type(again) is known_counts.KnownAgain
    found = again.native((N, 2.0, 9, *given))
    assert_same(found, slow(N, 2.0, 9, *hosts))
    assert_same(pickle.loads(pickle.dumps(again.native((N, 2.0, 9, *given)))), found)
    for wrong in (True, 1.0, "7", None, [], np.zeros(2), np.uint64(N), Strange()):
        assert again.native((wrong, 2.0, 9, *given)) is None or wrong == N
    assert again.native(()) is None
    with pytest.raises(ArgumentError):
        native(Strange(), 2.0, 9, *given)
    for turn in range(3):
        for n in range(40, 50):
            assert_same(native(n, 2.0, turn, *given), slow(n, 2.0, turn, *hosts))
            found = native(n, 2.0, turn, *given)
            assert_same(found, slow(n, 2.0, turn, *hosts))
            found.statistics.lanes[:] = 0
    small = given[1][:20].copy() if not on_device else device.zeros(20, np.float32)
    for _ in range(3):
        with pytest.raises(Trap):
            native(N, 2.0, 9, given[0], small)
        assert_same(native(20, 2.0, 9, *given), slow(20, 2.0, 9, *hosts))


class Strange:
    """An object that cannot be compared."""

    def __hash__(self) -> int:
        raise ValueError("no hash")


def test_a_long_launch_leaves_the_next_to_the_longer_way() -> None:
    launch, _ = launches(RELAX, "rows", items=96, group_size=48)
    device = Device()
    given = device.to_device(np.arange(96, dtype=np.uint32) % 7), device.zeros(96, np.uint32)
    counts = [launch(96, *given).statistics.to_dict() for _ in range(4)]
    again = shorter(launch)
    again._direct._book[direct.LIMIT] = 0
    counts += [launch(96, *given).statistics.to_dict() for _ in range(3)]
    assert counts == [counts[0]] * 7
    assert again._has_left
