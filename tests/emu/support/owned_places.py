"""A kernel whose branches depend on places that it stores to."""

from __future__ import annotations

from typing import Any

import numpy as np


def numbers(count: int, type_: Any = np.uint32, seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 200, count).astype(type_)


def in_global(element: str, store: str = "mov_u32 $s2, $s1", type_: str = "u32") -> str:
    """A kernel that loads an element of x, and stores another number to one if it is odd.

    $s1 is the number of the work-item, $s2 the number of an element, $s3 what is there.
    """
    size = int(type_[1:]) // 8
    register = "$d5" if size == 8 else "$s3"
    narrowed = "cvt_u32_u64 $s3, $d5" if size == 8 else ""
    return f"""
    kernel k(global {type_}* %x, u32 %by) {{
        workitemflatabsid_u32 $s1
        ld_kernarg_u32 $s4, [%by]
        ld_kernarg_u64 $d0, [%x]
        {element}
        cvt_u64_u32 $d1, $s2
        mad_u64 $d1, $d1, {size}, $d0
        ld_global_{type_} {register}, [$d1]
        {narrowed}
        {store}
        cvt_u64_u32 $d1, $s2
        mad_u64 $d1, $d1, {size}, $d0
        and_u32 $s6, $s3, 1
        cmp_eq_u32 $c0, $s6, 0
        cbr $c0, @end
        add_u32 $s3, $s3, $s1
        cvt_u64_u32 $d5, $s3
        st_global_{type_} {register}, [$d1]
    @end:
        ret
    }}"""


OWN = "mov_u32 $s2, $s1"
