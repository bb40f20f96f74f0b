"""Gathers at indices that have a range: one test of the buffer's size, or one of each lane."""

from __future__ import annotations

import numpy as np
import pytest

from simtlab.emu.engine import Work

from ....support.oracle_work import make
from ...support.against_oracle import assert_as_oracle

ITEMS = 70
TYPES = {"u8": np.uint8, "s16": np.int16, "u32": np.uint32}

INDICES = {
    "bits": "bitextract_u32 $s2, $s1, 8, 8",
    "a remainder": "rem_u32 $s2, $s1, 256",
    "bits of another table": """and_u32 $s2, $s1, 255
        cvt_u64_u32 $d5, $s2
        mad_u64 $d5, $d5, 4, $d1
        ld_global_u32 $s2, [$d5]
        and_u32 $s2, $s2, 255""",
}


def work(type_: str, index: str, elements: int, most: int, group: int) -> Work:
    text = f"""kernel look_up(global u32* %x, global {type_}* %table, global u32* %out) {{
        workitemabsid_u32 $s0, 0
        cvt_u64_u32 $d0, $s0
        ld_kernarg_u64 $d1, [%x]
        ld_kernarg_u64 $d2, [%table]
        ld_kernarg_u64 $d3, [%out]
        mad_u64 $d3, $d0, 4, $d3
        mad_u64 $d4, $d0, 4, $d1
        ld_global_u32 $s1, [$d4]
        and_u32 $s3, $s1, 7
        cmp_eq_u32 $c0, $s3, 7
        cbr $c0, @done
        {INDICES[index]}
        cvt_u64_u32 $d5, $s2
        mad_u64 $d5, $d5, {TYPES[type_]().itemsize}, $d2
        ld_global_{type_} $s4, [$d5]
        st_global_u32 $s4, [$d3]
    @done:
        ret
    }}"""
    rng = np.random.default_rng(9)
    low, middle = rng.integers(0, most + 1, (2, 256), np.uint32)
    x = low | middle << 8
    if index == "a remainder":
        x = low + 256 * middle
    table = rng.integers(0, 100, elements).astype(TYPES[type_])
    return make(text, [x, table, np.zeros(256, np.uint32)], items=ITEMS, group_size=group)


@pytest.mark.parametrize("group", [1, 7, 16, 32, 64])
@pytest.mark.parametrize("index", INDICES)
@pytest.mark.parametrize("type_", TYPES)
def test_tables_that_have_all_indices_and_shorter_ones(type_: str, index: str, group: int) -> None:
    for elements, most in ((256, 255), (300, 255), (255, 254), (100, 99)):
        assert not assert_as_oracle(*(work(type_, index, elements, most, group) for _ in "ab"))
    assert assert_as_oracle(*(work(type_, index, 200, 255, group) for _ in "ab"))
