"""Global memory in columns: rows of memory and shuffles, and what must not take them."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from simtlab.asm.assemble import assemble
from simtlab.emu.analysis.widths.columns import COLUMNS
from simtlab.emu.geometry import Geometry
from simtlab.emu.jit.kernel.compile import generate, listing
from simtlab.emu.jit.kernel.launch_facts import facts_of
from simtlab.emu.jit.launch.regroup import as_run
from simtlab.emu.jit.llvm.toolchain import host_has

from ....support.agreement import same, trap_alike

needs_shuffles = pytest.mark.skipif(not host_has("avx512bw"), reason="needs AVX-512BW")

COPY = """\
kernel k(u32 %n, u32 %m, global TYPE* %x, global TYPE* %y) {
    workitemabsid_u32 $s0, 0
    workitemabsid_u32 $s1, 1
    ld_kernarg_u32 $s2, [%n]
    ld_kernarg_u32 $s3, [%m]
    GUARD
    FROM
    cvt_u64_u32 $d0, $s4
    ld_kernarg_u64 $d1, [%x]
    mad_u64 $d0, $d0, SIZE, $d1
    ld_global_TYPE $R9, [$d0]
    TO
    cvt_u64_u32 $d0, $s4
    ld_kernarg_u64 $d1, [%y]
    mad_u64 $d0, $d0, SIZE, $d1
    st_global_TYPE $R9, [$d0]
@done:
    ret
}
"""
ROW = "mad_u32 $s4, $s1, $s2, $s0"
COLUMN = "mad_u32 $s4, $s0, $s3, $s1"
INSIDE = (
    "cmp_ge_u32 $c0, $s0, $s2\n cmp_ge_u32 $c1, $s1, $s3\n or_b1 $c0, $c0, $c1\n cbr $c0, @done"
)
SIZES = {"u8": "u1", "u16": "u2", "u32": "u4", "f32": "f4", "u64": "u8", "f64": "f8"}


def copy(from_: str, to: str, type_: str = "u32", guard: str = "") -> str:
    text = COPY.replace("FROM", from_).replace("TO", to).replace("GUARD", guard)
    text = text.replace("TYPE", type_).replace("SIZE", str(int(type_[1:]) // 8))
    return text.replace("$R", "$d" if type_.endswith("64") else "$s")


def numbers(count: int, type_: str = "u32") -> np.ndarray:
    return np.random.default_rng(3).integers(1, 250, count).astype(SIZES[type_])


def run(text: str, n: int, m: int, group: tuple[int, int], type_: str = "u32") -> np.ndarray:
    x = numbers(n * m, type_)
    given = [n, m, x, np.zeros_like(x)]
    return same(text, given, items=(n, m), group_size=group)[1]


@pytest.mark.parametrize("type_", SIZES)
@pytest.mark.parametrize(("from_", "to"), [(ROW, COLUMN), (COLUMN, ROW), (COLUMN, COLUMN)])
@pytest.mark.parametrize("guard", ["", INSIDE])
def test_transposes_are_those_of_the_oracle(from_: str, to: str, type_: str, guard: str) -> None:
    run(copy(from_, to, type_, guard), 48, 32, (16, 16), type_)


@pytest.mark.parametrize("group", [(16, 16), (8, 8), (32, 4), (48, 1), (12, 4)])
def test_workgroups_of_any_shape_do(group: tuple[int, int]) -> None:
    x = numbers(48 * 32)
    got = run(copy(ROW, COLUMN, guard=INSIDE), 48, 32, group)
    np.testing.assert_array_equal(got.reshape(48, 32), x.reshape(32, 48).T)


@pytest.mark.parametrize("group", [(16, 16), (8, 8), (4, 4, 4)])
def test_a_stride_that_is_not_kept_until_the_access(group: tuple[int, ...]) -> None:
    """Only the index is used after a branch, not what it was calculated from."""
    to = f"{COLUMN}\n cmp_eq_u32 $c1, $R9, 3\n cbr $c1, @done"
    x = numbers(32 * 32)
    given = [32, 32, x, np.zeros_like(x)]
    same(copy(ROW, to), given, items=(32, 32, 1), group_size=group)


@pytest.mark.parametrize(("n", "m"), [(40, 32), (48, 30), (17, 19), (16, 16)])
def test_grids_of_any_size_do(n: int, m: int) -> None:
    run(copy(ROW, COLUMN, guard=INSIDE), n, m, (8, 8) if n % 8 == m % 8 == 0 else (16, 16))


@needs_shuffles
def test_a_transpose_has_neither_gathers_nor_scatters_where_all_is_inside() -> None:
    geometry = Geometry.of(items=(64, 64), group_size=(8, 8))
    kernel, geometry = as_run(assemble(copy(ROW, COLUMN)).kernels[0], geometry)
    assert geometry.group_size == COLUMNS
    facts = facts_of(kernel, geometry)
    assert (facts.width, facts.one_warp) == (256, True)
    text = generate(kernel, 0, facts)
    assert text.count("shufflevector <16 x i32>") >= 64
    assert text.count("store <16 x i32> %") >= 16


SUMS = """
kernel sums(global f32* %x, global f32* %y, global f32* %sums) {
    .group f32 tile[256]
    workitemid_u32 $s0, 0
    workitemid_u32 $s1, 1
    workgroupid_u32 $s2, 1
    mad_u32 $s3, $s2, 16, $s1
    mad_u32 $s4, $s3, 16, $s0
    cvt_u64_u32 $d0, $s3
    ld_kernarg_u64 $d1, [%x]
    mad_u64 $d1, $d0, 4, $d1
    ld_global_f32 $s5, [$d1]
    cvt_u64_u32 $d0, $s4
    ld_kernarg_u64 $d2, [%y]
    mad_u64 $d2, $d0, 4, $d2
    ld_global_f32 $s7, [$d2]
    mul_f32 $s7, $s7, $s5
    st_global_f32 $s7, [$d2]
    shl_u32 $s8, $s1, 6
    mad_u32 $s8, $s0, 4, $s8
    st_group_f32 $s7, [tile+$s8]
    barrier
    cmp_ne_u32 $c0, $s1, 0
    cbr $c0, @done
    ld_group_f32 $s9, [tile+$s8]
    ld_group_f32 $s10, [tile+$s8+64]
    add_f32 $s9, $s9, $s10
    ld_kernarg_u64 $d3, [%sums]
    mad_u32 $s11, $s2, 16, $s0
    cvt_u64_u32 $d0, $s11
    mad_u64 $d3, $d0, 4, $d3
    st_global_f32 $s9, [$d3]
@done:
    ret
}
"""


@needs_shuffles
def test_columns_of_interior_warps_need_no_index_of_each_lane() -> None:
    """All is inside there, so no gather is left for the case that it is not."""
    kernel = assemble(SUMS).kernels[0]
    facts = facts_of(kernel, Geometry.of(items=(16, 320), group_size=(16, 16)))
    text = listing(kernel, 0, facts, "llvm")
    interior = text[text.index("@kernel(") :]
    assert not re.search(r"call .*(gather|scatter)", interior)


@pytest.mark.parametrize(("x", "y"), [(0, 0), (1, 0), (0, 1), (0, 256), (20, 300)])
def test_tiles_in_columns_are_those_of_the_oracle(x: int, y: int) -> None:
    """Inside of arrays, or with elements missing at their ends."""
    rng = np.random.default_rng(4)
    arrays = [rng.random(n, np.float32) for n in (80 - x, 1280 - y, 80)]
    run = trap_alike if x or y else same
    run(SUMS, arrays, items=(16, 80), group_size=(16, 16))


def test_rows_alone_stay_rows() -> None:
    kernel, geometry = as_run(
        assemble(copy(ROW, ROW)).kernels[0], Geometry.of(items=(512, 64), group_size=(16, 16))
    )
    assert geometry.group_size == (512, 1, 1)
    assert facts_of(kernel, geometry).width < 256


def test_rows_that_overlap_are_stored_in_the_order_of_lanes() -> None:
    """Two lanes then store to one place; the oracle's order within a workgroup is that of lanes."""
    for m in (0, 1, 5, 15):
        n = 16
        x = np.full(n * 16, 7, np.uint32)
        same(copy(ROW, COLUMN), [n, m, x, np.zeros(600, np.uint32)], items=(16, 16), group_size=16)


@pytest.mark.parametrize(("from_", "to"), [(ROW, COLUMN), (COLUMN, ROW)])
@pytest.mark.parametrize("m", [(1 << 32) - 1, 1 << 28, (1 << 31) + 5, 33])
def test_places_outside_trap(from_: str, to: str, m: int) -> None:
    """Products that wrap around, and a column that is one too long."""
    arrays: list[Any] = [32, m, numbers(32 * 32), np.zeros(32 * 32, np.uint32)]
    trap_alike(copy(from_, to), arrays, items=(32, 32), group_size=(16, 16))


def test_places_that_wrap_around_inside_the_buffer_do() -> None:
    """A stride of -32 as an unsigned number: places fall, and sums wrap around 2^32."""
    to = f"{COLUMN}\n add_u32 $s4, $s4, 992"
    x = numbers(32 * 32)
    given = [32, (1 << 32) - 32, x, np.zeros(32 * 32, np.uint32)]
    same(copy(ROW, to), given, items=(32, 32), group_size=(16, 16))


def test_the_last_element_of_a_buffer_is_the_last_that_is_read() -> None:
    """Rows of 16 are whole in the launch; the buffer ends with the last one."""
    for n in (16, 32):
        run(copy(COLUMN, ROW), n, n, (16, 16))
