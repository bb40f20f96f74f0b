"""A kernel in which each lane walks along a chain of places, for loops of many kinds."""

from __future__ import annotations

import numpy as np

WALK = """
    kernel walk(global u32* %x, global u32* %next, global u64* %wide, u32 %n) {{
        workitemflatabsid_u32 $s0
        cvt_u64_u32 $d0, $s0
        ld_kernarg_u64 $d1, [%x]
        ld_kernarg_u64 $d2, [%next]
        ld_kernarg_u64 $d3, [%wide]
        ld_kernarg_u32 $s9, [%n]
        mad_u64 $d4, $d0, 4, $d1
        mad_u64 $d5, $d0, 8, $d3
        ld_global_u32 $s1, [$d4]            // where to begin
        mov_u32 $s2, 0
        mov_u64 $d6, 5
        cmp_gt_u32 $c1, $s1, 40
        and_u32 $s3, $s1, 3
        cmp_eq_u32 $c0, $s3, 3
        cbr $c0, @out
        {}
    @out:
        mad_u32 $s1, $s2, 1000, $s1
        cvt_u32_b1 $s4, $c1
        mad_u32 $s1, $s4, 500, $s1
        st_global_u32 $s1, [$d4]
        st_global_u64 $d6, [$d5]
        ret
    }}"""

STEP = """
        cvt_u64_u32 $d7, $s1
        mad_u64 $d8, $d7, 4, $d2
        ld_global_u32 $s1, [$d8]
        add_u32 $s2, $s2, 1"""

CHAIN = f"@top:\n{STEP}\n cmp_ne_u32 $c0, $s1, $s9\n cbr $c0, @top"


def chains() -> list:
    """Places that lead to each other and at last to 7; where lanes begin; room for results."""
    rng = np.random.default_rng(3)
    following = np.array([max(0, i - rng.integers(1, 9)) for i in range(64)], np.uint32)
    following[:8] = 7
    return [rng.integers(0, 64, 64, np.uint32), following, np.arange(128, dtype=np.uint64), 7]


def inside(body: str) -> str:
    """The body of the kernel, for `shapes_of`, whose parameters are x and n."""
    text = WALK.format(body)
    lines = text[text.index("{") + 1 : text.rindex("ret")]
    return lines.replace("[%next]", "[%x]").replace("[%wide]", "[%x]")
