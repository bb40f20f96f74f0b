"""Counts of kernels whose watched accesses are marked at the end of warps.

Each kernel loads an element of x, which decides whether it stores to it or to another one. Where
work-items meet at a place that one of them stores to, the interpreter counts.
"""

from __future__ import annotations

import numpy as np
import pytest

import simtlab
from simtlab.emu.jit.runtime.context import WatchedBy
from simtlab.emu.launch import Launch

from .test_owners import REFUSED, engines, numbers

WIDTHS = (1, 7, 32, 64)


def kernel(load: str, store: str = "", guard: str = "") -> str:
    """A kernel with two indices made of $s1, the work-item; both are $s2 unless `store` says."""
    second = f"{store}\n cvt_u64_u32 $d2, $s2\n mad_u64 $d2, $d2, 4, $d0" if store else ""
    address = "$d2" if store else "$d1"
    return f"""
    kernel k(global u32* %x, u32 %by) {{
        workitemflatabsid_u32 $s1
        ld_kernarg_u32 $s4, [%by]
        ld_kernarg_u64 $d0, [%x]
        {guard}
        {load}
        cvt_u64_u32 $d1, $s2
        mad_u64 $d1, $d1, 4, $d0
        ld_global_u32 $s3, [$d1]
        {second}
        and_u32 $s6, $s3, 1
        cmp_eq_u32 $c0, $s6, 0
        cbr $c0, @end
        add_u32 $s3, $s3, $s1
        st_global_u32 $s3, [{address}]
    @end:
        ret
    }}"""


def is_marked(launch: Launch) -> bool:
    """Whether the code of a launch marks accesses."""
    plan = launch._prepared.kept.get("plan")
    assert plan is not None
    return plan.code.watched_by == WatchedBy.MARKS


PLACES = {
    "neighbours": "mov_u32 $s2, $s1",
    "from the second on": "add_u32 $s2, $s1, 1",
    "backwards": "sub_u32 $s2, 149, $s1",
    "exchanged in pairs": "xor_u32 $s2, $s1, 5",
    "by a number": "add_u32 $s2, $s1, $s4",
    "every other": "shl_u32 $s2, $s1, 1",
    "far apart": "mul_u32 $s2, $s1, 40",
    "spread": "mul_u32 $s2, $s1, 7\n rem_u32 $s2, $s2, 151",
}


@pytest.mark.parametrize("name", PLACES)
def test_places_of_one_work_item_each(name: str) -> None:
    text = kernel(PLACES[name])
    assert engines(text, numbers(150 * 40), 3, widths=WIDTHS) == {"jit"}


def test_the_code_has_marks() -> None:
    (found,) = simtlab.assemble(kernel(PLACES["spread"]))
    launch = found.launch(items=150, group_size=50, stats=True)
    launch(numbers(200), 0)
    assert is_marked(launch)


def test_an_index_may_be_calculated_again_for_a_store() -> None:
    """Its places are those of the load before."""
    text = kernel(PLACES["spread"], PLACES["spread"])
    assert engines(text, numbers(200), 3, widths=(7, 32)) == {"jit"}
    (found,) = simtlab.assemble(text)
    launch = found.launch(items=150, group_size=50, stats=True)
    launch(numbers(200), 0)
    assert is_marked(launch)


@pytest.mark.parametrize("by", [1, 31, 32, 63, 64, 149])
def test_a_load_of_what_another_one_stores_to(by: int) -> None:
    x = np.full(400, 7, np.uint32)
    text = kernel("mov_u32 $s2, $s1", "add_u32 $s2, $s1, $s4")
    assert engines(text, x, by, widths=WIDTHS) <= REFUSED


@pytest.mark.parametrize("by", [150, 160, 200])
def test_a_load_of_what_none_stores_to(by: int) -> None:
    x = np.full(400, 7, np.uint32)
    text = kernel("mov_u32 $s2, $s1", "add_u32 $s2, $s1, $s4")
    assert engines(text, x, by, widths=WIDTHS) == {"jit"}


@pytest.mark.parametrize("shift", [1, 3, 6])
def test_several_that_store_to_one_place(shift: int) -> None:
    text = kernel(f"shr_u32 $s2, $s1, {shift}")
    assert engines(text, np.full(200, 7, np.uint32), 0, widths=(7, 32)) <= REFUSED
    assert engines(text, np.full(200, 8, np.uint32), 0, widths=(7, 32)) == {"jit"}


@pytest.mark.parametrize("place", [0, 64, 149])
def test_one_place_that_all_load(place: int) -> None:
    text = kernel(f"mov_u32 $s2, {place}", "mov_u32 $s2, $s1")
    x = np.full(200, 8, np.uint32)
    assert engines(text, x, 0, widths=(7, 32)) == {"jit"}
    x[place] = 7
    assert engines(text, x, 0, widths=(7, 32)) <= REFUSED


def test_a_place_that_a_work_item_has_by_two_addresses_is_left_to_owners() -> None:
    (found,) = simtlab.assemble(kernel("mov_u32 $s2, $s1", "xor_u32 $s2, $s1, $s4"))
    launch = found.launch(items=150, group_size=50, stats=True)
    result = launch(numbers(200), 0)
    assert result.engine == "jit"
    assert not is_marked(launch)
    text = kernel("mov_u32 $s2, $s1", "xor_u32 $s2, $s1, $s4")
    assert engines(text, numbers(200), 0, widths=WIDTHS) == {"jit"}
    assert engines(text, np.full(200, 7, np.uint32), 4, widths=WIDTHS) <= REFUSED


def test_lanes_that_do_not_run_may_be_outside() -> None:
    guard = "cmp_eq_u32 $c0, $s1, 0\n cbr $c0, @end"
    text = kernel("sub_u32 $s2, $s1, 1", guard=guard)
    assert engines(text, numbers(149), 0, widths=WIDTHS) == {"jit"}


def test_a_second_launch_forgets_the_marks_of_the_first() -> None:
    (found,) = simtlab.assemble(kernel("add_u32 $s2, $s1, $s4"))
    launch = found.launch(items=100, group_size=50, stats=True)
    x = simtlab.Device().to_device(np.full(300, 7, np.uint32))
    for by in (0, 50, 99, 0):
        assert launch(x, by).engine == "jit"
