"""Control flow, barriers, fairness, budget, traces and statistics of the oracle."""

from typing import Any

import numpy as np
import pytest

from simtlab.emu.engine import Interrupted
from simtlab.emu.oracle import hang, oracle
from simtlab.emu.oracle.oracle import QUANTUM, RESIDENT, all_traps, run, trace, trap_records
from simtlab.emu.traps import Trap, TrapKind

from ..support.oracle_work import make, per_item

COLLATZ = """
        workitemflatabsid_u32 $s1
        add_u32 $s1, $s1, 1
    @again:
        cmp_eq_u32 $c0, $s1, 1
        cbr $c0, @done
        add_u32 $s0, $s0, 1
        and_u32 $s2, $s1, 1
        cvt_b1_u32 $c1, $s2
        cbr $c1, @odd
        shr_u32 $s1, $s1, 1
        br @again
    @odd:
        mul_u32 $s1, $s1, 3
        add_u32 $s1, $s1, 1
        br @again
    @done:
"""


def collatz_steps(n: int) -> int:
    steps = 0
    while n != 1:
        n, steps = (3 * n + 1 if n % 2 else n // 2), steps + 1
    return steps


def test_every_work_item_takes_its_own_way():
    assert per_item(COLLATZ, items=30, group_size=7) == [collatz_steps(n + 1) for n in range(30)]


REVERSE = """
    kernel reverse(global u32* %x) {
        .group u32 tile[64]
        workitemflatid_u32 $s0
        currentworkgroupsize_u32 $s1, 0
        mul_u32 $s2, $s0, 4
        sub_u32 $s3, $s1, $s0
        mul_u32 $s3, $s3, 4
        workitemflatabsid_u32 $s4
        cvt_u64_u32 $d0, $s4
        ld_kernarg_u64 $d1, [%x]
        mad_u64 $d0, $d0, 4, $d1
        ld_global_u32 $s5, [$d0]
        st_group_u32 $s5, [tile+$s2]
        barrier
        ld_group_u32 $s5, [tile+$s3-4]
        barrier
        st_global_u32 $s5, [$d0]
        ret
    }
"""


def test_a_barrier_orders_group_memory():
    x = np.arange(20, dtype=np.uint32)
    statistics = run(make(REVERSE, [x], items=20, group_size=8))
    assert x.tolist() == [*range(7, -1, -1), *range(15, 7, -1), *range(19, 15, -1)]
    assert statistics.barriers == 2 * 3


LOOP_OF_BARRIERS = """
    kernel k(global u32* %n) {
        ld_kernarg_u64 $d0, [%n]
        workitemflatid_u32 $s0
        cvt_u64_u32 $d1, $s0
        mad_u64 $d0, $d1, 4, $d0
        ld_global_u32 $s1, [$d0]
    @again:
        barrier
        sub_u32 $s1, $s1, 1
        cmp_gt_u32 $c0, $s1, 0
        cbr $c0, @again
        ret
    }
"""


def test_a_barrier_in_a_loop_counts_its_rounds():
    run(make(LOOP_OF_BARRIERS, [np.full(4, 3, np.uint32)], items=4))
    uneven = make(LOOP_OF_BARRIERS, [np.array([3, 2, 3, 1], np.uint32)], items=4)
    # Work-item 3 has returned after one round, so the second is the one that is never complete.
    assert all_traps(uneven) == {(TrapKind.DIVERGENT_BARRIER, 5, 0, i) for i in (0, 1, 2)}
    with pytest.raises(Trap) as caught:
        run(uneven)
    assert caught.value.record.key == (TrapKind.DIVERGENT_BARRIER, 5, 0, 0)
    detail = caught.value.record.detail
    assert "0-2 wait at pc 5 (line 9), 3 have returned" in detail


def test_of_many_that_wait_at_a_divergent_barrier_the_first_are_listed_and_all_counted():
    text = """
        kernel k() {
            workitemflatid_u32 $s0
            and_u32 $s0, $s0, 3
            cmp_eq_u32 $c0, $s0, 1
            cbr $c0, @out
            barrier
        @out:
            ret
        }
    """
    (record, *_) = trap_records(make(text, items=2000, group_size=1000))
    assert record.detail == (
        "of the workgroup's work-items, 0, 2-4, 6-8, 10-12 and 740 more wait at pc 4 (line 7), "
        "1, 5, 9, 13 and 246 more have returned"
    )


def test_exited_work_items_count_as_arrived_where_the_knob_says_so():
    n = np.array([3, 2, 3, 1], np.uint32)
    statistics = run(make(LOOP_OF_BARRIERS, [n], items=4, exited_arrive=True))
    assert statistics.barriers == 3


def test_waiting_at_two_barriers_is_divergent_whatever_the_knob_says():
    text = """
        kernel k() {
            workitemflatid_u32 $s0
            cmp_lt_u32 $c0, $s0, 2
            cbr $c0, @low
            barrier
            ret
        @low:
            barrier
            ret
        }
    """
    expected = {(TrapKind.DIVERGENT_BARRIER, pc, 0, i) for i, pc in enumerate([5, 5, 3])}
    for exited_arrive in (False, True):
        work = make(text, items=3, exited_arrive=exited_arrive)
        assert all_traps(work) == expected
        assert (
            trap_records(work)[0].detail
            == "of the workgroup's work-items, 2 wait at pc 3 (line 6), 0-1 wait at pc 5 (line 9)"
        )


SPIN = """
    kernel spin(global u32* %flag, u32 %setter) {
        ld_kernarg_u64 $d0, [%flag]
        ld_kernarg_u32 $s1, [%setter]
        workitemflatabsid_u32 $s0
        cmp_eq_u32 $c0, $s0, $s1
        cbr $c0, @set
    @wait:
        ld_global_u32 $s2, [$d0]
        cvt_b1_u32 $c1, $s2
        cbr $c1, @done
        br @wait
    @set:
        mov_u32 $s3, 1
        st_global_u32 $s3, [$d0]
    @done:
        ret
    }
"""


def test_spinning_on_a_higher_work_item_finishes():
    run(make(SPIN, [np.zeros(1, np.uint32), 7], items=8, group_size=8))


def test_spinning_on_a_higher_workgroup_finishes():
    run(make(SPIN, [np.zeros(1, np.uint32), 9], items=10, group_size=2))


def test_spinning_on_a_workgroup_that_never_starts_exhausts_the_budget():
    flag = np.zeros(1, np.uint32)
    items = RESIDENT + 1
    options: dict[str, Any] = {"items": items, "group_size": 1, "budget": 4 * QUANTUM}
    run(make(SPIN, [flag, RESIDENT - 1], **options))
    flag[:] = 0
    kinds = {kind for kind, *_ in all_traps(make(SPIN, [flag, RESIDENT], **options))}
    assert kinds == {TrapKind.BUDGET}


def test_a_lock_taken_by_every_work_item_of_a_warp_is_passed_on():
    text = """
        kernel k(global u32* %lock, global u32* %count) {
            ld_kernarg_u64 $d0, [%lock]
            ld_kernarg_u64 $d1, [%count]
            mov_u32 $s1, 1
        @take:
            atomic_cas_global_u32 $s2, [$d0], $s0, $s1
            cvt_b1_u32 $c0, $s2
            cbr $c0, @take
            ld_global_u32 $s3, [$d1]
            add_u32 $s3, $s3, 1
        @delay:                       // longer than a quantum: others run while the lock is held
            add_u32 $s4, $s4, 1
            cmp_lt_u32 $c0, $s4, 50
            cbr $c0, @delay
            st_global_u32 $s3, [$d1]
            atomic_exch_global_u32 [$d0], $s0
            ret
        }
    """
    lock, count = np.zeros(1, np.uint32), np.zeros(1, np.uint32)
    statistics = run(make(text, [lock, count], items=100, group_size=40))
    assert (lock[0], count[0]) == (0, 100)
    assert statistics.lanes[3] > 100  # some tried in vain


FOR_EVER = "kernel k() {\n nop\n @again:\n nop\n br @again\n }"


def test_the_budget_traps_at_the_instruction_that_it_does_not_cover():
    for budget, pc in [(1, 1), (2, 2), (3, 1), (QUANTUM, 2), (1000, 2), (1001, 1)]:
        work = make(FOR_EVER, budget=budget)
        with pytest.raises(Trap, match=f"executed {budget} instructions") as caught:
            run(work)
        assert caught.value.record.key == (TrapKind.BUDGET, pc, 0, 0)


@pytest.mark.parametrize("length", [2, QUANTUM - 1, QUANTUM, QUANTUM + 1, 2 * QUANTUM])
def test_a_work_item_may_spend_its_budget_to_the_last_instruction(length):
    text = "kernel k() {\n" + "nop\n" * (length - 1) + "ret\n }"
    assert run(make(text, budget=length)).thread_instructions == length
    assert all_traps(make(text, budget=length - 1)) == {(TrapKind.BUDGET, length - 1, 0, 0)}


def test_the_budget_is_per_work_item_and_continues_across_barriers():
    text = "kernel k() {\n barrier\n barrier\n ret\n }"
    run(make(text, items=10, budget=3))
    assert all_traps(make(text, items=2, budget=2)) == {(TrapKind.BUDGET, 2, 0, i) for i in (0, 1)}


def test_a_trace_lists_every_pc_in_order():
    text = """
        kernel k() {
            workitemflatabsid_u32 $s0
            cvt_b1_u32 $c0, $s0
            cbr $c0, @end
            barrier
            br @end
        @end:
            ret
        }
    """
    work = make(text, items=2, group_size=1)
    assert trace(work) == {(0, 0): [0, 1, 2, 3, 4, 5], (1, 0): [0, 1, 2, 5]}


def test_statistics_count_each_work_item_as_a_warp_of_one():
    text = """
        kernel k() {
            workitemflatabsid_u32 $s0
            cmp_lt_u32 $c0, $s0, 2
            cbr $c0, @end
            nop
        @end:
            ret
        }
    """
    s = run(make(text, items=5, group_size=4))
    assert s.executions.tolist() == s.lanes.tolist() == [5, 5, 5, 3, 5]
    assert s.thread_instructions == s.warp_instructions == s.lane_slots == 23
    assert (s.warps, s.branches, s.barriers, s.divergent_branches) == (5, 5, 0, 0)
    assert s.activity_factor == 1.0
    assert s.to_dict()["warps"] == 5


def test_an_interrupt_tells_what_was_counted(monkeypatch):
    turns = iter(range(3))

    def interrupted_turn(launch, group):
        if next(turns, None) is None:
            raise KeyboardInterrupt
        turn(launch, group)

    turn = oracle._Launch._turn
    monkeypatch.setattr(oracle._Launch, "_turn", interrupted_turn)
    with pytest.raises(Interrupted) as caught:
        run(make(FOR_EVER))
    assert caught.value.statistics is not None
    assert caught.value.statistics.thread_instructions == 3 * QUANTUM


COUNTS_FOR_EVER = "kernel k() {\n @again:\n add_u32 $s0, $s0, 1\n br @again\n }"
WAITS_FOR_EVER = """
kernel k(global u32* %x) {
    ld_kernarg_u64 $d0, [%x]
@again:
    add_u32 $s2, $s2, 1
    ld_global_u32 $s0, [$d0]
    cmp_eq_u32 $c0, $s0, 0
    cbr $c0, @again
    ret
}
"""
STORES_FOR_EVER = WAITS_FOR_EVER.replace("cmp_eq", "st_global_u32 $s2, [$d0+4]\n cmp_eq")
TESTS_ITS_COUNTER = COUNTS_FOR_EVER.replace("br", "cmp_ne_u32 $c0, $s0, 99999999\n cbr $c0,")
TESTS_ITS_COUNTER = TESTS_ITS_COUNTER.replace("@again\n }", "@again\n ret\n }")
BARRIERS_FOR_EVER = "kernel k() {\n @again:\n barrier\n br @again\n }"


@pytest.mark.parametrize("text", [COUNTS_FOR_EVER, WAITS_FOR_EVER, BARRIERS_FOR_EVER, FOR_EVER])
@pytest.mark.parametrize("items", [1, 70])
def test_a_state_that_returns_ends_the_launch_long_before_its_budget(text, items):
    arrays = [np.zeros(2, np.uint32)] if "%x" in text else []
    with pytest.raises(Trap) as caught:
        run(make(text, arrays, items=items, group_size=min(items, 40), budget=1 << 40))
    assert caught.value.record.kind is TrapKind.LIVELOCK
    assert ("70 work-items do this" in str(caught.value)) == (items == 70)


@pytest.mark.parametrize("text", [STORES_FOR_EVER, TESTS_ITS_COUNTER])
def test_a_state_that_changes_spends_the_budget(text):
    arrays = [np.zeros(2, np.uint32)] if "%x" in text else []
    with pytest.raises(Trap) as caught:
        run(make(text, arrays, budget=QUANTUM * 3 * hang.PATIENCE))
    assert caught.value.record.kind is TrapKind.BUDGET


def test_no_launch_hangs_for_a_workgroup_that_has_not_started(monkeypatch):
    monkeypatch.setattr(hang, "PATIENCE", 4)
    x = np.zeros(2, np.uint32)
    for items, kind in (RESIDENT, TrapKind.LIVELOCK), (RESIDENT + 1, TrapKind.BUDGET):
        work = make(WAITS_FOR_EVER, [x], items=items, group_size=1, budget=QUANTUM * 40)
        with pytest.raises(Trap) as caught:
            run(work)
        assert caught.value.record.kind is kind


@pytest.mark.parametrize("segment", ["group", "private"])
def test_a_counter_in_memory_of_its_own_is_part_of_the_state(segment, monkeypatch):
    """Registers and pcs return in every round: the loop has 8 instructions."""
    monkeypatch.setattr(hang, "PATIENCE", hang.EVERY)
    text = f"""
        kernel k() {{
            .{segment} u32 n[1]
        @again:
            ld_{segment}_u32 $s0, [n]
            add_u32 $s0, $s0, 1
            st_{segment}_u32 $s0, [n]
            cmp_lt_u32 $c0, $s0, 500
            mov_u32 $s0, 0
            nop
            nop
            cbr $c0, @again
            ret
        }}
    """
    assert run(make(text, items=2, group_size=1)).thread_instructions == 2 * (8 * 500 + 1)


def test_which_registers_matter_is_not_found_out_at_each_look(monkeypatch):
    """A loop whose pcs return in every round, but not its counter."""
    sought = []
    of_code = hang.registers_that_matter
    monkeypatch.setattr(hang, "registers_that_matter", lambda c: sought.append(c) or of_code(c))
    nops = "nop\n" * 5
    text = f"kernel k() {{\n @again:\n add_u32 $s0, $s0, 1\n cmp_lt_u32 $c0, $s0, 9000\n {nops}"
    run(make(f"{text} cbr $c0, @again\n ret\n }}"))
    assert len(sought) <= 3
