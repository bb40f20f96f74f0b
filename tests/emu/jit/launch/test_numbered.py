"""Work-items that change elements of their own number, of a buffer on which branches depend."""

from __future__ import annotations

import numpy as np
import pytest

import simtlab
from simtlab.emu.analysis.counting.independence import reliance_of

from ...support.counts import ORDER, both

IN_PLACE = """
kernel k(global u32* %x, global u32* %y) {{
    {number}
    cvt_u64_u32 $d0, $s0
    ld_kernarg_u64 $d1, [%x]
    mad_u64 $d1, $d0, {step}, $d1
    ld_global_u32 $s1, [$d1+4]
@loop:
    cmp_lt_u32 $c0, $s1, 40
    cbr $c0, @end
    sub_u32 $s1, $s1, 7
    st_global_u32 $s1, [$d1+4]
    br @loop
@end:
    {more}
    st_global_u32 $s1, [$d1]
    ret
}}
"""
FLAT, FIRST = "workitemflatabsid_u32 $s0", "workitemabsid_u32 $s0, 0"
OTHER = "ld_kernarg_u64 $d2, [%y]\n st_global_u32 $s1, [$d2]"


@pytest.mark.parametrize(
    ("number", "step", "more", "watched"),
    [
        (FLAT, 8, "", False),
        (FIRST, 8, "", False),
        (FIRST, 4, "", True),
        (FIRST, 8, OTHER, True),
        ("workitemid_u32 $s0, 0", 8, "", True),
    ],
)
def test_they_are_watched_unless_they_are_apart(
    number: str, step: int, more: str, *, watched: bool
) -> None:
    (kernel,) = simtlab.assemble(IN_PLACE.format(number=number, step=step, more=more))
    relied = reliance_of(kernel.kernel, (64, 1, 1))
    assert relied is not None
    assert bool(relied.watched) is watched


@pytest.mark.parametrize(
    ("number", "rows", "by"), [(FLAT, 2, "jit"), (FIRST, 1, "jit"), (FIRST, 2, ORDER)]
)
def test_counts_are_those_of_the_interpreter(number: str, rows: int, by: str) -> None:
    """In a grid of two rows, two work-items have the same number in the first dimension."""
    (kernel,) = simtlab.assemble(IN_PLACE.format(number=number, step=8, more=""))
    x = np.random.default_rng(4).integers(0, 99, 800).astype(np.uint32)
    launch = kernel.launch(groups=(3, rows), group_size=(64, 1))
    assert both(launch, (x, np.zeros(1, np.uint32)))[2] == by
