"""Launches that cannot end: the verdict names the waiting lanes, long before any budget."""

from __future__ import annotations

import numpy as np
import pytest

import simtlab
from simtlab.emu.schemes import SCHEMES
from simtlab.emu.traps import TrapKind

from .support.locks import SPIN_LOCK

WAIT_FOR_LANE = """\
kernel wait(global u32* %flag) {
    ld_kernarg_u64  $d0, [%flag]
    laneid_u32      $s0
    cmp_eq_u32      $c0, $s0, SENDER
    cbr             $c0, @send
@spin:
    ld_global_u32   $s1, [$d0]
    cmp_eq_u32      $c1, $s1, 0
    cbr             $c1, @spin
    ret
@send:
    mov_u32         $s2, 1
    st_global_u32   $s2, [$d0]
    ret
}
"""

ENDLESS = """\
kernel endless(global u32* %out) {
    workitemabsid_u32 $s0, 0
@loop:
    add_u32  $s1, $s0, 1
    br       @loop
}
"""

COUNTING = """\
kernel counting(global u32* %out) {
@loop:
    add_u32  $s0, $s0, 1
    br       @loop
}
"""


def launch(text: str, *args: np.ndarray, scheme: str = "stack", items: int = 8, **options):
    (function,) = simtlab.assemble(text)
    return function.launch(items=items, group_size=items, warp=8, scheme=scheme, **options)(*args)


def arrays(count: int) -> list[np.ndarray]:
    return [np.zeros(1, np.uint32) for _ in range(count)]


def test_a_spin_lock_among_the_lanes_of_a_warp_is_a_simt_deadlock_under_the_stack():
    with pytest.raises(simtlab.Trap) as caught:
        launch(SPIN_LOCK, *arrays(2))
    assert caught.value.record.kind is TrapKind.SIMT_DEADLOCK
    assert str(caught.value) == (
        "error[SIM407]: kernel lock: SIMT deadlock: lanes 1-7 of the warp repeat the loop at "
        "line 7 without changing anything that it depends on while lane 0 waits at line 10\n"
        " --> <text>:7:5\n"
        "  |\n"
        "7 |     atomic_cas_global_u32 $s0, [$d0], $s1, $s2\n"
        "  |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ atomic_cas_global_u32\n"
        "  = note: work-item 1 (workgroup 0, warp 0, lane 1) at pc 4\n"
        "  = note: every work-item finishes when all are scheduled in turn\n"
        "  = help: the scheme never schedules the waiting work-items: let one work-item of a warp "
        "take the lock for all (--engine oracle, which schedules each alone, would finish)"
    )


@pytest.mark.parametrize("scheme", SCHEMES)
def test_one_work_item_per_warp_takes_the_lock_under_every_scheme(scheme: str):
    (function,) = simtlab.assemble(SPIN_LOCK)
    mutex, count = arrays(2)
    function.launch(items=8, group_size=8, warp=1, scheme=scheme)(mutex, count)
    assert count[0] == 8
    assert mutex[0] == 0


@pytest.mark.parametrize("scheme", SCHEMES)
def test_waiting_for_a_lane_after_the_loop_starves_under_every_scheme_that_serialises(scheme: str):
    text = WAIT_FOR_LANE.replace("SENDER", "3")
    flag = np.zeros(1, np.uint32)
    # The loop has the lower addresses and is the fall-through: it runs first, and spins for ever.
    with pytest.raises(simtlab.Trap) as caught:
        launch(text, flag, scheme=scheme)
    assert caught.value.record.kind is TrapKind.SIMT_DEADLOCK
    assert "lane 3 waits at" in str(caught.value)


def test_the_other_first_path_lets_the_sender_go_ahead():
    flag = np.zeros(1, np.uint32)
    text = WAIT_FOR_LANE.replace("SENDER", "3")
    launch(text, flag, knobs={"first-path": "taken"})
    assert flag[0] == 1


def test_a_warp_may_wait_for_another_warp():
    text = WAIT_FOR_LANE.replace("laneid_u32      $s0", "workitemflatid_u32 $s0").replace(
        "SENDER", "9"
    )
    flag = np.zeros(1, np.uint32)
    (function,) = simtlab.assemble(text)
    function.launch(items=16, group_size=16, warp=1)(flag)
    assert flag[0] == 1


@pytest.mark.parametrize("scheme", SCHEMES)
def test_an_endless_loop_that_changes_nothing_is_a_livelock(scheme: str):
    with pytest.raises(simtlab.Trap) as caught:
        launch(ENDLESS, *arrays(1), scheme=scheme)
    assert caught.value.record.kind is TrapKind.LIVELOCK
    assert (
        "lanes 0-7 of the warp repeat the loop at line 4 without changing anything that it"
        in str(caught.value)
    )


def test_a_loop_that_does_nothing_but_count_is_a_livelock():
    with pytest.raises(simtlab.Trap) as caught:
        launch(COUNTING, *arrays(1), budget=10_000)
    assert caught.value.record.kind is TrapKind.LIVELOCK


def test_an_endless_loop_whose_state_never_repeats_runs_out_of_its_budget():
    text = COUNTING.replace("br       @loop", "cmp_ne_u32 $c0, $s0, 0\n cbr $c0, @loop\n ret")
    with pytest.raises(simtlab.Trap) as caught:
        launch(text, *arrays(1), budget=10_000)
    assert caught.value.record.kind is TrapKind.BUDGET
    assert "a work-item has executed 10000 instructions" in str(caught.value)
    assert "lanes 0-7 of the warp repeat the loop at line 3" in str(caught.value)


def test_a_starved_work_item_is_found_when_the_budget_runs_out_too():
    # The spinning lanes count, so their state never repeats; a fair schedule still ends.
    text = WAIT_FOR_LANE.replace("SENDER", "3").replace("@spin:", "@spin:\n    add_u32 $s9, $s9, 1")
    with pytest.raises(simtlab.Trap) as caught:
        launch(text, np.zeros(1, np.uint32), budget=10_000)
    assert caught.value.record.kind is TrapKind.SIMT_DEADLOCK


def test_spinning_until_another_workgroup_writes_is_no_hang():
    text = WAIT_FOR_LANE.replace("laneid_u32      $s0", "workitemabsid_u32 $s0, 0").replace(
        "SENDER", "40"
    )
    flag = np.zeros(1, np.uint32)
    (function,) = simtlab.assemble(text)
    function.launch(items=64, group_size=1, warp=1)(flag)
    assert flag[0] == 1


def test_a_flag_that_has_two_parameters_is_waited_for():
    """Native code takes a buffer for unchanged that the kernel does not store to by this name."""
    text = WAIT_FOR_LANE.replace("laneid_u32      $s0", "workitemabsid_u32 $s0, 0")
    text = text.replace("SENDER", "40").replace(
        "(global u32* %flag)", "(global u32* %flag, global u32* %sent)"
    )
    text = text.replace("@send:\n", "@send:\n    ld_kernarg_u64  $d0, [%sent]\n")
    device = simtlab.Device()
    flag = device.zeros(1, np.uint32)
    (function,) = simtlab.assemble(text)
    function.launch(items=64, group_size=1, warp=1, budget=100_000)(flag, flag)
    assert flag.to_host()[0] == 1


def test_a_long_quiet_loop_that_ends_is_no_hang():
    text = """\
kernel quiet(global u32* %out) {
    ld_kernarg_u64 $d0, [%out]
@loop:
    add_u32     $s0, $s0, 1
    cmp_lt_u32  $c0, $s0, 50000
    cbr         $c0, @loop
    st_global_u32 $s0, [$d0]
    ret
}
"""
    out = np.zeros(1, np.uint32)
    launch(text, out)
    assert out[0] == 50_000


def test_a_warp_at_a_barrier_is_named_while_another_spins():
    text = """\
kernel half(global u32* %flag) {
    ld_kernarg_u64  $d0, [%flag]
    waveid_u32      $s0
    cmp_ne_u32      $c0, $s0, 0
    cbr             $c0, @wait
@spin:
    ld_global_u32   $s1, [$d0]
    cmp_eq_u32      $c1, $s1, 0
    cbr             $c1, @spin
    br              @wait
@wait:
    barrier
    ret
}
"""
    with pytest.raises(simtlab.Trap) as caught:
        launch(text, np.zeros(1, np.uint32), items=16)
    assert caught.value.record.kind is TrapKind.LIVELOCK
    assert "1 warps wait at a barrier" in str(caught.value)


def test_the_device_is_usable_after_a_hang():
    device = simtlab.Device()
    mutex, count = device.zeros(1, "uint32"), device.zeros(1, "uint32")
    (function,) = simtlab.assemble(SPIN_LOCK)
    with pytest.raises(simtlab.Trap):
        function.launch(items=8, group_size=8, warp=8)(mutex, count)
    mutex.copy_from(np.zeros(1, np.uint32))
    count.copy_from(np.zeros(1, np.uint32))
    function.launch(items=8, group_size=8, warp=1)(mutex, count)
    assert count.to_host()[0] == 8
