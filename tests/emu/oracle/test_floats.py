"""Float instructions of the oracle: special values by hand, others against NumPy and fractions."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from simtlab.emu.oracle.alu import OPERATIONS
from simtlab.emu.oracle.formats import BINARY32, BINARY64

INF, NAN, SIGNALLING, ZERO, ONE, LEAST, GREATEST = (
    0x7F80_0000,
    0x7FC0_0000,
    0x7FA0_0001,
    0,
    0x3F80_0000,
    1,
    0x7F7F_FFFF,
)
MINUS = 0x8000_0000
INF64, NAN64, ONE64, GREATEST64, MINUS64 = (
    0x7FF0 << 48,
    0x7FF8 << 48,
    0x3FF0 << 48,
    (0x7FF0 << 48) - 1,
    1 << 63,
)

CASES = [
    ("add_f32", (INF, MINUS | INF), NAN),
    ("add_f32", (MINUS, MINUS), MINUS),
    ("add_f32", (ZERO, MINUS), ZERO),
    ("add_f32", (SIGNALLING, ONE), NAN),
    ("add_f32", (MINUS | NAN, ONE), NAN),
    ("add_f32", (GREATEST, GREATEST), INF),
    ("add_f32", (GREATEST, 0x7300_0000), INF),  # half a last place more: the tie goes to infinity
    ("add_f32", (GREATEST, 0x72FF_FFFF), GREATEST),
    ("add_f32", (LEAST, LEAST), 2),
    ("add_f64", (GREATEST64, GREATEST64), INF64),
    ("sub_f32", (INF, INF), NAN),
    ("sub_f32", (ONE, ONE), ZERO),
    ("sub_f64", (INF64, INF64), NAN64),
    ("mul_f32", (INF, ZERO), NAN),
    ("mul_f32", (MINUS, ONE), MINUS),
    ("mul_f32", (LEAST, 0x3F00_0000), ZERO),  # half of the least: a tie, to even
    ("mul_f32", (3, 0x3F00_0000), 2),  # 1.5 least ones: a tie, to even
    ("mul_f32", (GREATEST, MINUS | GREATEST), MINUS | INF),
    ("mul_f64", (GREATEST64, GREATEST64), INF64),
    ("div_f32", (ONE, ZERO), INF),
    ("div_f32", (ONE, MINUS), MINUS | INF),
    ("div_f32", (ZERO, MINUS), NAN),
    ("div_f32", (NAN, ZERO), NAN),
    ("div_f32", (MINUS | INF, MINUS), INF),
    ("div_f32", (INF, INF), NAN),
    ("div_f64", (MINUS64 | ONE64, 0), MINUS64 | INF64),
    ("sqrt_f32", (MINUS,), MINUS),
    ("sqrt_f32", (MINUS | ONE,), NAN),
    ("sqrt_f32", (INF,), INF),
    ("sqrt_f32", (SIGNALLING,), NAN),
    ("sqrt_f64", (MINUS64 | INF64,), NAN64),
    ("rsqrt_f32", (ZERO,), INF),
    ("rsqrt_f32", (MINUS,), MINUS | INF),
    ("rsqrt_f32", (0x4080_0000,), 0x3F00_0000),
    ("rsqrt_f32", (INF,), ZERO),
    ("rsqrt_f64", (MINUS64 | ONE64,), NAN64),
    ("fma_f32", (INF, ZERO, ONE), NAN),
    ("fma_f32", (INF, ONE, MINUS | INF), NAN),
    ("fma_f32", (GREATEST, GREATEST, MINUS | INF), MINUS | INF),
    ("fma_f32", (ONE, ONE, MINUS | ONE), ZERO),
    ("fma_f32", (MINUS, ONE, MINUS), MINUS),
    ("fma_f32", (MINUS, ONE, ZERO), ZERO),
    ("fma_f32", (LEAST, MINUS | LEAST, ZERO), MINUS),
    ("fma_f64", (GREATEST64, GREATEST64, MINUS64 | INF64), MINUS64 | INF64),
    ("fma_f64", (GREATEST64, 0x4000 << 48, MINUS64 | GREATEST64), GREATEST64),
    ("min_f32", (NAN, ONE), ONE),
    ("min_f32", (ONE, SIGNALLING), ONE),
    ("min_f32", (SIGNALLING, MINUS | NAN), NAN),
    ("min_f32", (ZERO, MINUS), MINUS),
    ("min_f32", (MINUS, ZERO), MINUS),
    ("max_f32", (MINUS, ZERO), ZERO),
    ("max_f32", (ZERO, MINUS), ZERO),
    ("max_f32", (MINUS | INF, NAN), MINUS | INF),
    ("max_f32", (MINUS | ONE, MINUS | LEAST), MINUS | LEAST),
    ("min_f64", (NAN64, INF64), INF64),
    ("abs_f32", (MINUS | SIGNALLING,), SIGNALLING),
    ("neg_f32", (SIGNALLING,), MINUS | SIGNALLING),
    ("neg_f32", (ZERO,), MINUS),
    ("abs_f64", (MINUS64,), 0),
    ("floor_f32", (0xBF00_0000,), MINUS | ONE),
    ("ceil_f32", (0xBF00_0000,), MINUS),
    ("ceil_f32", (LEAST,), ONE),
    ("trunc_f32", (0xBFC0_0000,), MINUS | ONE),
    ("trunc_f32", (MINUS | LEAST,), MINUS),
    ("rint_f32", (0x3F00_0000,), ZERO),  # 0.5
    ("rint_f32", (0x3FC0_0000,), 0x4000_0000),  # 1.5
    ("rint_f32", (0x4020_0000,), 0x4000_0000),  # 2.5
    ("rint_f32", (0xBF00_0000,), MINUS),
    ("rint_f32", (GREATEST,), GREATEST),
    ("rint_f32", (MINUS | INF,), MINUS | INF),
    ("floor_f32", (SIGNALLING,), NAN),
    ("rint_f64", (MINUS64,), MINUS64),
    ("cmp_eq_f32", (ZERO, MINUS), 1),
    ("cmp_eq_f32", (NAN, NAN), 0),
    ("cmp_ne_f32", (NAN, ONE), 1),
    ("cmp_neo_f32", (NAN, ONE), 0),
    ("cmp_neo_f32", (ZERO, ONE), 1),
    ("cmp_equ_f32", (NAN, ONE), 1),
    ("cmp_equ_f32", (ZERO, ONE), 0),
    ("cmp_lt_f32", (NAN, ONE), 0),
    ("cmp_ltu_f32", (NAN, ONE), 1),
    ("cmp_leu_f64", (NAN64, NAN64), 1),
    ("cmp_gtu_f32", (ONE, SIGNALLING), 1),
    ("cmp_gtu_f32", (ZERO, ONE), 0),
    ("cmp_geu_f32", (ONE, ONE), 1),
    ("cmp_num_f32", (ONE, INF), 1),
    ("cmp_num_f32", (ONE, SIGNALLING), 0),
    ("cmp_nan_f64", (NAN64, ONE64), 1),
    ("cmp_nan_f64", (ONE64, ONE64), 0),
]


@pytest.mark.parametrize(("name", "operands", "expected"), CASES)
def test_a_float_instruction_gives_the_special_value_worked_out_by_hand(name, operands, expected):
    assert OPERATIONS[name](*operands) == expected


def patterns(bits: int, precision: int) -> st.SearchStrategy[int]:
    """Bit patterns of a format: any, and those whose exponents are near each other or extreme."""
    fraction = precision - 1
    exponents = (1 << (bits - precision)) - 1
    field = st.one_of(
        st.sampled_from([0, 1, exponents - 1, exponents]),
        st.integers(exponents // 2 - 30, exponents // 2 + 30),
    )
    pattern = st.builds(
        lambda sign, e, f: sign << (bits - 1) | e << fraction | f,
        st.integers(0, 1),
        field,
        st.integers(0, (1 << fraction) - 1),
    )
    return st.one_of(st.integers(0, (1 << bits) - 1), pattern)


F32 = patterns(32, 24)
F64 = patterns(64, 53)
NUMPY = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "sqrt": np.sqrt,
    "floor": np.floor,
    "ceil": np.ceil,
    "trunc": np.trunc,
    "rint": np.rint,
}
UNARY = ("sqrt", "floor", "ceil", "trunc", "rint")


def witness(stem: str, size: int, operands: list[int]) -> int:
    """The same operation in NumPy, with NaN made canonical."""
    values = [np.array([o], f"u{size}").view(f"f{size}") for o in operands]
    with np.errstate(all="ignore"):
        result = NUMPY[stem](*values)
    if np.isnan(result[0]):
        return NAN if size == 4 else NAN64
    return int(result.view(f"u{size}")[0])


@given(st.sampled_from(sorted(NUMPY)), F32, F32)
def test_f32_arithmetic_agrees_with_numpy(stem, a, b):
    operands = [a] if stem in UNARY else [a, b]
    assert OPERATIONS[f"{stem}_f32"](*operands) == witness(stem, 4, operands)


@given(st.sampled_from(sorted(NUMPY)), F64, F64)
def test_f64_arithmetic_agrees_with_numpy(stem, a, b):
    operands = [a] if stem in UNARY else [a, b]
    assert OPERATIONS[f"{stem}_f64"](*operands) == witness(stem, 8, operands)


def nearest(exact: Fraction, bits: int) -> int:
    """The pattern nearest to a fraction, ties to even, found by looking at neighbours.

    A way of its own: patterns of one sign are ordered as their values are, so a bisection over
    the patterns finds the neighbours of the exact value.
    """
    f = BINARY32 if bits == 32 else BINARY64
    magnitude = abs(exact)

    def value(pattern: int) -> Fraction:
        # One past the greatest number stands for 2**128 or 2**1024, where rounding is concerned.
        if pattern == f.infinity:
            return 2 * value(f.infinity - (1 << f.precision - 1))
        return Fraction(f.value(pattern))

    low, high = 0, f.infinity
    if magnitude >= value(high):
        low = high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if value(middle) <= magnitude else (low, middle)
    if low < f.infinity:
        below, above = magnitude - value(low), value(high) - magnitude
        if above < below or (above == below and low & 1):
            low = high
    return low | (f.sign if exact < 0 else 0)


def is_finite(f, *operands: int) -> bool:
    return all(o & ~f.sign < f.infinity for o in operands)


@given(F32, F32, F32)
@example(0x3F80_0001, 0x3F80_0001, 0x2480_0000)  # 1 + 2^-22 + 2^-46 + 2^-54
@example(0x3F80_0800, 0x3F80_0800, 0x0000_0001)  # a tie at 24 bits, broken by 2^-149
@example(0x3F80_0800, 0x3F80_0800, 0x8000_0001)
def test_fma_f32_is_the_exact_value_rounded_once(a, b, c):
    check_fma(BINARY32, a, b, c)


@given(F64, F64, F64)
@example(0x3FF0_0000_0000_0001, 0x3FF0_0000_0000_0001, 0xBFF0_0000_0000_0002)
@example(0x3FF0_0000_0400_0000, 0x3FF0_0000_0200_0000, 0x0000_0000_0000_0001)
@example(0x0010_0000_0000_0000, 0x3FE0_0000_0000_0001, 0x0000_0000_0000_0001)
def test_fma_f64_is_the_exact_value_rounded_once(a, b, c):
    check_fma(BINARY64, a, b, c)


def check_fma(f, a: int, b: int, c: int) -> None:
    if not is_finite(f, a, b, c):
        return
    exact = Fraction(f.value(a)) * Fraction(f.value(b)) + Fraction(f.value(c))
    result = OPERATIONS[f"fma_f{f.bits}"](a, b, c)
    if exact:
        assert result == nearest(exact, f.bits)
    else:
        assert result & ~f.sign == 0


def test_fma_f32_is_right_where_rounding_through_f64_is_not():
    # (1 + 2^-12)^2 = 1 + 2^-11 + 2^-24 lies in the middle of two f32 numbers; the addend 2^-149
    # breaks the tie, but f64 cannot hold the sum.
    a, b, c = 0x3F80_0800, 0x3F80_0800, 1
    exact = Fraction(1 + 2**-12) ** 2 + Fraction(2) ** -149
    assert float(exact) == (1 + 2**-12) ** 2
    once = OPERATIONS["fma_f32"](a, b, c)
    twice = BINARY32.pattern(float(exact))
    assert (once, twice) == (0x3F80_1001, 0x3F80_1000)


@given(F32, F32)
def test_min_and_max_order_all_numbers(a, b):
    low, high = OPERATIONS["min_f32"](a, b), OPERATIONS["max_f32"](a, b)
    if BINARY32.is_nan(a) or BINARY32.is_nan(b):
        assert low == high
    else:
        assert {low, high} == {a, b}
        assert BINARY32.value(low) <= BINARY32.value(high)


@given(F64)
def test_rounding_a_split_number_gives_it_back(a):
    if is_finite(BINARY64, a) and a & ~BINARY64.sign:
        assert BINARY64.round(*BINARY64.split(a)) == a
