"""Stores of several lanes to one place: the highest lane's data stay, a place for each row."""

from __future__ import annotations

import numpy as np
import pytest

from simtlab.asm.assemble import assemble
from simtlab.emu.analysis.facts import Facts
from simtlab.emu.jit.kernel import compile as code

from ...support.agreement import same

GUARDS = {
    "all": "cmp_eq_u32 $c0, $s0, $s0",
    "first": "cmp_eq_u32 $c0, $s0, 0",
    "last of some rows": "cmp_eq_u32 $c0, $s0, 7\n cmp_lt_u32 $c1, $s1, 2\n and_b1 $c0, $c0, $c1",
    "by data": "cmp_ge_u32 $c0, $s10, 60",
}
DATA = {
    "element": "mov_u32 $s12, $s10",
    "of its row": "add_u32 $s12, $s1, 5",
    "of all": "mov_u32 $s12, $s5",
}
TEXT = """
kernel k(u32 %n, global u32* %x, global {type}* %rows, global {type}* %y, global {type}* %one) {{
    .group {type} part[32]
    .group {type} total[2]
    workitemid_u32 $s0, 0
    workitemid_u32 $s1, 1
    workitemflatabsid_u32 $s2
    ld_kernarg_u32 $s5, [%n]
    cvt_u64_u32 $d2, $s2
    ld_kernarg_u64 $d0, [%x]
    mad_u64 $d0, $d2, 4, $d0
    ld_global_u32 $s10, [$d0]
    {guard}
    {data}
    not_b1 $c1, $c0
    cbr $c1, @all
    mul_u32 $s6, $s1, {size}
    st_group_{type} $s12, [part+$s6]         // one place for each row
    st_group_{type} $s12, [total+{size}]     // one for all
    workitemabsid_u32 $s7, 1
    cvt_u64_u32 $d3, $s7
    ld_kernarg_u64 $d1, [%rows]
    mad_u64 $d3, $d3, {size}, $d1
    st_global_{type} $s12, [$d3]
@all:
    barrier
    mul_u32 $s6, $s1, {size}
    ld_group_{type} $s11, [part+$s6]
    mul_u64 $d4, $d2, {size}
    ld_kernarg_u64 $d1, [%y]
    add_u64 $d4, $d4, $d1
    st_global_{type} $s11, [$d4]
    ld_group_{type} $s11, [total+{size}]
    ld_kernarg_u64 $d1, [%one]
    st_global_{type} $s11, [$d1]
    ret
}}
"""


def text(type_: str, guard: str, data: str) -> str:
    size = int(type_[1:]) // 8
    return TEXT.format(type=type_, size=size, guard=GUARDS[guard], data=DATA[data])


@pytest.mark.parametrize("guard", GUARDS)
@pytest.mark.parametrize("data", DATA)
@pytest.mark.parametrize("type_", ["u32", "u8", "f32"])
def test_the_highest_running_lane_of_a_row_stays(type_: str, guard: str, data: str) -> None:
    for group in ((8, 8), (16, 16), (32, 2), (16,)):
        items = (*group[:-1], group[-1])
        count = int(np.prod(items))
        x = np.random.default_rng(len(group)).integers(0, 100, count).astype(np.uint32)
        kind = np.dtype(type_.replace("s", "i")[0] + str(int(type_[1:]) // 8))
        outs = [np.zeros(size, kind) for size in (32, count, 1)]
        same(text(type_, guard, data), [7, x, *outs], items=items, group_size=group)


def test_rows_with_one_place_need_no_scatter() -> None:
    program = assemble(text("f32", "first", "element"))
    ir = code.listing(
        program.kernels[0], 0, Facts(64, (16, 4, 1), whole=True, one_warp=True), "llvm"
    )
    # The rows' place in global memory scatters on its slow side alone.
    assert sum(" call " in line and ".scatter." in line for line in ir.splitlines()) <= 2 * 4


HALO = """
kernel k(global f32* %x, global f32* %y) {
    .group f32 tile[{elements}]
    workitemid_u32 $s0, 0
    workitemid_u32 $s1, 1
    ld_kernarg_u64 $d0, [%x]
    mov_u32 $s2, $s1
@rows:
    mov_u32 $s3, $s0
@columns:
    mad_u32 $s4, $s2, {side}, $s3
    cvt_u64_u32 $d1, $s4
    mad_u64 $d1, $d1, 4, $d0
    ld_global_f32 $s5, [$d1]
    shl_u32 $s4, $s4, 2
    st_group_f32 $s5, [tile+$s4]
    ld_group_f32 $s6, [tile+$s4]
    add_f32 $s5, $s5, $s6
    st_global_f32 $s5, [$d1]
    add_u32 $s3, $s3, {x}
    cmp_lt_u32 $c0, $s3, {side}
    cbr $c0, @columns
    add_u32 $s2, $s2, {y}
    cmp_lt_u32 $c0, $s2, {side}
    cbr $c0, @rows
    barrier
    mad_u32 $s4, $s1, {side}, $s0
    shl_u32 $s4, $s4, 2
    ld_group_f32 $s5, [tile+$s4]
    ld_group_f32 $s6, [tile+$s4+{down}]
    add_f32 $s5, $s5, $s6
    workitemflatid_u32 $s7
    cvt_u64_u32 $d1, $s7
    ld_kernarg_u64 $d0, [%y]
    mad_u64 $d1, $d1, 4, $d0
    st_global_f32 $s5, [$d1]
    ret
}
"""


@pytest.mark.parametrize("group", [(16, 16), (8, 8), (16, 4), (32, 8), (12, 12)])
@pytest.mark.parametrize("halo", [1, 4])
def test_a_tile_with_its_edges_is_copied_in_strides(group: tuple[int, int], halo: int) -> None:
    columns, rows = group
    side = max(group) + halo
    values = {
        "elements": side * side,
        "side": side,
        "x": columns,
        "y": rows,
        "down": 4 * side * halo,
    }
    source = HALO
    for name, value in values.items():
        source = source.replace(f"{{{name}}}", str(value))
    x = np.random.default_rng(1).random(side * side, np.float32)
    same(source, [x, np.zeros(columns * rows, np.float32)], items=group, group_size=group)


CLAMPED = """
kernel k(s32 %low, s32 %high, global u32* %x, global u32* %y) {
    .group u32 row[128]
    workitemid_s32 $s0, 0
    ld_kernarg_s32 $s1, [%low]
    ld_kernarg_s32 $s2, [%high]
    workitemabsid_u32 $s3, 0
    cvt_u64_u32 $d0, $s3
    ld_kernarg_u64 $d1, [%x]
    mad_u64 $d1, $d0, 4, $d1
    ld_global_u32 $s4, [$d1]
    shl_u32 $s5, $s0, 2
    st_group_u32 $s4, [row+$s5]
    sub_s32 $s6, $s0, {step}
    max_s32 $s6, $s6, $s1
    add_s32 $s7, $s0, {step}
    cmp_gt_s32 $c0, $s7, $s2
    select_s32 $s7, $c0, $s2, $s7
    shl_u32 $s6, $s6, 2
    shl_u32 $s7, $s7, 2
    barrier
    ld_group_u32 $s8, [row+$s6]
    ld_group_u32 $s9, [row+$s7]
    mad_u32 $s8, $s8, 3, $s9
    ld_kernarg_u64 $d1, [%y]
    mad_u64 $d1, $d0, 4, $d1
    st_global_u32 $s8, [$d1]
    ret
}
"""


@pytest.mark.parametrize("step", [1, 5, 20])
@pytest.mark.parametrize(("low", "high"), [(0, 127), (20, 100), (127, 0), (3, 3), (0, 126)])
def test_neighbours_that_are_clamped_are_those_of_each_lane(step: int, low: int, high: int) -> None:
    x = np.random.default_rng(step).integers(0, 1 << 32, 256, np.uint32)
    source = CLAMPED.replace("{step}", str(step)).replace("workitemid_s32", "workitemid_u32")
    same(source, [low, high, x, np.zeros_like(x)], items=(256,), group_size=(128,))
