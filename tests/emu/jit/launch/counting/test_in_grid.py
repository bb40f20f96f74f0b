"""Counts of launches whose work-items have elements by their numbers in a grid."""

from __future__ import annotations

import numpy as np
import pytest

import simtlab
from simtlab.emu.analysis.counting.independence import reliance_of

from .....quick import some
from ....support.counts import ORDER, WIDTHS, both

SOFT = """
kernel k(u32 %w, u32 %h, u32 %pitch, u32 %step, global u8* %image) {
    workitemabsid_u32 $s0, 0
    workitemabsid_u32 $s1, 1
    ld_kernarg_u32 $s2, [%w]
    ld_kernarg_u32 $s3, [%h]
    cmp_ge_u32 $c0, $s0, $s2
    cmp_ge_u32 $c1, $s1, $s3
    or_b1 $c0, $c0, $c1
    cbr $c0, @end
    ld_kernarg_u32 $s4, [%pitch]
    ld_kernarg_u32 $s5, [%step]
    ld_kernarg_u64 $d0, [%image]
    mul_u32 $s6, $s0, $s5
    mad_u32 $s6, $s1, $s4, $s6
    cvt_u64_u32 $d1, $s6
    add_u64 $d1, $d1, $d0
    ld_global_u8 $s7, [$d1]
    ld_global_u8 $s8, [$d1+1]
@less:
    cmp_le_u32 $c0, $s7, $s8
    cbr $c0, @done
    sub_u32 $s7, $s7, 5
    cmp_lt_s32 $c1, $s7, 3
    cbr $c1, @done
    add_u32 $s8, $s8, 1
    br @less
@done:
    st_global_u8 $s8, [$d1+1]
    and_u32 $s8, $s8, 3
    cmp_eq_u32 $c0, $s8, 0
    cbr $c0, @end
    st_global_u8 $s7, [$d1]
@end:
    ret
}"""
"""Pairs of bytes, `step` apart, in rows `pitch` apart: branches depend on what is stored."""


def image() -> np.ndarray:
    """Return bytes."""
    return np.random.default_rng(3).integers(0, 256, 12_000).astype(np.uint8)


def run(numbers: tuple[int, int, int, int], width: int) -> tuple[str, bool]:
    """Compare with the interpreter; return what has counted, and whether places were watched."""
    kernel = simtlab.assemble(SOFT)["k"]
    launch = kernel.launch(groups=(5, 4), group_size=(16, 4), warp=width, stats=True)
    arguments = *map(np.uint32, numbers), image()
    by = both(launch, arguments)[2]
    again = kernel.launch(groups=(5, 4), group_size=(16, 4), warp=width, stats=True)
    again(*arguments)
    plan = again._prepared.kept.get("plan")
    assert plan is not None
    return by, plan.facts.watches


@pytest.mark.parametrize("width", some(WIDTHS, 3, 1))
@pytest.mark.parametrize(
    "numbers",
    [
        (70, 13, 140, 2),
        (70, 13, 139 + 2, 2),
        (1, 16, 2, 0),  # one column: its step does not matter
        (70, 1, 0, 2),  # one row
        (80, 16, 160, 2),
    ],
)
def test_elements_that_are_apart_are_not_watched(
    numbers: tuple[int, int, int, int], width: int
) -> None:
    relied = reliance_of(simtlab.assemble(SOFT)["k"].kernel, (16, 4, 1))
    assert relied is not None
    assert not relied.watched
    assert run(numbers, width) == ("jit", False)


@pytest.mark.parametrize("width", some(WIDTHS, 3, 1))
@pytest.mark.parametrize(
    "numbers",
    [
        (70, 13, 139, 2),  # the last byte of a row is the first one of the next
        (70, 13, 140, 1),
        (70, 13, 0, 2),
        (2, 13, 140, 0),
    ],
)
def test_elements_that_meet_are_counted_in_order(
    numbers: tuple[int, int, int, int], width: int
) -> None:
    assert run(numbers, width) == (ORDER, True)


def test_elements_in_columns_are_watched_and_pass() -> None:
    """Steps are expected to ascend with the dimension, or to be constants before arguments."""
    by, watches = run((16, 16, 2, 40), 32)
    assert (by, watches) == ("jit", True)


def test_a_grid_without_columns_is_watched_and_passes() -> None:
    """No number is less than 0: the greatest one that may be is not known."""
    assert run((0, 13, 140, 2), 32) == ("jit", True)


def test_a_launch_in_a_loop_is_refused_once_and_counted() -> None:
    """Short launches are refused before anything has run, as long ones are."""
    kernel = simtlab.assemble(SOFT)["k"]
    launch = kernel.launch(groups=(5, 4), group_size=(16, 4), stats=True)
    expected = kernel.launch(groups=(5, 4), group_size=(16, 4), stats=True, engine="interp")
    device = simtlab.Device()
    for pitch in (140, 140, 140, 139, 140, 139, 139):
        pixels = [device.to_device(image()) for _ in range(2)]
        results = [
            one(np.uint32(70), np.uint32(13), np.uint32(pitch), np.uint32(2), array)
            for one, array in zip((launch, expected), pixels, strict=True)
        ]
        have_pixels, want_pixels = (array.to_host() for array in pixels)
        np.testing.assert_array_equal(have_pixels, want_pixels)
        have, want = (result.statistics for result in results)
        assert have is not None
        assert want is not None
        assert have.to_dict() == want.to_dict()
