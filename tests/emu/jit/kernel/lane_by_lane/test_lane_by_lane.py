"""Loops that lanes run one after the other, against the oracle, and which loops these are."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simtlab.emu.analysis.lanes import sparse
from simtlab.emu.analysis.lanes.sparse import sparse_loops
from simtlab.emu.jit.kernel import compile as code
from simtlab.emu.jit.launch import engine
from simtlab.emu.jit.launch.engine import execute
from simtlab.emu.jit.llvm.cache import FOLDER_VARIABLE
from simtlab.emu.oracle import oracle
from simtlab.emu.recent import Recent
from simtlab.emu.traps import Trap
from simtlab.testing import Case, assert_all_agree, kernels

from .....quick import examples
from ....support.chains import CHAIN, STEP, WALK, chains, inside
from ....support.flows import shapes_of
from ....support.oracle_work import make
from ...support.against_oracle import assert_as_oracle
from ...support.agreement import same, trap_alike

BODIES = {
    "a chain": CHAIN,
    "all that comes out": f"""@top:\n{STEP}
        add_u64 $d6, $d6, $d7
        cmp_gt_u32 $c1, $s1, 20
        cmp_ne_u32 $c0, $s1, $s9
        cbr $c0, @top""",
    "what steps from lane to lane goes in": f"""@top:\n{STEP}
        add_u32 $s2, $s2, $s0
        add_u64 $d6, $d6, $d5
        cmp_ne_u32 $c0, $s1, $s9
        cbr $c0, @top""",
    "two ways out": f"""@top:\n{STEP}
        cmp_gt_u32 $c0, $s2, 6
        cbr $c0, @late
        cmp_ne_u32 $c0, $s1, $s9
        cbr $c0, @top
        add_u32 $s2, $s2, 100
        br @out
    @late:
        mul_u32 $s2, $s2, 3""",
    "a loop inside": f"""@top:\n{STEP}
        and_u32 $s5, $s1, 3
    @inner:
        cmp_eq_u32 $c0, $s5, 0
        cbr $c0, @over
        sub_u32 $s5, $s5, 1
        add_u64 $d6, $d6, 7
        br @inner
    @over:
        cmp_ne_u32 $c0, $s1, $s9
        cbr $c0, @top""",
    "in a loop for all": f"""
        mov_u32 $s6, 3
    @again:
        mad_u32 $s1, $s1, 5, $s6
        and_u32 $s1, $s1, 31
    @top:\n{STEP}
        cmp_ne_u32 $c0, $s1, $s9
        cbr $c0, @top
        sub_u32 $s6, $s6, 1
        cmp_ne_u32 $c0, $s6, 0
        cbr $c0, @again""",
    "back to a loop around": f"""
        mov_u32 $s6, 0
    @again:
        add_u32 $s6, $s6, 1
        cmp_gt_u32 $c0, $s6, 9
        cbr $c0, @out
    @top:\n{STEP}
        and_u32 $s5, $s1, 1
        cmp_eq_u32 $c0, $s5, 0
        cbr $c0, @again
        cmp_ne_u32 $c0, $s1, $s9
        cbr $c0, @top""",
    "an address in one of two buffers": """@top:
        cmp_gt_u32 $c0, $s2, 3000
        select_u64 $d8, $c0, $d3, $d2
        cvt_u64_u32 $d7, $s1
        mad_u64 $d8, $d7, 4, $d8
        ld_global_u32 $s1, [$d8]
        add_u32 $s2, $s2, 1
        cmp_ne_u32 $c0, $s1, $s9
        cbr $c0, @top""",
    "numbers from a buffer of the lane's choice": """@top:
        cmp_eq_u32 $c0, $s0, 1
        select_u64 $d8, $c0, $d3, $d2
        cvt_u64_u32 $d7, $s1
        mad_u64 $d8, $d7, 4, $d8
        ld_global_u32 $s5, [$d8]
        add_f32 $s2, $s2, $s5
        shr_u32 $s1, $s1, 1
        cmp_ne_u32 $c0, $s1, 0
        cbr $c0, @top""",
    "atomics that commute": f"""@top:\n{STEP}
        mad_u64 $d8, $d7, 8, $d3
        atomic_add_global_u64 [$d8+512], $d7
        atomic_sub_global_u64 [$d3+512], $d6
        cmp_ne_u32 $c0, $s1, $s9
        cbr $c0, @top""",
    "stores that others see": f"""@top:\n{STEP}
        mad_u64 $d8, $d7, 8, $d3
        st_global_u64 $d7, [$d8+512]
        cmp_ne_u32 $c0, $s1, $s9
        cbr $c0, @top""",
}


@pytest.mark.usefixtures("loops")
@pytest.mark.parametrize("items", [64, 37])
@pytest.mark.parametrize("name", BODIES)
def test_each_lane_runs_the_loop_alone(name: str, items: int) -> None:
    assert sparse_loops(shapes_of(inside(BODIES[name])))
    same(WALK.format(BODIES[name]), chains(), items=items, group_size=items)


COUNTED = """
        mov_u32 $s6, 20
        cvt_u64_u32 $d7, $s1
        add_u64 $d8, $d7, $d2
    @top:
        ld_global_u8 $s4, [$d8]
        and_u32 $s5, $s4, 1
        cmp_eq_u32 $c0, $s5, 0
        cbr $c0, @next
        and_u32 $s5, $s2, 7
        cvt_u64_u32 $d7, $s5
        add_u64 $d7, $d7, $d5
        st_global_u8 $s4, [$d7+512]
        add_u32 $s2, $s2, 1
    @next:
        add_u64 $d8, $d8, 1
        sub_u32 $s6, $s6, 1
        cmp_ne_u32 $c0, $s6, 0
        cbr $c0, @top"""
"""Stores of bytes in a loop that all lanes leave together: many run a version without tests."""


@pytest.mark.parametrize("lanes", [64, 20, 3])
def test_many_lanes_of_a_counted_loop_run_it_without_tests(lanes: int, monkeypatch) -> None:
    monkeypatch.setenv("SIMTLAB_LOOPS", "9")
    monkeypatch.setenv(FOLDER_VARIABLE, "/dev/null")
    assert sparse_loops(shapes_of(inside(COUNTED)))
    arrays = chains()
    arrays[0][:] = np.where(np.arange(64) < lanes, arrays[0] & ~np.uint32(3), 3)
    arrays[1][:] = np.arange(64) * 0x01020304
    same(WALK.format(COUNTED), arrays, items=64, group_size=64)
    arrays[0][1] = 1 << 20
    with pytest.raises(Trap) as caught:
        execute(make(WALK.format(COUNTED), arrays, items=64, group_size=64))
    assert (caught.value.record.kind.name, caught.value.record.local) == ("OUT_OF_BOUNDS", 1)


@pytest.mark.usefixtures("loops")
def test_a_lane_that_faults_is_named() -> None:
    arrays = chains()
    arrays[1][20] = 1 << 20
    trap_alike(WALK.format(BODIES["a chain"]), arrays, items=64, group_size=64)


ALIKE = """
    kernel alike(u32 %zero, global u32* %out) {
        workitemflatabsid_u32 $s0
        ld_kernarg_u32 $s1, [%zero]
        ld_kernarg_u64 $d0, [%out]
        cvt_u64_u32 $d1, $s0
        mad_u64 $d0, $d1, 4, $d0
        mov_u32 $s3, 0
    @again:
        cmp_ne_u32 $c0, $s1, 7
        cbr $c0, @goes_on
        trap 6
    @goes_on:
        mad_u32 $s3, $s0, 128, $s3
    @inner:
        cmp_ge_u32 $c0, $s3, 300
        cbr $c0, @over
        st_global_u32 $s3, [$d0]
        add_u32 $s3, $s3, 1
        br @inner
    @over:
        cmp_ne_u32 $c0, $s1, 0
        cbr $c0, @again
        st_global_u32 $s3, [$d0]
        ret
    }"""


@pytest.mark.usefixtures("loops")
@pytest.mark.parametrize("zero", [0, 7])
def test_lanes_may_leave_by_ways_that_all_take_alike(zero: int) -> None:
    works = (make(ALIKE, [zero, np.zeros(40, np.uint32)], items=40) for _ in "ab")
    assert assert_as_oracle(*works) == (zero == 7)


@pytest.mark.usefixtures("loops")
@pytest.mark.parametrize("loops", ["alone", "together"], indirect=True)
def test_a_long_chain_exhausts_the_budget() -> None:
    """A work-item may end late, by the budget at most. Each executes 6 instructions a place."""
    n = 2000
    text, begin = WALK.format(BODIES["a chain"]), np.arange(0, 64, dtype=np.uint32)
    following = np.arange(1, n + 1, dtype=np.uint32)

    def walk(budget: int) -> None:
        arrays = [begin.copy(), following, np.zeros(64, np.uint64), n]
        execute(make(text, arrays, items=64, group_size=64, budget=budget))

    walk(7 * n)
    with pytest.raises(Trap) as caught:
        walk(2 * n)
    assert caught.value.record.kind.name == "BUDGET"


@pytest.mark.usefixtures("loops")
def test_an_endless_chain_exhausts_the_budget() -> None:
    arrays = chains()
    arrays[1][30] = 31
    arrays[1][31] = 30
    arrays[1][32:] = 30
    work = make(WALK.format(BODIES["all that comes out"]), arrays, items=64, group_size=64,
                budget=3000)  # fmt: skip
    with pytest.raises(Trap) as caught:
        execute(work)
    assert caught.value.record.kind.name in ("BUDGET", "LIVELOCK")


@pytest.mark.usefixtures("loops")
@pytest.mark.parametrize("name", ["a chain", "a loop inside", "in a loop for all"])
def test_no_lane_is_charged_for_what_others_spend(name: str, monkeypatch) -> None:
    """A debug build shows where a lane's own count does not begin with zero."""
    monkeypatch.setenv("SIMTLAB_POISON", "0x5a5a5a5b")
    monkeypatch.setattr(engine, "_start_over", lambda work, record: pytest.fail(str(record)))
    text = WALK.format(BODIES[name])
    expected = make(text, chains(), items=64, group_size=64)
    lengths = [len(pcs) for pcs in oracle.trace(expected).values()]
    budget = max(lengths)
    assert sum(lengths[:32]) > 4 * budget, "a warp spends more than one work-item may"
    work = make(text, chains(), items=64, group_size=64, budget=budget)
    execute(work)
    for ours, theirs in zip(work.memory.buffers, expected.memory.buffers, strict=True):
        np.testing.assert_array_equal(ours.host, theirs.host)


# --- any loop that can


@examples(6, 60)
@given(case=kernels(), loops=st.sampled_from(["alone", "together", "measured", "2", "5", "17"]))
def test_random_kernels_whose_loops_run_alone(case: Case, loops: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SIMTLAB_LOOPS", loops)
        patch.setattr(sparse, "gains_alone", lambda shapes, loop: True)
        patch.setattr(code, "_COMPILED", Recent())
        patch.setenv(FOLDER_VARIABLE, "/dev/null")
        assert_all_agree(case, engines=["jit"], schemes=["stack"])
