"""Short launches of kernels that may wait: what they may change is copied before, and put back."""

from __future__ import annotations

import os
import signal
import threading
import time
from typing import Any

import numpy as np
import pytest

import simtlab
from simtlab import Device, Trap
from simtlab.emu.jit.launch import before, direct, order
from simtlab.emu.launch import Launch

from ..support.short_launches import short, shorter

ITEMS = 96

FOLLOW = """
kernel follow(u32 %n, u64 %away, global u32* %next, global u32* %length, global u32* %count) {
    workitemabsid_u32  $s0, 0
    ld_kernarg_u32     $s9, [%n]
    ld_kernarg_u64     $d0, [%next]
    cvt_u64_u32        $d3, $s0
    mov_u32            $s1, $s0
    mov_u32            $s2, 0
    ld_kernarg_u64     $d4, [%count]
    mov_u32            $s10, 1
    atomic_add_global_u32 [$d4], $s10
@step:
    cvt_u64_u32        $d1, $s1
    mad_u64            $d1, $d1, 4, $d0
    ld_global_u32      $s1, [$d1]
    add_u32            $s2, $s2, 1
    cmp_lt_u32         $c0, $s1, $s9
    cbr                $c0, @step
    ld_kernarg_u64     $d2, [%length]
    ld_kernarg_u64     $d5, [%away]
    add_u64            $d2, $d2, $d5
    mad_u64            $d2, $d3, 4, $d2
    st_global_u32      $s2, [$d2]
    ret
}
"""

WAIT = """
kernel wait(global u32* %flags, global u32* %out) {
    workitemabsid_u32  $s0, 0
    ld_kernarg_u64     $d0, [%flags]
    ld_kernarg_u64     $d1, [%out]
    cvt_u64_u32        $d2, $s0
    mad_u64            $d1, $d2, 4, $d1
    mov_u32            $s21, 1
    cmp_ge_u32         $c0, $s0, 64
    cbr                $c0, @send
    mov_u64            $d5, 0
@poll:
    add_u64            $d6, $d0, $d5
    ld_global_u32      $s2, [$d6]
    add_u64            $d5, $d5, 4
    and_u64            $d5, $d5, 12
    cmp_eq_u32         $c1, $s2, 0
    cbr                $c1, @poll
    br                 @store
@send:
    atomic_exch_global_u32 [$d0], $s21
@store:
    ld_global_u32      $s3, [$d1]
    add_u32            $s3, $s3, $s0
    st_global_u32      $s3, [$d1]
    ret
}
"""

LONG = """
kernel long(u32 %n, global u32* %x) {
    workitemabsid_u32  $s0, 0
    ld_kernarg_u32     $s1, [%n]
    ld_kernarg_u64     $d0, [%x]
    cvt_u64_u32        $d1, $s0
    mad_u64            $d0, $d1, 4, $d0
    ld_global_u32      $s2, [$d0]
@loop:
    mad_u32            $s2, $s2, $s2, 1
    sub_u32            $s1, $s1, 1
    cmp_ne_u32         $c0, $s1, 0
    cbr                $c0, @loop
    st_global_u32      $s2, [$d0]
    ret
}
"""


@pytest.fixture(autouse=True)
def every_call_is_short(monkeypatch: pytest.MonkeyPatch) -> None:
    """However slow the machine is."""
    short(monkeypatch, 1e9)
    order._SCHEDULED.clear()


def arrays(device: Device | None, *hosts: np.ndarray) -> list[Any]:
    return [device.to_device(host) if device else host.copy() for host in hosts]


def content(array: Any) -> np.ndarray:
    return np.asarray(array)


def followed() -> tuple[np.ndarray, np.ndarray]:
    steps = np.arange(ITEMS, dtype=np.uint32) + 1
    steps[3::4] = ITEMS
    return steps, 4 - np.arange(ITEMS, dtype=np.uint32) % 4


def follow(budget: int = 1 << 10) -> Launch:
    return simtlab.assemble(FOLLOW)["follow"].launch(items=ITEMS, group_size=32, budget=budget)


@pytest.mark.parametrize("on_device", [True, False])
def test_a_trap_after_launches_without_one_is_that_of_a_first_launch(on_device: bool) -> None:
    steps, lengths = followed()
    empty = np.zeros(ITEMS, np.uint32), np.zeros(1, np.uint32)
    launch, device = follow(), Device() if on_device else None
    next_, length, count = arrays(device, steps, *empty)
    for turn in range(1, 6):
        assert launch(ITEMS, 0, next_, length, count).engine == "jit"
        np.testing.assert_array_equal(content(length), lengths)
        assert content(count)[0] == turn * ITEMS
    if direct.is_supported():
        assert shorter(launch).native((ITEMS, 0, next_, length, count)) is not None
    # A work-item that goes in a circle, and one that leaves the buffer.
    for value, limit in ((ITEMS - 4, ITEMS), (ITEMS + 1, 1 << 31)):
        wrong = steps.copy()
        wrong[ITEMS - 3] = value
        first, again = follow(), launch
        for _ in range(3):
            again(ITEMS, 0, next_, length, count)
        found = []
        for one in (first, again):
            given = arrays(Device() if on_device else None, wrong, *empty)
            if one is again:
                if on_device:
                    next_.copy_from(wrong)
                else:
                    next_[:] = wrong
                given = [next_, length, count]
            with pytest.raises(Trap) as caught:
                one(limit, 0, *given)
            found.append((caught.value.code, caught.value.record))
        assert found[0] == found[1]
        if on_device:
            next_.copy_from(steps)
        else:
            next_[:] = steps


@pytest.mark.parametrize("on_device", [True, False])
def test_a_launch_that_waits_after_some_that_have_not(on_device: bool) -> None:
    launch = simtlab.assemble(WAIT)["wait"].launch(
        items=ITEMS, group_size=32, warp=16, budget=1 << 18
    )
    device = Device() if on_device else None
    flags, out = arrays(device, np.ones(16, np.uint32), np.zeros(ITEMS, np.uint32))
    for turn in range(1, 6):
        assert launch(flags, out).engine == "jit"
        np.testing.assert_array_equal(content(out), np.arange(ITEMS) * turn)
    if on_device:
        flags.copy_from(np.zeros(16, np.uint32))
    else:
        flags[:] = 0
    # What the launch has stored until it waited must not be added twice.
    assert launch(flags, out).engine == "interp"
    np.testing.assert_array_equal(content(out), np.arange(ITEMS) * 6)
    assert content(flags)[0] == 1
    assert launch(flags, out).engine == "interp"
    np.testing.assert_array_equal(content(out), np.arange(ITEMS) * 7)


def test_a_store_that_leaves_its_buffer_for_one_that_is_not_copied() -> None:
    steps, lengths = followed()
    launch, device = follow(), Device()
    empty = np.zeros(ITEMS, np.uint32), np.zeros(1, np.uint32)
    next_, length, count, other = arrays(device, steps, *empty, empty[0])
    for _ in range(4):
        launch(ITEMS, 0, next_, length, count)
    away = other.address - length.address
    for turn in range(5, 9):
        other.copy_from(empty[0])
        assert launch(ITEMS, away, next_, length, count).engine == "jit"
        np.testing.assert_array_equal(content(other), lengths)
        assert content(count)[0] == turn * ITEMS
    assert shorter(launch)._plan.strays


def test_buffers_that_grow_too_large_to_copy() -> None:
    steps, lengths = followed()
    launch, device = follow(), Device()
    next_, length, count = arrays(device, steps, np.zeros(ITEMS, np.uint32), np.zeros(1, np.uint32))
    large = None
    for turn in range(1, 9):
        if turn == 5:
            large = device.zeros(before.COPIED_BEFORE, np.uint8)
        launch(ITEMS, 0, next_, length, count)
        np.testing.assert_array_equal(content(length), lengths)
    wrong = steps.copy()
    wrong[5] = 5
    next_.copy_from(wrong)
    with pytest.raises(Trap, match="SIM412"):
        launch(ITEMS, 0, next_, length, count)
    assert large is not None
    large.free()
    next_.copy_from(wrong)
    with pytest.raises(Trap, match="SIM40"):
        launch(ITEMS, 0, next_, length, count)


@pytest.mark.parametrize("n_groups", [1, 2, 3, 64, 65, 1000])
def test_all_workgroups_run_once(n_groups: int) -> None:
    launch, device = simtlab.assemble(LONG)["long"].launch(groups=n_groups, group_size=32), Device()
    x = device.zeros(32 * n_groups, np.uint32)
    expected = 0
    for turn in range(1, 5):
        launch(turn, x)
        for _ in range(turn):
            expected = (expected * expected + 1) & 0xFFFFFFFF
        assert (content(x) == expected).all()


@pytest.mark.parametrize("on_device", [True, False])
def test_an_interrupt_ends_a_short_launch_that_has_become_long(on_device: bool) -> None:
    launch = simtlab.assemble(LONG)["long"].launch(
        groups=4096, group_size=32, threads=1, budget=1 << 40
    )
    (x,) = arrays(Device() if on_device else None, np.zeros(32 * 4096, np.uint32))
    for _ in range(4):
        launch(1, x)
    assert shorter(launch) is not None
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    start = time.perf_counter()
    with pytest.raises(simtlab.Interrupted):
        launch(1 << 22, x)
    assert time.perf_counter() - start < 20
    timer.join()
    launch(1, x)
