"""Rows of flat numbers in kernels with a loop that lanes leave in turn: short ones are no warps."""

from __future__ import annotations

import re

import numpy as np
import pytest

from simtlab.asm.assemble import assemble
from simtlab.emu.engine import Work
from simtlab.emu.jit.kernel.compile import generate
from simtlab.emu.jit.kernel.interior.flat_rows import LEAST_ROW
from simtlab.emu.jit.kernel.launch_facts import facts_of

from ....support.oracle_work import make
from ...support.against_oracle import assert_as_oracle

TEXT = """
kernel k(u32 %n, u32 %wide, global u32* %times, global u32* %weight, global u32* %scale,
    global u32* %out) {
    workitemabsid_u32 $s0, 0
    ld_kernarg_u32 $s1, [%n]
    cmp_ge_u32 $c0, $s0, $s1
    cbr $c0, @done
    ld_kernarg_u32 $s2, [%wide]
    rem_u32 $s3, $s0, $s2       // column
    div_u32 $s4, $s0, $s2       // row
    cvt_u64_u32 $d0, $s3
    ld_kernarg_u64 $d1, [%weight]
    mad_u64 $d1, $d0, 4, $d1
    ld_global_u32 $s5, [$d1]
    cvt_u64_u32 $d0, $s4
    ld_kernarg_u64 $d1, [%scale]
    mad_u64 $d1, $d0, 4, $d1
    ld_global_u32 $s6, [$d1]
    cvt_u64_u32 $d0, $s0
    ld_kernarg_u64 $d1, [%times]
    mad_u64 $d1, $d0, 4, $d1
    ld_global_u32 $s7, [$d1]
    LOOP
    ld_kernarg_u64 $d1, [%out]
    mad_u64 $d1, $d0, 4, $d1
    st_global_u32 $s6, [$d1]
@done:
    ret
}"""

ONCE = "mad_u32 $s6, $s6, $s5, $s7"
IN_TURN = """
    cmp_eq_u32 $c0, $s7, 0
    cbr $c0, @left
@again:
    mad_u32 $s6, $s6, 3, $s5
    sub_u32 $s7, $s7, 1
    cmp_ne_u32 $c0, $s7, 0
    cbr $c0, @again
@left:
"""


def work_of(loop: str, wide: int) -> Work:
    rows = 7
    n = wide * rows
    rng = np.random.default_rng(wide)
    times, weight, scale = (rng.integers(0, 40, size, np.uint32) for size in (n, wide, rows))
    args = [n, wide, times, weight, scale, np.zeros(n, np.uint32)]
    return make(TEXT.replace("LOOP", loop), args, items=-(-n // 64) * 64, group_size=64)


@pytest.mark.parametrize("wide", [3, 8, 17, 31, 32, 40, 64, 100])
@pytest.mark.parametrize("loop", [ONCE, IN_TURN])
def test_rows_of_all_lengths(loop: str, wide: int) -> None:
    assert not assert_as_oracle(*(work_of(loop, wide) for _ in "ab"))


@pytest.mark.parametrize("loop", [ONCE, IN_TURN])
def test_the_shortest_rows_that_are_warps(loop: str) -> None:
    """A warp of a short row would run as long as its slowest lane, for few lanes."""
    work = work_of(loop, 40)
    facts = facts_of(work.kernel, work.geometry)
    text = generate(work.kernel, 0, facts)
    assert "\nrow_head:" in text
    limits = re.findall(r"icmp uge i32 %[\w.]+, (\d+)", text)
    least = facts.width // 2 if loop is IN_TURN else LEAST_ROW
    assert least > LEAST_ROW or loop is ONCE
    assert limits == [str(least)]  # the quotient and the remainder have the same rows


@pytest.mark.parametrize(
    ("loop", "wide", "has_rows"), [(ONCE, 10, True), (IN_TURN, 10, False), (IN_TURN, 100, True)]
)
def test_known_rows_that_are_too_short_have_no_code(loop: str, wide: int, has_rows: bool) -> None:
    work = work_of(loop, 40)
    known = TEXT.replace("ld_kernarg_u32 $s2, [%wide]", f"mov_u32 $s2, {wide}")
    (kernel,) = assemble(known.replace("LOOP", loop)).kernels
    text = generate(kernel, 0, facts_of(kernel, work.geometry))
    assert ("\nrow_head:" in text) == has_rows
