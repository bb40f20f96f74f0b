"""Neighbours in group memory that begin anywhere in a line, against the oracle."""

from __future__ import annotations

import numpy as np
import pytest

from simtlab.emu.analysis.facts import Facts
from simtlab.emu.jit.kernel.compile import generate
from simtlab.emu.jit.llvm.toolchain import host_has

from .....support.flows import kernel_of
from ....support.agreement import same

HALO = """
    .group TYPE tile[(ITEMS + 40)]
    workitemid_u32 $s0, 0
    workitemabsid_u32 $s1, 0
    cvt_u64_u32 $d0, $s1
    ld_kernarg_u64 $d1, [%x]
    ld_kernarg_u32 $s9, [%n]
    mad_u64 $d1, $d0, 4, $d1
    ld_global_u32 $s2, [$d1]
    shl_u32 $s3, $s0, 2
    st_group_u32 $s2, [tile+$s3+BEGIN]
    barrier
    add_u32 $s4, $s3, OFFSET
    ld_group_u32 $s5, [tile+$s4]
    mad_u32 $s6, $s9, 4, $s3
    ld_group_u32 $s7, [tile+$s6-8]
    mad_u32 $s5, $s5, 3, $s7
    ld_kernarg_u64 $d2, [%y]
    mad_u64 $d2, $d0, 4, $d2
    st_global_u32 $s5, [$d2]
"""
PARAMS = "global u32* %x, global u32* %y, u32 %n"


def text(items: int, begin: int, offset: int) -> str:
    body = HALO.replace("TYPE", "u32").replace("ITEMS", str(items))
    return body.replace("BEGIN", str(begin)).replace("OFFSET", str(offset))


@pytest.mark.parametrize("items", [32, 64, 96, 256])
@pytest.mark.parametrize(("begin", "offset"), [(0, 0), (0, 4), (4, 60), (64, 68), (156, 160)])
def test_shifts(items: int, begin: int, offset: int) -> None:
    kernel = f"kernel k({PARAMS}) {{{text(items, begin, offset)} ret\n}}\n"
    x = np.arange(2 * items, dtype=np.uint32) * 2654435761
    for n in (2, 3, 17, 42):
        same(kernel, [x, np.zeros_like(x), n], items=2 * items, group_size=items)


SUMS = """
    .group u32 tile[(256 + 16)]
    workitemid_u32 $s0, 0
    workitemabsid_u32 $s1, 0
    cvt_u64_u32 $d0, $s1
    ld_kernarg_u64 $d1, [%x]
    mad_u64 $d1, $d0, 4, $d1
    ld_global_u32 $s2, [$d1]
    shl_u32 $s3, $s0, 2
    st_group_u32 $s2, [tile+$s3]
    cmp_ge_u32 $c0, $s0, 16
    cbr $c0, @loaded
    st_group_u32 $s0, [tile+$s3+1024]
@loaded:
    barrier
    mov_u32 $s5, 0
    mov_u32 $s4, 0
@term:
    ld_group_u32 $s6, [tile+$s3]
    mad_u32 $s5, $s5, 3, $s6
    add_u32 $s3, $s3, 4
    add_u32 $s4, $s4, 1
    cmp_lt_u32 $c0, $s4, TERMS
    cbr $c0, @term
    ld_kernarg_u64 $d2, [%y]
    mad_u64 $d2, $d0, 4, $d2
    st_global_u32 $s5, [$d2]
"""


@pytest.mark.parametrize("terms", ["9", "17", "$s9"])
def test_a_filter(terms: str) -> None:
    body = SUMS.replace("TERMS", terms).replace("mov_u32 $s4, 0", TAKES_N)
    kernel = f"kernel k({PARAMS}) {{{body} ret\n}}\n"
    x = np.arange(1024, dtype=np.uint32) * 2654435761
    same(kernel, [x, np.zeros_like(x), 12], items=1024, group_size=256)


TAKES_N = "mov_u32 $s4, 0\n ld_kernarg_u32 $s9, [%n]"


@pytest.mark.skipif(not host_has("avx512f"), reason="needs permutations of two vectors")
def test_lines_are_loaded_and_shifted() -> None:
    kernel = kernel_of(text(256, 0, 4), PARAMS)
    ir = generate(kernel, 0, Facts(64, (256, 1, 1), whole=True))
    # Five lines serve four vectors; the second access is tested, and gathers if it is outside.
    assert ir.count("llvm.x86.avx512.vpermi2var.d.512(") == 2 * 4 + 1
    assert sum("load <16 x i32>" in line and "align 64" in line for line in ir.splitlines()) == 10
    one = generate(kernel_of(text(16, 0, 4), PARAMS), 0, Facts(16, (16, 1, 1), whole=True))
    assert "vpermi2var" not in one
