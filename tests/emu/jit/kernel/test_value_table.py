"""NaNs of sums that begin with a number from memory: their bits where they are observed."""

from __future__ import annotations

import numpy as np
import pytest

from ..support.agreement import same

ITEMS = 64

USES = {
    "stored": "st_global_f32 $s4, [$d3]",
    "added": "add_f32 $s5, $s4, 1.0\n st_global_f32 $s5, [$d3]",
    "the greater": "max_f32 $s5, $s4, 0.5\n st_global_f32 $s5, [$d3]",
    "divided": "div_f32 $s5, $s4, 3.0\n st_global_f32 $s5, [$d3]",
    "its sign changed": "neg_f32 $s5, $s4\n st_global_f32 $s5, [$d3]",
    "its sign changed, then added": "abs_f32 $s5, $s4\n add_f32 $s5, $s5, 1.0\n"
    "st_global_f32 $s5, [$d3]",
    "compared": "cmp_nan_f32 $c2, $s4, 0.0\n cvt_u32_b1 $s5, $c2\n st_global_u32 $s5, [$d3]",
    "bits of it": "xor_u32 $s5, $s4, 1\n st_global_u32 $s5, [$d3]",
    "chosen, then stored": "cmp_lt_u32 $c2, $s0, 20\n select_f32 $s5, $c2, $s4, $s2\n"
    "st_global_f32 $s5, [$d3]",
    "chosen, then added": "cmp_lt_u32 $c2, $s0, 20\n select_f32 $s5, $c2, $s4, $s2\n"
    "add_f32 $s5, $s5, 1.0\n st_global_f32 $s5, [$d3]",
    "moved, then stored": "mov_u32 $s5, $s4\n st_global_u32 $s5, [$d3]",
    "converted": "cvt_s32_f32 $s5, $s4\n st_global_u32 $s5, [$d3]",
}


@pytest.mark.parametrize("use", USES)
def test_a_sum_that_begins_with_a_number_from_memory(use: str) -> None:
    """Some lanes add nothing: theirs is the NaN that was loaded, with its bits."""
    text = f"""kernel sums(global f32* %first, global f32* %more, global u32* %times,
                           global f32* %out) {{
        workitemabsid_u32 $s0, 0
        cvt_u64_u32 $d0, $s0
        ld_kernarg_u64 $d1, [%first]
        mad_u64 $d1, $d0, 4, $d1
        ld_global_f32 $s4, [$d1]
        ld_kernarg_u64 $d1, [%more]
        mad_u64 $d1, $d0, 4, $d1
        ld_global_f32 $s2, [$d1]
        ld_kernarg_u64 $d1, [%times]
        mad_u64 $d1, $d0, 4, $d1
        ld_global_u32 $s3, [$d1]
        ld_kernarg_u64 $d3, [%out]
        mad_u64 $d3, $d0, 4, $d3
    @loop:
        cmp_eq_u32 $c0, $s3, 0
        cbr $c0, @use
        fma_f32 $s4, $s2, $s2, $s4
        sub_u32 $s3, $s3, 1
        br @loop
    @use:
        {USES[use]}
        ret
    }}"""
    rng = np.random.default_rng(3)
    nans = rng.integers(0x7F80_0001, 0x8000_0000, ITEMS, np.uint32)
    nans |= rng.integers(0, 2, ITEMS, np.uint32) << np.uint32(31)
    numbers = rng.uniform(-9, 9, (2, ITEMS)).astype(np.float32).view(np.uint32)
    first, more = np.where(rng.random((2, ITEMS)) < 0.5, nans, numbers).view(np.float32)
    times = rng.integers(0, 3, ITEMS, np.uint32)
    out = np.zeros(ITEMS, np.float32)
    same(text, [first.copy(), more.copy(), times, out], items=ITEMS, group_size=ITEMS)
