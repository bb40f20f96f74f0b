"""Warps in which rows end, part by part, against the oracle."""

from __future__ import annotations

import numpy as np
import pytest

from simtlab.emu.engine import Work
from simtlab.emu.jit.kernel.compile import generate
from simtlab.emu.jit.kernel.launch_facts import facts_of

from ....support.oracle_work import make
from ...support.against_oracle import assert_as_oracle

BY_QUOTIENTS = """
    div_u32 $s4, $s0, $s1
    rem_u32 $s5, $s0, $s1       // column
    rem_u32 $s6, $s4, $s2       // row
    div_u32 $s7, $s4, $s2       // plane
"""
BY_PRODUCTS = """
    mul_u32 $s8, $s1, $s2
    div_u32 $s7, $s0, $s8
    div_u32 $s4, $s0, $s1
    rem_u32 $s6, $s4, $s2
    mul_u32 $s8, $s4, $s1
    rem_u32 $s5, $s0, $s1
"""
SIGNED = BY_QUOTIENTS.replace("_u32", "_s32")
CONSTANT = BY_QUOTIENTS.replace(", $s1", ", 40").replace(", $s2", ", 3")


def kernel(apart: str, type_: str = "f32", size: int = 4, shift: int = 1) -> str:
    """A sum of neighbours in a row and in the next one, of numbers for columns and for planes."""
    taps = "".join(
        f"""
        add_s32 $s9, $s5, {dx & 0xFFFFFFFF}
        add_s32 $s10, $s6, {dy & 0xFFFFFFFF}
        cmp_ge_u32 $c0, $s9, $s1
        cmp_ge_u32 $c1, $s10, $s2
        or_b1 $c0, $c0, $c1
        cbr $c0, @skip{n}
        mad_u32 $s11, $s7, $s2, $s10
        mad_u32 $s11, $s11, $s1, $s9
        cvt_u64_u32 $d0, $s11
        ld_kernarg_u64 $d1, [%source]
        mad_u64 $d1, $d0, {size}, $d1
        ld_global_{type_} $s12, [$d1]
        {"fma_f32 $s20, $s12, 3.0, $s20" if type_ == "f32" else "mad_u32 $s20, $s20, 3, $s12"}
    @skip{n}:
        """
        for n, (dx, dy) in enumerate([(-shift, 0), (0, 0), (shift, -1), (0, 1)])
    )
    return f"""
    kernel k(u32 %n, u32 %wide, u32 %high, global {type_}* %source, global u32* %weight,
        global u32* %out) {{
        workitemflatabsid_u32 $s0
        ld_kernarg_u32 $s1, [%n]
        cmp_ge_u32 $c0, $s0, $s1
        cbr $c0, @done
        ld_kernarg_u32 $s1, [%wide]
        ld_kernarg_u32 $s2, [%high]
        {apart}
        cvt_u64_u32 $d0, $s5
        ld_kernarg_u64 $d1, [%weight]
        mad_u64 $d1, $d0, 4, $d1
        ld_global_u32 $s20, [$d1]
        max_u32 $s12, $s5, 2        // rows do not begin with warps where a column is clamped
        add_u32 $s20, $s20, $s12
        {taps}
        cvt_u64_u32 $d0, $s7
        ld_kernarg_u64 $d1, [%weight]
        mad_u64 $d1, $d0, 4, $d1
        ld_global_u32 $s12, [$d1]
        add_u32 $s20, $s20, $s12
        cvt_u64_u32 $d0, $s0
        ld_kernarg_u64 $d1, [%out]
        mad_u64 $d1, $d0, 4, $d1
        st_global_u32 $s20, [$d1]
    @done:
        ret
    }}"""


def work_of(
    text: str,
    *,
    wide: int,
    high: int = 3,
    planes: int = 2,
    group: int = 64,
    room: int = 0,
    size: int = 4,
    columns: int = 0,
) -> Work:
    n = wide * high * planes
    rng = np.random.default_rng(wide)
    dtype = {1: np.uint8, 2: np.int16, 4: np.float32}[size]
    source = rng.integers(0, 100, n - room).astype(dtype)
    weight = rng.integers(0, 1 << 20, columns or max(wide, planes), np.uint32)
    out = np.zeros(n, np.uint32)
    items = -(-n // group) * group
    return make(text, [n, wide, high, source, weight, out], items=items, group_size=group)


def assert_same(text: str, **how: int) -> None:
    """The oracle's memory, or one of its traps."""
    work, expected = (work_of(text, **how) for _ in "ab")
    assert "\ncut_body:" in generate(work.kernel, 0, facts_of(work.kernel, work.geometry))
    assert_as_oracle(work, expected)


@pytest.mark.parametrize("apart", [BY_QUOTIENTS, BY_PRODUCTS, SIGNED])
@pytest.mark.parametrize("wide", [1, 7, 16, 17, 33, 40, 64, 100])
def test_rows_that_end_within_a_warp(apart: str, wide: int) -> None:
    assert_same(kernel(apart), wide=wide)


def test_rows_whose_length_the_source_has() -> None:
    assert_same(kernel(CONSTANT), wide=40)


@pytest.mark.parametrize(("type_", "size"), [("u8", 1), ("s16", 2)])
def test_narrow_elements(type_: str, size: int) -> None:
    assert_same(kernel(BY_QUOTIENTS, type_, size), wide=37, size=size)


@pytest.mark.parametrize("how", [{"room": 1}, {"room": 90}, {"columns": 39}, {"columns": 20}])
def test_buffers_that_end_too_early(how: dict[str, int]) -> None:
    assert_same(kernel(BY_QUOTIENTS), wide=40, **how)


@pytest.mark.parametrize(("wide", "high"), [(0x10000, 0x10001), (0xFFFFFFFF, 3), (70, 0xFFFFFFFF)])
def test_sizes_that_no_grid_has(wide: int, high: int) -> None:
    text = kernel(BY_PRODUCTS)
    works = [
        make(text, [400, wide, high, np.ones(500, np.float32), *np.zeros((2, 500), np.uint32)],
             items=448, group_size=64)
        for _ in "ab"
    ]  # fmt: skip
    assert_as_oracle(*works)


def test_rows_within_rows_have_no_parts() -> None:
    """A column moved around its row, `(i % w + 5) % w`, ends where no part does."""
    around = BY_QUOTIENTS + "add_u32 $s5, $s5, 5\n rem_u32 $s5, $s5, $s1"
    works = [work_of(kernel(around), wide=40) for _ in "ab"]
    assert "cut_body" not in generate(
        works[0].kernel, 0, facts_of(works[0].kernel, works[0].geometry)
    )
    assert_as_oracle(*works)


@pytest.mark.parametrize("distance", [3, 40])
def test_lanes_store_what_they_load(distance: int) -> None:
    """In place, so that no lane may run twice; neighbours are loaded before any lane stores."""
    text = f"""
    kernel k(u32 %wide, u32 %high, global u32* %x, global u32* %y) {{
        workitemabsid_u32 $s0, 0
        ld_kernarg_u32 $s1, [%wide]
        ld_kernarg_u32 $s2, [%high]
        {BY_QUOTIENTS}
        mad_u32 $s8, $s7, $s2, $s6
        mad_u32 $s8, $s8, $s1, $s5
        cvt_u64_u32 $d0, $s8
        ld_kernarg_u64 $d1, [%x]
        mad_u64 $d1, $d0, 4, $d1
        ld_global_u32 $s9, [$d1]
        mad_u32 $s9, $s9, 3, $s5
        st_global_u32 $s9, [$d1]
        ld_kernarg_u64 $d2, [%y]
        mad_u64 $d2, $d0, 4, $d2
        ld_global_u32 $s10, [$d2+{4 * distance}]
        ld_global_u32 $s11, [$d2+{8 * distance}]
        xor_u32 $s9, $s9, $s10
        add_u32 $s9, $s9, $s11
        st_global_u32 $s9, [$d1]
        ret
    }}"""
    works = [
        make(text, [50, 3, np.arange(320, dtype=np.uint32), np.arange(400, dtype=np.uint32)],
             items=320, group_size=64)
        for _ in "ab"
    ]  # fmt: skip
    assert "\nrow_head:" in generate(
        works[0].kernel, 0, facts_of(works[0].kernel, works[0].geometry)
    )
    assert_as_oracle(*works)


OF_ITEMS = """
kernel k(u32 %n, u32 %wide, global u32* %x, global u32* %y) {
    workitemabsid_u32 $s0, 0
    workitemid_u32 $s1, 0
    ld_kernarg_u32 $s2, [%n]
    cmp_ge_u32 $c0, $s0, $s2
    cbr $c0, @done
    ld_kernarg_u32 $s3, [%wide]
    div_u32 $s4, $s0, $s3
    OWN
    mad_u32 $s6, $s4, 64, $s5
    cvt_u64_u32 $d0, $s6
    ld_kernarg_u64 $d1, [%x]
    mad_u64 $d0, $d0, 4, $d1
    ld_global_u32 $s7, [$d0]
    cvt_u64_u32 $d0, $s4
    mad_u64 $d0, $d0, 4, $d1
    ld_global_u32 $s8, [$d0]
    add_u32 $s7, $s7, $s8
    cvt_u64_u32 $d0, $s0
    ld_kernarg_u64 $d1, [%y]
    mad_u64 $d0, $d0, 4, $d1
    st_global_u32 $s7, [$d0]
@done:
    ret
}
"""


@pytest.mark.parametrize("group", [16, 32, 48])
@pytest.mark.parametrize("wide", [17, 23, 37, 100])
@pytest.mark.parametrize(
    "own",
    [
        "min_u32 $s5, $s1, 10",
        "max_u32 $s5, $s1, 9",
        "mov_u32 $s9, 3\n cmp_lt_u32 $c1, $s1, 5\n select_u32 $s5, $c1, $s9, 7",
    ],
)
def test_numbers_of_work_items_that_a_row_cuts(own: str, wide: int, group: int) -> None:
    """What is the same in all warps of a workgroup is not in parts, which begin anywhere."""
    items = 15 * group
    n = items - 3
    x = np.arange(64 * (n // wide + 2), dtype=np.uint32) * 7

    def work() -> Work:
        args = [n, wide, x.copy(), np.zeros(n, np.uint32)]
        return make(OF_ITEMS.replace("OWN", own), args, items=items, group_size=group)

    assert not assert_as_oracle(work(), work())
