"""Matrix products without tiles: warps of four rows, whose results and traps are the oracle's."""

from __future__ import annotations

import numpy as np
import pytest

from simtlab.asm.assemble import assemble
from simtlab.emu.engine import Work
from simtlab.emu.geometry import Geometry
from simtlab.emu.jit.kernel.launch_facts import facts_of
from simtlab.emu.jit.launch.regroup import regrouped
from simtlab.isa.program import Kernel
from simtlab.testing import Case, assert_all_agree, run_case

from ....support.counts import assert_equal
from ....support.oracle_work import make
from ...support.against_oracle import assert_as_oracle

HEAD = """
    kernel product(u32 %columns, u32 %depth, global f32* %a, global f32* %b, global f32* %c) {
        workitemabsid_u32 $s0, 0
        workitemabsid_u32 $s1, 1
        ld_kernarg_u32 $s2, [%columns]
        cmp_ge_u32 $c0, $s0, $s2
        cbr $c0, @done
        ld_kernarg_u32 $s3, [%depth]
        ld_kernarg_u64 $d0, [%a]
        ld_kernarg_u64 $d1, [%b]
        mov_u32 $s4, 0
        mov_u32 $s5, 0
"""
INDICES = """
    @next:
        mad_u32 $s6, $s1, $s3, $s5
        cvt_u64_u32 $d2, $s6
        mad_u64 $d2, $d2, 4, $d0
        ld_global_f32 $s7, [$d2]
        mad_u32 $s6, $s5, $s2, $s0
        cvt_u64_u32 $d2, $s6
        mad_u64 $d2, $d2, 4, $d1
        ld_global_f32 $s8, [$d2]
        fma_f32 $s4, $s7, $s8, $s4
"""
POINTERS = """
        mul_u32 $s6, $s1, $s3
        cvt_u64_u32 $d2, $s6
        mad_u64 $d2, $d2, 4, $d0
        cvt_u64_u32 $d3, $s0
        mad_u64 $d3, $d3, 4, $d1
        cvt_u64_u32 $d4, $s2
        shl_u64 $d4, $d4, 2
    @next:
        ld_global_f32 $s7, [$d2]
        ld_global_f32 $s8, [$d3]
        fma_f32 $s4, $s7, $s8, $s4
        add_u64 $d2, $d2, 4
        add_u64 $d3, $d3, $d4
"""
OWN = INDICES.replace("mad_u32 $s6, $s5, $s2, $s0", "mad_u32 $s6, $s1, $s2, $s0")
END = """
        add_u32 $s5, $s5, 1
        cmp_lt_u32 $c0, $s5, $s3
        cbr $c0, @next
        mad_u32 $s6, $s1, $s2, $s0
        cvt_u64_u32 $d2, $s6
        ld_kernarg_u64 $d3, [%c]
        mad_u64 $d2, $d2, 4, $d3
        st_global_f32 $s4, [$d2]
    @done:
        ret
    }"""


def kernel_of(text: str) -> Kernel:
    (kernel,) = assemble(text).kernels
    return kernel


def launch(items: tuple[int, int], group: tuple[int, int] = (16, 4)) -> Geometry:
    return Geometry.of(items=items, group_size=group)


@pytest.mark.parametrize("body", [INDICES, POINTERS])
@pytest.mark.parametrize(
    ("items", "shape", "width"),
    [((64, 8), (32, 4, 1), 128), ((64, 6), (64, 2, 1), 64)],
)
def test_grids_of_whole_workgroups_have_them(
    body: str, items: tuple[int, int], shape: tuple[int, int, int], width: int
) -> None:
    found = kernel_of(HEAD + body + END)
    run = regrouped(found, launch(items))
    assert run.group_size == shape
    if shape == (32, 4, 1):
        assert facts_of(found, run).width == width


def test_loops_that_load_places_of_their_own_do_not() -> None:
    assert regrouped(kernel_of(HEAD + OWN + END), launch((64, 8))).group_size == (64, 4, 1)


def arguments(columns: int, rows: int, depth: int, short: int = 0) -> list[object]:
    rng = np.random.default_rng(3)
    a, b = (rng.normal(size=n).astype(np.float32) for n in (rows * depth, depth * columns - short))
    a[3::7], b[1::5] = np.nan, np.inf
    return [columns, depth, a, b, np.zeros(rows * columns, np.float32)]


@pytest.mark.parametrize("body", [INDICES, POINTERS])
@pytest.mark.parametrize("columns", [64, 63, 33, 1])
@pytest.mark.parametrize(("depth", "short"), [(5, 0), (1, 0), (5, 1), (5, 40)])
def test_products_and_traps_are_the_oracles(
    body: str, columns: int, depth: int, short: int
) -> None:
    def work() -> Work:
        args = arguments(columns, 8, depth, min(short, columns))
        return make(HEAD + body + END, args, items=(64, 8), group_size=(16, 4))

    assert assert_as_oracle(work(), work()) == bool(short)


@pytest.mark.parametrize("stats", [False, True])
def test_products_agree_at_all_widths(stats: bool) -> None:
    """With statistics, native code counts the warps of the launch."""
    case = Case(HEAD + INDICES + END, launch((64, 8)), tuple(arguments(60, 8, 4)))
    if not stats:
        assert_all_agree(case, engines=["jit"], schemes=["stack"], widths=[1, 7, 16, 32, 64])
        return
    for width in (7, 16, 32, 64):
        counted, given = (run_case(case, e, width=width, stats=True)[0] for e in ("jit", "interp"))
        assert counted is not None
        assert given is not None
        assert_equal(counted.statistics, given.statistics)
