"""Counts of kernels whose branches depend on what the launch itself stores to global memory.

Native code watches such accesses: where two work-items would meet at a place that one of them
stores to, the interpreter counts. Either way the counts and memory are the interpreter's.
"""

from __future__ import annotations

import numpy as np
import pytest

import simtlab
from simtlab.emu.jit.kernel.memory.watched.owners import NUMBER
from simtlab.emu.jit.launch.counting.owners import _SPARE

from ....support.counts import ORDER, REFUSED, WIDTHS, assert_equal, counted_by, engines, run
from ....support.owned_places import OWN, in_global, numbers


@pytest.mark.parametrize("type_", ["u8", "u16", "u32", "u64"])
@pytest.mark.parametrize(
    "element",
    [
        OWN,
        "shl_u32 $s2, $s1, 1",
        "xor_u32 $s2, $s1, 1",
        "mul_u32 $s2, $s1, 7\n rem_u32 $s2, $s2, 151",
    ],
    ids=["neighbours", "every other", "pairs", "shuffled"],
)
def test_updates_of_own_elements_are_counted(element: str, type_: str) -> None:
    text = in_global(element, "", type_)
    assert engines(text, numbers(400, f"u{int(type_[1:]) // 8}"), 0, widths=WIDTHS) == {"jit"}


def test_places_that_all_load_and_none_stores_to() -> None:
    text = in_global("mov_u32 $s2, 0", "add_u32 $s2, $s1, 1")
    x = numbers(200)
    x[0] = 7
    assert engines(text, x, 0, widths=WIDTHS) == {"jit"}


@pytest.mark.parametrize("place", [0, 3, 149])
def test_a_place_that_all_load_and_one_stores_to(place: int) -> None:
    x = np.full(200, 7, np.uint32)
    text = in_global(f"mov_u32 $s2, {place}", OWN)
    assert engines(text, x, 0, widths=WIDTHS) <= REFUSED


@pytest.mark.parametrize("by", [1, 7, 49, 100])
def test_loads_of_what_another_work_item_stores_to(by: int) -> None:
    text = in_global("add_u32 $s2, $s1, $s4", OWN)
    assert engines(text, np.full(400, 7, np.uint32), by, widths=WIDTHS) <= REFUSED


@pytest.mark.parametrize("shift", [1, 5, 7])
def test_several_stores_to_one_place(shift: int) -> None:
    x = np.full(400, 7, np.uint32)
    text = in_global("add_u32 $s2, $s1, 200", f"shr_u32 $s2, $s1, {shift}")
    assert engines(text, x, 0, widths=WIDTHS) <= REFUSED


def test_elements_of_which_parts_are_loaded() -> None:
    """A place is as large as the smallest access: a store of two words meets a load of one."""
    text = """
    kernel k(global u32* %x, u32 %apart) {
        workitemflatabsid_u32 $s1
        ld_kernarg_u64 $d0, [%x]
        cvt_u64_u32 $d1, $s1
        mad_u64 $d1, $d1, 8, $d0
        ld_kernarg_u32 $s2, [%apart]
        cvt_u64_u32 $d2, $s2
        add_u64 $d2, $d1, $d2
        ld_global_u32 $s3, [$d2]
        cmp_lt_u32 $c0, $s3, 100
        cbr $c0, @end
        cvt_u64_u32 $d3, $s1
        st_global_u64 $d3, [$d1]
    @end:
        ret
    }"""
    x = numbers(400)
    assert engines(text, x, 0) == {"jit"}
    assert engines(text, x, 4) == {"jit"}
    assert engines(text, np.full(400, 120, np.uint32), 8) <= REFUSED


def test_a_launch_that_is_repeated_forgets_who_had_a_place() -> None:
    (kernel,) = simtlab.assemble(in_global("add_u32 $s2, $s1, $s4", ""))
    launch = kernel.launch(items=64, group_size=32, engine="jit", stats=True)
    x = numbers(200)
    assert {launch(x, by).engine for by in (0, 1, 0, 64, 3)} == {"jit"}


@pytest.mark.parametrize("left", [0, 1, 63, 64, 65, 129, 1000])
def test_numbers_of_owners_begin_again_when_they_are_used_up(left: int) -> None:
    (kernel,) = simtlab.assemble(in_global("add_u32 $s2, $s1, $s4", OWN))
    launch = kernel.launch(items=64, group_size=32, engine="jit", stats=True)
    # Marks are given up: each work-item has its place by two addresses.
    assert launch(np.full(200, 7, np.uint32), 0).engine == "jit"
    array = _SPARE.take(0)
    array.next = NUMBER - left
    _SPARE.give(array)
    who = [counted_by(launch, np.full(200, 7, np.uint32), by)[1] for by in (100, 70, 1, 0)]
    assert who[:2] == ["jit", "jit"]
    assert who[2] in REFUSED
    assert array.next < 1000 or left == 1000


THROUGH_OWNED = """
kernel k(global u32* %x, global u32* %y, u32 %by) {
        workitemflatabsid_u32 $s1
        ld_kernarg_u32 $s4, [%by]
        add_u32 $s4, $s4, $s1
        cvt_u64_u32 $d0, $s1
        cvt_u64_u32 $d4, $s4
        ld_kernarg_u64 $d1, [%x]
        mad_u64 $d2, $d4, 4, $d1
        ld_global_u32 $s2, [$d2]
        ld_kernarg_u64 $d3, [%y]
        mad_u64 $d3, $d0, 4, $d3
        st_global_u32 $s2, [$d3]
        mad_u64 $d5, $d0, 4, $d1
        st_global_u32 $s1, [$d5]
        ld_global_u32 $s3, [$d3]
        and_u32 $s5, $s3, 7
    @loop:
        cmp_eq_u32 $c0, $s5, 0
        cbr $c0, @end
        sub_u32 $s5, $s5, 1
        br @loop
    @end:
        ret
}"""


@pytest.mark.parametrize(("by", "engine"), [(0, "jit"), (1, ORDER), (150, "jit")])
def test_what_is_stored_to_owned_places_decides_as_well(by: int, engine: str) -> None:
    """The loop depends on y, and y on x: both are watched."""
    x, y = numbers(400), np.zeros(150, np.uint32)
    assert engines(THROUGH_OWNED, x, y, by, widths=WIDTHS) == {engine}


def test_a_store_that_leaves_its_buffer_for_an_owned_one() -> None:
    """The pointer of y reaches x, whose elements decide."""
    text = in_global(OWN, "").replace(
        "kernel k(global u32* %x, u32 %by)", "kernel k(global u32* %x, global u32* %y, u32 %by)"
    )
    text = text.replace(
        "ret",
        """ld_kernarg_u64 $d6, [%y]
        add_u32 $s7, $s1, $s4
        cvt_u64_u32 $d7, $s7
        mad_u64 $d6, $d7, 4, $d6
        st_global_u32 $s1, [$d6]
        ret""",
    )
    (kernel,) = simtlab.assemble(text)
    for inside in (True, False):
        found = []
        for engine in ("jit", "interp"):
            device = simtlab.Device()
            x, y = device.to_device(numbers(64)), device.to_device(np.zeros(64, np.uint32))
            by = 0 if inside else (x.buffer.base - y.buffer.base) // 4 % (1 << 32)
            if by >= 1 << 31:
                x, y = y, x
                by = (x.buffer.base - y.buffer.base) // 4
            launch = kernel.launch(items=64, group_size=64, engine=engine, stats=True)
            found.append((*counted_by(launch, x, y, by), x.to_host(), y.to_host()))
        (native, who, *have), (expected, _, *want) = found
        assert who == ("jit" if inside else ORDER)
        assert_equal(native.statistics, expected.statistics)
        for a, b in zip(have, want, strict=True):
            np.testing.assert_array_equal(a, b)


def test_several_threads_count_with_one() -> None:
    (kernel,) = simtlab.assemble(in_global("xor_u32 $s2, $s1, 1", ""))
    x = numbers(40_000)
    launches = [
        kernel.launch(items=40_000, group_size=50, engine=e, threads=t, stats=True)
        for e, t in (("jit", 4), ("interp", 1))
    ]
    native, expected = (launch(x.copy(), 0) for launch in launches)
    assert native.engine == "jit"
    assert_equal(native.statistics, expected.statistics)


def test_atomics_that_decide_are_left_to_the_interpreter() -> None:
    text = in_global(OWN, "").replace(
        "ld_global_u32 $s3, [$d1]", "mov_u32 $s7, 1\n atomic_add_global_u32 $s3, [$d1], $s7"
    )
    assert engines(text, numbers(200), 0) == {ORDER}


def test_a_trap_is_that_of_the_interpreter() -> None:
    (kernel,) = simtlab.assemble(in_global("add_u32 $s2, $s1, $s4", ""))
    records, left = [], []
    for engine in ("jit", "interp"):
        x = numbers(100)
        launch = kernel.launch(items=64, group_size=64, engine=engine, stats=True)
        with pytest.raises(simtlab.SimtError) as caught:
            launch(x, 50)
        records.append(caught.value.record.key)  # type: ignore[attr-defined]
        left.append(x)
    assert records[0] == records[1]
    np.testing.assert_array_equal(*left)


@pytest.mark.parametrize("name", ["basics/bitonic", "ppc/floydwarshall", "lwm/kmeans"])
def test_programs(name: str) -> None:
    native, by = run(name, "jit", 32)
    assert by == {"jit"}
    assert_equal(native, run(name, "interp", 32)[0])
