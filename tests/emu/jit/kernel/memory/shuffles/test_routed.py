"""Group memory at known distances, and rows of global memory in pieces, against the oracle."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from simtlab.emu.analysis.facts import Facts
from simtlab.emu.analysis.widths.one_warp import one_warp_facts
from simtlab.emu.analysis.widths.width import USUAL
from simtlab.emu.geometry import Geometry
from simtlab.emu.jit.kernel import compile as code
from simtlab.emu.jit.kernel import launch_facts
from simtlab.emu.jit.kernel.compile import generate
from simtlab.emu.jit.launch import plan
from simtlab.emu.recent import Recent
from simtlab.isa.program import Kernel

from .....support.flows import kernel_of
from ....support.agreement import same, trap_alike

TILE = """\
kernel k(u32 %n, global TYPE* %x, global TYPE* %y, u32 %some) {
    .group TYPE tile[WORDS]
    workitemid_u32 $s0, 0
    workitemid_u32 $s1, 1
    workitemid_u32 $s2, 2
    workitemflatid_u32 $s3
    ld_kernarg_u32 $s15, [%some]
    workgroupid_u32 $s4, 0
    mul_u32 $s4, $s4, ITEMS
    add_u32 $s4, $s4, $s3
    cvt_u64_u32 $d0, $s4
    ld_kernarg_u64 $d1, [%x]
    mad_u64 $d1, $d0, SIZE, $d1
    ld_global_TYPE $R8, [$d1]
    STORED
    mul_u32 $s5, $s5, SIZE
    cmp_lt_u32 $c0, $s3, $s15
    cbr $c0, @idle
    st_group_TYPE $R8, [tile+$s5+OFFSET]
@idle:
    barrier
    LOADED
    mul_u32 $s5, $s5, SIZE
    cmp_gt_u32 $c0, $s3, $s15
    cbr $c0, @work
    MOVE $R8, 0
    cbr $c0, @out
@work:
    ld_group_TYPE $R8, [tile+$s5+OFFSET]
@out:
    ld_kernarg_u64 $d1, [%y]
    mad_u64 $d1, $d0, SIZE, $d1
    st_global_TYPE $R8, [$d1]
    ret
}
"""
ROWS = "mad_u32 $s5, $s1, PITCH, $s0\n mad_u32 $s5, $s2, 64, $s5"
COLUMNS = "mad_u32 $s5, $s0, PITCH, $s1\n mad_u32 $s5, $s2, 64, $s5"
FLAT_COLUMNS = "and_u32 $s5, $s3, 15\n mul_u32 $s5, $s5, PITCH\n shr_u32 $s6, $s3, 4\n"
FLAT_COLUMNS += "add_u32 $s5, $s5, $s6"
BACKWARDS = "sub_u32 $s5, (ITEMS - 1), $s3"
SECOND = "shl_u32 $s5, $s3, 1"
ALL_AT_ONE = "and_u32 $s5, $s3, 7"


def tile(
    stored: str, loaded: str, items: int, pitch: int = 17, type_: str = "u32", offset: int = 0
) -> str:
    size = int(type_[1:]) // 8
    words = {
        "STORED": stored,
        "LOADED": loaded,
        "PITCH": pitch,
        "WORDS": 1100,
        "ITEMS": items,
        "TYPE": type_,
        "SIZE": size,
        "OFFSET": offset * size,
        "MOVE": "mov_u64" if size == 8 else "mov_u32",
        "$R": "$d" if size == 8 else "$s",
    }
    text = TILE
    for word, value in words.items():
        text = text.replace(word, str(value))
    return text


def run(text: str, group: tuple[int, ...], some: int, dtype: str = "u4", **more: Any) -> None:
    items = (2 * group[0], *group[1:])
    x = np.random.default_rng(5).integers(0, 250, int(np.prod(items))).astype(dtype)
    same(text, [7, x, np.zeros_like(x), some], items=items, group_size=group, **more)


CASES = {
    "columns": (ROWS, COLUMNS, (16, 16), 17),
    "columns of 32": (ROWS, COLUMNS, (32, 8), 33),
    "columns without a pad": (ROWS, COLUMNS, (16, 16), 16),
    "columns of cubes": (ROWS, COLUMNS, (8, 8, 4), 8),
    "columns of four": (ROWS, COLUMNS, (4, 16), 20),
    "stored by columns": (COLUMNS, ROWS, (16, 16), 17),
    "stored by columns of 8": (COLUMNS, ROWS, (8, 8), 9),
    "columns of a row of items": (BACKWARDS, FLAT_COLUMNS, (256,), 17),
    "stored so": (FLAT_COLUMNS, BACKWARDS, (256,), 17),
    "every second word": (SECOND, SECOND, (256,), 17),
    "eight places": (ALL_AT_ONE, ALL_AT_ONE, (64,), 17),
}


@pytest.mark.parametrize("name", CASES)
def test_lanes_access_what_single_lanes_would(name: str):
    stored, loaded, group, pitch = CASES[name]
    text = tile(stored, loaded, int(np.prod(group)), pitch)
    for some in (0, 5, 40):
        run(text, group, some)


@pytest.mark.parametrize("width", [8, 16, 64])
def test_warps_of_any_width_do(width: int):
    run(tile(ROWS, COLUMNS, 256), (16, 16), 3, width=width)


def test_vectors_of_64_lanes_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    def facts_of(kernel: Kernel, geometry: Geometry) -> Facts:
        return replace(launch_facts.facts_at(geometry, 64), chunk=64)

    monkeypatch.setattr(plan, "facts_of", facts_of)
    monkeypatch.setattr(code, "_COMPILED", Recent(1))
    monkeypatch.setenv("SIMTLAB_CACHE", os.devnull)
    for stored, loaded in (("mov_u32 $s5, $s3", "shr_u32 $s5, $s3, 1"), (SECOND, SECOND)):
        run(tile(stored, loaded, 256), (256,), 0, width=64)


@pytest.mark.parametrize("type_", ["u8", "f32", "u64"])
def test_elements_of_other_sizes_do(type_: str):
    text = tile(ROWS, COLUMNS, 256, type_=type_)
    run(text, (16, 16), 0, {"u8": "u1", "f32": "f4", "u64": "u8"}[type_])


@pytest.mark.parametrize("offset", [-3, 11])
def test_offsets_of_the_access_count(offset: int):
    moved = f"\n add_u32 $s5, $s5, {max(0, -offset)}"
    run(tile(ROWS + moved, COLUMNS + moved, 256, offset=offset), (16, 16), 0)


@pytest.mark.parametrize("access", ["stored", "loaded"])
@pytest.mark.parametrize("beyond", [0, 1, 16])
def test_the_last_word_of_a_segment_is_inside_and_no_other(access: str, beyond: int):
    moved = f"{COLUMNS}\n add_u32 $s5, $s5, {1099 - 270 + beyond}"
    parts = {"stored": COLUMNS, "loaded": COLUMNS, access: moved}
    text = tile(parts["stored"], parts["loaded"], 256)
    x = np.arange(256, dtype=np.uint32)
    if not beyond:
        run(text, (16, 16), 0)
    else:
        trap_alike(text, [7, x, x, 0], items=(16, 16), group_size=(16, 16))


@pytest.mark.parametrize("moved", ["sub_u32 $s5, $s5, 1", "add_u32 $s5, $s5, 0x3fffff00"])
def test_offsets_that_wrap_around_trap(moved: str):
    text = tile(COLUMNS, f"{COLUMNS}\n {moved}", 256)
    x = np.arange(256, dtype=np.uint32)
    trap_alike(text, [7, x, x, 0], items=(16, 16), group_size=(16, 16))


def test_a_sum_beyond_32_bits_traps():
    # The base wraps around to a number near 2^32, and the offset of the access goes on from there.
    text = tile(COLUMNS, f"{COLUMNS}\n sub_u32 $s5, $s5, 2", 256, offset=2)
    text = text.replace("st_group_u32 $s8, [tile+$s5+8]", "st_group_u32 $s8, [tile+$s5]")
    x = np.arange(256, dtype=np.uint32)
    trap_alike(text, [7, x, x, 0], items=(16, 16), group_size=(16, 16))


LOOP = """\
kernel k(u32 %n, global u32* %x, global u32* %y, u32 %some) {
    .group u32 tile[600]
    workitemid_u32 $s0, 0
    workitemid_u32 $s1, 1
    workitemflatid_u32 $s3
    ld_kernarg_u32 $s15, [%some]
    shl_u32 $s4, $s3, 2
    cvt_u64_u32 $d0, $s4
    ld_kernarg_u64 $d1, [%x]
    add_u64 $d1, $d1, $d0
    ld_global_u32 $s5, [$d1]
    st_group_u32 $s5, [tile+$s4]
    barrier
    mul_u32 $s6, $s0, 68
    shl_u32 $s7, $s1, 2
    add_u32 $s6, $s6, $s7                   // down a column
    mov_u32 $s8, 0
    mov_u32 $s9, 0
@row:
    mov_u32 $s10, 0
@column:
    ld_group_u32 $s11, [tile+$s6]
    mad_u32 $s8, $s8, 3, $s11
    add_u32 $s6, $s6, 4
    add_u32 $s10, $s10, 1
    cmp_lt_u32 $c0, $s10, INNER
    cbr $c0, @column
    add_u32 $s6, $s6, 60
    add_u32 $s9, $s9, 1
    cmp_lt_u32 $c0, $s9, OUTER
    cbr $c0, @row
    ld_kernarg_u64 $d1, [%y]
    add_u64 $d1, $d1, $d0
    st_global_u32 $s8, [$d1]
    ret
}
"""


@pytest.mark.parametrize(
    ("inner", "outer"), [("5", "3"), ("$s15", "3"), ("$s1", "2"), ("2", "$s0")]
)
def test_windows_move_in_loops(inner: str, outer: str):
    text = LOOP.replace("INNER", inner).replace("OUTER", outer)
    x = np.random.default_rng(1).integers(0, 1 << 32, 256, np.uint32)
    same(text, [0, x, np.zeros_like(x), 4], items=(16, 16), group_size=(16, 16))


ROW_BY_ROW = """\
kernel k(u32 %n, global u32* %x, global u32* %y, u32 %from) {
    workitemid_u32 $s0, 0
    workitemid_u32 $s1, 1
    ld_kernarg_u32 $s2, [%n]
    ld_kernarg_u32 $s3, [%from]
    mad_u32 $s4, $s1, $s2, $s0
    add_u32 $s4, $s4, $s3
    cvt_u64_SIGN $d0, $s4
    ld_kernarg_u64 $d1, [%x]
    mad_u64 $d1, $d0, 4, $d1
    ld_global_u32 $s5, [$d1]
    ld_kernarg_u64 $d1, [%y]
    mad_u64 $d1, $d0, 4, $d1
    add_u32 $s5, $s5, $s0
    st_global_u32 $s5, [$d1]
    barrier
    ret
}
"""


@pytest.mark.parametrize("sign", ["u32", "s32"])
@pytest.mark.parametrize("group", [(16, 16), (32, 8), (8, 8, 4), (4, 16)])
def test_rows_of_global_memory_are_accessed(sign: str, group: tuple[int, ...]):
    text = ROW_BY_ROW.replace("SIGN", sign)
    rows = group[1]
    for n, first in ((group[0], 0), (40, 3), (40, 700 - 40 * (rows - 1) - group[0]), (0, 5)):
        x = np.arange(700, dtype=np.uint32)
        same(text, [n, x, np.zeros_like(x), first], items=group, group_size=group)
    # Rows that go back, and indices that wrap around to where others are.
    x = np.arange(700, dtype=np.uint32)
    back = (1 << 32) - 40
    same(text, [back, x, np.zeros_like(x), 640], items=group, group_size=group)
    if sign == "u32":
        whole = (1 << 32) - 40 * (rows - 1)
        arguments = [40, x, x, whole]
        trap_alike(text, arguments, items=group, group_size=group)
    for first in (700 - 40 * (rows - 1) - group[0] + 1, 690):
        trap_alike(text, [40, x, x, first], items=group, group_size=group)


def test_rows_need_two_tests():
    text = ROW_BY_ROW.replace("SIGN", "u32").partition("{")[2].rpartition("ret")[0]
    kernel = kernel_of(text, "u32 %n, global u32* %x, global u32* %y, u32 %from")
    ir = generate(kernel, 0, Facts(64, (16, 16, 1), whole=True))
    wide = generate(kernel, 0, Facts(64, (64, 4, 1), whole=True))
    # A row of 64 has a test for each of the two accesses; so have the ends of four rows of 16.
    assert ir.count("icmp ult i64") <= wide.count("icmp ult i64") + 4


def facts_of(stored: str, loaded: str, group: tuple[int, int, int]) -> Facts | None:
    items = group[0] * group[1] * group[2]
    body = tile(stored, loaded, items).partition("\n")[2].rpartition("ret")[0]
    kernel = kernel_of(body, "u32 %n, global u32* %x, global u32* %y, u32 %some")
    return one_warp_facts(kernel, Facts(USUAL, group, whole=True))


def test_a_tile_whose_columns_are_read_is_one_warp():
    assert facts_of(ROWS, COLUMNS, (16, 16, 1)) is not None
    assert facts_of(ROWS, ROWS, (16, 16, 1)) is None


UNEVEN = """
    workitemid_u32 $s0, 0
    workitemid_u32 $s1, 1
    ld_kernarg_u32 $s2, [%n]
    ld_kernarg_u64 $d0, [%x]
@again:
    add_u32 $s1, $s1, 8
    cmp_lt_u32 $c0, $s1, $s2
    cbr $c0, @again
    barrier
    st_global_u32 $s1, [$d0]
"""


def test_rows_that_leave_loops_apart_are_warps_of_their_own():
    kernel = kernel_of(UNEVEN)
    assert one_warp_facts(kernel, Facts(USUAL, (32, 8, 1), whole=True)) is None
    assert one_warp_facts(kernel, Facts(USUAL, (16, 16, 1), whole=True)) is not None
