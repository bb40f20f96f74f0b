"""Workgroups that go down in strips: each runs once, and the lowest trap is reported."""

from __future__ import annotations

import numpy as np
import pytest

from simtlab.emu.engine import Work
from simtlab.emu.jit.kernel.workgroups.group_order import STRIP
from simtlab.emu.jit.launch.engine import execute
from simtlab.emu.jit.launch.plan import Plan
from simtlab.emu.jit.launch.table import Table
from simtlab.emu.traps import Trap, TrapKind

from ...support.oracle_work import make
from ..support.agreement import same

GROUP = (4, 4)

COUNT = """\
kernel k(u32 %n, global u8* %y, global u8* %bad, global u8* %was) {
    workitemid_u32 $s0, 0
    workitemid_u32 $s1, 1
    workgroupid_u32 $s2, 0
    workgroupid_u32 $s3, 1
    workgroupid_u32 $s12, 2
    gridgroups_u32 $s9, 0
    gridgroups_u32 $s11, 1
    ld_kernarg_u32 $s4, [%n]
    ld_kernarg_u64 $d1, [%bad]
    mad_u32 $s10, $s12, $s11, $s3
    mad_u32 $s8, $s10, $s9, $s2
    cvt_u64_u32 $d0, $s8
    add_u64 $d0, $d0, $d1
    ld_global_u8 $s8, [$d0]
    cmp_eq_u32 $c0, $s8, 0
    cbr $c0, @good
    trap 3
@good:
    mad_u32 $s6, $s10, 4, $s1
    mad_u32 $s5, $s2, 4, $s0
    mad_u32 $s5, $s5, $s4, $s6
    cvt_u64_u32 $d0, $s5
    ld_kernarg_u64 $d2, [%was]
    add_u64 $d2, $d0, $d2
    ld_global_u8 $s8, [$d2]
    add_u32 $s8, $s8, 1
    ld_kernarg_u64 $d2, [%y]
    add_u64 $d2, $d0, $d2
    st_global_u8 $s8, [$d2]
    ret
}
"""


def work_of(groups: tuple[int, ...], bad: tuple[int, ...] = ()) -> tuple[Work, np.ndarray]:
    columns, rows = groups[0], int(np.prod(groups[1:]))
    counts = np.zeros(columns * rows * 16, np.uint8)
    marks = np.zeros(columns * rows, np.uint8)
    marks[list(bad)] = 1
    items = (columns * 4, groups[1] * 4, *groups[2:])
    # The counts twice: a kernel that loads from what it stores to keeps the order of rows.
    return make(COUNT, [rows * 4, counts, marks, counts], items=items, group_size=GROUP), counts


def test_such_code_goes_down_in_strips() -> None:
    assert Plan.of(work_of((3, 40))[0]).facts.strips
    assert not Plan.of(work_of((40, 1))[0]).facts.strips


@pytest.mark.parametrize("groups", [(3, STRIP + 9), (2, 2 * STRIP), (5, 2), (3, 20, 4), (64, 70)])
def test_all_workgroups_run_once(groups: tuple[int, ...]) -> None:
    work, counts = work_of(groups)
    execute(work)
    assert (counts == 1).all()


def test_results_are_those_of_the_oracle() -> None:
    counts = np.zeros(3 * 20 * 16, np.uint8)
    arrays = [80, counts, np.zeros(60, np.uint8), counts.copy()]
    same(COUNT, arrays, items=(12, 80), group_size=GROUP)


@pytest.mark.parametrize("step", [1, 2, 5, 6, 7, 18, 200])
def test_slices_of_any_length_run_each_workgroup_once(step: int) -> None:
    """Whole rows go down, other ranges along the rows."""
    work, counts = work_of((3, 41))
    plan = Plan.of(work)
    (scratch,) = plan.take(work, Table.of(work.memory))
    for first in range(0, plan.n_groups, step):
        last = min(plan.n_groups, first + step)
        assert plan.code.function(scratch.address, first, last) == 0
    assert (counts == 1).all()


def test_slices_of_a_long_launch_are_whole_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    work, counts = work_of((3, 400))
    plan = Plan.of(work)
    calls: list[tuple[int, int]] = []
    function = plan.code.function

    def called(address: int, first: int, last: int) -> int:
        calls.append((first, last))
        return function(address, first, last)

    monkeypatch.setattr(plan.code, "function", called)
    execute(work)
    assert (counts == 1).all()
    assert [first for first, _ in calls] == [0, *(last for _, last in calls[:-1])]
    assert all(first % 3 == 0 for first, _ in calls[2:])


@pytest.mark.parametrize(
    "bad",
    [
        (0,),
        (122,),
        (1, 3),  # the second one is met first
        (2, 6 * 3),
        (5, 31 * 3, 30 * 3 + 1),
        (STRIP * 3 + 2, STRIP * 3 + 3),
        (40 * 3 + 1, 33 * 3 + 2),
    ],
)
def test_the_lowest_workgroup_that_traps_is_reported(bad: tuple[int, ...]) -> None:
    work, counts = work_of((3, 41), bad)
    with pytest.raises(Trap) as caught:
        execute(work)
    record = caught.value.record
    assert (record.kind, record.group, record.local, record.code) == (
        TrapKind.TRAP,
        min(bad),
        0,
        3,
    )
    assert counts.max() <= 1


@pytest.mark.parametrize("threads", [2, 3])
def test_threads_report_it_too(threads: int) -> None:
    bad = (7, 45, 100)
    work, counts = work_of((3, 41), bad)
    work.threads = threads
    with pytest.raises(Trap) as caught:
        execute(work)
    assert caught.value.record.group == min(bad)
    assert counts.max() <= 1
