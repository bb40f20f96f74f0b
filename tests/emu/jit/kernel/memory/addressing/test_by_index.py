"""Gathers and scatters of 32-bit indices: rows of a work-item's own, from bases that loops move."""

from __future__ import annotations

import numpy as np
import pytest

from simtlab.asm.assemble import assemble
from simtlab.emu.analysis.facts import Facts
from simtlab.emu.jit.kernel.compile import listing
from simtlab.emu.jit.llvm.toolchain import host_has

from ....support.agreement import same

N, LENGTH = 70, 5

TEXT = """
kernel k(u32 %n, global u32* %row, global TYPE* %x) {
    workitemabsid_u32 $s0, 0
    cvt_u64_u32 $d0, $s0
    ld_kernarg_u64 $d1, [%row]
    mad_u64 $d1, $d0, 4, $d1
    ld_global_u32 $s1, [$d1]
    cvt_u64_u32 $d0, $s1
    ld_kernarg_u64 $d1, [%x]
    mad_u64 $d1, $d0, STEP, $d1
    mov_u32 $s2, 0
    mov_u32 $s4, 3
@element:
    ld_global_TYPE $s3, [$d1]
    cmp_gt_u32 $c0, $s3, 60
    cbr $c0, @next
    mad_u32 $s4, $s4, 5, $s3
    st_global_TYPE $s4, [$d1]
@next:
    add_u64 $d1, $d1, SIZE
    add_u32 $s2, $s2, 1
    cmp_lt_u32 $c0, $s2, 5
    cbr $c0, @element
    ret
}
"""


def text(type_: str) -> str:
    size = int(type_[1:]) // 8
    words = (("TYPE", type_), ("STEP", str(size * LENGTH)), ("SIZE", str(size)))
    found = TEXT
    for word, value in words:
        found = found.replace(word, value)
    return found


@pytest.mark.parametrize("type_", ["u32", "u8"])
def test_rows_in_any_order(type_: str) -> None:
    rng = np.random.default_rng(5)
    x = rng.integers(0, 100, N * LENGTH).astype(np.dtype(f"u{int(type_[1:]) // 8}"))
    row = rng.permutation(N).astype(np.uint32)
    for width in (1, 7, 16, 32, 64):
        same(text(type_), [N, row, x], items=N, group_size=N, width=width)


@pytest.mark.skipif(not host_has("avx512f"), reason="needs AVX-512")
def test_indices_stay_short() -> None:
    program = assemble(text("u32"))
    code = listing(program.kernels[0], 0, Facts(32, (64, 1, 1), whole=True), "asm")
    assert "vpgatherdd" in code
    assert "vpscatterdd" in code
    assert "vpscatterqd" not in code
    assert "vpmovqd" not in code
