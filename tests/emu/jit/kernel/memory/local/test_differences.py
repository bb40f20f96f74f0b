"""Places in group memory that are differences, under a branch that compares the numbers."""

from __future__ import annotations

import numpy as np
import pytest

from .....support.oracle_work import make
from ....support.against_oracle import assert_as_oracle

TEXT = """
kernel k(global u32* %distance, global u32* %out) {
    .group u32 sum[SIZE]
    workitemid_u32 $s0, 0
    workitemabsid_u32 $s1, 0
    cvt_u64_u32 $d0, $s1
    workgroupid_u32 $s2, 0
    cvt_u64_u32 $d1, $s2
    ld_kernarg_u64 $d2, [%distance]
    mad_u64 $d1, $d1, 4, $d2
    mad_u32 $s3, $s0, $s0, 7
    shl_u32 $s4, $s0, 2
    st_group_u32 $s3, [sum+$s4]
    barrier
    ld_global_u32 $s5, [$d1]
    COMPARE
    cbr $c0, @keep
    sub_u32 $s6, $s0, $s5
    shl_u32 $s6, $s6, 2
    ld_group_u32 $s7, [sum+$s6]
    add_u32 $s3, $s3, $s7
@keep:
    ld_kernarg_u64 $d3, [%out]
    mad_u64 $d3, $d0, 4, $d3
    st_global_u32 $s3, [$d3]
    ret
}"""

DISTANCES = np.array([0, 1, 5, 16, 47, 63, 64, 300, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF])


@pytest.mark.parametrize("size", [7, 16, 48, 64, 100, 192, 256])
@pytest.mark.parametrize("relation", ["lt_u32", "lt_s32"])
def test_places_are_those_of_the_oracle(size: int, relation: str) -> None:
    """Compared with a sign, some distances are below zero, and places may be outside."""
    compare = f"cmp_{relation} $c0, $s0, $s5"
    text = TEXT.replace("SIZE", str(size)).replace("COMPARE", compare)
    items = size * len(DISTANCES)
    works = [
        make(
            text,
            [DISTANCES.astype(np.uint32), np.zeros(items, np.uint32)],
            items=items,
            group_size=size,
        )
        for _ in range(2)
    ]
    assert not assert_as_oracle(*works) or relation == "lt_s32"
