"""Indices that add a counter from zero up, in loops without tests, against the oracle."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from simtlab.emu.engine import Work
from simtlab.emu.jit.kernel.compile import generate
from simtlab.emu.jit.kernel.launch_facts import facts_of

from ....support.oracle_work import make
from ...support.against_oracle import assert_as_oracle

ELEMENTS = 300
WRAPS = 1 << 32

INDICES = {
    "of one place": "add_u32 $s6, $s9, $s8",
    "of lanes": "add_u32 $s6, $s10, $s8",
    "of lanes, the counter first": "add_u32 $s6, $s8, $s10",
}


def work(index: str, far: int, end: int, items: int, *, at_header: bool, first: int = 0) -> Work:
    """Sums of absolute differences of elements far + k, and far + lane + k, of two arrays."""
    body = f"""
        {INDICES[index]}
        cvt_u64_u32 $d5, $s6
        add_u64 $d6, $d5, $d2
        ld_global_u8 $s5, [$d6]
        mad_u64 $d5, $d5, 2, $d3
        ld_global_u16 $s6, [$d5]
        sub_s32 $s5, $s5, $s6
        abs_s32 $s5, $s5
        mad_u32 $s4, $s4, 3, $s5
        add_u32 $s8, $s8, 1"""
    test = "cmp_lt_u32 $c0, $s8, $s3"
    loop = f"@top:\n{body}\n{test}\ncbr $c0, @top\n"
    if at_header:
        loop = f"@top:\n{test}\ncbr $c0, @in\nbr @out\n@in:{body}\nbr @top"
    text = f"""
    kernel walk(global u8* %x, global u16* %y, global u32* %sum, u32 %end, u32 %far) {{
        workitemabsid_u32 $s0, 0
        ld_kernarg_u64 $d2, [%x]
        ld_kernarg_u64 $d3, [%y]
        ld_kernarg_u32 $s3, [%end]
        ld_kernarg_u32 $s9, [%far]
        add_u32 $s10, $s9, $s0
        mov_u32 $s8, {first}
        mov_u32 $s4, 1
        {loop}
    @out:
        cvt_u64_u32 $d5, $s0
        ld_kernarg_u64 $d4, [%sum]
        mad_u64 $d4, $d5, 4, $d4
        st_global_u32 $s4, [$d4]
        ret
    }}"""
    rng = np.random.default_rng(5)
    arrays = [
        rng.integers(0, 1 << 8, ELEMENTS, np.uint8),
        rng.integers(0, 1 << 16, ELEMENTS, np.uint16),
    ]
    numbers = [np.uint32(v % WRAPS) for v in (end, far)]
    sums = np.zeros(2 * items, np.uint32)
    return make(text, [*arrays, sums, *numbers], items=2 * items, group_size=items, budget=1 << 14)


def assert_same(*case: Any, **how: Any) -> None:
    """The oracle's memory, or one of its traps."""
    assert_as_oracle(work(*case, **how), work(*case, **how))


@pytest.mark.parametrize("items", [1, 7, 16, 32, 64])
@pytest.mark.parametrize("index", INDICES)
def test_what_is_inside_and_what_wraps_around(index: str, items: int) -> None:
    room = ELEMENTS - 2 * items
    for at_header in (False, True):
        for far, end in (
            (0, 5),
            (room, 1),
            (room, 2 * items + 1),
            (-1, 1),
            (-4, 5),
            (-2 * items, 3),
            (-2 * items - 3, 9),
            (ELEMENTS, 3),
            (1 << 31, 2),
        ):
            assert_same(index, far, end, items, at_header=at_header)
        assert_same(index, -1, 4, items, at_header=at_header, first=2)


@pytest.mark.parametrize("first", [0, 2])
def test_only_counts_from_zero_show_that_a_sum_does_not_wrap_around(first: int) -> None:
    w = work("of lanes", 0, 9, 64, at_header=False, first=first)
    text = generate(w.kernel, 0, facts_of(w.kernel, w.geometry))
    assert ("add nuw i32" in text) == (first == 0)
