"""Cross-lane operations in native code: exactly the lanes that the stack issues together.

In the oracle each work-item is alone, so native code is compared with the interpreter.
"""

from __future__ import annotations

import numpy as np
import pytest

import simtlab
from simtlab.emu.geometry import Geometry
from simtlab.emu.jit.kernel.launch_facts import keeps_stack
from simtlab.isa.program import Kernel

from ...support.counts import WIDTHS, engines

STORE = """
        mul_u64 $d7, $d0, 8
        ld_kernarg_u64 $d6, [%out]
        add_u64 $d6, $d6, $d7
        st_global_u32 $s2, [$d6]
        st_global_u32 $s3, [$d6+4]
        ret
}"""

BEGIN = """
        workitemflatabsid_u32 $s0
        ld_kernarg_u32 $s1, [%n]
        cmp_ge_u32 $c0, $s0, $s1
        cbr $c0, @gone
        cvt_u64_u32 $d0, $s0
        ld_kernarg_u64 $d1, [%x]
        mad_u64 $d1, $d0, 4, $d1
        ld_global_u32 $s2, [$d1]
        laneid_u32 $s4
"""

STRAIGHT = f"""
kernel straight(u32 %n, global u32* %x, global u32* %out) {{
        {BEGIN}
        activelaneid_u32 $s3                 // lanes beyond n are gone
        cmp_gt_u32 $c1, $s2, 0x80000000
        activelanecount_u32 $s5, $c1
        mad_u32 $s3, $s3, 64, $s5
        activelanemask_u64 $d2, $c1
        cvt_u64_u32 $d3, $s2
        shl_u64 $d3, $d3, 20
        activelanepermute_u64 $d3, $d3, $s2  // any index, modulo the width
        xor_u64 $d2, $d2, $d3
        cvt_u32_u64 $s5, $d2
        shr_u64 $d2, $d2, 32
        cvt_u32_u64 $s6, $d2
        mad_u32 $s5, $s6, 31, $s5
        mad_u32 $s3, $s3, 1023, $s5
        xor_u32 $s5, $s4, 16
        activelanepermute_u32 $s5, $s2, $s5
        add_u32 $s2, $s2, $s5
        mul_f32 $s5, $s2, $s2                // perhaps NaNs of any bits
        activelanepermute_u32 $s5, $s5, 1
        xor_u32 $s2, $s2, $s5
        activelaneany_b1 $c2, $c1
        activelaneall_b1 $c3, $c1
        xor_b1 $c2, $c2, $c3
        cvt_u32_b1 $s5, $c2
        add_u32 $s3, $s3, $s5
{STORE.replace("ret", "@gone:" + chr(10) + "        ret")}"""

APART = f"""
kernel apart(u32 %n, global u32* %x, global u32* %out) {{
        {BEGIN}
        mov_u32 $s3, 0
    @turn:                                   // lanes leave in turn, from two places
        cmp_lt_u32 $c1, $s2, 1000
        cbr $c1, @left
        activelanecount_u32 $s5, $c2
        add_u32 $s3, $s3, $s5
        and_u32 $s6, $s2, 3
        cmp_eq_u32 $c2, $s6, 0
        cbr $c2, @even
        activelaneid_u32 $s5
        mad_u32 $s3, $s3, 5, $s5
        br @next
    @even:
        add_u32 $s5, $s4, 1
        activelanepermute_u32 $s5, $s2, $s5
        xor_u32 $s3, $s3, $s5
    @next:
        and_u32 $s6, $s2, 31
        cmp_eq_u32 $c3, $s6, 3
        cbr $c3, @left
        shr_u32 $s2, $s2, 1
        activelaneany_b1 $c3, $c2            // the same for all that issue here
        cbr $c3, @turn
        activelanemask_u64 $d2, $c2
        cvt_u32_u64 $s5, $d2
        add_u32 $s3, $s3, $s5
        br @turn
    @left:
        activelaneid_u32 $s5
        mad_u32 $s2, $s5, 77, $s2
{STORE.replace("ret", "@gone:" + chr(10) + "        ret")}"""

ROUNDS = f"""
kernel rounds(u32 %n, global u32* %x, global u32* %out) {{
    .group u32 sums[64]
        {BEGIN}
        mov_u32 $s3, 16
    @add:
        add_u32 $s5, $s4, $s3
        activelanepermute_u32 $s5, $s2, $s5
        add_u32 $s2, $s2, $s5
        shr_u32 $s3, $s3, 1
        cmp_ne_u32 $c1, $s3, 0
        cbr $c1, @add
    @gone:
        waveid_u32 $s6
        mul_u32 $s6, $s6, 4
        st_group_u32 $s2, [sums+$s6]         // the highest lane's
        barrier
        ld_group_u32 $s5, [sums]
        add_u32 $s3, $s3, $s5
        cmp_ge_u32 $c0, $s0, $s1
        cbr $c0, @done
{STORE.replace("ret", "@done:" + chr(10) + "        ret")}"""

N = 203


def arguments(n: int = N) -> tuple[object, ...]:
    x = np.random.default_rng(n).integers(0, 1 << 32, n, np.uint32)
    x[::7] = 0x7F812345
    return np.uint32(n), x, np.zeros(2 * n, np.uint32)


def kernel_of(text: str) -> Kernel:
    (kernel,) = simtlab.assemble(text).program.kernels
    return kernel


@pytest.mark.parametrize("text", [STRAIGHT, APART, ROUNDS], ids=["straight", "apart", "rounds"])
def test_native_code_has_the_lanes_that_the_stack_issues_together(text: str) -> None:
    """Groups of 64 are multiples of most widths, groups of 50 are not; the last group is short."""
    for group in (64, 50):
        items = -(-N // group) * group - 3
        for width in WIDTHS:
            geometry = Geometry.of(items=items, group_size=group, width=width)
            assert keeps_stack(kernel_of(text), geometry)
        assert engines(text, *arguments(), items=items, group_size=group, widths=WIDTHS) == {"jit"}


@pytest.mark.parametrize("text", [STRAIGHT, APART], ids=["straight", "apart"])
def test_the_same_without_counts(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whole workgroups have interior warps; debug builds show what is read before it is written."""
    (kernel,) = simtlab.assemble(text)
    monkeypatch.setenv("SIMTLAB_POISON", "0x5a5a5a5b")
    for width in (7, 32, 64):
        found = []
        for engine in ("interp", "jit"):
            given = arguments(256)
            result = kernel.launch(items=256, group_size=128, warp=width, engine=engine)(*given)
            assert result.engine == engine
            found.append(given[-1])
        np.testing.assert_array_equal(*found)
