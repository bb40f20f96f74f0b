"""Budgets of the work-items of a warp, when the warp as a whole has spent more than one."""

from __future__ import annotations

import numpy as np
import pytest

from simtlab.emu.jit.launch.engine import execute
from simtlab.emu.traps import Trap, TrapKind

from ...support.oracle_work import make

TEXT = """\
kernel k(global u32* %x, u32 %before, u32 %after, u32 %from) {
    workitemid_u32 $s0, 0
    ld_kernarg_u32 $s3, [%before]
    ld_kernarg_u32 $s4, [%after]
    ld_kernarg_u32 $s5, [%from]
    mov_u32 $s1, 0
    cmp_ge_u32 $c0, $s0, $s5
    cbr $c0, @others
@first:
    add_u32 $s1, $s1, 1
    cmp_lt_u32 $c0, $s1, $s3
    cbr $c0, @first
@others:
    cmp_lt_u32 $c0, $s0, $s5
    cbr $c0, @meet
@second:
    add_u32 $s1, $s1, 1
    cmp_lt_u32 $c0, $s1, $s4
    cbr $c0, @second
@meet:
    BARRIER
    ld_kernarg_u64 $d0, [%x]
    cvt_u64_u32 $d1, $s0
    mad_u64 $d0, $d1, 4, $d0
    st_global_u32 $s1, [$d0]
    ret
}
"""
BUDGET = 3_000


def run(size: int, before: int, after: int, first: int, barrier: str) -> np.ndarray:
    x = np.zeros(size, np.uint32)
    text = TEXT.replace("BARRIER", barrier)
    # Code that reads its lane has the launch's width: here it is one vector.
    work = make(
        text, [x, before, after, first], items=size, group_size=size, width=16, budget=BUDGET
    )
    execute(work)
    return x


@pytest.mark.parametrize("barrier", ["barrier", "nop", "laneid_u32 $s9"])
@pytest.mark.parametrize(("size", "first"), [(256, 200), (256, 17), (64, 33), (32, 5), (16, 7)])
def test_each_work_item_has_a_budget_of_its_own(size: int, first: int, barrier: str):
    lanes = np.arange(size)
    # The warp runs 1,800 iterations of three instructions, and no work-item more than 900.
    np.testing.assert_array_equal(
        run(size, 900, 890, first, barrier), np.where(lanes < first, 900, 890)
    )


@pytest.mark.parametrize("barrier", ["barrier", "nop", "laneid_u32 $s9"])
@pytest.mark.parametrize(
    ("size", "first"), [(256, 200), (256, 17), (128, 64), (64, 33), (32, 5), (16, 7)]
)
def test_the_first_work_item_that_spends_more_is_reported(size: int, first: int, barrier: str):
    for before, after, lane in ((900, 1 << 20, first), (1 << 20, 900, 0)):
        with pytest.raises(Trap) as caught:
            run(size, before, after, first, barrier)
        record = caught.value.record
        assert record.kind is TrapKind.BUDGET
        assert record.local == lane
