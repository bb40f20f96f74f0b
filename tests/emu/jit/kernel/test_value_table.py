"""NaNs of sums that begin with a number from memory: their bits where they are observed."""

from __future__ import annotations

import numpy as np
import pytest

from simtlab.asm.assemble import assemble
from simtlab.emu.analysis.flow import order
from simtlab.emu.analysis.values import construction
from simtlab.emu.jit.kernel.value_table import ValueTable

from ...support.flows import kernel_of
from ..support.agreement import same

ITEMS = 64

USES = {
    "stored": "st_global_f32 $s4, [$d3]",
    "added": "add_f32 $s5, $s4, 1.0\n st_global_f32 $s5, [$d3]",
    "the greater": "max_f32 $s5, $s4, 0.5\n st_global_f32 $s5, [$d3]",
    "divided": "div_f32 $s5, $s4, 3.0\n st_global_f32 $s5, [$d3]",
    "its sign changed": "neg_f32 $s5, $s4\n st_global_f32 $s5, [$d3]",
    "its sign changed, then added": "abs_f32 $s5, $s4\n add_f32 $s5, $s5, 1.0\n"
    "st_global_f32 $s5, [$d3]",
    "compared": "cmp_nan_f32 $c2, $s4, 0.0\n cvt_u32_b1 $s5, $c2\n st_global_u32 $s5, [$d3]",
    "bits of it": "xor_u32 $s5, $s4, 1\n st_global_u32 $s5, [$d3]",
    "chosen, then stored": "cmp_lt_u32 $c2, $s0, 20\n select_f32 $s5, $c2, $s4, $s2\n"
    "st_global_f32 $s5, [$d3]",
    "chosen, then added": "cmp_lt_u32 $c2, $s0, 20\n select_f32 $s5, $c2, $s4, $s2\n"
    "add_f32 $s5, $s5, 1.0\n st_global_f32 $s5, [$d3]",
    "moved, then stored": "mov_u32 $s5, $s4\n st_global_u32 $s5, [$d3]",
    "converted": "cvt_s32_f32 $s5, $s4\n st_global_u32 $s5, [$d3]",
    "its sign chosen, then added": "cmp_lt_u32 $c2, $s0, 20\n neg_f32 $s5, $s4\n"
    "select_f32 $s5, $c2, $s4, $s5\n add_f32 $s5, $s5, 1.0\n st_global_f32 $s5, [$d3]",
    "its sign chosen, then stored": "cmp_lt_u32 $c2, $s0, 20\n neg_f32 $s5, $s4\n"
    "select_f32 $s5, $c2, $s4, $s5\n st_global_f32 $s5, [$d3]",
    "its sign changed in a loop": "@turn:\n neg_f32 $s4, $s4\n add_u32 $s6, $s6, 1\n"
    "cmp_lt_u32 $c2, $s6, $s3\n cbr $c2, @turn\n max_f32 $s4, $s4, 0.5\n"
    "st_global_f32 $s4, [$d3]",
}


@pytest.mark.parametrize("use", USES)
def test_a_sum_that_begins_with_a_number_from_memory(use: str) -> None:
    """Some lanes add nothing: theirs is the NaN that was loaded, with its bits."""
    text = f"""kernel sums(global f32* %first, global f32* %more, global u32* %times,
                           global f32* %out) {{
        workitemabsid_u32 $s0, 0
        cvt_u64_u32 $d0, $s0
        ld_kernarg_u64 $d1, [%first]
        mad_u64 $d1, $d0, 4, $d1
        ld_global_f32 $s4, [$d1]
        ld_kernarg_u64 $d1, [%more]
        mad_u64 $d1, $d0, 4, $d1
        ld_global_f32 $s2, [$d1]
        ld_kernarg_u64 $d1, [%times]
        mad_u64 $d1, $d0, 4, $d1
        ld_global_u32 $s3, [$d1]
        ld_kernarg_u64 $d3, [%out]
        mad_u64 $d3, $d0, 4, $d3
    @loop:
        cmp_eq_u32 $c0, $s3, 0
        cbr $c0, @use
        fma_f32 $s4, $s2, $s2, $s4
        sub_u32 $s3, $s3, 1
        br @loop
    @use:
        {USES[use]}
        ret
    }}"""
    rng = np.random.default_rng(3)
    nans = rng.integers(0x7F80_0001, 0x8000_0000, ITEMS, np.uint32)
    nans |= rng.integers(0, 2, ITEMS, np.uint32) << np.uint32(31)
    numbers = rng.uniform(-9, 9, (2, ITEMS)).astype(np.float32).view(np.uint32)
    first, more = np.where(rng.random((2, ITEMS)) < 0.5, nans, numbers).view(np.float32)
    times = rng.integers(0, 3, ITEMS, np.uint32)
    out = np.zeros(ITEMS, np.float32)
    same(text, [first.copy(), more.copy(), times, out], items=ITEMS, group_size=ITEMS)


COUNTED = {
    "added": ("add_u32 $s5, $s2, $s4", True),
    "subtracted": ("sub_u32 $s5, $s2, $s4", True),
    "subtracted from": ("sub_u32 $s5, $s4, $s2", False),
    "added and stored": ("add_u32 $s5, $s2, $s4\n st_global_u32 $s4, [$d4]", False),
    "of 64 bits": ("add_u64 $d2, $d2, $d3\n cvt_u32_u64 $s5, $d2", True),
    "added to itself": ("add_u32 $s5, $s4, $s4", True),
    "in a loop": (
        """mov_u32 $s5, $s2
    @again:
        cmp_gt_u32 $c0, $s5, $s0
        cvt_u32_b1 $s4, $c0
        add_u32 $s5, $s5, $s4
        add_u32 $s3, $s3, 1
        cmp_lt_u32 $c1, $s3, 9
        cbr $c1, @again""",
        True,
    ),
}


@pytest.mark.parametrize("how", COUNTED)
def test_conditions_that_are_added_are_masks_of_additions(how: str) -> None:
    use, is_addend = COUNTED[how]
    converted = "cvt_u64_b1 $d3, $c0" if how == "of 64 bits" else "cvt_u32_b1 $s4, $c0"
    body = f"""workitemabsid_u32 $s0, 0
        cvt_u64_u32 $d0, $s0
        ld_kernarg_u64 $d4, [%x]
        mad_u64 $d4, $d0, 8, $d4
        ld_global_u32 $s2, [$d4]
        ld_global_u64 $d2, [$d4]
        mov_u32 $s3, 0
        cmp_gt_u32 $c0, $s2, 77
        {converted}
        {use}
        st_global_u32 $s5, [$d4+4]"""
    kernel = kernel_of(body, "global u64* %x")
    form = construction.build(kernel.instructions, order.build(kernel.instructions))
    assert bool(ValueTable(form).addends) is is_addend
    x = np.random.default_rng(5).integers(0, 155, ITEMS, np.uint64)
    text = f"kernel k(global u64* %x) {{\n{body}\nret\n}}"
    for width in (7, 32, 64):
        same(text, [x], items=ITEMS, width=width)


COUNTS = {
    "add_u32 $s4, $s4, 1": True,
    "sub_u32 $s4, $s4, 1": True,
    "xor_u32 $s4, $s4, 1": True,
    "or_u32 $s4, $s4, 1": True,
    "add_u32 $s4, $s4, 2": False,
    "sub_u32 $s4, 1, $s4": False,
    "add_u32 $s4, $s4, 1\n add_u32 $s5, $s4, $s5": False,
}


@pytest.mark.parametrize("group", [1, 7, 16, 32, 64])
@pytest.mark.parametrize("count", COUNTS)
def test_numbers_that_change_by_1_in_some_lanes(count: str, group: int) -> None:
    text = f"""kernel count(global u32* %x, global u32* %out) {{
        workitemabsid_u32 $s0, 0
        cvt_u64_u32 $d0, $s0
        ld_kernarg_u64 $d1, [%x]
        ld_kernarg_u64 $d2, [%out]
        mad_u64 $d2, $d0, 4, $d2
        mov_u32 $s1, 0
    @loop:
        add_u32 $s2, $s0, $s1
        cvt_u64_u32 $d3, $s2
        mad_u64 $d3, $d3, 4, $d1
        ld_global_u32 $s3, [$d3]
        and_u32 $s3, $s3, 1
        cmp_eq_u32 $c0, $s3, 0
        cbr $c0, @next
        {count}
    @next:
        add_u32 $s1, $s1, 1
        cmp_lt_u32 $c0, $s1, 9
        cbr $c0, @loop
        xor_u32 $s4, $s4, $s5
        st_global_u32 $s4, [$d2]
        ret
    }}"""
    x = np.random.default_rng(2).integers(0, 1 << 32, 80, np.uint32)
    same(text, [x, np.zeros(ITEMS, np.uint32)], items=ITEMS, group_size=group)
    kernel = assemble(text).kernels[0]
    table = ValueTable(construction.build(kernel.instructions, order.build(kernel.instructions)))
    assert bool(table.some_step) == COUNTS[count]
    assert len(table.iteration_steps) == 1
