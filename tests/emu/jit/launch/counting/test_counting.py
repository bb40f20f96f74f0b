"""Statistics that native code counts are the interpreter's, or the interpreter counts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import simtlab
from simtlab.emu.statistics import Statistics
from simtlab.emu.traps import Trap
from simtlab.programs import catalogue, find
from simtlab.programs.runner import PlainLauncher, run_program
from simtlab.testing import Case, kernels

from .....quick import examples
from ....support.counts import ORDER, WIDTHS, assert_equal, both, counted_by, run


def counted(text: str, *args: Any, items: int = 150, group_size: int = 50) -> Statistics:
    """Check a kernel in partial warps of several widths; return its counts in warps of 32."""
    (kernel,) = simtlab.assemble(text)
    found = Statistics()
    for width in (7, 32):
        native, _, by = both(kernel.launch(items=items, group_size=group_size, warp=width), args)
        assert by == "jit"
        assert native.statistics is not None
        found = native.statistics
    return found


START = """
        workitemflatabsid_u32 $s0
        cvt_u64_u32 $d0, $s0
        ld_kernarg_u64 $d1, [%y]
        mad_u64 $d1, $d0, 4, $d1
"""
END = """
        st_global_u32 $s1, [$d1]
        ret
"""


def kernel(body: str, more: str = "") -> str:
    """A kernel that stores $s1 for each work-item; $s0 is its number."""
    return f"kernel k(global u32* %y{more}) {{ {START} {body} {END} }}"


SHORT_CIRCUIT = kernel("""
        and_u32 $s2, $s0, 1
        cmp_ne_u32 $c0, $s2, 0
        cbr $c0, @no
        and_u32 $s2, $s0, 6
        cmp_ne_u32 $c0, $s2, 0
        cbr $c0, @no
        mov_u32 $s1, 7
        br @end
    @no:
        mov_u32 $s1, 9
    @end:
""")

BREAK_WITH_CODE = kernel("""
        and_u32 $s2, $s0, 15
        mov_u32 $s3, 0
    @loop:
        cmp_eq_u32 $c0, $s3, $s2
        cbr $c0, @found
        add_u32 $s3, $s3, 1
        cmp_lt_u32 $c0, $s3, 12
        cbr $c0, @loop
        mov_u32 $s1, 1000
        br @end
    @found:
        mul_u32 $s1, $s3, 3
    @end:
""")

RETURN_IN_LOOP = kernel("""
        and_u32 $s2, $s0, 7
        mov_u32 $s3, 0
    @loop:
        cmp_eq_u32 $c0, $s3, $s2
        cbr $c0, @more
        add_u32 $s3, $s3, 1
        br @loop
    @more:
        cmp_ne_u32 $c0, $s2, 5
        cbr $c0, @end
        ret
    @end:
        add_u32 $s1, $s3, 1
""")

NESTED_LOOPS = kernel("""
        and_u32 $s2, $s0, 3
    @outer:
        and_u32 $s3, $s0, 7
    @inner:
        add_u32 $s1, $s1, 1
        sub_u32 $s3, $s3, 1
        cmp_lt_s32 $c0, 0, $s3
        cbr $c0, @inner
        sub_u32 $s2, $s2, 1
        cmp_lt_s32 $c0, 0, $s2
        cbr $c0, @outer
""")

BARRIER = (
    """
kernel k(global u32* %y) {
    .group u32 cells[64]
        workitemflatid_u32 $s2
        shl_u32 $s3, $s2, 2
        and_u32 $s4, $s2, 3
        cmp_eq_u32 $c0, $s4, 0
        cbr $c0, @join
        add_u32 $s4, $s4, 5
    @join:
        st_group_u32 $s4, [cells+$s3]
        barrier
"""
    + START
    + """
        ld_group_u32 $s1, [cells+$s3]
        cmp_lt_u32 $c0, $s4, 7
        cbr $c0, @end
        add_u32 $s1, $s1, 1
    @end:
"""
    + END
    + "}"
)


@pytest.mark.parametrize(
    "text",
    [SHORT_CIRCUIT, BREAK_WITH_CODE, RETURN_IN_LOOP, NESTED_LOOPS],
    ids=["short-circuit", "break", "return", "nested"],
)
def test_control_flow(text: str) -> None:
    assert counted(text, np.zeros(150, np.uint32)).divergent_branches > 0


def test_barriers() -> None:
    assert counted(BARRIER, np.zeros(150, np.uint32)).barriers == 3


def test_a_block_that_two_paths_reach_is_counted_for_each() -> None:
    stats = counted(SHORT_CIRCUIT, np.zeros(32, np.uint32), items=32, group_size=32)
    no = stats.executions.tolist().index(2)
    assert stats.executions[no] == 2
    assert stats.lanes[no] == 16 + 12


def test_code_before_a_break_is_counted_for_each_iteration_that_lanes_leave_in() -> None:
    stats = counted(BREAK_WITH_CODE, np.zeros(32, np.uint32), items=32, group_size=32)
    # In each of twelve iterations two lanes leave.
    assert (12, 24) in set(zip(stats.executions.tolist(), stats.lanes.tolist(), strict=True))


def test_the_stack_of_a_loop_grows_with_each_exit() -> None:
    text = kernel("""
        and_u32 $s2, $s0, 31
    @loop:
        add_u32 $s1, $s1, 1
        cmp_ge_u32 $c0, $s1, $s2
        cbr $c0, @end
        br @loop
    @end:
    """)
    stats = counted(text, np.zeros(64, np.uint32), items=64, group_size=64)
    assert stats.max_depth > 30
    assert stats.pc_comparisons > 0


def test_a_warp_of_a_workgroup_that_ends_early() -> None:
    text = kernel("""
        cmp_lt_u32 $c0, $s0, 20
        cbr $c0, @stay
        ret
    @stay:
        mov_u32 $s1, 3
    """)
    counted(text, np.zeros(150, np.uint32))


LOADED = """
kernel k(global u32* %y, global u32* %x, u32 %apart) {
    workitemflatabsid_u32 $s0
    cvt_u64_u32 $d0, $s0
    ld_kernarg_u32 $s5, [%apart]
    cvt_u64_u32 $d5, $s5
    add_u64 $d5, $d5, $d0
    ld_kernarg_u64 $d1, [%y]
    mad_u64 $d1, $d0, 4, $d1
    ld_kernarg_u64 $d2, [%x]
    mad_u64 $d2, $d5, 4, $d2
    ld_global_u32 $s2, [$d2]
    and_u32 $s2, $s2, 7
@loop:
    cmp_eq_u32 $c0, $s2, 0
    cbr $c0, @end
    sub_u32 $s2, $s2, 1
    add_u32 $s1, $s1, 2
    br @loop
@end:
    st_global_u32 $s1, [$d1]
    ret
}
"""


def test_branches_that_depend_on_loads_from_a_buffer_of_their_own() -> None:
    x = np.random.default_rng(3).integers(0, 99, 150).astype(np.uint32)
    counted(LOADED, np.zeros(150, np.uint32), x, 0)


def test_a_buffer_that_is_also_stored_to_is_counted_in_order() -> None:
    (loaded,) = simtlab.assemble(LOADED)
    x = np.arange(64, dtype=np.uint32)
    run = loaded.launch(items=64, group_size=64, engine="jit", stats=True)
    assert counted_by(run, x, x, 0)[1] == ORDER
    assert x.tolist() == [2 * (i & 7) for i in range(64)]


def test_a_load_that_leaves_its_buffer_for_one_that_is_stored_to_starts_over() -> None:
    (loaded,) = simtlab.assemble(LOADED)
    device = simtlab.Device()
    outcomes = []
    for engine in ("jit", "interp"):
        x = device.to_device(np.arange(100, 164, dtype=np.uint32))
        y = device.to_device(np.arange(64, dtype=np.uint32))
        run = loaded.launch(items=64, group_size=64, engine=engine, stats=True)
        result = counted_by(run, y, x, (y.buffer.base - x.buffer.base) // 4)
        outcomes.append((*result, x.to_host(), y.to_host()))
        x.free()
        y.free()
    (native, who, *have), (expected, _, *want) = outcomes
    assert who == ORDER
    assert_equal(native.statistics, expected.statistics)
    for a, b in zip(have, want, strict=True):
        np.testing.assert_array_equal(a, b)


def test_launches_that_depend_on_the_schedule_are_counted_in_order() -> None:
    """In some of its launches two work-items meet at a node of the graph."""
    native, engines = run("basics/bfs", "jit", 32)
    assert engines == {ORDER, "jit"}
    assert_equal(native, run("basics/bfs", "interp", 32)[0])
    assert run("lwm/sort", "jit", 32)[1] >= {ORDER}


def test_threads_count_together() -> None:
    one, four = (
        run_program(
            find("basics/collatz"),
            PlainLauncher(
                simtlab.Module(find("basics/collatz").assemble()), stats=True, threads=threads
            ),
            size="tiny",
            verify=False,
        ).statistics
        for threads in (1, 4)
    )
    assert_equal(four, one)


def test_a_trap_is_that_of_the_interpreter() -> None:
    (loaded,) = simtlab.assemble(LOADED)
    records = []
    for engine in ("jit", "interp"):
        run = loaded.launch(items=64, group_size=64, engine=engine, stats=True)
        with pytest.raises(Trap) as caught:
            run(np.zeros(64, np.uint32), np.zeros(40, np.uint32), 0)
        records.append(caught.value.record.key)
    assert records[0] == records[1]


def test_counts_of_a_second_launch_do_not_include_the_first() -> None:
    (nested,) = simtlab.assemble(NESTED_LOOPS)
    launch = nested.launch(items=64, stats=True)
    first, second = (launch(np.zeros(64, np.uint32)).statistics for _ in range(2))
    assert_equal(second, first)


# --- programs and random kernels


@pytest.mark.parametrize(
    ("name", "width"),
    [("ppc/exits", 32), ("ppc/gotoerror", 64), ("lessons/nested", 1), ("basics/scan", 16)],
)
def test_programs(name: str, width: int) -> None:
    native, engines = run(name, "jit", width)
    assert engines == {"jit"}
    assert_equal(native, run(name, "interp", width)[0])


@pytest.mark.slow
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", [entry.name for entry in catalogue()])
def test_all_programs(name: str, width: int) -> None:
    if name == "lessons/spinlock":
        pytest.skip("hangs where lanes wait for each other")
    assert_equal(run(name, "jit", width)[0], run(name, "interp", width)[0])


def check_case(case: Case, width: int) -> None:
    """Compare a random kernel's counts."""
    kernel = case.module[case.module.program.kernels[0].name]
    g = case.geometry
    both(kernel.launch(items=g.items, group_size=g.group_size, warp=width), case.arguments())


@examples(5, 10)
@given(kernels(), st.sampled_from(WIDTHS))
def test_random_kernels(case: Case, width: int) -> None:
    check_case(case, width)


@pytest.mark.slow
@settings(max_examples=500)
@given(kernels(barriers_under_branches=True, largest_group=128), st.sampled_from(WIDTHS))
def test_hundreds_of_random_kernels(case: Case, width: int) -> None:
    check_case(case, width)
