"""Vectors that end within a warp, as a bias for each column where rows are not whole warps."""

from __future__ import annotations

import numpy as np
import pytest

from ...support.agreement import same, trap_alike

TEXT = """\
kernel k(u32 %w, global TYPE* %b, global TYPE* %y) {
    workitemabsid_u32 $s0, 0
    ld_kernarg_u32 $s1, [%w]
    cmp_ge_u32 $c0, $s0, $s1
    cbr $c0, @done
    and_u32 $s2, $s0, SKIPPED
    cmp_ne_u32 $c0, $s2, 0
    cbr $c0, @done
    cvt_u64_u32 $d0, $s0
    ld_kernarg_u64 $d1, [%b]
    mad_u64 $d1, $d0, SIZE, $d1
    ld_global_TYPE VALUE, [$d1]
    SUM
    ld_kernarg_u64 $d2, [%y]
    mad_u64 $d2, $d0, SIZE, $d2
    st_global_TYPE VALUE, [$d2]
@done:
    ret
}
"""

TYPES = {
    "u8": ("$s3", "add_u32 $s3, $s3, 1"),
    "u16": ("$s3", "add_u32 $s3, $s3, 1"),
    "f32": ("$s3", "add_f32 $s3, $s3, $s3"),
    "f64": ("$d3", "add_f64 $d3, $d3, $d3"),
}


def text_of(type_: str, skipped: int) -> str:
    value, total = TYPES[type_]
    size = int(type_[1:]) // 8
    text = TEXT.replace("TYPE", type_).replace("SIZE", str(size)).replace("VALUE", value)
    return text.replace("SUM", total).replace("SKIPPED", str(skipped))


def vector(type_: str, count: int) -> np.ndarray:
    dtype = np.dtype(type_[0] + str(int(type_[1:]) // 8))
    return np.random.default_rng(count).integers(1, 200, count).astype(dtype)


@pytest.mark.parametrize(("type_", "skipped"), [("u8", 0), ("u16", 2), ("f32", 0), ("f64", 2)])
def test_neighbours_at_the_end_of_a_buffer(type_: str, skipped: int) -> None:
    text, launch = text_of(type_, skipped), {"items": (128, 4, 1), "group_size": (32, 4, 1)}
    for w in (1, 60, 99, 127):
        args = [w, vector(type_, w), np.zeros_like(vector(type_, w))]
        same(text, args, **launch)


@pytest.mark.parametrize("width", [1, 7, 32, 64])
def test_the_first_lane_beyond_it_is_reported(width: int) -> None:
    which = 1 + width % 2
    args = [100, vector("f32", 100), np.zeros(100, np.float32)]
    args[which] = args[which][:77].copy()
    record = trap_alike(text_of("f32", 0), args, items=128, group_size=128, width=width)
    assert record.local == 77
