"""What a launch keeps from call to call must not show: other buffers, arguments and threads."""

from __future__ import annotations

import copy
import gc
import pickle
import weakref
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np
import pytest

import simtlab
from simtlab import Device, Trap
from simtlab.emu.jit.launch.plan import Plan
from simtlab.emu.jit.launch.table import Table
from simtlab.emu.jit.runtime.context import Slot
from simtlab.emu.launch import Launch
from simtlab.emu.module import LAUNCHES_KEPT
from simtlab.emu.traps import TrapKind

from ...support.oracle_work import make

PROGRAM = simtlab.assemble("""
.readonly u32 ODD[4] = { 1, 3, 5, 7 }
kernel mix(u32 %a, global u32* %x, global u32* %y) {
    .group   u32 shared[16]
    .private u32 own[2]
    workitemabsid_u32  $s0, 0
    workitemid_u32     $s1, 0
    ld_kernarg_u32     $s2, [%a]
    and_u32            $s3, $s1, 3
    mul_u32            $s3, $s3, 4
    ld_readonly_u32    $s3, [ODD+$s3]
    mul_u32            $s4, $s1, 4
    st_group_u32       $s2, [shared+$s4]
    st_private_u32     $s3, [own+4]
    barrier
    xor_u32            $s4, $s4, 4
    ld_group_u32       $s5, [shared+$s4]
    ld_private_u32     $s6, [own+4]
    ld_kernarg_u64     $d0, [%x]
    ld_kernarg_u64     $d1, [%y]
    cvt_u64_u32        $d2, $s0
    mad_u64            $d0, $d2, 4, $d0
    mad_u64            $d1, $d2, 4, $d1
    ld_global_u32      $s7, [$d0]
    add_u32            $s7, $s7, $s5
    add_u32            $s7, $s7, $s6
    st_global_u32      $s7, [$d1]
    ret
}
kernel store(global u32* %x, u64 %address) {
    ld_kernarg_u64     $d0, [%address]
    ld_global_u32      $s0, [$d0]
    ld_kernarg_u64     $d1, [%x]
    st_global_u32      $s0, [$d1]
    ret
}
""")
ODD = np.array([1, 3, 5, 7] * 8, np.uint32)


def mix() -> Launch:
    return PROGRAM["mix"].launch(groups=2, group_size=16, engine="jit")


def expected(a: int, x: np.ndarray) -> list[int]:
    return (x + np.uint32(a) + ODD[: x.size]).tolist()


def u32(n: int, first: int = 0) -> np.ndarray:
    return np.arange(first, first + n, dtype=np.uint32)


def test_each_call_has_its_own_arguments() -> None:
    launch, device = mix(), Device()
    x, y = device.to_device(u32(32)), device.zeros(32, np.uint32)
    for a in (1, 2, 1000):
        launch(a, x, y)
        assert y.to_host().tolist() == expected(a, u32(32))
        z = device.to_device(u32(32, a))
        launch(a, z, y)
        assert y.to_host().tolist() == expected(a, u32(32, a))
    other = Device()
    p, q = u32(32, 5), other.zeros(32, np.uint32)
    launch(9, p, q)
    assert q.to_host().tolist() == expected(9, p)
    # A pointer into the middle of a buffer: a slice of an array that is given whole as well.
    both = u32(48)
    launch(3, both[16:], both)
    assert both[:32].tolist() == expected(3, u32(32, 16))


def test_changes_of_the_device_are_seen() -> None:
    launch = PROGRAM["store"].launch(items=1, engine="jit")
    device = Device()
    x, y = device.zeros(1, np.uint32), device.to_device(u32(1, 7))
    address = y.address
    launch(x, address)
    assert x.to_host().tolist() == [7]
    y.free()
    with pytest.raises(Trap) as caught:
        launch(x, address)
    assert caught.value.record.kind is TrapKind.FREED
    later = device.to_device(u32(1, 8))
    launch(x, later.address)
    assert x.to_host().tolist() == [8]
    # A copy has memory of its own, and a table of its own.
    twin = copy.deepcopy(device)
    host = next(b for b in twin.memory.buffers if b.base == later.address)
    host.host.view(np.uint32)[0] = 99
    launch(x, later.address)
    assert x.to_host().tolist() == [8]


def test_nothing_of_the_users_is_kept_alive() -> None:
    launch = mix()
    x, y = u32(32), u32(32)
    kept = [weakref.ref(a) for a in (x, y)]
    launch(1, x, y)
    del x, y
    gc.collect()
    assert [ref() for ref in kept] == [None, None]


def test_a_launch_after_a_trap_begins_anew() -> None:
    launch, device = mix(), Device()
    x, y = device.to_device(u32(32)), device.zeros(32, np.uint32)
    launch(1, x, y)
    short = device.zeros(20, np.uint32)
    for _ in range(3):
        with pytest.raises(Trap) as caught:
            launch(1, short, y)
        assert caught.value.record.key[2:] == (1, 4)
        launch(2, x, y)
        assert y.to_host().tolist() == expected(2, u32(32))


def test_one_launch_may_be_called_from_many_threads() -> None:
    launch, device = mix(), Device()

    def calls(first: int) -> bool:
        x, y = device.to_device(u32(32, first)), device.zeros(32, np.uint32)
        right = True
        for a in range(60):
            launch(a, x, y)
            right &= y.to_host().tolist() == expected(a, u32(32, first))
            host, result = u32(32, first), device.zeros(32, np.uint32)
            launch(a, host, result)
            right &= result.to_host().tolist() == expected(a, host)
            result.free()
        return right

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(calls, range(0, 400, 100)))
    # Nobody's buffers came to lie on another's.
    buffers = device.memory.buffers
    assert all(a.end <= b.base for a, b in pairwise(buffers))


def test_a_launch_that_has_run_can_be_pickled_and_copied() -> None:
    launch = mix()
    x, y = u32(32), u32(32)
    launch(1, x, y)
    for again in (pickle.loads(pickle.dumps(launch)), copy.deepcopy(launch)):
        again(2, x, y)
        assert y.tolist() == expected(2, x)


def test_brackets_find_their_launch_again_and_only_theirs() -> None:
    program = simtlab.assemble(PROGRAM.listing)
    kernel = program["mix"]
    assert kernel[2, 16] is program.mix[2, 16]
    assert kernel[2, 16].geometry != kernel[16, 2].geometry
    for wrong in ((2.0, 16), (2, True)):
        with pytest.raises(simtlab.ArgumentError):
            kernel[wrong]  # pyright: ignore[reportArgumentType]
    assert kernel[[2, 1], [16, 1]] == kernel[2, 16]
    for n in range(1, 3 * LAUNCHES_KEPT):
        assert program.mix[n, 1].geometry.n_groups == n
    assert len(program._launches) <= LAUNCHES_KEPT
    assert pickle.loads(pickle.dumps(program)).mix[2, 16].geometry == kernel[2, 16].geometry


def test_memory_of_native_code_begins_at_cache_lines() -> None:
    work = make(
        """.readonly u32 ODD[4] = { 1, 3, 5, 7 }
        kernel own(global u32* %x) {
            .group   u32 shared[9000]
            .private u32 own[3]
            ld_kernarg_u64  $d0, [%x]
            workitemid_u32  $s0, 0
            shl_u32         $s1, $s0, 2
            and_u32         $s2, $s1, 12
            ld_readonly_u32 $s3, [ODD+$s2]
            st_private_u32  $s3, [own+4]
            st_group_u32    $s3, [shared+$s1]
            barrier
            ld_private_u32  $s4, [own+4]
            st_global_u32   $s4, [$d0]
            ret
        }""",
        [np.zeros(1, np.uint32)],
        items=70,
        group_size=70,
    )
    plan = Plan(work)
    (scratch,) = plan.take(work, Table(work.memory))
    slots = Slot.GROUP_MEMORY, Slot.PRIVATE_MEMORY, Slot.FRAMES, Slot.READONLY
    assert [int(scratch.context[slot]) % 64 for slot in slots] == [0, 0, 0, 0]
