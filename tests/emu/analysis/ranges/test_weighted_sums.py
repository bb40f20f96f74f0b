"""Sums of products whose weights add up to a constant fit into the lanes of one product."""

from __future__ import annotations

import numpy as np
import pytest

from simtlab.emu.analysis.analysis import analyse
from simtlab.emu.analysis.ranges.integer_ranges import Range, Ranges
from simtlab.emu.analysis.values.ssa import Op
from simtlab.emu.engine import Work

from ...jit.support.against_oracle import assert_as_oracle
from ...support.oracle_work import make

BLEND = """
    sub_u32 $s5, 255, $s3
    mul_u32 $s6, $s2, $s3
    mad_u32 $s6, $s4, $s5, $s6
"""
SUM = """
    sub_s32 $s5, 255, $s3
    mul_u32 $s6, $s5, $s2
    mul_s32 $s7, $s3, $s4
    add_u32 $s6, $s7, $s6
"""
OTHER_WEIGHTS = BLEND.replace("255", "256")
TOO_SMALL = BLEND.replace("255", "254")
"""The weight may be larger than the constant: a product can be negative."""
ANOTHER = BLEND.replace("sub_u32 $s5, 255, $s3", "sub_u32 $s5, 255, $s4")


def kernel(body: str) -> Work:
    text = f"""
    kernel mix(global u8* %x, global u8* %w, global u8* %y, global u32* %z) {{
        workitemabsid_u32 $s0, 0
        cvt_u64_u32 $d0, $s0
        ld_kernarg_u64 $d1, [%x]
        ld_kernarg_u64 $d2, [%w]
        ld_kernarg_u64 $d3, [%y]
        ld_kernarg_u64 $d4, [%z]
        add_u64 $d1, $d1, $d0
        add_u64 $d2, $d2, $d0
        add_u64 $d3, $d3, $d0
        mad_u64 $d4, $d0, 4, $d4
        ld_global_u8 $s2, [$d1]
        ld_global_u8 $s3, [$d2]
        ld_global_u8 $s4, [$d3]
        {body}
        add_u32 $s6, $s6, 128
        shr_u32 $s8, $s6, 8
        add_u32 $s6, $s6, $s8
        st_global_u32 $s6, [$d4]
        ret
    }}"""
    random = np.random.default_rng(3)
    ends = np.array([0, 255, 1, 254], np.uint8)
    x, w, y = (np.r_[random.integers(0, 256, 64).astype(np.uint8), np.roll(ends.repeat(16), k)]
               for k in (0, 4, 9))  # fmt: skip
    return make(text, [x, w, y, np.zeros(128, np.uint32)], items=128, group_size=128)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (BLEND, Range(0, 255 * 255)),
        (SUM, Range(0, 255 * 255)),
        (OTHER_WEIGHTS, Range(0, 256 * 255)),
        (TOO_SMALL, Range(-255, 254 * 255 + 255 * 255)),
        (ANOTHER, Range(0, 2 * 255 * 255)),
    ],
)
def test_the_range_of_a_sum(body: str, expected: Range) -> None:
    work = kernel(body)
    ssa = analyse(work.kernel).ssa
    names = ("mad_u32",) if "mad_u32" in body else ("add_u32",)
    sums = [v for v in ssa.values() if isinstance(v, Op) and v.ins.row.name in names]
    assert Ranges(ssa).of(sums[0]) == expected
    assert_as_oracle(work, kernel(body))


WRAPS = """
    kernel mix(global s16* %x, global u16* %w, global u16* %a, global u32* %z) {
        workitemabsid_u32 $s0, 0
        cvt_u64_u32 $d0, $s0
        ld_kernarg_u64 $d1, [%x]
        ld_kernarg_u64 $d2, [%w]
        ld_kernarg_u64 $d3, [%a]
        ld_kernarg_u64 $d4, [%z]
        mad_u64 $d1, $d0, 2, $d1
        mad_u64 $d2, $d0, 2, $d2
        mad_u64 $d3, $d0, 2, $d3
        mad_u64 $d4, $d0, 4, $d4
        ld_global_s16 $s1, [$d1]
        ld_global_s16 $s2, [$d1+256]
        ld_global_u16 $s3, [$d2]
        ld_global_u16 $s4, [$d3]
        ld_global_u16 $s5, [$d3+256]
        min_s32 $s1, $s1, 0
        min_s32 $s2, $s2, 0
        shl_u32 $s3, $s3, 1
        sub_u32 $s6, 131072, $s3
        mul_u32 $s7, $s1, $s3
        mul_u32 $s8, $s2, $s6
        add_u32 $s7, $s7, $s8
        add_u32 $s4, $s4, $s5
        cmp_ge_u32 $c0, $s4, $s7
        cvt_u32_b1 $s4, $c0
        st_global_u32 $s4, [$d4]
        ret
    }"""
"""A product that may be below -2^31 is any number; their sum is 0 or less, modulo 2^32."""


def test_products_that_wrap_around() -> None:
    def work() -> Work:
        x = np.r_[np.full(128, -32768), np.zeros(128)].astype(np.int16)
        w = np.full(128, 65535, np.uint16)
        a = np.r_[w, np.arange(128)].astype(np.uint16)
        arrays = [x, w, a, np.zeros(128, np.uint32)]
        return make(WRAPS, arrays, items=128, group_size=64)

    ssa = analyse(work().kernel).ssa
    sums = [v for v in ssa.values() if isinstance(v, Op) and v.ins.row.name == "add_u32"]
    assert Ranges(ssa).of(sums[0]) != Range(0, 0)
    assert_as_oracle(work(), work())
