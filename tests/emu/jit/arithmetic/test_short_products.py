"""Products of 64-bit values that have 32 bits: which they are, and the oracle's results."""

from __future__ import annotations

import numpy as np
import pytest

from simtlab.asm.assemble import assemble
from simtlab.emu.analysis.analysis import analyse
from simtlab.emu.analysis.ranges.integer_ranges import Ranges
from simtlab.emu.analysis.ranges.long_bounds import short_products

from ..support.agreement import same

TEXT = """
    kernel k(global u64* %x, global u64* %y) {
        workitemabsid_u32 $s0, 0
        cvt_u64_u32 $d0, $s0
        ld_kernarg_u64 $d1, [%x]
        mad_u64 $d1, $d0, 8, $d1
        ld_global_u64 $d2, [$d1]
        and_u64 $d3, $d2, 0x3ffffff             // a limb of 26 bits
        shr_u64 $d4, $d2, 33                    // 31 bits
        cvt_u32_u64 $s1, $d2
        mov_u64 $d5, $d3
        mov_u64 $d6, 0
        mov_u32 $s2, 0
    @next:
        FACTOR
        mad_u64 $d6, $d5, $d7, $d6
        mul_u64 $d8, $d4, $d5
        shr_u64 $d9, $d8, 26
        and_u64 $d8, $d8, 0x3ffffff
        mad_u64 $d8, $d9, 5, $d8
        shr_u64 $d9, $d8, 40
        and_u64 $d5, $d8, 0x7ffffff
        add_u64 $d5, $d5, $d9
        add_u32 $s2, $s2, 1
        cmp_lt_u32 $c0, $s2, 5
        cbr $c0, @next
        ld_kernarg_u64 $d1, [%y]
        mad_u64 $d1, $d0, 8, $d1
        st_global_u64 $d6, [$d1]
        ret
    }"""

SHORT = {
    "add_u64 $d7, $d3, $d5": True,
    "cvt_u64_u32 $d7, $s1": True,
    "cvt_u64_s32 $d7, $s1": False,
    "cvt_u64_u16 $d7, $s1": True,
    "bitextract_u64 $d7, $d2, 20, 32": True,
    "bitextract_u64 $d7, $d2, 20, 33": False,
    "bitextract_s64 $d7, $d2, 20, 8": False,
    "or_u64 $d7, $d3, $d4": True,
    "xor_u64 $d7, $d4, $d2": False,
    "shl_u64 $d7, $d3, 6": True,
    "shl_u64 $d7, $d3, 7": False,
    "shl_u64 $d7, $d3, $s1": False,
    "shr_u64 $d7, $d4, $s1": True,
    "shr_s64 $d7, $d2, 40": False,
    "sub_u64 $d7, $d3, $d4": False,
    "min_u64 $d7, $d2, $d4": True,
    "min_s64 $d7, $d2, $d4": False,
    "max_u64 $d7, $d3, $d4": True,
    "select_u64 $d7, $c0, $d3, $d4": True,
    "rem_u64 $d7, $d2, 1000": True,
    "div_u64 $d7, $d4, 3": True,
    "add_u64 $d7, $d6, $d3": False,
}


@pytest.mark.parametrize("factor", SHORT)
def test_factors_of_32_bits_are_found(factor: str) -> None:
    (kernel,) = assemble(TEXT.replace("FACTOR", factor)).kernels
    ssa = analyse(kernel).ssa
    found = short_products(ssa, Ranges(ssa))
    assert {op.ins.row.stem for op in found} == ({"mul", "mad"} if SHORT[factor] else {"mul"})


@pytest.mark.parametrize("width", [1, 7, 16, 32])
@pytest.mark.parametrize("factor", ["add_u64 $d7, $d3, $d5", "or_u64 $d7, $d3, $d4"])
def test_they_are_the_oracles(factor: str, width: int) -> None:
    x = np.random.default_rng(8).integers(0, 1 << 64, 70, np.uint64)
    x[:4] = 0, (1 << 64) - 1, 0x3FFFFFF, 1 << 63
    text = TEXT.replace("FACTOR", factor)
    same(text, [x, np.zeros(70, np.uint64)], items=70, group_size=70, width=width)
