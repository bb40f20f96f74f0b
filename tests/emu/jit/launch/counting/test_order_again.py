"""Short launches in the interpreter's order that native code begins itself (order_again.py)."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from typing import Any

import numpy as np
import pytest

import simtlab
from simtlab import Device
from simtlab.emu.jit.launch.order_again import OrderPlan
from simtlab.emu.traps import Trap

from ....support.counts import WIDTHS, assert_equal, noting_order
from ...support.short_launches import memory_of_others

pytestmark = pytest.mark.usefixtures("any_time_is_short")

CLAIM = """
kernel claim(global u32* %x, global u32* %y, u32 %n, u32 %more) {
        workitemflatabsid_u32 $s0
        ld_kernarg_u64 $d0, [%x]
        ld_kernarg_u64 $d1, [%y]
        ld_kernarg_u32 $s1, [%n]
        ld_kernarg_u32 $s2, [%more]
        mov_u32 $s3, 0
    @try:                                   // until a place is free, or has this number
        rem_u32 $s4, $s0, $s1
        cvt_u64_u32 $d2, $s4
        mad_u64 $d3, $d2, 4, $d0
        mul_u32 $s6, $s0, 2654435769
        add_u32 $s6, $s6, 1
        atomic_cas_global_u32 $s5, [$d3], $s3, $s6
        cmp_eq_u32 $c0, $s5, 0
        cbr $c0, @mine
        and_u32 $s7, $s5, 3
        cmp_eq_u32 $c0, $s7, 1
        cbr $c0, @others
        add_u32 $s0, $s0, $s2
        sub_u32 $s2, $s2, 1
        cmp_gt_u32 $c0, $s2, 0
        cbr $c0, @try
        ret
    @others:
        mad_u64 $d4, $d2, 4, $d1
        atomic_add_global_u32 [$d4], $s5
        ret
    @mine:
        mad_u64 $d4, $d2, 4, $d1
        ld_global_u32 $s6, [$d4]
        cmp_gt_u32 $c0, $s6, 100
        cbr $c0, @end
        st_global_u32 $s5, [$d4]
    @end:
        ret
}"""


def launches(text: str, **shape: Any) -> tuple[Any, Any]:
    """Return a launch in native code, and the same in the interpreter."""
    (kernel,) = simtlab.assemble(text)
    native, slow = (kernel.launch(engine=e, stats=True, **shape) for e in ("jit", "interp"))
    return native, slow


def is_begun_by_native_code(launch: Any) -> bool:
    """Return whether a launch has taken the short way, and still would."""
    again = launch._prepared.kept.get("again")
    return again is not None and again.is_complete and isinstance(again._plan, OrderPlan)


@pytest.mark.parametrize("warp", WIDTHS)
@pytest.mark.parametrize("on_device", [True, False])
def test_counts_are_those_of_the_interpreter(warp: int, on_device: bool) -> None:
    """Numbers and contents change; groups of 50 have warps that are not whole."""
    native, slow = launches(CLAIM, items=330, group_size=50, warp=warp)
    rng, device = np.random.default_rng(warp), Device()
    hosts = [np.zeros(400, np.uint32) for _ in "xy"]
    given: list[Any] = [device.to_device(h) if on_device else h.copy() for h in hosts]
    longer: list[Any] = []
    for turn in range(6):
        for host, array in zip(hosts, given, strict=True):
            host[:] = rng.integers(0, 2 + 60 * (turn % 3), 400)
            array.copy_from(host) if on_device else np.copyto(array, host)
        with noting_order() as counted:
            found = native(*given, 40 + 60 * turn, 3 + turn)
        longer = list(counted)
        assert_equal(found.statistics, slow(*hosts, 40 + 60 * turn, 3 + turn).statistics)
        for host, array in zip(hosts, given, strict=True):
            np.testing.assert_array_equal(np.asarray(array), host)
    assert is_begun_by_native_code(native)
    assert not longer


def test_several_batches_and_other_arrays() -> None:
    native, slow = launches(CLAIM, items=33_000, group_size=64)
    device = Device()
    pairs = [[np.zeros(40_000, np.uint32) for _ in "xy"] for _ in range(2)]
    given = [[device.to_device(h) for h in hosts] for hosts in pairs]
    for turn in range(6):
        hosts, arrays = pairs[turn % 2], given[turn % 2]
        assert_equal(native(*arrays, 30_000, 5).statistics, slow(*hosts, 30_000, 5).statistics)
        for host, array in zip(hosts, arrays, strict=True):
            np.testing.assert_array_equal(array.to_host(), host)
            host[:] //= turn + 2
            array.copy_from(host)


def test_a_trap_after_launches_that_count() -> None:
    """Places after the end of a buffer: what the interpreter says, and then counts again."""
    native, slow = launches(CLAIM, items=96, group_size=32)
    hosts = [np.zeros(96, np.uint32) for _ in "xy"]
    device = Device()
    given = [device.to_device(h) for h in hosts]
    for n in (96, 96, 96, 200, 96, 96, 96):
        for host, array in zip(hosts, given, strict=True):
            host[:] = 0
            array.copy_from(host)
        if n == 96:
            assert_equal(native(*given, n, 4).statistics, slow(*hosts, n, 4).statistics)
            continue
        # Numbers from 96 on are reached by adding.
        hosts[0][:] = 2
        given[0].copy_from(hosts[0])
        records = []
        for launch, arrays in ((native, given), (slow, hosts)):
            with pytest.raises(Trap) as stop:
                launch(*arrays, n, 50)
            records.append((stop.value.record.kind, stop.value.record.pc))
        assert records[0] == records[1]
    assert is_begun_by_native_code(native)


def test_memory_that_another_thread_has() -> None:
    """The longer way runs a launch then, and nothing is put back."""
    native, slow = launches(CLAIM, items=96, group_size=32)
    hosts = [np.zeros(96, np.uint32) for _ in "xy"]
    device = Device()
    given = [device.to_device(h) for h in hosts]
    agains = set[int]()
    for turn in range(6):
        taken = memory_of_others() if turn == 4 else nullcontext()
        with noting_order() as longer, taken:
            found = native(*given, 50, 4)
        assert bool(longer) == (turn in (0, 4))
        assert_equal(found.statistics, slow(*hosts, 50, 4).statistics)
        for host, array in zip(hosts, given, strict=True):
            np.testing.assert_array_equal(array.to_host(), host)
        agains.add(id(native._again))
    assert is_begun_by_native_code(native)
    assert len(agains) == 1


def test_a_launch_of_many_rounds_takes_the_longer_way() -> None:
    """One that has more of them than the last one is run again, from the memory as it was."""
    native, slow = launches(CLAIM, items=40, group_size=20, warp=16)
    device = Device()
    hosts = [np.full(4, 2, np.uint32) for _ in "xy"]
    given = [device.to_device(h) for h in hosts]
    for tries, is_short in ((9, True), (9, True), (9, True), (900, False), (900, False)):
        for host, array in zip(hosts, given, strict=True):
            host[:] = 2, 0, 2, 2
            array.copy_from(host)
        assert_equal(native(*given, 4, tries).statistics, slow(*hosts, 4, tries).statistics)
        for host, array in zip(hosts, given, strict=True):
            np.testing.assert_array_equal(array.to_host(), host)
        assert is_begun_by_native_code(native) == is_short


def test_threads_that_count_by_one_launch() -> None:
    native, slow = launches(CLAIM, items=400, group_size=64)
    expected = []
    for more in range(1, 9):
        hosts = [np.zeros(500, np.uint32) for _ in "xy"]
        expected.append((slow(*hosts, 60 * more, more).statistics, hosts))

    def work(more: int) -> None:
        device = Device()
        given = [device.zeros(500, "uint32") for _ in "xy"]
        for _ in range(10):
            for array in given:
                array.copy_from(np.zeros(500, np.uint32))
            found = native(*given, 60 * more, more)
            statistics, hosts = expected[more - 1]
            assert_equal(found.statistics, statistics)
            for host, array in zip(hosts, given, strict=True):
                np.testing.assert_array_equal(array.to_host(), host)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(1, 9)))


STRAY = """
kernel stray(global u32* %x, global u32* %y, u64 %by, u32 %more) {
        ld_kernarg_u64 $d0, [%x]
        ld_kernarg_u64 $d1, [%by]
        add_u64 $d1, $d1, $d0
        ld_kernarg_u32 $s0, [%more]
        mov_u32 $s1, 1
    @again:
        atomic_add_global_u32 $s2, [$d1], $s1
        and_u32 $s2, $s2, 3
        add_u32 $s2, $s2, 1
        cmp_lt_u32 $c0, $s0, $s2
        cbr $c0, @end
        sub_u32 $s0, $s0, $s2
        br @again
    @end:
        ld_global_u32 $s3, [$d0]
        st_global_u32 $s3, [$d0+4]
        ret
}"""


def test_pointers_that_leave_their_buffer() -> None:
    """A buffer that is not copied is not changed by a launch that is run again."""
    native, slow = launches(STRAY, items=40, group_size=20, warp=16)
    sides = [[device.zeros(64, "uint32") for _ in "xy"] for device in (Device(), Device())]
    by = sides[0][1].address - sides[0][0].address
    assert by == sides[1][1].address - sides[1][0].address
    for distance, more in ((0, 9), (0, 9), (0, 9), (0, 9), (by, 3000), (by, 9), (0, 9), (0, 9)):
        given, expected = sides
        found = native(*given, distance, more).statistics
        assert_equal(found, slow(*expected, distance, more).statistics)
        for array, other in zip(given, expected, strict=True):
            np.testing.assert_array_equal(array.to_host(), other.to_host())


LOADS = """
kernel loads(global u32* %x, u32 %far) {
        ld_kernarg_u64 $d0, [%x]
        ld_kernarg_u32 $s0, [%far]
        mov_u32 $s1, 1
        atomic_add_global_u32 $s2, [$d0], $s1
        and_u32 $s2, $s2, 7
        cvt_u64_u32 $d1, $s2
        mad_u64 $d1, $d1, 4, $d0
        cvt_u64_u32 $d2, $s0
        add_u64 $d2, $d2, $d1
        ld_global_u32 $s3, [$d2]
        ld_global_u32 $s4, [$d1]
        cmp_gt_u32 $c0, $s4, $s3
        cbr $c0, @end
        add_u32 $s4, $s4, 1
        st_global_u32 $s4, [$d1+4]
    @end:
        ret
}"""


def test_a_trap_of_the_first_load_of_two() -> None:
    """One call runs both, for more lanes than run in turn; it ends with the trap of the first."""
    native, slow = launches(LOADS, items=120, group_size=60, warp=64)
    device, host = Device(), np.zeros(64, np.uint32)
    array = device.to_device(host)
    for far in (4, 8, 4, 8, 64 * 4, 4, 8, 4):
        if far < 64:
            assert_equal(native(array, far).statistics, slow(host, far).statistics)
        else:
            records = []
            for launch, given in ((native, array), (slow, host)):
                with pytest.raises(Trap) as stop:
                    launch(given, far)
                records.append((stop.value.record.kind, stop.value.record.pc))
            assert records[0] == records[1]
        np.testing.assert_array_equal(array.to_host(), host)
    assert is_begun_by_native_code(native)


@pytest.mark.parametrize("on_device", [True, False])
def test_arrays_that_overlap(on_device: bool) -> None:
    """The interpreter runs launches with such buffers, and native code the others as before."""
    native, slow = launches(CLAIM, items=96, group_size=32)
    blocks = [np.zeros(200, np.uint32) for _ in range(2)]
    device = Device()
    kept: list[Any] = []
    for turn in range(9):
        pairs = [(block[:100], block[100 - 60 * (turn in (4, 5)) :][:100]) for block in blocks]
        given: Any = pairs[0]
        if on_device:
            if turn in (0, 4, 6):
                for array in kept:
                    array.free()
                kept = [device.map(part) for part in given]
            given = kept
        found = native(*given, 50, 4)
        # Arrays of NumPy that overlap are one buffer.
        assert found.engine == ("interp" if on_device and turn in (4, 5) else "jit")
        assert_equal(found.statistics, slow(*pairs[1], 50, 4).statistics)
        np.testing.assert_array_equal(blocks[0], blocks[1])
        for block in blocks:
            block //= 2 + turn
    assert is_begun_by_native_code(native)


BARRIER = """
kernel turns(global u32* %x, u32 %n) {
    .group u32 last[64]
        workitemid_u32 $s0, 1
        workitemid_u32 $s1, 0
        workitemabsid_u32 $s2, 1
        mad_u32 $s3, $s0, 8, $s1
        ld_kernarg_u64 $d0, [%x]
        ld_kernarg_u32 $s4, [%n]
        mad_u32 $s5, $s2, 3, $s1
        rem_u32 $s5, $s5, $s4
        cvt_u64_u32 $d1, $s5
        mad_u64 $d1, $d1, 4, $d0
        atomic_add_global_u32 $s6, [$d1], $s0
        mul_u32 $s3, $s3, 4
        st_group_u32 $s6, [last+$s3]
        barrier
        xor_u32 $s3, $s3, 4
        ld_group_u32 $s6, [last+$s3]
        and_u32 $s7, $s6, 1
        cmp_eq_u32 $c0, $s7, 0
        cbr $c0, @end
        atomic_exch_global_u32 $s7, [$d1], $s6
        cmp_gt_u32 $c0, $s7, $s6
        cbr $c0, @end
        st_global_u32 $s2, [$d1]
    @end:
        ret
}"""


@pytest.mark.parametrize("warp", [7, 16, 64])
def test_rows_of_workitemid_and_group_memory(warp: int) -> None:
    """Warps that lie in several rows of a workgroup, and groups that the grid cuts off."""
    (kernel,) = simtlab.assemble(BARRIER)
    native, slow = (
        kernel.launch(items=(21, 19), group_size=(8, 8), warp=warp, engine=e, stats=True)
        for e in ("jit", "interp")
    )
    device, host = Device(), np.arange(64, dtype=np.uint32)
    array = device.to_device(host)
    for turn in range(5):
        assert_equal(native(array, 30 + turn).statistics, slow(host, 30 + turn).statistics)
        np.testing.assert_array_equal(array.to_host(), host)
    assert is_begun_by_native_code(native)
