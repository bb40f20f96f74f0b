"""Work-items that change elements of their own number, of a buffer on which branches depend."""

from __future__ import annotations

import numpy as np
import pytest

import simtlab
from simtlab.emu.analysis.counting.independence import reliance_of

from ...support.counts import ORDER, WIDTHS, assert_equal, both, counted_by

IN_PLACE = """
kernel k(global u32* %x, global u32* %y) {{
    {number}
    cvt_u64_u32 $d0, $s0
    ld_kernarg_u64 $d1, [%x]
    mad_u64 $d1, $d0, {step}, $d1
    ld_global_u32 $s1, [$d1+4]
@loop:
    cmp_lt_u32 $c0, $s1, 40
    cbr $c0, @end
    sub_u32 $s1, $s1, 7
    st_global_u32 $s1, [$d1+4]
    br @loop
@end:
    {more}
    st_global_u32 $s1, [$d1]
    ret
}}
"""
FLAT, FIRST = "workitemflatabsid_u32 $s0", "workitemabsid_u32 $s0, 0"
OTHER = "ld_kernarg_u64 $d2, [%y]\n st_global_u32 $s1, [$d2]"


@pytest.mark.parametrize(
    ("number", "step", "more", "watched"),
    [
        (FLAT, 8, "", False),
        (FIRST, 8, "", False),
        (FIRST, 4, "", True),
        (FIRST, 8, OTHER, False),
        ("workitemid_u32 $s0, 0", 8, "", True),
    ],
)
def test_they_are_watched_unless_they_are_apart(
    number: str, step: int, more: str, *, watched: bool
) -> None:
    (kernel,) = simtlab.assemble(IN_PLACE.format(number=number, step=step, more=more))
    relied = reliance_of(kernel.kernel, (64, 1, 1))
    assert relied is not None
    assert bool(relied.watched) is watched


@pytest.mark.parametrize(
    ("number", "rows", "by"), [(FLAT, 2, "jit"), (FIRST, 1, "jit"), (FIRST, 2, ORDER)]
)
def test_counts_are_those_of_the_interpreter(number: str, rows: int, by: str) -> None:
    """In a grid of two rows, two work-items have the same number in the first dimension."""
    (kernel,) = simtlab.assemble(IN_PLACE.format(number=number, step=8, more=""))
    x = np.random.default_rng(4).integers(0, 99, 800).astype(np.uint32)
    launch = kernel.launch(groups=(3, rows), group_size=(64, 1))
    assert both(launch, (x, np.zeros(1, np.uint32)))[2] == by


SEVERAL = """
kernel k(global u32* %x, global u32* %y, global u32* %sum, u32 %by) {
    workitemabsid_u32 $s0, 0
    cvt_u64_u32 $d0, $s0
    ld_kernarg_u64 $d1, [%x]
    mad_u64 $d1, $d0, 4, $d1
    ld_kernarg_u64 $d2, [%y]
    mad_u64 $d2, $d0, 4, $d2
    ld_kernarg_u64 $d3, [%sum]
    ld_kernarg_u32 $s4, [%by]
    cvt_u64_u32 $d4, $s4
    add_u64 $d3, $d3, $d4
    ld_global_u32 $s1, [$d1]
    ld_global_u32 $s2, [$d2]
@loop:
    and_u32 $s3, $s2, 3
    cmp_eq_u32 $c0, $s3, 0
    cbr $c0, @end
    sub_u32 $s2, $s2, 1
    st_global_u32 $s2, [$d2]
    add_u32 $s1, $s1, 1
    st_global_u32 $s1, [$d1]
    atomic_add_global_u32 [$d3], $s1
    cmp_lt_u32 $c0, $s1, 90
    cbr $c0, @loop
@end:
    ret
}
"""
"""Branches depend on x and on y; `by` bytes after `sum` is a place to which all add."""


def _counted_by(*, width: int = 32, same: bool = False, leaves: bool = False) -> str:
    """Run it and compare with the interpreter; return what counted.

    x and y may be the `same` buffer, and the sum may be an element of y, by a pointer that `leaves`
    its buffer.
    """
    (kernel,) = simtlab.assemble(SEVERAL)
    found = []
    for engine in ("jit", "interp"):
        device, rng = simtlab.Device(), np.random.default_rng(3)
        total, x, y = (device.to_device(rng.integers(0, 99, 150).astype(np.uint32)) for _ in "abc")
        by = y.buffer.base - total.buffer.base if leaves else 0
        assert 0 <= by < 1 << 32
        launch = kernel.launch(items=150, group_size=64, engine=engine, stats=True, warp=width)
        result, by_whom = counted_by(launch, y if same else x, y, total, by)
        found.append((result.statistics, by_whom, [array.to_host() for array in (total, x, y)]))
    (native, engine, have), (expected, _, want) = found
    assert_equal(native, expected)
    for a, b in zip(have, want, strict=True):
        np.testing.assert_array_equal(a, b)
    return engine


@pytest.mark.parametrize("width", WIDTHS)
def test_elements_of_several_buffers_beside_atomics(width: int) -> None:
    (kernel,) = simtlab.assemble(SEVERAL)
    relied = reliance_of(kernel.kernel, (64, 1, 1))
    assert relied is not None
    assert relied.owned == {0, 1}
    assert not relied.watched
    assert _counted_by(width=width) == "jit"


def test_elements_of_one_buffer_by_two_parameters() -> None:
    assert _counted_by(same=True) == ORDER


def test_an_atomic_that_leaves_its_buffer_for_elements() -> None:
    assert _counted_by(leaves=True) == ORDER
