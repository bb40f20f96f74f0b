"""Loops by which lanes share a row: iterations that all lanes run, and what is left."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from simtlab.emu.engine import Work
from simtlab.emu.jit.kernel.compile import generate
from simtlab.emu.jit.kernel.launch_facts import facts_for_counting, facts_of

from ....support.oracle_work import make
from ...support.against_oracle import assert_as_oracle

ROWS = 3
ELEMENTS = 700
TOP = 0xFFFF_FFFF


def kernel(relation: str, step: object, begin: str, *, header: bool, more: str = "") -> str:
    """Return a kernel in which a workgroup sums and changes a row, each lane its own elements.

    A counter is `back` above the number of its element. `begin` makes it, in $s3, of its first
    value for lane 0, $s3, and of the lane, $s2; or the bound, in $s4. An iteration does `more`.
    """
    stay = f"cmp_{relation} $c1, $s3, $s4\n cbr $c1"
    enter = f"@loop:\n {stay}, @body\n br @store\n @body:" if header else "@loop:"
    again = "br @loop" if header else f"{stay}, @loop"
    return f"""kernel share(u32 %first, u32 %back, u32 %step, global u32* %end, global f32* %x,
        global f32* %out) {{
        workgroupid_u32 $s1, 0
        workitemid_u32 $s2, 0
        cvt_u64_u32 $d0, $s1
        ld_kernarg_u64 $d1, [%end]
        mad_u64 $d1, $d0, 4, $d1
        ld_global_u32 $s4, [$d1]
        ld_kernarg_u32 $s3, [%first]
        ld_kernarg_u32 $s5, [%back]
        ld_kernarg_u32 $s6, [%step]
        ld_kernarg_u64 $d1, [%x]
        {begin}
        mov_u32 $s8, 0.5
        mul_u32 $s9, $s1, {ELEMENTS}
    {enter}
        sub_u32 $s7, $s3, $s5
        add_u32 $s7, $s7, $s9
        cvt_u64_u32 $d2, $s7
        mad_u64 $d2, $d2, 4, $d1
        ld_global_f32 $s10, [$d2]
        fma_f32 $s8, $s8, 0.75, $s10
        st_global_f32 $s8, [$d2]
        {more}
        add_u32 $s3, $s3, {step}
        {again}
    @store:
        workitemabsid_u32 $s0, 0
        cvt_u64_u32 $d0, $s0
        ld_kernarg_u64 $d3, [%out]
        mad_u64 $d3, $d0, 4, $d3
        st_global_f32 $s8, [$d3]
        ret
    }}"""


def work_of(
    text: str, group: int, ends: list[int], first: int = 0, back: int = 0, step: int = 0
) -> Work:
    x = np.random.default_rng(5).random(ROWS * ELEMENTS, np.float32)
    end = np.array([(e + back) & TOP for e in ends], np.uint32)
    numbers: list[Any] = [(first + back) & TOP, back & TOP, step]
    out = np.zeros(ROWS * group, np.float32)
    return make(text, [*numbers, end, x, out], items=ROWS * group, group_size=group)


def traps(text: str, group: int, ends: list[int], **more: int) -> bool:
    work, expected = (work_of(text, group, ends, **more) for _ in range(2))
    return assert_as_oracle(work, expected)


UP = "add_u32 $s3, $s3, $s2"
DOWN = "sub_u32 $s3, $s3, $s2"


@pytest.mark.parametrize("group", [1, 7, 16, 32, 64])
@pytest.mark.parametrize("header", [False, True])
def test_rows_of_any_length(group: int, header: bool) -> None:
    text = kernel("lt_u32", group, UP, header=header)
    assert not traps(text, group, [0, 1, group - 1])
    assert not traps(text, group, [group, group + 1, 2 * group])
    assert not traps(text, group, [3 * group, 5 * group + 3, 629], first=1)
    assert traps(text, group, [5, 7, ELEMENTS + 65])


def test_the_last_lane_of_a_warp_may_be_missing() -> None:
    """Its elements are those of the next iteration of lane 0."""
    text = kernel("lt_u32", 63, UP, header=True)
    assert not traps(text, 63, [189, 300, 629])


@pytest.mark.parametrize("header", [False, True])
def test_steps_that_are_no_constants(header: bool) -> None:
    text = kernel("lt_u32", "$s6", UP, header=header)
    for step in (64, 70, 1 << 31):
        assert not traps(text, 64, [0, 300, 636], step=step)


@pytest.mark.parametrize("relation", ["lt_u32", "le_u32", "lt_s32", "le_s32"])
def test_counters_that_wrap_around(relation: str) -> None:
    """From the end of the row on, or as lanes of one iteration; then they are far outside."""
    text = kernel(relation, 64, UP, header=True)
    top = 1 << 31 if "s32" in relation else 1 << 32
    for back in (top - ELEMENTS, top - 640):
        assert not traps(text, 64, [500, 570, 9], back=back)
    assert traps(text, 64, [639, 500, 9], back=top - 640)
    assert not traps(text, 64, [300, 500, 9], back=-40 if "s32" in relation else 0)


def test_counters_that_go_down() -> None:
    text = kernel("ge_s32", TOP - 63, DOWN, header=True)
    assert not traps(text, 64, [0, 5, 640], first=660)
    assert not traps(text, 64, [0, 5, 640], first=660, back=-300)


@pytest.mark.parametrize("begin", [UP, "sub_u32 $s5, $s5, $s2"])
def test_bounds_that_differ(begin: str) -> None:
    """A triangle: each lane leaves later, or earlier, than the lane before."""
    for how in ("add", "sub"):
        text = kernel("lt_u32", 64, f"{begin}\n {how}_u32 $s4, $s4, $s2", header=True)
        assert not traps(text, 64, [64, 300, 560])
        assert not traps(text, 64, [2, 302, 560], back=TOP - 700)
        traps(text, 64, [2, 302, 600], back=TOP - 610)  # some bounds wrap around


CHOSEN = """
    cmp_lt_f32 $c2, $s10, 0.5
    cbr $c2, @chosen
    mul_f32 $s8, $s8, 0.5
    cmp_lt_f32 $c2, $s10, 0.75
    cbr $c2, @chosen
    st_global_f32 $s10, [$d2]
    @chosen:
"""


@pytest.mark.parametrize("group", [1, 7, 16, 32, 64, 128])
@pytest.mark.parametrize("header", [False, True])
def test_branches_in_the_last_iteration(group: int, header: bool) -> None:
    text = kernel("lt_u32", group, UP, header=header, more=CHOSEN)
    assert not traps(text, group, [group, group + 1, 2 * group - 1])
    assert not traps(text, group, [3 * group, 5 * group, 5 * group - 1])
    assert not traps(text, group, [4 * group + 1, 4 * group + group // 2, 629])


@pytest.mark.parametrize("header", [False, True])
def test_several_iterations_are_left_to_lanes_far_apart(header: bool) -> None:
    """Lane 63 begins three steps after lane 0."""
    text = kernel("lt_u32", 64, f"mul_u32 $s2, $s2, 3\n {UP}", header=header)
    for end in (330, 385, 500):
        assert not traps(text, 64, [end, end + 1, 507])


def generated(work: Work) -> str:
    return str(generate(work.kernel, 0, facts_of(work.kernel, work.geometry)))


def written(begin: str = UP, more: str = "", step: object = 64, *, header: bool = True) -> bool:
    """Return whether there is a last iteration without a way back."""
    text = kernel("lt_u32", step, begin, header=header, more=more)
    return "\nlast" in generated(work_of(text, 64, [1, 1, 1]))


def test_which_loops_have_a_last_iteration_without_a_way_back() -> None:
    assert written()
    assert written(header=False)
    assert written(step="$s6")
    assert written(more=CHOSEN)
    assert not written(f"{UP}\n add_u32 $s4, $s4, $s2")
    assert not written(more="add_f32 $s8, $s8, $s10\n" * 24)


def test_code_that_counts_has_no_version() -> None:
    work = work_of(kernel("lt_u32", 64, UP, header=True), 64, [1, 1, 1])
    counted = facts_for_counting(work.kernel, work.geometry)
    assert "enter" not in str(generate(work.kernel, 0, counted))
    assert "enter" in str(generate(work.kernel, 0, facts_of(work.kernel, work.geometry)))
