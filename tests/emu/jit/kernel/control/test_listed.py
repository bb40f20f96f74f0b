"""Accesses by numbers of a list that are neighbours in some warps."""

from __future__ import annotations

import numpy as np
import pytest

from simtlab.emu.jit.launch.engine import execute
from simtlab.emu.traps import Trap, TrapKind

from ....support.oracle_work import make
from ...support.agreement import same

TEXT = """
kernel k(u32 %absent, global {type}* %list, global f32* %x, global f64* %y, global u8* %z) {{
    workitemabsid_u32 $s0, 0
    ld_kernarg_u32 $s1, [%absent]
    cmp_eq_u32 $c0, $s0, $s1
    cbr $c0, @done
    ld_kernarg_u64 $d1, [%list]
    cvt_u64_u32 $d0, $s0
    mad_u64 $d1, $d0, 4, $d1
    ld_global_{type} $s2, [$d1]
    cvt_{wide}_{type} $d0, $s2
    ld_kernarg_u64 $d1, [%x]
    mad_{wide} $d1, $d0, 4, $d1
    ld_global_f32 $s3, [$d1+4]
    ld_global_f32 $s4, [$d1]
    add_f32 $s3, $s3, $s4
    add_u32 $s5, $s2, 2
    cvt_u64_u32 $d3, $s5
    ld_kernarg_u64 $d1, [%x]
    mad_u64 $d1, $d3, 4, $d1
    ld_global_f32 $s4, [$d1]
    add_f32 $s3, $s3, $s4
    st_global_f32 $s3, [$d1+2048]
    ld_kernarg_u64 $d1, [%y]
    mad_{wide} $d1, $d0, 8, $d1
    ld_global_f64 $d2, [$d1+8]
    cvt_f64_f32 $d4, $s3
    add_f64 $d2, $d2, $d4
    st_global_f64 $d2, [$d1]
    ld_kernarg_u64 $d1, [%z]
    add_{wide} $d1, $d1, $d0
    st_global_u8 $s2, [$d1]
@done:
    ret
}}"""
ITEMS, SIZE = 192, 64


def arguments(type_: str) -> list:
    """Return arrays for a list of neighbours, in warps of 64 the first and the last one."""
    numbers = np.arange(ITEMS, dtype=np.uint32 if type_ == "u32" else np.int32) + 5
    numbers[100] = 7
    x, y = np.random.default_rng(1).random((2, 1024))
    return [numbers, x.astype(np.float32), y, np.zeros(300, np.uint8)]


@pytest.mark.parametrize(
    ("type_", "wide", "width"),
    [("u32", "u64", 1), ("s32", "s64", 7), ("u32", "u64", 16), ("s32", "s64", 32),
     ("u32", "u64", 64)],
)  # fmt: skip
def test_neighbours_and_others(type_: str, wide: str, width: int) -> None:
    """Lane 0 of a warp may not run."""
    text = TEXT.format(type=type_, wide=wide)
    for absent in (ITEMS, 64, 130):
        same(text, [absent, *arguments(type_)], items=ITEMS, group_size=SIZE, width=width)


@pytest.mark.parametrize(("first", "lane"), [(0xFFFF_FFFC, 0), (1024 - 514 - 10, 10)])
def test_numbers_that_leave_the_buffer(first: int, lane: int) -> None:
    """They may pass the largest number of 32 bits on the way."""
    text, given = TEXT.format(type="u32", wide="u64"), arguments("u32")
    given[0] = np.arange(ITEMS, dtype=np.uint32) + np.uint32(first)
    with pytest.raises(Trap) as caught:
        execute(make(text, [ITEMS, *given], items=ITEMS, group_size=SIZE))
    record = caught.value.record
    assert (record.kind, record.group, record.local) == (TrapKind.OUT_OF_BOUNDS, 0, lane)
