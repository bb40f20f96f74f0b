"""Workgroups that are resident together or one after the other do not see each other."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

import simtlab
from simtlab.emu.engine import engine_names
from simtlab.emu.interp import interpreter
from simtlab.emu.schemes import SCHEMES

WAYS = [(e, "stack") for e in engine_names()] + [("interp", s) for s in SCHEMES if s != "stack"]

every_way = pytest.mark.parametrize(("engine", "scheme"), WAYS)

DIRTY = """
    .readonly u32 T[2] = { 5, 6 }
    kernel dirty(global u32* %sums) {
        .group u32 shared[8]
        .private u32 own[2]
        .group u64 last[1]
        workitemflatid_u32 $s0
        workgroupid_u32 $s1, 0
        mul_u32 $s2, $s0, 4
        // All of these are zero at the start.
        ld_group_u32 $s3, [shared+$s2]
        ld_private_u32 $s4, [own+4]
        ld_group_u64 $d5, [last]
        cvt_u32_u64 $s5, $d5
        or_u32 $s3, $s3, $s4
        or_u32 $s3, $s3, $s5
        or_u32 $s3, $s3, $s60
        cvt_u32_b1 $s6, $c60
        or_u32 $s3, $s3, $s6
        cvt_u32_u64 $s6, $d60
        or_u32 $s3, $s3, $s6
        barrier
        mov_u32 $s60, -1
        mov_u64 $d60, -1
        mov_b1 $c60, 1
        st_group_u32 $s60, [shared+$s2]
        st_private_u32 $s60, [own+4]
        st_group_u64 $d60, [last]
        workitemflatabsid_u32 $s7
        cvt_u64_u32 $d0, $s7
        ld_kernarg_u64 $d1, [%sums]
        mad_u64 $d1, $d0, 4, $d1
        st_global_u32 $s3, [$d1]
        ret
    }
"""


@every_way
@pytest.mark.parametrize("lanes", [1, 20, 16_384])
def test_registers_group_and_private_memory_start_as_zero_in_every_workgroup(
    lanes: int, engine: str, scheme: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(interpreter, "BATCH_LANES", lanes)
    (dirty,) = simtlab.assemble(DIRTY)
    found = np.full(61, 77, np.uint32)
    dirty.launch(items=61, group_size=8, warp=4, engine=engine, scheme=scheme)(found)
    assert not found.any()


ROTATE = """
    kernel rotate(global u32* %x) {
        .group u32 shared[10]
        workitemflatid_u32 $s0
        currentworkgroupsize_u32 $s1, 0
        workitemflatabsid_u32 $s2
        cvt_u64_u32 $d0, $s2
        ld_kernarg_u64 $d1, [%x]
        mad_u64 $d1, $d0, 4, $d1
        mul_u32 $s3, $s0, 4
        ld_global_u32 $s4, [$d1]
        st_group_u32 $s4, [shared+$s3]
        barrier
        add_u32 $s5, $s0, 1
        rem_u32 $s5, $s5, $s1
        mul_u32 $s5, $s5, 4
        ld_group_u32 $s4, [shared+$s5]
        st_global_u32 $s4, [$d1]
        ret
    }
"""


@every_way
@pytest.mark.parametrize("lanes", [1, 30, 16_384])
def test_group_memory_belongs_to_one_workgroup(
    lanes: int, engine: str, scheme: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(interpreter, "BATCH_LANES", lanes)
    (rotate,) = simtlab.assemble(ROTATE)
    x = np.arange(47, dtype=np.uint32)
    rotate.launch(items=47, group_size=10, warp=4, engine=engine, scheme=scheme)(x)
    whole = np.roll(np.arange(40).reshape(4, 10), -1, axis=1).ravel().tolist()
    assert x.tolist() == [*whole, 41, 42, 43, 44, 45, 46, 40]


WAIT_FOR_A_WORKGROUP = """
    kernel handshake(global u32* %flag) {
        ld_kernarg_u64 $d0, [%flag]
        mov_u32 $s2, 1
        workgroupid_u32 $s0, 0
        cmp_eq_u32 $c0, $s0, 1
        cbr $c0, @send
    @spin:
        ld_global_u32 $s1, [$d0]
        cmp_eq_u32 $c1, $s1, 0
        cbr $c1, @spin
        ret
    @send:
        barrier
        atomic_add_global_u32 [$d0], $s2
        ret
    }
"""


@every_way
def test_a_workgroup_passes_its_barrier_while_another_spins(engine: str, scheme: str) -> None:
    flag = np.zeros(1, np.uint32)
    (handshake,) = simtlab.assemble(WAIT_FOR_A_WORKGROUP)
    handshake.launch(items=24, group_size=8, warp=4, engine=engine, scheme=scheme)(flag)
    assert flag.tolist() == [8]


def test_a_workgroup_larger_than_the_grid_takes_no_more_than_the_grid_needs() -> None:
    (k,) = simtlab.assemble("kernel k(global u32* %x) {\n .private u8 p[65536]\n ret\n}")
    launch = k.launch(items=(3, 2), group_size=(1 << 20, 1 << 10), engine="interp")
    launch(np.zeros(1, np.uint32))


def test_much_memory_for_each_workgroup_means_fewer_at_a_time() -> None:
    text = "kernel k() {\n .group u8 g[1048576]\n .private u8 p[65536]\n ret\n}"
    (k,) = simtlab.assemble(text)
    # All 128 workgroups at once would be 256 MiB.
    tracemalloc.start()
    k.launch(items=2048, group_size=16, warp=16, engine="interp")()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1.25 * interpreter.BATCH_BYTES


def test_a_kernel_may_use_the_last_register_of_each_class() -> None:
    text = """
        kernel k(global u32* %x) {
            ld_kernarg_u64 $d63, [%x]
            mov_b1 $c63, 1
            select_u32 $s63, $c63, 7, $s0
            st_global_u32 $s63, [$d63]
            ret
        }
    """
    (k,) = simtlab.assemble(text)
    for engine in engine_names():
        x = np.zeros(1, np.uint32)
        k.launch(items=3, engine=engine)(x)
        assert x.tolist() == [7]
