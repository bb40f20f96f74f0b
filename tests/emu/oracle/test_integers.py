"""Integer, bit and move instructions of the oracle against values worked out by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simtlab.emu.oracle.alu import OPERATIONS
from simtlab.emu.oracle.integers import DivideByZero

MIN32 = 0x8000_0000
MIN64 = 0x8000_0000_0000_0000
ONES32 = 0xFFFF_FFFF
ONES64 = 0xFFFF_FFFF_FFFF_FFFF

CASES = [
    # moves
    ("mov_u32", (0x7FA0_0001,), 0x7FA0_0001),
    ("mov_b1", (1,), 1),
    ("movhi_u64", (0x1234_5678, 0xAAAA_AAAA_BBBB_BBBB), 0x1234_5678_BBBB_BBBB),
    ("select_f32", (1, 0x7FA0_0001, 2), 0x7FA0_0001),
    ("select_s64", (0, 1, MIN64), MIN64),
    ("select_b1", (0, 1, 0), 0),
    # arithmetic wraps
    ("add_u32", (ONES32, 2), 1),
    ("add_s32", (0x7FFF_FFFF, 1), MIN32),
    ("add_u64", (ONES64, 1), 0),
    ("sub_u32", (0, 1), ONES32),
    ("sub_s64", (MIN64, 1), MIN64 - 1),
    ("mul_u32", (0x1_0001, 0x1_0001), 0x2_0001),
    ("mul_s32", (ONES32, ONES32), 1),
    ("mul_u64", (ONES64, ONES64), 1),
    ("mulhi_u32", (ONES32, ONES32), 0xFFFF_FFFE),
    ("mulhi_s32", (ONES32, ONES32), 0),
    ("mulhi_s32", (MIN32, MIN32), 0x4000_0000),
    ("mulhi_s32", (ONES32, 1), ONES32),
    ("mulhi_u64", (ONES64, ONES64), ONES64 - 1),
    ("mulhi_s64", (MIN64, 1), ONES64),
    ("mad_u32", (ONES32, ONES32, ONES32), 0),
    ("mad_s64", (ONES64, 3, 1), ONES64 - 1),
    ("div_u32", (ONES32, 2), 0x7FFF_FFFF),
    ("div_s32", (0xFFFF_FFF9, 2), 0xFFFF_FFFD),  # -7 / 2 = -3
    ("div_s32", (7, 0xFFFF_FFFE), 0xFFFF_FFFD),
    ("div_s32", (0xFFFF_FFF9, 0xFFFF_FFFE), 3),
    ("div_s32", (MIN32, ONES32), MIN32),
    ("div_s64", (MIN64, ONES64), MIN64),
    ("div_u64", (ONES64, 3), 0x5555_5555_5555_5555),
    ("rem_u32", (7, 4), 3),
    ("rem_s32", (0xFFFF_FFF9, 2), ONES32),  # -7 rem 2 = -1
    ("rem_s32", (7, 0xFFFF_FFFE), 1),
    ("rem_s32", (MIN32, ONES32), 0),
    ("rem_s64", (MIN64, ONES64), 0),
    ("rem_s64", (ONES64, 5), ONES64),
    ("min_u32", (ONES32, 1), 1),
    ("min_s32", (ONES32, 1), ONES32),
    ("max_u64", (ONES64, 1), ONES64),
    ("max_s64", (ONES64, 1), 1),
    ("abs_s32", (ONES32,), 1),
    ("abs_s32", (MIN32,), MIN32),
    ("abs_s64", (MIN64,), MIN64),
    ("neg_s32", (1,), ONES32),
    ("neg_s32", (MIN32,), MIN32),
    ("neg_s64", (0,), 0),
    # bits
    ("and_u32", (0xF0F0, 0xFF00), 0xF000),
    ("or_u64", (MIN64, 1), MIN64 | 1),
    ("xor_b1", (1, 1), 0),
    ("not_b1", (0,), 1),
    ("not_b1", (1,), 0),
    ("not_u32", (0,), ONES32),
    ("not_u64", (1,), ONES64 - 1),
    ("shl_u32", (1, 31), MIN32),
    ("shl_u32", (3, 32), 3),
    ("shl_s32", (3, 33), 6),
    ("shl_u64", (1, 64), 1),
    ("shl_u64", (1, ONES32), MIN64),
    ("shr_u32", (MIN32, 31), 1),
    ("shr_s32", (MIN32, 31), ONES32),
    ("shr_s32", (MIN32, 32), MIN32),
    ("shr_u64", (MIN64, 63), 1),
    ("shr_s64", (MIN64, 63), ONES64),
    ("popcount_u32", (ONES32,), 32),
    ("popcount_u64", (MIN64 | 1,), 2),
    ("clz_u32", (0,), 32),
    ("clz_u32", (1,), 31),
    ("clz_u64", (0,), 64),
    ("clz_u64", (MIN64,), 0),
    ("bitextract_u32", (0xDEAD_BEEF, 8, 8), 0xBE),
    ("bitextract_s32", (0xDEAD_BEEF, 8, 8), 0xFFFF_FFBE),
    ("bitextract_s32", (0x0000_7F00, 8, 8), 0x7F),
    ("bitextract_u32", (0xDEAD_BEEF, 0, 32), 0xDEAD_BEEF),
    ("bitextract_s64", (MIN64, 63, 1), ONES64),
    ("bitextract_u64", (MIN64, 63, 1), 1),
    ("bitinsert_u32", (ONES32, 0xA5, 8, 8), 0xFFFF_A5FF),
    ("bitinsert_u32", (0, ONES32, 4, 3), 0x70),
    ("bitinsert_u32", (0, 0xDEAD_BEEF, 0, 32), 0xDEAD_BEEF),
    ("bitinsert_u64", (0, 1, 63, 1), MIN64),
    # comparison reads the sign
    ("cmp_lt_u32", (ONES32, 0), 0),
    ("cmp_lt_s32", (ONES32, 0), 1),
    ("cmp_ge_u64", (MIN64, 1), 1),
    ("cmp_ge_s64", (MIN64, 1), 0),
    ("cmp_le_s32", (5, 5), 1),
    ("cmp_gt_s32", (5, 5), 0),
    ("cmp_eq_u32", (5, 5), 1),
    ("cmp_ne_u32", (5, 5), 0),
]


@pytest.mark.parametrize(("name", "operands", "expected"), CASES)
def test_an_integer_instruction_gives_the_value_worked_out_by_hand(name, operands, expected):
    assert OPERATIONS[name](*operands) == expected


@pytest.mark.parametrize("name", ["div_u32", "div_s32", "div_u64", "div_s64", "rem_s32", "rem_u64"])
@pytest.mark.parametrize("dividend", [0, 1, MIN32])
def test_integer_division_by_zero_is_reported(name, dividend):
    with pytest.raises(DivideByZero):
        OPERATIONS[name](dividend, 0)


@given(st.integers(0, ONES32), st.integers(0, ONES32))
def test_quotient_and_remainder_make_up_the_dividend(a, b):
    if b == 0:
        return
    for t in ("u32", "s32"):
        quotient, remainder = OPERATIONS[f"div_{t}"](a, b), OPERATIONS[f"rem_{t}"](a, b)
        assert OPERATIONS[f"mad_{t}"](quotient, b, remainder) == a


@given(st.integers(0, ONES64), st.integers(0, ONES64), st.sampled_from(["u64", "s64"]))
def test_both_halves_of_a_product_make_up_the_product(a, b, t):
    def read(x):
        return x - (1 << 64) if t == "s64" and x >> 63 else x

    product = OPERATIONS[f"mulhi_{t}"](a, b) << 64 | OPERATIONS[f"mul_{t}"](a, b)
    assert product == read(a) * read(b) & (1 << 128) - 1


@given(st.integers(0, ONES64), st.integers(0, 63), st.integers(1, 64))
def test_a_field_that_was_inserted_is_extracted_again(word, position, length):
    length = min(length, 64 - position)
    inserted = OPERATIONS["bitinsert_u64"](word, ~word & ONES64, position, length)
    field = OPERATIONS["bitextract_u64"](inserted, position, length)
    assert field == ~word & (1 << length) - 1
    others = ONES64 ^ ((1 << length) - 1 << position)
    assert inserted & others == word & others
