"""Kernels with more atomics of group memory than have code for whole chunks."""

from __future__ import annotations

import numpy as np
import pytest

from simtlab.emu.jit.kernel.memory.atomics.each_lane import MOST_WRITTEN_OUT

from ....support.agreement import same

OPERATIONS = ("add", "sub", "max", "min", "xor", "or", "and")
PLACES = 8
"""Words of each operation, so that the order of lanes does not show."""


@pytest.mark.parametrize("more", [0, 1, 8])
@pytest.mark.parametrize("items", [64, 50])
def test_all_of_them_change_memory(more: int, items: int) -> None:
    """Every third atomic is left to some of the lanes."""
    atomics = ""
    for i in range(MOST_WRITTEN_OUT + more):
        n = i % len(OPERATIONS)
        part = f"cmp_lt_u32 $c0, $s5, {i}\n cbr $c0, @skip{i}" if i % 3 == 2 else ""
        atomics += f"""
            mul_u32 $s1, $s1, 2654435761
            shr_u32 $s2, $s1, 29
            shl_u32 $s2, $s2, 2
            {part}
            atomic_{OPERATIONS[n]}_group_u32 $s3, [h+$s2+{4 * PLACES * n}], $s1
        @skip{i}:"""
    text = f"""
        kernel k(global u32* %out) {{
            .group u32 h[64]
            workitemflatabsid_u32 $s0
            add_u32 $s1, $s0, 12345
            and_u32 $s5, $s0, 15
            {atomics}
            barrier
            shl_u32 $s2, $s0, 2
            and_u32 $s2, $s2, 255
            ld_group_u32 $s4, [h+$s2]
            cvt_u64_u32 $d0, $s0
            ld_kernarg_u64 $d1, [%out]
            mad_u64 $d0, $d0, 4, $d1
            st_global_u32 $s4, [$d0]
            ret
        }}"""
    same(text, [np.zeros(items, np.uint32)], items=items, group_size=items)
