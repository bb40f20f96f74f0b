"""Launches that take their workgroups upwards and downwards in turns."""

from __future__ import annotations

import numpy as np
import pytest

import simtlab
from simtlab import Device, Trap
from simtlab.emu.analysis.analysis import analyse
from simtlab.emu.analysis.facts import Facts
from simtlab.emu.analysis.workgroup_steps import Rows, Separate, must_be_apart
from simtlab.emu.jit.kernel.workgroups.turns import LEAST_ITEMS, SLICES

from ....support.flows import kernel_of
from ....support.guarded import LOAD_X, guarded, store_y

GROUP = 64
ITEMS = LEAST_ITEMS * (SLICES + 3) + 5

TEXT = guarded(f"""
{LOAD_X}
    cmp_ne_u32 $c0, $s2, 0
    cbr $c0, @good
    trap 3
@good:
    div_u32 $s3, 1000, $s2
{store_y("$s3")}
""")


@pytest.mark.parametrize("bad", [(), (5,), (ITEMS - 1,), (ITEMS // 2, ITEMS - 70), (70, ITEMS - 1)])
def test_each_call_has_the_results_and_the_trap_of_the_lowest(bad: tuple[int, ...]) -> None:
    device = Device()
    x = np.random.default_rng(2).integers(1, 1000, ITEMS, np.uint32)
    x[list(bad)] = 0
    launch = simtlab.assemble(TEXT)["k"].launch(items=ITEMS, group_size=GROUP, threads=1)
    given, y = device.to_device(x), device.zeros(ITEMS, np.uint32)
    for _ in range(4):
        if not bad:
            launch(ITEMS, given, y)
            np.testing.assert_array_equal(y.to_host(), 1000 // x)
            y.copy_from(np.zeros(ITEMS, np.uint32))
            continue
        with pytest.raises(Trap) as trap:
            launch(ITEMS, given, y)
        record = trap.value.record
        assert record.group * GROUP + record.local == bad[0]
        below = bad[0] // GROUP * GROUP
        np.testing.assert_array_equal(y.to_host()[:below], 1000 // x[:below])


HEAD = """workitemabsid_u32 $s0, 0
    cvt_u64_u32 $d0, $s0
    ld_kernarg_u64 $d1, [%x]
    ld_kernarg_u64 $d2, [%y]
    mad_u64 $d3, $d0, 4, $d1
    mad_u64 $d4, $d0, 4, $d2
"""

BODIES = {
    "its own place": ("ld_global_u32 $s1, [$d3]\n st_global_u32 $s1, [$d4]", True),
    "neighbours of another array": (
        "ld_global_u32 $s1, [$d3+4]\n ld_global_u32 $s2, [$d3-4]\n st_global_u32 $s1, [$d4]",
        True,
    ),
    "the array that is stored to": ("ld_global_u32 $s1, [$d4+4]\n st_global_u32 $s1, [$d4]", False),
    "records": (
        "shl_u32 $s1, $s0, 3\n cvt_u64_u32 $d5, $s1\n add_u64 $d5, $d5, $d2\n"
        "st_global_u32 $s0, [$d5]\n st_global_u32 $s0, [$d5+4]",
        True,
    ),
    "its place and the next": ("st_global_u32 $s0, [$d4]\n st_global_u32 $s0, [$d4+4]", False),
    "one place": ("st_global_u32 $s0, [$d2]", False),
    "a place that is loaded": (
        "ld_global_u32 $s1, [$d3]\n cvt_u64_u32 $d5, $s1\n add_u64 $d5, $d5, $d2\n"
        "st_global_u32 $s0, [$d5]",
        False,
    ),
    "every other word, twice": (
        "shr_u32 $s1, $s0, 1\n cvt_u64_u32 $d5, $s1\n mad_u64 $d5, $d5, 4, $d2\n"
        "st_global_u32 $s0, [$d5]",
        False,
    ),
    "a counter": ("atomic_add_global_u32 [$d2], $s0", False),
    "its place and the next, in a loop": (
        "mov_u32 $s1, 0\n @next:\n st_global_u32 $s0, [$d4]\n add_u64 $d4, $d4, 4\n"
        "add_u32 $s1, $s1, 1\n cmp_lt_u32 $c0, $s1, 2\n cbr $c0, @next",
        False,
    ),
    "no place": ("ld_global_u32 $s1, [$d3]", False),
}


@pytest.mark.parametrize("body", BODIES)
def test_turns_are_for_kernels_whose_order_does_not_show(body: str) -> None:
    text, expected = BODIES[body]
    kernel = kernel_of(HEAD + text, "global u32* %x, global u32* %y")
    found = must_be_apart(analyse(kernel).shapes(Facts(32, (64, 1, 1), True)))
    assert (found is not None) is expected


def test_arrays_must_be_apart() -> None:
    kernel = kernel_of(HEAD + BODIES["its own place"][0], "global u32* %x, global u32* %y")
    found = must_be_apart(analyse(kernel).shapes(Facts(32, (64, 1, 1), True)))
    assert found is not None
    assert found.arrays == (Separate(8, 0, 4),)
    assert found.rows == (Rows(4, {}, {}),)


def test_one_array_under_two_pointers_has_the_same_results_each_time() -> None:
    """Each work-item stores what it loads from the next one's place, which is a race."""
    text = TEXT.replace("ld_global_u32 $s2, [$d1]", "ld_global_u32 $s2, [$d1+4]")
    launch = simtlab.assemble(text)["k"].launch(items=ITEMS, group_size=GROUP, threads=1)
    device = Device()
    x = np.random.default_rng(2).integers(1, 1000, ITEMS + 1, np.uint32)
    both, found = device.to_device(x), []
    for _ in range(5):
        both.copy_from(x)
        launch(ITEMS, both, both)
        found.append(both.to_host())
    for other in found[1:]:
        np.testing.assert_array_equal(other, found[0])


GRID = """
kernel k(u32 %down, u32 %deep, global u32* %y) {
    workitemabsid_u32 $s0, 0
    workitemabsid_u32 $s1, 1
    workitemabsid_u32 $s2, 2
    ld_kernarg_u32 $s3, [%down]
    ld_kernarg_u32 $s4, [%deep]
    mad_u32 $s0, $s1, $s3, $s0
    mad_u32 $s0, $s2, $s4, $s0
    cvt_u64_u32 $d0, $s0
    ld_kernarg_u64 $d1, [%y]
    mad_u64 $d1, $d0, 4, $d1
    mad_u32 $s1, $s2, 64, $s1
    st_global_u32 $s1, [$d1]
    ret
}
"""

WIDE = 1 << 14


@pytest.mark.parametrize("group", [(64, 1, 1), (16, 2, 2)])
@pytest.mark.parametrize(
    ("rows", "planes", "down", "deep"),
    [
        (12, 1, 0, 0),  # all rows store to the same places
        (12, 1, WIDE - 1, 0),
        (12, 1, WIDE, 0),
        (1, 12, 0, WIDE // 2),
        (4, 4, WIDE, 3 * WIDE),  # the last row of a plane is the first one of the next
        (4, 4, WIDE, 4 * WIDE),
        (4, 4, 4 * WIDE, WIDE),  # rows of all planes in turn
    ],
)
def test_rows_of_one_place_have_the_same_results_each_time(
    group: tuple[int, int, int], rows: int, planes: int, down: int, deep: int
) -> None:
    """Where several rows store to a place, which is a race, the same one is the last."""
    launch = simtlab.assemble(GRID)["k"].launch(
        items=(WIDE, rows, planes), group_size=group, threads=1
    )
    device, found = Device(), []
    y = device.zeros(WIDE * 64, np.uint32)
    for _ in range(4):
        y.copy_from(np.zeros(WIDE * 64, np.uint32))
        launch(down, deep, y)
        found.append(y.to_host())
    for other in found[1:]:
        np.testing.assert_array_equal(other, found[0])
