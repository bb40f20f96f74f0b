"""Workgroups whose loops filter data: warps of 64 lanes."""

from __future__ import annotations

import numpy as np
import pytest

from simtlab.asm.assemble import assemble
from simtlab.emu.analysis.widths.width import WIDE
from simtlab.emu.geometry import Geometry
from simtlab.emu.jit.kernel.launch_facts import facts_of
from simtlab.isa.program import Kernel

from ...support.agreement import same

FILTER = """
kernel filter(global u32* %x, global u32* %out) {
    .group u32 part[ITEMS]
    workitemabsid_u32 $s0, 0
    workitemid_u32 $s1, 0
    cvt_u64_u32 $d0, $s0
    ld_kernarg_u64 $d1, [%x]
    mad_u64 $d1, $d0, 4, $d1
    ld_global_u32 $s2, [$d1]
    shl_u32 $s1, $s1, 2
    st_group_u32 $s2, [part+$s1]
    mov_u32 $s3, 0
    mov_u32 $s4, 0
    barrier
@top:
    ld_group_u32 $s5, [part+$s3]
    COMPARE
    cbr $c0, @next
    add_u32 $s4, $s4, $s5
    xor_u32 $s4, $s4, $s3
@next:
    EACH
    add_u32 $s3, $s3, 4
    cmp_lt_u32 $c1, $s3, BYTES
    cbr $c1, @top
    ld_kernarg_u64 $d2, [%out]
    mad_u64 $d2, $d0, 4, $d2
    st_global_u32 $s4, [$d2]
    ret
}
"""

BY_DATA, BY_PLACE = "cmp_lt_u32 $c0, $s5, $s2", "cmp_lt_u32 $c0, $s3, $s1"


def text_of(items: int, compare: str = BY_DATA, each: str = "nop") -> str:
    """A kernel of which each work-item adds up what it finds in the parts of all others."""
    text = FILTER.replace("ITEMS", str(items)).replace("BYTES", str(4 * items))
    return text.replace("COMPARE", compare).replace("EACH", each)


def width_of(text: str, items: int) -> int:
    (kernel,) = assemble(text).kernels
    assert isinstance(kernel, Kernel)
    return facts_of(kernel, Geometry.of(groups=3, group_size=items)).width


@pytest.mark.parametrize("items", [128, 256])
def test_which_workgroups_filter(items: int) -> None:
    assert width_of(text_of(items), items) == WIDE
    # Lanes of neighbouring places take a side nearly together, or all meet in each iteration.
    assert width_of(text_of(items, BY_PLACE), items) == items
    assert width_of(text_of(items, each="barrier"), items) == items


@pytest.mark.parametrize("compare", [BY_DATA, BY_PLACE])
@pytest.mark.parametrize("items", [64, 96, 128, 256])
def test_filters_agree_with_the_oracle(items: int, compare: str) -> None:
    x = np.random.default_rng(items).integers(0, 1 << 32, 2 * items, np.uint32)
    same(text_of(items, compare), [x, np.zeros_like(x)], items=2 * items, group_size=items)
