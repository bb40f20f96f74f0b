"""Bounds of values, and loops whose iterations can be counted."""

from __future__ import annotations

import pytest

from simtlab.emu.analysis.facts import Facts
from simtlab.emu.analysis.ranges.offset_ranges import Ranges
from simtlab.emu.analysis.ranges.range_arithmetic import ANY, Range
from simtlab.emu.analysis.values.ssa import Value

from ...support.flows import shapes_of, stored

LINE = Facts(32, (64, 1, 1), True)
TILE = Facts(32, (16, 16, 1), True)
HEAD = """
    ld_kernarg_u64 $d0, [%x]
    ld_kernarg_u32 $s9, [%n]
    workitemid_u32 $s0, 0
    workitemid_u32 $s7, 1
"""
STORE = "st_global_u32 $s1, [$d0]\n"


def ranges_of(lines: str, facts: Facts = LINE) -> tuple[Ranges, Value, int]:
    """The ranges of a kernel, what it stores, and the node of that."""
    store = "" if STORE in lines else STORE
    shapes = shapes_of(f"{HEAD} {lines}\n {store}", facts)
    node = next(n for n, ops in shapes.ssa.ops.items() for op in ops if op.ins.row.stem == "st")
    return Ranges(shapes), stored(shapes.ssa), node


def range_of(lines: str, facts: Facts = LINE) -> tuple[int, int, int]:
    ranges, value, node = ranges_of(lines, facts)
    found = ranges.of(value, node)
    return found.low, found.high, found.multiple


def firsts_of(lines: str, facts: Facts = LINE) -> tuple[int, int, int]:
    ranges, value, node = ranges_of(lines, facts)
    found = ranges.of_firsts(value, node)
    return found.low, found.high, found.multiple


NOTHING = (ANY.low, ANY.high, ANY.multiple)

LANES = {
    "mov_u32 $s1, 40": (40, 40, 8),
    "mov_u32 $s1, $s9": NOTHING,
    "mov_u32 $s1, $s0": (0, 63, 1),
    "shl_u32 $s1, $s0, 2": (0, 252, 4),
    "mul_u32 $s1, $s0, 12": (0, 756, 4),
    "mov_u32 $s2, 4\n mad_u32 $s1, $s0, 8, $s2": (4, 508, 4),
    "add_u32 $s1, $s0, $s9": NOTHING,
    "sub_u32 $s1, 63, $s0": (0, 63, 1),
    "sub_u32 $s1, $s0, 1": NOTHING,
    "and_u32 $s1, $s9, 28": (0, 28, 4),
    "and_u32 $s1, $s9, -4": (0, 0xFFFFFFFC, 4),
    "shr_u32 $s1, $s9, 28": (0, 15, 1),
    "shr_s32 $s1, $s9, 28": NOTHING,
    "rem_u32 $s1, $s9, 10": (0, 9, 1),
    "rem_s32 $s1, $s9, 10": NOTHING,
    "min_u32 $s1, $s9, 7": (0, 7, 1),
    "min_s32 $s1, $s9, 7": NOTHING,
    "max_s32 $s1, $s9, 0\n min_s32 $s1, $s1, 7": (0, 7, 1),
    "xor_u32 $s1, $s0, 64": (0, 127, 1),
    "or_u32 $s1, $s0, 64": (64, 127, 1),
    "div_u32 $s1, $s0, 4": (0, 15, 1),
    "bitextract_u32 $s1, $s9, 24, 8": (0, 255, 1),
    "bitextract_u32 $s2, $s9, 3, 5\n shl_u32 $s1, $s2, 2": (0, 124, 4),
    "bitextract_s32 $s1, $s9, 24, 8": NOTHING,
    "cvt_u32_u8 $s1, $s9": (0, 255, 1),
    "cvt_s32_u16 $s1, $s9": (0, 65535, 1),
    "cvt_u32_s8 $s1, $s9": NOTHING,
    "cvt_u32_f32 $s1, $s9": NOTHING,
    "ld_group_u8 $s1, [$s9]": (0, 255, 1),
    "ld_group_s8 $s1, [$s9]": NOTHING,
    "mul_u32 $s1, $s0, 0x10000000": (0, 0xFFFFFFFF, 1 << 28),
    "add_u32 $s1, $s0, 0xfffffff0\n add_u32 $s1, $s1, 16": NOTHING,
}


@pytest.mark.parametrize("lines", LANES)
def test_arithmetic_has_the_range_that_follows(lines: str) -> None:
    assert range_of(lines) == LANES[lines]


BRANCH = "cmp_{test} $c0, $s9, {bound}\n cbr $c0, @end\n mov_u32 $s1, $s9\n {store}@end:\n"


@pytest.mark.parametrize(
    ("test", "bound", "expected"),
    [
        ("ge_u32", 16, (0, 15, 1)),
        ("gt_u32", 16, (0, 16, 1)),
        ("lt_u32", 16, (16, 0xFFFFFFFF, 1)),
        ("ne_u32", 12, (12, 12, 1)),
        ("eq_u32", 12, NOTHING),
        ("lt_s32", 16, (16, 0x7FFFFFFF, 1)),
        ("ge_s32", 16, NOTHING),
        ("ge_u32", "$s0", (0, 62, 1)),
    ],
)
def test_a_branch_bounds_what_it_compares(test: str, bound: object, expected: tuple) -> None:
    assert range_of(BRANCH.format(test=test, bound=bound, store=STORE)) == expected


DIFFERENCE = "cmp_{test} $c0, {compared}\n cbr $c0, @end\n sub_u32 $s1, $s0, $s9\n {store}@end:\n"


@pytest.mark.parametrize(
    ("test", "compared", "expected"),
    [
        ("lt_u32", "$s0, $s9", (0, 63, 1)),
        ("gt_u32", "$s9, $s0", (0, 63, 1)),
        ("le_u32", "$s0, $s9", (0, 63, 1)),
        ("ne_u32", "$s0, $s9", (0, 63, 1)),
        ("ge_u32", "$s0, $s9", NOTHING),
        ("lt_s32", "$s0, $s9", NOTHING),
    ],
)
def test_a_branch_shows_that_a_difference_does_not_wrap_around(
    test: str, compared: str, expected: tuple
) -> None:
    lines = DIFFERENCE.format(test=test, compared=compared, store=STORE)
    assert range_of(lines) == expected
    assert firsts_of(lines) == NOTHING


def test_numbers_that_are_not_negative_may_be_compared_with_a_sign() -> None:
    lines = DIFFERENCE.format(test="lt_s32", compared="$s0, $s9", store=STORE)
    assert range_of(f"and_u32 $s9, $s9, 31\n {lines}") == (0, 63, 1)


def test_after_the_branch_joins_again_nothing_is_known() -> None:
    lines = "cmp_ge_u32 $c0, $s9, 16\n cbr $c0, @end\n nop\n@end:\n mov_u32 $s1, $s9"
    assert range_of(lines) == NOTHING


def test_a_branch_of_some_lanes_says_nothing_about_lane_0() -> None:
    lines = "cmp_lt_u32 $c0, $s0, 8\n cbr $c0, @end\n sub_u32 $s1, $s0, 8\n {store}@end:\n"
    assert range_of(lines.format(store=STORE)) == (0, 55, 1)
    assert firsts_of(lines.format(store=STORE)) == (0, 0xFFFFFFFF, 8)


def test_a_branch_that_all_lanes_agree_about_does() -> None:
    lines = BRANCH.format(test="ge_u32", bound=16, store=STORE)
    assert firsts_of(lines) == (0, 15, 1)
    with_lanes = lines.replace("mov_u32 $s1, $s9", "add_u32 $s1, $s0, $s9")
    assert firsts_of(with_lanes) == (0, 47, 1)


def test_firsts_are_those_of_warps_or_pieces() -> None:
    assert firsts_of("shl_u32 $s1, $s0, 2") == (0, 128, 128)
    assert firsts_of("mad_u32 $s1, $s7, 16, $s0", TILE) == (0, 240, 16)
    assert firsts_of("mad_u32 $s1, $s0, 16, $s7", TILE) == (0, 15, 1)
    ragged = Facts(32, (100, 1, 1), False)
    assert firsts_of("mov_u32 $s1, $s0", ragged) == (0, 96, 32)
    assert firsts_of("mov_u32 $s1, $s0", Facts(32, (16, 16, 1), False)) == NOTHING


LOOP = "mov_u32 $s1, {begin}\n@top:\n {store} {step}\n {test}\n cbr $c0, @top\n"


@pytest.mark.parametrize(
    ("begin", "step", "test", "expected", "returns"),
    [
        (0, "add_u32 $s1, $s1, 1", "cmp_lt_u32 $c0, $s1, 16", (0, 15, 1), 15),
        (0, "add_u32 $s1, $s1, 4", "cmp_lt_s32 $c0, $s1, 64", (0, 60, 4), 15),
        (0, "add_u32 $s1, $s1, 4", "cmp_ne_u32 $c0, $s1, 64", (0, 60, 4), 15),
        (64, "shr_u32 $s1, $s1, 1", "cmp_ne_u32 $c0, $s1, 0", (1, 64, 1), 6),
        (1, "shl_u32 $s1, $s1, 1", "cmp_le_u32 $c0, $s1, 64", (1, 64, 1), 6),
        (64, "div_u32 $s1, $s1, 2", "cmp_ne_u32 $c0, $s1, 0", (1, 64, 1), 6),
        (-9, "div_s32 $s1, $s1, -2", "cmp_ne_s32 $c0, $s1, 0", (1, 0xFFFFFFFE, 1), 3),
        (-9, "rem_s32 $s1, $s1, 5", "cmp_gt_s32 $c0, $s1, 0", (0xFFFFFFF7, 0xFFFFFFF7, 1), 0),
        (8, "sub_u32 $s1, $s1, 1", "cmp_gt_s32 $c0, $s1, -3", (0, 0xFFFFFFFF, 1), 10),
        (5, "add_u32 $s1, $s1, 1", "cmp_lt_u32 $c0, $s1, 2", (5, 5, 1), 0),
    ],
)
def test_a_counted_loop_bounds_its_counter(
    begin: int, step: str, test: str, expected: tuple, returns: int
) -> None:
    ranges, _, node = ranges_of(LOOP.format(begin=begin, step=step, test=test, store=STORE))
    (phi,) = (p for phis in ranges.ssa.phis.values() for p in phis)
    found: Range = ranges.of(phi, node)
    assert (found.low, found.high, found.multiple) == expected
    (trips,) = ranges.trips.values()
    assert trips.returns == returns


@pytest.mark.parametrize(
    ("begin", "step", "test"),
    [
        ("$s9", "add_u32 $s1, $s1, 1", "cmp_lt_u32 $c0, $s1, 16"),
        ("0", "add_u32 $s1, $s1, $s9", "cmp_lt_u32 $c0, $s1, 16"),
        ("0", "add_u32 $s1, $s1, 1", "cmp_lt_u32 $c0, $s1, $s9"),
        ("0", "add_u32 $s1, $s1, 1", "cmp_lt_u32 $c0, $s1, 5000"),
        ("0", "add_u32 $s1, $s1, 2", "cmp_ne_u32 $c0, $s1, 15"),
        ("64", "div_u32 $s1, $s1, $s9", "cmp_ne_u32 $c0, $s1, 0"),
        ("64", "div_u32 $s1, $s1, 0", "cmp_ne_u32 $c0, $s1, 0"),
    ],
)
def test_other_loops_are_not_counted(begin: str, step: str, test: str) -> None:
    ranges, _, _ = ranges_of(LOOP.format(begin=begin, step=step, test=test, store=STORE))
    assert not ranges.trips


def test_a_loop_with_another_counter_bound_keeps_it_in_bounds_by_its_test() -> None:
    lines = LOOP.format(
        begin="0", step="add_u32 $s1, $s1, 1", test="cmp_lt_u32 $c0, $s1, 5000", store=STORE
    )
    ranges, _, node = ranges_of(lines)
    (phi,) = (p for phis in ranges.ssa.phis.values() for p in phis)
    assert (ranges.of(phi, node).low, ranges.of(phi, node).high) == (0, 4999)
