"""Conversions of the oracle: saturation, extension, single rounding."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from simtlab.emu.oracle.alu import OPERATIONS
from simtlab.emu.oracle.formats import BINARY32, BINARY64

NAN32, NAN64 = 0x7FC0_0000, 0x7FF8 << 48
INF32, INF64 = 0x7F80_0000, 0x7FF0 << 48
ONES64 = (1 << 64) - 1


def f32(x: float) -> int:
    return BINARY32.pattern(x)


def f64(x: float) -> int:
    return BINARY64.pattern(x)


CASES = [
    # between integers: the source's type extends, the low bits stay
    ("u32_u8", 0xABCD_EF80, 0x80),
    ("s32_s8", 0xABCD_EF80, 0xFFFF_FF80),
    ("u32_s8", 0x80, 0xFFFF_FF80),
    ("u64_s8", 0x80, 0xFFFF_FFFF_FFFF_FF80),
    ("s32_u16", 0x1_8000, 0x8000),
    ("u64_s16", 0x8000, 0xFFFF_FFFF_FFFF_8000),
    ("u8_u32", 0x1FF, 0xFF),
    ("s8_u32", 0x1FF, 0xFFFF_FFFF),
    ("s16_u8", 0xFF, 0xFF),
    ("u8_s8", 0xFF, 0xFF),
    ("s8_u8", 0x80, 0xFFFF_FF80),
    ("u64_u32", 0xFFFF_FFFF, 0xFFFF_FFFF),
    ("u64_s32", 0xFFFF_FFFF, ONES64),
    ("s64_u32", 0xFFFF_FFFF, 0xFFFF_FFFF),
    ("u32_s64", ONES64, 0xFFFF_FFFF),
    ("s16_u64", 0x1234_8000, 0xFFFF_8000),
    # b1
    ("u32_b1", 1, 1),
    ("s8_b1", 1, 1),
    ("f32_b1", 1, f32(1)),
    ("f64_b1", 0, 0),
    ("b1_u32", 256, 1),
    ("b1_u8", 256, 0),
    ("b1_s64", 1 << 63, 1),
    ("b1_f32", 0x8000_0000, 0),
    ("b1_f32", NAN32, 1),
    ("b1_f32", 1, 1),
    ("b1_f64", 0, 0),
    # float to integer: towards zero, saturates, NaN is 0
    ("s32_f32", f32(-1.9), 0xFFFF_FFFF),
    ("s32_f32", f32(1.9), 1),
    ("s32_f32", f32(2147483648.0), 0x7FFF_FFFF),
    ("s32_f32", f32(-2147483648.0), 0x8000_0000),
    ("s32_f32", INF32 | 0x8000_0000, 0x8000_0000),
    ("s32_f32", NAN32, 0),
    ("u32_f32", f32(-0.9), 0),
    ("u32_f32", f32(-1.0), 0),
    ("u32_f32", f32(4294967296.0), 0xFFFF_FFFF),
    ("u32_f32", INF32, 0xFFFF_FFFF),
    ("u32_f64", f64(4294967295.9), 0xFFFF_FFFF),
    ("u8_f32", f32(255.9), 255),
    ("u8_f32", f32(256.0), 255),
    ("u8_f32", f32(-5.0), 0),
    ("s8_f32", f32(-128.9), 0xFFFF_FF80),
    ("s8_f32", f32(1e9), 127),
    ("s16_f64", f64(-1e9), 0xFFFF_8000),
    ("u16_f64", f64(65535.5), 65535),
    ("s64_f64", f64(2.0**63), 0x7FFF_FFFF_FFFF_FFFF),
    ("s64_f64", f64(-(2.0**63)), 1 << 63),
    ("u64_f64", f64(2.0**64), ONES64),
    ("u64_f32", f32(2.0**63), 1 << 63),
    ("u64_f64", 0xFFF8 << 48, 0),
    # integer to float
    ("f32_u8", 0xFFFF_FF80, f32(128.0)),
    ("f32_s8", 0x80, f32(-128.0)),
    ("f32_s16", 0xFFFF, f32(-1.0)),
    ("f32_u32", 0xFFFF_FFFF, f32(4294967296.0)),
    ("f32_u32", 0x0100_0001, f32(16777216.0)),
    ("f32_u32", 0x0100_0003, f32(16777220.0)),
    ("f32_s32", 0x8000_0000, f32(-2147483648.0)),
    ("f64_u64", ONES64, f64(2.0**64)),
    ("f64_s64", ONES64, f64(-1.0)),
    ("f64_u32", 0, 0),
    # u64 -> f32 through f64 would round twice: 2^63 + 2^39 + 1 is just above a middle
    ("f32_u64", (1 << 63) + (1 << 39) + 1, f32(2.0**63) + 1),
    ("f32_u64", (1 << 63) + (1 << 39), f32(2.0**63)),
    ("f32_s64", ((1 << 62) + (1 << 38) + 1) * -1 & ONES64, (f32(2.0**62) + 1) | 1 << 31),
    # between floats
    ("f64_f32", 0x7FA0_0001, NAN64),
    ("f64_f32", 0xFF80_0000, 0xFFF0 << 48),
    ("f64_f32", 1, f64(2.0**-149)),
    ("f32_f64", 0xFFF0_0000_0000_0001, NAN32),
    ("f32_f64", f64(1e39), INF32),
    ("f32_f64", f64(-1e39), INF32 | 1 << 31),
    ("f32_f64", f64(2.0**-150), 0),
    ("f32_f64", f64(2.0**-150 * 1.5), 1),
    ("f32_f64", 1 << 63, 1 << 31),
    ("f32_f64", f64(1 + 2.0**-24), f32(1)),
]


@pytest.mark.parametrize(("types", "operand", "expected"), CASES)
def test_a_conversion_gives_the_value_worked_out_by_hand(types, operand, expected):
    assert OPERATIONS[f"cvt_{types}"](operand) == expected


@given(st.integers(0, ONES64))
@example((1 << 63) + (1 << 39) + 1)
@example(ONES64)
def test_u64_and_s64_to_float_are_the_nearest(a):
    signed = a - (1 << 64) if a >> 63 else a
    for t, number in (("u64", a), ("s64", signed)):
        assert OPERATIONS[f"cvt_f64_{t}"](a) == f64(float(number))  # int to float rounds once
        result = OPERATIONS[f"cvt_f32_{t}"](a)
        error = abs(Fraction(BINARY32.value(result)) - number)
        for neighbour in (result - 1, result + 1):
            if neighbour >= 0:
                other = abs(Fraction(BINARY32.value(neighbour)) - number)
                assert error < other or (error == other and result % 2 == 0)


@given(st.floats(width=64))
def test_f64_to_f32_agrees_with_numpy(x):
    with np.errstate(all="ignore"):
        expected = NAN32 if x != x else int(np.float32(x).view(np.uint32))
    assert OPERATIONS["cvt_f32_f64"](f64(x)) == expected


@given(st.integers(0, (1 << 32) - 1), st.sampled_from(["u8", "s8", "u16", "s16", "s32"]))
def test_integer_conversions_agree_with_numpy(a, t):
    numpy_type = np.dtype({"u": "uint", "s": "int"}[t[0]] + t[1:])
    low = np.array([a], np.uint32).astype(numpy_type)
    assert OPERATIONS[f"cvt_u64_{t}"](a) == int(low.astype(np.int64).astype(np.uint64)[0])
    assert OPERATIONS[f"cvt_{t}_u32"](a) == int(low.astype(np.int64).astype(np.uint32)[0])
