"""The report of a simulation that cannot continue: the lanes at fault, and where all are."""

from __future__ import annotations

import numpy as np
import pytest

import simtlab
from simtlab.timing.compiler.files import POLICIES
from simtlab.timing.machines import machine
from simtlab.timing.simulation.simulator import Simulator

from ...emu.support.locks import SPIN_LOCK

TWO_BARRIERS = """\
kernel two(global u32* %x, global u32* %y) {
    workitemflatid_u32 $s0
    cmp_eq_u32      $c0, $s0, 0
    cbr             $c0, @other
    barrier
    br              @end
@other:
    mov_u32         $s1, 5
    barrier
@end:
    ret
}
"""

ONE_LEAVES = """\
kernel one(global u32* %x, global u32* %y) {
    workitemflatid_u32 $s0
    cmp_eq_u32      $c0, $s0, 0
    cbr             $c0, @end
    barrier
@end:
    ret
}
"""

COUNTS = """\
kernel counts(global u32* %x, global u32* %y) {
    workitemflatid_u32 $s0
    cmp_eq_u32      $c0, $s0, 0
@again:
    add_u32         $s1, $s1, 1
    cbr             $c0, @again
    ret
}
"""

STRAIGHT = """\
kernel straight(global u32* %x, global u32* %y) {
    add_u32         $s1, $s1, 1
    add_u32         $s1, $s1, 1
    cmp_eq_u32      $c0, $s1, 0
    cbr             $c0, @end
@end:
    ret
}
"""

FOR_EVER = """\
kernel ever(global u32* %x, global u32* %y) {
    ld_kernarg_u64  $d0, [%x]
    workitemflatid_u32 $s0
@again:
    add_u32         $s1, $s0, 1
    cmp_eq_u32      $c0, $s0, 0
    cbr             $c0, @again
    st_global_u32   $s1, [$d0]
    ret
}
"""

FIRST_BARRIER = "only lanes 1-3 of the warp reach this barrier, lane 0 is at line 8"
SECOND_BARRIER = "only lane 0 of the warp reaches this barrier, lanes 1-3 are at line 5"


def error_of(kernel: str, policy: str, items: int = 4, budget: int = 120) -> simtlab.Trap:
    """How a launch of workgroups of four ends."""
    rules = POLICIES[policy]
    m = machine.load("lwm" if rules.issue else "toy", {"width": 4, "warps": 1, "wpus": 2})
    if "warp" in rules.settings:
        m = m.replaced({"policy.warp": 4})
    (function,) = simtlab.assemble(kernel)
    launch = function.launch(items=items, group_size=4, budget=budget, scheme=rules.scheme)
    arrays = np.zeros(1, np.uint32), np.zeros(1, np.uint32)
    with pytest.raises(simtlab.Trap) as caught:
        launch.run_by(Simulator(m, rules, plain=True).run, *arrays)
    return caught.value


@pytest.mark.parametrize("policy", ["conv", "ppc", "dps", "per-thread", "lwm"])
def test_the_warp_whose_own_lanes_wait_is_blamed_for_a_deadlock(policy: str):
    # All lanes of the second workgroup spin, and are the first to have spent their budget.
    error = error_of(SPIN_LOCK, policy, items=8)
    assert error.first.message == (
        "kernel lock: SIMT deadlock: a work-item has executed 120 instructions; lanes 1-3 of the "
        "warp repeat the loop at line 7 while lane 0 waits at line 10"
    )
    assert error.workitem == (1, 0, 0)
    assert "work-item 1 (workgroup 0, warp 0, lane 1) at pc 4" in str(error)


@pytest.mark.parametrize(
    ("policy", "line", "detail"),
    [
        ("conv", 5, FIRST_BARRIER),
        ("ppc", 5, FIRST_BARRIER),
        ("dps", 5, FIRST_BARRIER),
        ("lwm", 5, FIRST_BARRIER),
        ("dws.branch-only", 9, SECOND_BARRIER),
        ("maws.aggress", 9, SECOND_BARRIER),
        ("per-thread", 9, SECOND_BARRIER),
        ("dwf.majority", 9, SECOND_BARRIER),
    ],
)
def test_a_divergent_barrier_names_the_lanes_that_arrive_and_where_the_others_are(
    policy: str, line: int, detail: str
):
    error = error_of(TWO_BARRIERS, policy)
    assert error.first.message == f"kernel two: divergent barrier: {detail}"
    assert error.span is not None
    assert error.span.line == line
    at_barrier = [n.span for n in error.first.notes if "waits: barrier" in n.message]
    assert at_barrier
    assert {span.line for span in at_barrier if span is not None} <= {5, 9}


@pytest.mark.parametrize("policy", ["dws.branch-only", "per-thread", "dwf.majority"])
def test_lanes_that_have_returned_do_not_reach_a_barrier(policy: str):
    error = error_of(ONE_LEAVES, policy)
    assert error.first.message == (
        "kernel one: divergent barrier: not all work-items of the workgroup reach this barrier, "
        "1 work-item has returned"
    )
    assert error.lane == 1, "the lowest that came"


@pytest.mark.parametrize(
    ("kernel", "budget", "who"),
    [
        (
            COUNTS,
            120,
            "lane 0 of the warp repeats the loop at line 6 while lanes 1-3 wait at line 7",
        ),
        (STRAIGHT, 3, "lanes 0-3 of the warp are at line 5"),
    ],
)
def test_a_spent_budget_names_the_lanes_that_repeat_and_those_that_wait(
    kernel: str, budget: int, who: str
):
    spent = f"instruction budget exhausted: a work-item has executed {budget} instructions"
    assert error_of(kernel, "conv", budget=budget).first.message.endswith(f": {spent}; {who}")


def test_a_loop_without_memory_is_a_livelock_too():
    error = error_of(FOR_EVER, "conv", budget=8_000)
    assert error.first.message == (
        "kernel ever: livelock: lane 0 of the warp repeats the loop at line 7 without changing "
        "anything that it depends on while lanes 1-3 wait at line 8"
    )
