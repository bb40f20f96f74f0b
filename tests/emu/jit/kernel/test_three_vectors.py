"""Warps of 48 lanes: rows of which those of 64 would leave a vector idle."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import simtlab
from simtlab import Device, Trap
from simtlab.emu.analysis.facts import FEW_GROUPS
from simtlab.emu.geometry import Geometry
from simtlab.emu.jit.kernel.launch_facts import facts_for_counting, facts_of
from simtlab.emu.jit.launch.regroup import as_run
from simtlab.emu.jit.llvm.toolchain import host_has
from simtlab.emu.launch import Launch
from simtlab.isa.program import Kernel

SUMS = """
kernel k(u32 %across, u32 %rows, u32 %last, global f32* %x, global f32* %y) {
    workitemabsid_u32   $s0, 0
    workitemabsid_u32   $s1, 1
    ld_kernarg_u32      $s2, [%across]
    ld_kernarg_u32      $s3, [%rows]
    ld_kernarg_u64      $d0, [%x]
    mov_u32             $s4, 0.0
    mov_u32             $s5, $s1
@row:
    mad_u32             $s6, $s5, $s2, $s0
    cvt_u64_u32         $d1, $s6
    mad_u64             $d1, $d1, 4, $d0
    ld_global_f32       $s7, [$d1]
    fma_f32             $s4, $s4, 0.5, $s7
    add_u32             $s5, $s5, 1
    cmp_lt_u32          $c0, $s5, $s3
    cbr                 $c0, @row
    MORE
    ld_kernarg_u32      $s8, [%last]
    cmp_gt_u32          $c0, $s0, $s8
    cbr                 $c0, @done
    mad_u32             $s6, $s1, $s2, $s0
    cvt_u64_u32         $d1, $s6
    ld_kernarg_u64      $d0, [%y]
    mad_u64             $d1, $d1, 4, $d0
    st_global_f32       $s4, [$d1]
@done:
    ret
}
"""
PROGRAM = simtlab.assemble(SUMS.replace("MORE", ""))


def kernel(more: str = "") -> Kernel:
    return simtlab.assemble(SUMS.replace("MORE", more)).program.kernels[0]


def run_shape(items: tuple[int, ...], group: tuple[int, ...]) -> tuple[tuple[int, ...], int]:
    """Return the workgroups that run, and the lanes of their warps."""
    found, geometry = as_run(kernel(), Geometry.of(items=items, group_size=group))
    return geometry.group_size, facts_of(found, geometry).width


@pytest.mark.parametrize(
    ("items", "expected"),
    [
        ((48, 100), (48, 5, 1)),
        ((48, 7), (48, 1, 1)),
        ((40, 8), (48, 1, 1)),
        ((36, 8), (48, 1, 1)),
        ((96, 10), (48, 5, 1)),
        ((80, 8), (48, 1, 1)),
        ((136, 8), (48, 1, 1)),
    ],
)
def test_rows_of_three_vectors(items: tuple[int, int], expected: tuple[int, ...]) -> None:
    assert run_shape(items, (4, 1)) == (expected, 48)


@pytest.mark.parametrize("items", [(64, 8), (56, 8), (32, 8), (34, 8), (128, 8), (448, 8)])
def test_other_rows(items: tuple[int, int]) -> None:
    assert run_shape(items, (2, 1))[1] != 48


def test_workgroups_of_a_launch() -> None:
    assert run_shape((480,), (48,)) == ((48, 1, 1), 48)
    assert run_shape((480,), (96,))[1] == 32
    barrier, straight = kernel("barrier"), Geometry.of(items=480, group_size=48)
    assert facts_of(barrier, straight).width == 32
    counted = facts_for_counting(kernel(), straight)
    assert counted.width % 32 == 0


def test_vectors_of_more_lanes_are_not_three() -> None:
    """Bytes of 48 or 64 lanes are one vector."""
    text = """
    kernel k(u32 %across, global u8* %x) {
        workitemabsid_u32   $s0, 0
        workitemabsid_u32   $s1, 1
        ld_kernarg_u32      $s2, [%across]
        cmp_ge_u32          $c0, $s0, $s2
        cbr                 $c0, @done
        ld_kernarg_u64      $d0, [%x]
        mul_u32             $s1, $s1, 7
        add_u32             $s3, $s1, 7
    @row:
        mad_u32             $s4, $s1, $s2, $s0
        cvt_u64_u32         $d1, $s4
        add_u64             $d1, $d1, $d0
        ld_global_u8        $s4, [$d1]
        min_u32             $s4, $s4, 77
        st_global_u8        $s4, [$d1]
        add_u32             $s1, $s1, 1
        cmp_lt_u32          $c0, $s1, $s3
        cbr                 $c0, @row
    @done:
        ret
    }"""
    (bytes_,) = simtlab.assemble(text).program.kernels
    wide = facts_of(bytes_, Geometry.of(items=(64, 8), group_size=(64, 1)))
    assert wide.chunk == (64 if host_has("avx512bw") else 16)
    for across in (48, 40) if wide.chunk == 64 else ():
        found, geometry = as_run(bytes_, Geometry.of(items=(across, 8), group_size=(4, 1)))
        assert facts_of(found, geometry).width != 48


def test_workgroups_of_a_long_row_are_many() -> None:
    """There are more of 48 than there were of 64."""
    for groups in (FEW_GROUPS, FEW_GROUPS + 1):
        facts = facts_of(kernel(), Geometry.of(items=48 * groups, group_size=48))
        assert facts.width == 48
        assert facts.few_groups is (groups == FEW_GROUPS)


def launch(engine: str, items: tuple[int, ...], group: tuple[int, ...], **options: Any) -> Launch:
    return PROGRAM["k"].launch(items=items, group_size=group, engine=engine, **options)


@pytest.mark.parametrize("items", [(48, 20), (40, 6), (33, 5), (96, 4), (80, 3), (136, 3)])
@pytest.mark.parametrize("warp", [1, 7, 16, 32, 64])
def test_results(items: tuple[int, int], warp: int) -> None:
    across, down = items
    x = np.random.default_rng(5).random(across * (down + 1), np.float32)
    group = (1, down)
    for last in (across, 20, 0):
        found = []
        for engine in ("jit", "interp"):
            y = np.zeros(across * down, np.float32)
            made = launch(engine, items, group, warp=warp)
            made(np.uint32(across), np.uint32(down), np.uint32(last), x, y)
            found.append(y)
        np.testing.assert_array_equal(*found)


@pytest.mark.parametrize("items", [(48, 20), (40, 6), (480, 1)])
def test_statistics(items: tuple[int, int]) -> None:
    across, down = items
    x = np.random.default_rng(5).random(across * (down + 1), np.float32)
    counted = []
    for engine in ("jit", "interp"):
        y = np.zeros(across * down, np.float32)
        made = launch(engine, items, (48 if across > 48 else 4, 1), stats=True)
        result = made(np.uint32(across), np.uint32(down), np.uint32(20), x, y)
        found = result.statistics
        assert found is not None
        counted.append((found.warp_instructions, found.thread_instructions, found.branches))
    assert counted[0] == counted[1]


@pytest.mark.parametrize(("items", "elements"), [((48, 20), 48 * 19 + 37), ((40, 6), 231)])
def test_traps(items: tuple[int, int], elements: int) -> None:
    across, down = items
    device, texts = Device(), []
    x = device.to_device(np.ones(elements, np.float32))
    for engine in ("jit", "interp"):
        y = device.to_device(np.zeros(across * down, np.float32))
        with pytest.raises(Trap) as trap:
            launch(engine, items, (4, 1))(np.uint32(across), np.uint32(down), np.uint32(5), x, y)
        texts.append(trap.value.record)
    assert (texts[0].pc, texts[0].kind) == (texts[1].pc, texts[1].kind)
