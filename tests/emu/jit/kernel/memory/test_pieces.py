"""Accesses of workgroups whose rows are shorter than a warp."""

from __future__ import annotations

import numpy as np
import pytest

import simtlab
from simtlab.asm.assemble import assemble
from simtlab.emu.analysis.facts import Facts
from simtlab.emu.jit.kernel import compile as code

from ....support.oracle_work import make
from ...support.against_oracle import assert_as_oracle
from ...support.agreement import same

TEXT = """
kernel k(u32 %n, global {type}* %x, global {type}* %y) {{
    .group {type} tile[(16 * 17)]
    workitemid_u32 $s0, 0
    workitemid_u32 $s1, 1
    workitemabsid_u32 $s2, 0
    workitemabsid_u32 $s3, 1
    ld_kernarg_u32 $s4, [%n]
    ld_kernarg_u64 $d0, [%x]
    ld_kernarg_u64 $d1, [%y]
    mad_u32 $s5, $s3, $s4, $s2
    cvt_u64_u32 $d2, $s5
    mad_u64 $d3, $d2, {size}, $d0
    ld_global_{type} ${r}10, [$d3]           // its own element
    mul_u32 $s6, $s3, $s4
    cvt_u64_u32 $d3, $s6
    mad_u64 $d3, $d3, {size}, $d0
    ld_global_{type} ${r}11, [$d3]           // the first of its row
    mad_u32 $s7, $s1, 17, $s0
    mul_u32 $s7, $s7, {size}
    st_group_{type} ${r}10, [tile+$s7]
    barrier
    mul_u32 $s8, $s1, {row}
    ld_group_{type} ${r}12, [tile+$s8+{size}]
    mul_u32 $s8, $s0, {size}
    ld_group_{type} ${r}13, [tile+$s8+{row}]
    add_{total} ${r}10, ${r}11, ${r}12
    add_{total} ${r}10, ${r}10, ${r}13
    cmp_lt_u32 $c0, $s0, $s1
    cbr $c0, @end                            // a part of the row
    mad_u64 $d3, $d2, {size}, $d1
    st_global_{type} ${r}10, [$d3]
@end:
    ret
}}
"""
TOTALS = {"f32": "f32", "u32": "u32", "u8": "u32", "s16": "s32", "u64": "u64", "f64": "f64"}


def text(type_: str) -> str:
    size = int(type_[1:]) // 8
    return TEXT.format(
        type=type_, size=size, row=17 * size, total=TOTALS[type_], r="d" if size == 8 else "s"
    )


@pytest.mark.parametrize("type_", TOTALS)
@pytest.mark.parametrize("group", [(16, 4), (8, 8), (4, 16), (12, 4), (24, 2), (16, 2, 2)])
def test_pieces_access_what_single_lanes_would(type_: str, group: tuple[int, ...]) -> None:
    items = tuple(2 * size for size in group)
    n = items[0]
    numbers = np.random.default_rng(3).integers(0, 100, int(np.prod(items)) + 8)
    x = numbers.astype(np.dtype(type_.replace("s", "i")[0] + str(int(type_[1:]) // 8)))
    for width in (32, 64, 16):
        same(text(type_), [n, x, np.zeros_like(x)], items=items, group_size=group, width=width)


def test_few_gathers_are_left() -> None:
    program = assemble(text("f32"))
    ir = code.listing(program.kernels[0], 0, Facts(32, (16, 16, 1), whole=True), "llvm")
    gathers = sum(" call " in line and ".gather." in line for line in ir.splitlines())
    # Six accesses: two of group memory in the rows of a tile gather on their slow side alone.
    assert ir.count("load <16 x i32>") >= 4
    assert "broadcast" not in ir
    assert gathers <= 2 * 5


def test_a_frame_keeps_only_what_cannot_be_computed_again() -> None:
    program = assemble(text("u32"))
    ir = code.generate(program.kernels[0], 0, Facts(64, (16, 16, 1), whole=True))
    frame = ir[ir.index("@frame_bytes") :]
    head, loaded = 64, 4 * 8  # the first element of each of four rows
    assert int(frame.split("ret i64 ")[1].split()[0]) == -(-(head + loaded) // 64) * 64


VOLUME = """
kernel k(u32 %n, u32 %h, u32 %far, global u32* %x, global u32* %y) {
    .group u32 tile[64]
    workitemid_u32 $s0, 0
    workitemid_u32 $s1, 1
    workitemid_u32 $s2, 2
    workitemabsid_u32 $s3, 0
    workitemabsid_u32 $s4, 1
    workitemabsid_u32 $s5, 2
    ld_kernarg_u32 $s6, [%n]
    ld_kernarg_u32 $s7, [%h]
    ld_kernarg_u32 $s8, [%far]
    mad_u32 $s9, $s5, $s7, $s4
    mad_u32 $s9, $s9, $s6, $s3              // (z * h + y) * n + x
    add_u32 $s9, $s9, $s8
    workitemflatid_u32 $s11
    shl_u32 $s11, $s11, 2
    ld_kernarg_u64 $d0, [%x]
    cvt_u64_u32 $d1, $s9
    mad_u64 $d0, $d1, 4, $d0
    ld_global_u32 $s10, [$d0]
    st_group_u32 $s10, [tile+$s11]
    barrier
    xor_u32 $s11, $s11, 4
    ld_group_u32 $s12, [tile+$s11]
    mad_u32 $s10, $s10, 3, $s12
    ld_kernarg_u64 $d0, [%y]
    mad_u64 $d0, $d1, 4, $d0
    st_global_u32 $s10, [$d0]
    ret
}
"""


@pytest.mark.parametrize(
    ("h", "far", "missing"),
    [(4, 0, 0), (5, 3, 0), (4, 0, 1), (0, 0, 0), (4, -8, 0), (-4, 8 * 4 * 3, 0), (1 << 28, 0, 0)],
)
def test_planes_are_products_apart(h: int, far: int, missing: int) -> None:
    """Planes may go backwards, or wrap around; then no place is a multiple from the first one."""
    n, planes, items, group = 8, 4, (8, 4, 4), (8, 4, 2)
    x = np.arange((planes - 1) * 5 * n + 4 * n + 3 - missing * (8 * n + 3), dtype=np.uint32)

    def work():
        arguments = [n, h & 0xFFFF_FFFF, far & 0xFFFF_FFFF, x.copy(), np.zeros_like(x)]
        return make(VOLUME, arguments, items=items, group_size=group)

    assert_as_oracle(work(), work())


COUNTED = """
kernel k(global u32* %out, u32 %n) {
    .group u32 tile[16]
    ld_kernarg_u64 $d0, [%out]
    ld_kernarg_u32 $s5, [%n]
    workitemabsid_u32 $s0, 0
    mov_u32 $s4, 0
@again:
    mov_u32 $s1, 0
@top:
    shl_u32 $s2, $s1, 2
    st_group_u32 $s0, [tile+$s2]
    ld_group_u32 $s3, [tile+$s2]
    mad_u32 $s4, $s4, 3, $s3
    add_u32 $s1, $s1, 1
    cmp_lt_u32 $c0, $s1, 16
    cbr $c0, @top
    sub_u32 $s5, $s5, 1
    cmp_ne_u32 $c0, $s5, 0
    cbr $c0, @again
    cvt_u64_u32 $d1, $s0
    mad_u64 $d1, $d1, 4, $d0
    st_global_u32 $s4, [$d1]
    ret
}
"""


def test_a_counted_loop_has_no_tests_and_is_charged_when_it_ends() -> None:
    same(COUNTED, [np.zeros(1, np.uint32), 3], items=1, group_size=32)
    program = assemble(COUNTED)
    ir = code.generate(program.kernels[0], 0, Facts(32, (32, 1, 1), whole=True))
    assert "llvm.loop.unroll.count" in ir
    assert "simtlab_local_fault" not in ir


@pytest.mark.parametrize("rounds", [2, 3000])
def test_a_counted_loop_counts_for_the_budget(rounds: int) -> None:
    program = simtlab.assemble(COUNTED)
    run = program.k.launch(items=32, group_size=32, engine="jit", budget=20_000)
    out = np.zeros(32, np.uint32)
    if rounds == 2:
        run(out, rounds)
    else:
        with pytest.raises(simtlab.Trap, match=r"SIM40[68]|SIM412"):
            run(out, rounds)
