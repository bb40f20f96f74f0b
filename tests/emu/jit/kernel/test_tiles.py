"""Workgroups that are one warp of several rows: tiles in registers, interior workgroups, edges."""

from __future__ import annotations

import numpy as np
import pytest

from simtlab.asm.assemble import assemble
from simtlab.emu.geometry import Geometry
from simtlab.emu.jit.kernel.compile import generate
from simtlab.emu.jit.kernel.launch_facts import facts_of

from ...support.oracle_work import make
from ..support.against_oracle import assert_as_oracle
from ..support.agreement import same

STENCIL = """
kernel k(u32 %n, u32 %w, u32 %far, global u32* %x, global u32* %y) {{
    .group u32 tile[{words}]
    workitemid_u32 $s0, 0
    workitemid_u32 $s1, 1
    workitemabsid_u32 $s2, 0
    workitemabsid_u32 $s3, 1
    ld_kernarg_u32 $s4, [%n]
    ld_kernarg_u32 $s5, [%w]
    add_u32 $s6, $s3, 1
    mad_u32 $s6, $s6, $s5, $s2
    add_u32 $s6, $s6, 1
    ld_kernarg_u32 $s20, [%far]
    add_u32 $s20, $s6, $s20
    cvt_u64_u32 $d0, $s20
    ld_kernarg_u64 $d1, [%x]
    mad_u64 $d2, $d0, 4, $d1
    cvt_u64_u32 $d3, $s5
    shl_u64 $d3, $d3, 2
    mul_u32 $s7, $s1, {line}
    mad_u32 $s7, $s0, 4, $s7
    mov_u32 $s13, 0
    mov_u32 $s12, 0
@again:
    ld_global_u32 $s8, [$d2]
    add_u32 $s8, $s8, $s12
    st_group_u32 $s8, [tile+$s7+{middle}]
    cmp_ne_u32 $c0, $s0, 0
    cbr $c0, @right
    ld_global_u32 $s9, [$d2-4]
    st_group_u32 $s9, [tile+$s7+{left}]
@right:
    cmp_ne_u32 $c0, $s0, {last}
    cbr $c0, @above
    ld_global_u32 $s9, [$d2+4]
    st_group_u32 $s9, [tile+$s7+{right}]
@above:
    cmp_ne_u32 $c0, $s1, 0
    cbr $c0, @below
    sub_u64 $d4, $d2, $d3
    ld_global_u32 $s9, [$d4]
    st_group_u32 $s9, [tile+$s7+4]
@below:
    cmp_ne_u32 $c0, $s1, {lowest}
    cbr $c0, @loaded
    add_u64 $d4, $d2, $d3
    ld_global_u32 $s9, [$d4]
    st_group_u32 $s9, [tile+$s7+{below}]
@loaded:
    barrier
    ld_group_u32 $s10, [tile+$s7+{left}]
    ld_group_u32 $s11, [tile+$s7+{right}]
    mad_u32 $s10, $s10, 3, $s11
    ld_group_u32 $s11, [tile+$s7+4]
    mad_u32 $s10, $s10, 3, $s11
    ld_group_u32 $s11, [tile+$s7+{below}]
    mad_u32 $s10, $s10, 3, $s11
    ld_group_u32 $s11, [tile+$s7+{middle}]
    mad_u32 $s12, $s10, 3, $s11
    barrier
    add_u32 $s13, $s13, 1
    cmp_lt_u32 $c0, $s13, $s4
    cbr $c0, @again
    ld_kernarg_u64 $d5, [%y]
    cvt_u64_u32 $d0, $s6
    mad_u64 $d5, $d0, 4, $d5
    st_global_u32 $s12, [$d5]
    ret
}}
"""
ONCE = ("    cbr $c0, @again\n", "")
"""What makes it code without a loop."""

SHAPES = ((32, 8), (16, 16), (16, 4), (8, 8), (64, 4), (12, 16), (20, 16))


def stencil(size: tuple[int, int], *, loops: bool) -> str:
    x, y = size
    line = 4 * (x + 2)
    text = STENCIL.format(
        words=(x + 2) * (y + 2), line=line, last=x - 1, lowest=y - 1,
        left=line, middle=line + 4, right=line + 8, below=2 * line + 4,
    )  # fmt: skip
    return text if loops else text.replace(*ONCE)


def arrays(width: int, height: int) -> tuple[np.ndarray, np.ndarray]:
    x = np.random.default_rng(5).integers(0, 1 << 32, (height, width), np.uint32)
    return x, np.zeros_like(x)


@pytest.mark.parametrize("loops", [False, True])
@pytest.mark.parametrize("size", SHAPES)
def test_neighbours_in_a_tile(size: tuple[int, int], loops: bool) -> None:
    items = (2 * size[0], 2 * size[1])
    x, y = arrays(items[0] + 2, items[1] + 2)
    for width in (1, 7, 16, 32, 64) if size == SHAPES[2] else (32,):
        args = [3, x.shape[1], 0, x, y]
        same(stencil(size, loops=loops), args, items=items, group_size=size, width=width)


@pytest.mark.parametrize("size", [(32, 8), (16, 4)])
def test_workgroups_that_are_not_whole(size: tuple[int, int]) -> None:
    items = (2 * size[0] - 3, 2 * size[1] - 1)
    x, y = arrays(items[0] + 2, items[1] + 2)
    text = stencil(size, loops=False)
    same(text, [1, x.shape[1], 0, x, y], items=items, group_size=size)


@pytest.mark.parametrize("loops", [False, True])
@pytest.mark.parametrize("far", [0, 2, 60, 0xFFFF_FFFF, 0xFFFF_FFE0, 1 << 30])
def test_workgroups_outside_of_a_buffer_trap_as_the_oracle_does(far: int, loops: bool) -> None:
    """The tests of a workgroup are too strict at edges: others run there, and find the fault."""
    items, size = (64, 16), (32, 8)
    text, traps = stencil(size, loops=loops), []
    for short in (0, 1, 5):
        x, y = arrays(items[0] + 2, items[1] + 2)
        x = x.ravel()[: x.size - short].copy()
        args = [2, items[0] + 2, far, x, y]
        own, expected = (
            make(text, [a.copy() if isinstance(a, np.ndarray) else a for a in args],
                 items=items, group_size=size)
            for _ in range(2)
        )  # fmt: skip
        traps.append(assert_as_oracle(own, expected))
    assert traps[-1]
    assert far or not traps[0]


def interior(text: str, size: tuple[int, int, int]) -> str:
    kernel = assemble(text).kernels[0]
    facts = facts_of(kernel, Geometry.of(items=(256, 256, 8), group_size=size, width=32))
    assert facts.one_warp
    return generate(kernel, 0, facts)


def test_a_tile_in_registers_is_not_in_memory() -> None:
    text = interior(stencil((32, 8), loops=False), (32, 8, 1))
    own = text[text.index("@groups(") :]
    assert "call i32 @others" in own
    assert "shufflevector" in own


FLAT = """
kernel k(u32 %n, global u32* %x, global u32* %y) {
    .group u32 tile[600]
    workitemid_u32 $s0, 0
    workitemid_u32 $s1, 1
    workitemid_u32 $s2, 2
    workgroupid_u32 $s3, 0
    workgroupid_u32 $s4, 1
    workgroupid_u32 $s5, 2
    shl_u32 $s3, $s3, 3
    shl_u32 $s4, $s4, 3
    shl_u32 $s5, $s5, 2
    ld_kernarg_u32 $s6, [%n]
    ld_kernarg_u64 $d0, [%x]
    workitemflatid_u32 $s8
@load:
    div_u32 $s9, $s8, 100
    rem_u32 $s10, $s8, 100
    div_u32 $s11, $s10, 10
    rem_u32 $s12, $s10, 10
    add_u32 $s9, $s9, $s5
    add_u32 $s11, $s11, $s4
    add_u32 $s12, $s12, $s3
    mad_u32 $s9, $s9, $s6, $s11
    mad_u32 $s9, $s9, $s6, $s12
    cvt_u64_u32 $d1, $s9
    mad_u64 $d1, $d1, 4, $d0
    ld_global_u32 $s13, [$d1]
    shl_u32 $s14, $s8, 2
    st_group_u32 $s13, [tile+$s14]
    add_u32 $s8, $s8, 256
    cmp_lt_u32 $c0, $s8, 600
    cbr $c0, @load
    barrier
    mad_u32 $s9, $s2, 10, $s1
    mad_u32 $s9, $s9, 10, $s0
    shl_u32 $s9, $s9, 2
    ld_group_u32 $s10, [tile+$s9]
    ld_group_u32 $s11, [tile+$s9+888]
    mad_u32 $s10, $s10, 3, $s11
    add_u32 $s3, $s3, $s0
    add_u32 $s4, $s4, $s1
    add_u32 $s5, $s5, $s2
    mad_u32 $s15, $s5, 16, $s4
    mad_u32 $s15, $s15, 16, $s3
    cvt_u64_u32 $d2, $s15
    ld_kernarg_u64 $d3, [%y]
    mad_u64 $d3, $d2, 4, $d3
    st_global_u32 $s10, [$d3]
    ret
}
"""


@pytest.mark.parametrize("missing", [0, 1, 300])
@pytest.mark.parametrize("n", [18, 40])
def test_a_tile_that_is_copied_number_by_number(n: int, missing: int) -> None:
    items, size = (16, 16, 8), (8, 8, 4)
    words = (9 * n + 17) * n + 18
    x = np.arange(1, words + 1 - missing, dtype=np.uint32)
    y = np.zeros(16 * 16 * 8, np.uint32)
    own, expected = (
        make(FLAT, [n, x.copy(), y.copy()], items=items, group_size=size) for _ in range(2)
    )
    assert assert_as_oracle(own, expected) == (missing > 0)


COLUMN = """    mad_u32 $s9, $s9, $s6, $s11
    mad_u32 $s9, $s9, $s6, $s12
"""
"""What an index of `FLAT` ends with: the row, and the column."""


@pytest.mark.parametrize(
    "index",
    [
        "mul_u32 $s9, $s9, $s6",
        "mul_u32 $s9, $s11, $s6",
        "mad_u32 $s9, $s9, $s6, $s6",
        "mad_u32 $s9, $s9, $s6, $s11",
        "mul_u32 $s9, $s12, $s6",
    ],
)
def test_lanes_of_one_row_may_load_one_place(index: str) -> None:
    text = FLAT.replace(COLUMN, f"    {index}\n")
    x, y = np.arange(1, 2000, dtype=np.uint32), np.zeros(16 * 16 * 8, np.uint32)
    same(text, [18, x, y], items=(16, 16, 8), group_size=(8, 8, 4))


@pytest.mark.parametrize("divided", ["div_u32 $s9, $s8, 100", "rem_u32 $s12, $s10, 10"])
def test_a_constant_divisor_may_be_zero(divided: str) -> None:
    text = FLAT.replace(divided, divided[: divided.rindex(",")] + ", 0")
    x, y = np.arange(1, 4000, dtype=np.uint32), np.zeros(16 * 16 * 8, np.uint32)
    own, expected = (
        make(text, [18, x.copy(), y.copy()], items=(16, 16, 8), group_size=(8, 8, 4))
        for _ in range(2)
    )
    assert assert_as_oracle(own, expected)


DOUBLED = "    add_u32 $s14, $s14, $s14\n" * 24


@pytest.mark.parametrize(
    ("before", "added"),
    [
        ("@load:\n", "    mov_u32 $s14, $s0\n" + DOUBLED + "    add_u32 $s8, $s8, $s14\n"),
        (COLUMN, "    mov_u32 $s14, $s12\n" + DOUBLED + "    add_u32 $s12, $s12, $s14\n"),
        (COLUMN, "    mov_u32 $s14, $s3\n" + DOUBLED + "    add_u32 $s12, $s12, $s14\n"),
    ],
)
def test_values_that_are_used_twice_are_looked_at_once(before: str, added: str) -> None:
    text = FLAT.replace(before, f"{added}{before}").replace("shl_u32 $s3, $s3, 3", "")
    interior(text, (8, 8, 4))  # in much less than a second; 2 ^ 24 looks would take hours


def test_its_rows_are_masked_loads() -> None:
    assert "llvm.masked.load.v16i32" in interior(FLAT, (8, 8, 4))
