"""Loops with many addresses, whose counters LLVM does not know, against the oracle."""

from __future__ import annotations

import numpy as np
import pytest

from simtlab.emu.engine import Work
from simtlab.emu.jit.kernel.compile import generate
from simtlab.emu.jit.kernel.launch_facts import facts_of

from ....support.oracle_work import make
from ...support.against_oracle import assert_as_oracle

ITEMS = 64
STEPS = 3
ROWS = 30
HIDDEN = 'asm ""'


def in_loop(items: int, accesses: int, short: int = 0) -> Work:
    """Sums of columns by a pointer that steps from row to row; `short` rows are missing."""
    loads = "\n".join(
        f"ld_global_u32 $s5, [$d5+{4 * items * k}]\nmad_u32 $s4, $s4, 3, $s5"
        for k in range(accesses)
    )
    text = f"""
    kernel sums(global u32* %x, global u32* %sum, u32 %steps) {{
        workitemabsid_u32 $s0, 0
        cvt_u64_u32 $d0, $s0
        ld_kernarg_u64 $d5, [%x]
        mad_u64 $d5, $d0, 4, $d5
        ld_kernarg_u32 $s3, [%steps]
        mov_u32 $s8, 0
        mov_u32 $s4, 1
    @top:
        {loads}
        add_u64 $d5, $d5, {4 * items}
        add_u32 $s8, $s8, 1
        cmp_lt_u32 $c0, $s8, $s3
        cbr $c0, @top
        ld_kernarg_u64 $d4, [%sum]
        mad_u64 $d4, $d0, 4, $d4
        st_global_u32 $s4, [$d4]
        ret
    }}"""
    rows = accesses + STEPS - 1 - short
    x = np.arange(rows * items, dtype=np.uint32) * 2654435761
    args = [x, np.zeros(items, np.uint32), STEPS]
    return make(text, args, items=items, group_size=items)


def of_warps() -> Work:
    """Sums of columns without a loop, in several warps."""
    loads = "\n".join(
        f"ld_global_u32 $s5, [$d5+{4 * 4 * ITEMS * k}]\nmad_u32 $s4, $s4, 3, $s5" for k in range(36)
    )
    text = f"""
    kernel sums(global u32* %x, global u32* %sum) {{
        workitemabsid_u32 $s0, 0
        cvt_u64_u32 $d0, $s0
        ld_kernarg_u64 $d5, [%x]
        mad_u64 $d5, $d0, 4, $d5
        mov_u32 $s4, 1
        {loads}
        ld_kernarg_u64 $d4, [%sum]
        mad_u64 $d4, $d0, 4, $d4
        st_global_u32 $s4, [$d4]
        ret
    }}"""
    x = np.arange(36 * 4 * ITEMS, dtype=np.uint32) * 2654435761
    args = [x, np.zeros(4 * ITEMS, np.uint32)]
    return make(text, args, items=4 * ITEMS, group_size=2 * ITEMS)


def text_of(work: Work) -> str:
    return generate(work.kernel, 0, facts_of(work.kernel, work.geometry))


@pytest.mark.parametrize("items", [1, 7, 16, 32, 64])
def test_a_loop_with_many_addresses_has_a_hidden_counter(items: int) -> None:
    work = in_loop(items, ROWS)
    assert HIDDEN in text_of(work)
    assert_as_oracle(work, in_loop(items, ROWS))


def test_an_access_outside_is_found_where_the_counter_is_hidden() -> None:
    assert_as_oracle(in_loop(16, ROWS, short=1), in_loop(16, ROWS, short=1))


def test_a_loop_with_few_addresses_has_none() -> None:
    assert HIDDEN not in text_of(in_loop(32, 2))


def test_the_loop_over_warps_is_hidden_if_it_has_many_addresses() -> None:
    work = of_warps()
    assert HIDDEN in text_of(work)
    assert_as_oracle(work, of_warps())
