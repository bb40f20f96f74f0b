"""Loops over the bits of words, whose iterations follow each other without a branch."""

from __future__ import annotations

import numpy as np
import pytest

from simtlab.asm.assemble import assemble
from simtlab.emu.analysis.facts import Facts
from simtlab.emu.jit.kernel.compile import generate

from ...support.agreement import same

ITEMS, GROUP = 150, 70

FRAME = """
kernel k(global u32* %x, global u32* %out) {{
    workitemflatabsid_u32 $s0
    cvt_u64_u32 $d0, $s0
    ld_kernarg_u64 $d1, [%x]
    mad_u64 $d1, $d0, 4, $d1
    ld_global_u32 $s1, [$d1]
    mov_u32 $s2, 0
    mov_u32 $s3, 0
    mov_u32 $s4, {first}
@bit:
    shr_u32 $s5, $s1, 1
    and_u32 $s5, $s5, 1
    xor_u32 $s6, $s1, $s5
    and_u32 $s6, $s6, 1
    cmp_ne_u32 $c0, $s6, 0
    cbr $c0, @turned
    and_u32 $s7, {word}, $s4
    sub_u32 $s8, $s4, $s2
    sub_u32 $s2, $s7, $s3
    mov_u32 $s3, $s8
@turned:
    mad_u32 $s2, $s5, {factor}, $s2
    mad_u32 $s3, $s6, $s4, $s3
    shr_u32 $s1, $s1, 1
    {step}
    cbr $c0, @bit
    mad_u32 $s2, $s3, 31, $s2
    ld_kernarg_u64 $d1, [%out]
    mad_u64 $d1, $d0, 4, $d1
    st_global_u32 $s2, [$d1]
    ret
}}
"""
UP = "shl_u32 $s4, $s4, 1\n cmp_lt_u32 $c0, $s4, 65536"
DOWN = "shr_u32 $s4, $s4, 1\n cmp_ne_u32 $c0, $s4, 0"
CASES = {
    "bits upwards": ({}, 16),
    "bits downwards": ({"first": 32768, "step": DOWN}, 16),
    "words that the loop does not change": ({"word": "$s0"}, 4),
    "a counter": ({"step": "add_u32 $s4, $s4, 1\n cmp_lt_u32 $c0, $s4, 17"}, 4),
    "all bits of a word": ({"step": "shl_u32 $s4, $s4, 1\n cmp_ne_u32 $c0, $s4, 0"}, 4),
}


def text_of(name: str) -> tuple[str, int]:
    """Return the source of a case, and how many iterations follow each other."""
    changes, times = CASES[name]
    usual = {"first": 1, "word": "$s3", "factor": "$s4", "step": UP}
    return FRAME.format(**(usual | changes)), times


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("width", [16, 64])
def test_iterations_without_a_branch_compute_what_the_oracle_does(name: str, width: int) -> None:
    text, times = text_of(name)
    kernel = assemble(text).kernels[0]
    facts = Facts(width, (width, 1, 1), whole=True)
    assert f'"llvm.loop.unroll.count", i32 {times}}}' in generate(kernel, 0, facts)
    rng = np.random.default_rng(7)
    x = rng.integers(0, 1 << 32, ITEMS, np.uint32)
    out = np.zeros(ITEMS, np.uint32)
    same(text, [x, out], items=(ITEMS,), group_size=(GROUP,))
