"""Ranges of floats, and which NaNs a value may be."""

from __future__ import annotations

from math import inf

import pytest

from simtlab.emu.analysis.ranges.float_ranges import FloatRange, FloatRanges, Nan
from simtlab.emu.analysis.ranges.memory_pieces import pieces_of, stored_values

from ...support.flows import op_of, ssa_of, stored

HEAD = """
    ld_kernarg_u64 $d0, [%x]
    ld_global_f32 $s9, [$d0]
    ld_global_u64 $d9, [$d0+8]
    ld_global_f32 $s8, [$d0+16]
    ld_global_f32 $s7, [$d0+20]
"""

THEN = "\n cbr $c0, @a\n trap 1\n@a:\n"

ANY = (-inf, inf, Nan.ANY)
QUIET = (-inf, inf, Nan.QUIET)


def range_of(lines: str, register: str = "$s1") -> tuple[float, float, Nan]:
    store = f"st_global_{'u32' if register[1] == 's' else 'u64'} {register}, [$d0]"
    form = ssa_of(f"{HEAD} {lines}\n {store}")
    found = FloatRanges(form).of(stored(form))
    return found.low, found.high, found.nan


WORDS = {
    "mov_u32 $s1, $s9\n add_f32 $s2, $s9, $s9": ANY,
    "add_f32 $s1, $s9, 1.0": QUIET,
    "neg_f32 $s1, $s9": ANY,
    "max_f32 $s1, $s9, 0.0": (0, inf, Nan.NEVER),
    "max_f32 $s1, 0.0, $s9": (0, inf, Nan.NEVER),
    "min_f32 $s1, $s9, 2.0": (-inf, 2, Nan.NEVER),
    "max_f32 $s1, $s9, $s9": QUIET,
    "max_f32 $s1, $s9, 0f7fc00000": ANY,
    "max_f32 $s2, $s9, 0.0\n min_f32 $s1, $s2, 2.0": (0, 2, Nan.NEVER),
    "max_f32 $s2, $s9, 0.0\n mul_f32 $s1, $s2, $s2": QUIET,
    "max_f32 $s2, $s9, 0.0\n min_f32 $s2, $s2, 3.0\n mul_f32 $s1, $s2, -2.0": (-6, 0, Nan.NEVER),
    "max_f32 $s2, $s9, 0.0\n min_f32 $s2, $s2, 3e38\n add_f32 $s1, $s2, $s2": (0, inf, Nan.NEVER),
    "cvt_f32_u8 $s1, $s9": (0, 255, Nan.NEVER),
    "cvt_f32_u32 $s1, $s9": (0, 2.0**32, Nan.NEVER),
    "cvt_f32_s32 $s1, $s9": (-(2.0**31), 2.0**31, Nan.NEVER),
    "and_u32 $s2, $s9, 255\n cvt_f32_u32 $s1, $s2": (0, 255, Nan.NEVER),
    "mov_u32 $s2, 1\n sub_u32 $s2, $s2, 2\n cvt_f32_u32 $s1, $s2": (0, 2.0**32, Nan.NEVER),
    "cvt_f32_u8 $s2, $s9\n div_f32 $s1, 1.0, $s2": QUIET,
    "cvt_f32_u8 $s2, $s9\n add_f32 $s2, $s2, 1.0\n div_f32 $s1, 1.0, $s2": (1 / 256, 1, Nan.NEVER),
    "cvt_f32_u8 $s2, $s9\n sqrt_f32 $s1, $s2": (0, 15.9687194, Nan.NEVER),
    "cvt_f32_s8 $s2, $s9\n sqrt_f32 $s1, $s2": QUIET,
    "cvt_f32_s8 $s2, $s9\n mul_f32 $s2, $s2, 0.00390625\n rint_f32 $s1, $s2": (
        -1.5,
        1.49609375,
        Nan.NEVER,
    ),
    "cvt_f32_s8 $s2, $s9\n abs_f32 $s1, $s2": (0, 128, Nan.NEVER),
    "cvt_f32_s8 $s2, $s9\n neg_f32 $s1, $s2": (-127, 128, Nan.NEVER),
    "and_u32 $s2, $s9, 0x7fffff\n or_u32 $s1, $s2, 0x3f800000\n add_f32 $s3, $s1, $s1": (
        1,
        1.99999988,
        Nan.NEVER,
    ),
    "and_u32 $s1, $s9, 0x7f800000\n add_f32 $s3, $s1, $s1": (0, inf, Nan.NEVER),
    "and_u32 $s1, $s9, 0x7f800001\n add_f32 $s3, $s1, $s1": ANY,
    "and_u32 $s1, $s9, 0x80000000\n add_f32 $s3, $s1, $s1": ANY,
    "cvt_f32_u8 $s2, $s9\n fma_f32 $s1, $s2, $s2, $s2": (0, 65280, Nan.NEVER),
    "cvt_f32_u8 $s2, $s9\n fma_f32 $s1, $s2, $s9, $s2": QUIET,
    "sin_f32 $s1, $s9": (-1.5, 1.5, Nan.QUIET),
    "cvt_f32_u8 $s2, $s9\n sin_f32 $s1, $s2": (-1.5, 1.5, Nan.NEVER),
    "cvt_f32_f64 $s1, $d9": ANY,
    "mul_f32 $s1, $s9, 1.0": ANY,
    "mul_f32 $s1, $s9, 0.5": QUIET,
    "mul_f32 $s1, $s9, $s9": QUIET,
    "div_f32 $s1, $s9, -1.0": ANY,
    "sub_f32 $s1, $s9, 0.0": ANY,
    f"cmp_eq_f32 $c0, $s8, 1.0 {THEN} mul_f32 $s1, $s9, $s8": ANY,
    f"cmp_lt_f32 $c0, $s8, 1.0 {THEN} mul_f32 $s1, $s9, $s8": QUIET,
    f"cmp_eq_f32 $c0, $s8, $s7 {THEN} mul_f32 $s1, $s9, $s8": QUIET,
    f"cmp_le_f32 $c0, $s8, -inf {THEN} max_f32 $s1, $s9, $s8": ANY,
    f"cmp_lt_u32 $c0, $s8, $s7 {THEN} cvt_f32_u32 $s2, $s8\n mul_f32 $s1, $s9, $s2": ANY,
    f"shr_u32 $s2, $s8, 1\n cmp_lt_u32 $c0, $s2, 9 {THEN} mul_f32 $s1, $s9, $s8": ANY,
    "div_u32 $s2, $s8, $s8\n cvt_f32_u32 $s2, $s2\n mul_f32 $s1, $s9, $s2": ANY,
    "mov_u32 $s2, 1.0\n fma_f32 $s1, $s2, $s9, $s2": QUIET,
    "mov_u32 $s2, 1.0\n fma_f32 $s1, $s2, $s9, -0.0": ANY,
    "mov_u32 $s1, 1.0\n mov_u32 $s2, 8\n@a:\n add_f32 $s1, $s1, 1.0\n sub_u32 $s2, $s2, 1\n"
    " cmp_ne_u32 $c0, $s2, 0\n cbr $c0, @a": QUIET,
    "mov_u32 $s1, 1.0\n mov_u32 $s2, 8\n@a:\n max_f32 $s1, $s1, $s9\n sub_u32 $s2, $s2, 1\n"
    " cmp_ne_u32 $c0, $s2, 0\n cbr $c0, @a": (1, inf, Nan.NEVER),
    "cmp_lt_f32 $c0, $s9, 1.0\n cvt_f32_u8 $s2, $s9\n select_f32 $s1, $c0, $s2, $s9": ANY,
    "cmp_lt_f32 $c0, $s9, 1.0\n cvt_f32_u8 $s2, $s9\n select_f32 $s1, $c0, $s2, -1.0": (
        -1,
        255,
        Nan.NEVER,
    ),
}


@pytest.mark.parametrize("lines", WORDS)
def test_range_of_a_word(lines: str) -> None:
    low, high, nan = WORDS[lines]
    found = range_of(lines)
    assert found[:2] == pytest.approx((low, high), rel=1e-6)
    assert found[2] is nan


LONGS = {
    "add_f64 $d1, $d9, 1.0": QUIET,
    "cvt_f64_u8 $d1, $s9": (0, 255, Nan.NEVER),
    "cvt_f64_s64 $d1, $d9": (-(2.0**63), 2.0**63, Nan.NEVER),
    "mov_u64 $d2, 0xfffffffffffff\n and_u64 $d2, $d9, $d2\n mov_u64 $d3, 0x3ff0000000000000\n"
    " or_u64 $d1, $d2, $d3\n add_f64 $d4, $d1, $d1": (1, 2, Nan.NEVER),
    "or_u64 $d1, $d9, 1\n add_f64 $d4, $d1, $d1": ANY,
    "shr_u64 $d1, $d9, 2\n add_f64 $d4, $d1, $d1": (0, 2, Nan.NEVER),
    "shr_u64 $d1, $d9, 1\n add_f64 $d4, $d1, $d1": ANY,
    "shr_s64 $d1, $d9, 2\n add_f64 $d4, $d1, $d1": ANY,
    "shr_u64 $d1, 2, $s9\n add_f64 $d4, $d1, $d1": ANY,
    "mov_u64 $d2, 0.1\n add_f64 $d1, $d2, $d2": (0.2, 0.2, Nan.NEVER),
    "cvt_f64_f32 $d1, $s9": ANY,
}


@pytest.mark.parametrize("lines", LONGS)
def test_range_of_a_long(lines: str) -> None:
    low, high, nan = LONGS[lines]
    found = range_of(lines, "$d1")
    assert found[:2] == pytest.approx((low, high), rel=1e-6)
    assert found[2] is nan


NUMBER = (-inf, inf, Nan.NEVER)
LOAD = "ld_private_f32 $s1, [a+$s4]"

STORED = {
    "what is computed": (f"add_f32 $s2, $s9, 1.0\n st_private_f32 $s2, [a+$s4]\n {LOAD}", QUIET),
    "numbers": (f"cvt_f32_u8 $s2, $s9\n st_private_f32 $s2, [a+$s4]\n {LOAD}", NUMBER),
    "nothing": (LOAD, NUMBER),
    "any bits": (f"st_private_f32 $s9, [a+$s4]\n {LOAD}", ANY),
    "any bits, later": (
        f"mov_u32 $s2, 8\n@a:\n {LOAD}\n st_private_u32 $s9, [a+4]\n sub_u32 $s2, $s2, 1\n"
        " cmp_ne_u32 $c0, $s2, 0\n cbr $c0, @a",
        ANY,
    ),
    "what was loaded there": (
        f"mov_u32 $s2, 8\n@a:\n {LOAD}\n max_f32 $s3, $s1, $s9\n st_private_f32 $s3, [a+4]\n"
        " sub_u32 $s2, $s2, 1\n cmp_ne_u32 $c0, $s2, 0\n cbr $c0, @a",
        NUMBER,
    ),
    "parts of words": (
        f"add_f32 $s2, $s9, 1.0\n st_private_f32 $s2, [a+$s4]\n st_private_u16 $s9, [a]\n {LOAD}",
        ANY,
    ),
    "integers": (f"shr_u32 $s2, $s9, 2\n st_private_u32 $s2, [a+$s4]\n {LOAD}", NUMBER),
    "integers of all sizes": (f"shr_u32 $s2, $s9, 1\n st_private_u32 $s2, [a]\n {LOAD}", ANY),
}


@pytest.mark.parametrize("name", STORED)
def test_range_of_what_was_stored(name: str) -> None:
    lines, expected = STORED[name]
    body = f".private f32 a[8]\n and_u32 $s4, $s8, 28\n {HEAD} {lines}\n add_f32 $s5, $s1, $s1"
    form = ssa_of(f"{body}\n st_global_f32 $s5, [$d0]")
    load = op_of(form, "ld_private_f32")
    assert FloatRanges(form).of(load) == FloatRange(*ANY)
    found = FloatRanges(form, stored=stored_values(pieces_of(form, None)))
    assert found.of(load) == FloatRange(*expected)


def test_atomics_change_what_was_stored() -> None:
    form = ssa_of(
        f".group u32 a[8]\n {HEAD} add_f32 $s2, $s9, 1.0\n st_group_f32 $s2, [a]\n"
        " atomic_or_group_u32 $s3, [a], $s8\n ld_group_f32 $s1, [a]\n add_f32 $s1, $s1, $s1\n"
        " st_global_f32 $s1, [$d0]"
    )
    found = FloatRanges(form, stored=stored_values(pieces_of(form, None)))
    assert found.of(op_of(form, "ld_group_f32")) == FloatRange(*ANY)
