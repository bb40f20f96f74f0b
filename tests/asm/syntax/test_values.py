"""Numbers and constant expressions."""

from __future__ import annotations

import math
import struct
from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from simtlab.asm.assemble import assemble
from simtlab.isa.errors import SourceError
from simtlab.isa.instruction import Imm

INTEGERS = st.integers(-(1 << 40), 1 << 40)


def bits_of(mnemonic: str, operand: str, constants: str = "") -> int:
    """The immediate of `mnemonic $x0, operand`; for mov_u64, of the two words together."""
    register = "$d0" if mnemonic.endswith("64") else "$s0"
    source = f"{constants}kernel k() {{\n    {mnemonic} {register}, {operand}\n    ret\n}}\n"
    values = [
        s.bits
        for i in assemble(source).kernels[0].instructions
        for s in i.srcs
        if isinstance(s, Imm)
    ]
    return values[0] if len(values) == 1 else values[0] & 0xFFFF_FFFF | values[1] << 32


def f32(bits: int) -> float:
    return struct.unpack("<f", struct.pack("<I", bits))[0]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("42", 42),
        ("007", 7),
        ("0x2A", 42),
        ("0b101", 5),
        ("'a'", 97),
        (r"'\n'", 10),
        (r"'\\'", 92),
        (r"'\''", 39),
        ("'漢'", 0x6F22),
        ("-1", 0xFFFF_FFFF),
        ("1.5", 0x3FC0_0000),
        ("-0.0", 0x8000_0000),
        ("1e-3", 0x3A83_126F),
        ("1e3", 0x447A_0000),
        ("2.", 0x4000_0000),
        ("inf", 0x7F80_0000),
        ("-inf", 0xFF80_0000),
        ("nan", 0x7FC0_0000),
        ("0f7fa00001", 0x7FA0_0001),
        ("(1+2*3)", 7),
        ("-(1+2)", 0xFFFF_FFFD),
        ("(~0 & 0xff)", 255),
        ("(7/-2)", 0xFFFF_FFFD),
        ("(7%-2)", 1),
        ("(-7%2)", 0xFFFF_FFFF),
        ("(1/2.0)", 0x3F00_0000),
        ("(1<<31>>30)", 2),
        ("(-8>>1)", 0xFFFF_FFFC),
    ],
)
def test_a_number_has_these_bits(text: str, value: int) -> None:
    assert bits_of("mov_u32", text) == value


@given(st.integers(0, (1 << 64) - 1))
@example(0xFFFF_FFFF)
@example(0x8000_0000)
@example(0xFFFF_FFFF_8000_0000)
def test_mov_u64_takes_any_64_bit_value_in_one_word_or_two(value: int) -> None:
    assert bits_of("mov_u64", hex(value)) == value


def test_a_value_that_extends_from_32_bits_takes_one_word() -> None:
    for text, words in (("-5", 1), ("0x7fffffff", 1), ("0x80000000", 2), ("1.5", 2), ("0.0", 1)):
        program = assemble(f"kernel k() {{\n    mov_u64 $d0, {text}\n    ret\n}}\n")
        assert len(program.kernels[0].words) == words + 1, text


@given(st.floats(allow_nan=False))
def test_mov_u64_takes_any_float_of_64_bits(value: float) -> None:
    assert bits_of("mov_u64", repr(value)) == struct.unpack("<Q", struct.pack("<d", value))[0]


@given(st.integers(0, 0x7F7F_FFFE), st.sampled_from((-1, 0, 1)), st.integers(1, 60))
@example(0, 1, 60)
@example(1, -1, 13)  # as an f64 it is the neighbour of the middle, not the middle
def test_a_decimal_is_rounded_to_f32_once(below: int, side: int, far: int) -> None:
    """Just beside the middle of two f32, where rounding to f64 first would lead astray."""
    middle = (Fraction(f32(below)) + Fraction(f32(below + 1))) / 2
    exact = middle + side * middle / 2**far / 2**40
    digits = f"{exact.numerator * 10**200 // exact.denominator:0201d}"
    text = f"{digits[:-200]}.{digits[-200:]}"
    written = Fraction(text)
    bits = bits_of("mov_u32", text)
    error = abs(Fraction(f32(bits)) - written)
    assert all(error <= abs(Fraction(f32(other)) - written) for other in (below, below + 1)), (
        "another f32 is nearer"
    )


def test_the_largest_f32_is_taken_and_what_rounds_beyond_is_not() -> None:
    # The middle between the largest f32 and the next power of two ends in ...3661637...
    assert bits_of("mov_u32", "3.4028235677973366e38") == 0x7F7F_FFFF
    with pytest.raises(SourceError, match=r"3\.4028235677973366e\+38 is larger than any f32"):
        bits_of("mov_u32", "3.40282356779733662e38")


@given(INTEGERS, INTEGERS, st.sampled_from(("+", "-", "*", "/", "%", "&", "|", "^")))
def test_integer_arithmetic_is_that_of_the_machine(a: int, b: int, operator: str) -> None:
    text = f"({a} {operator} {b})"
    if operator in "/%" and b == 0:
        with pytest.raises(SourceError, match="division by zero"):
            bits_of("mov_u64", text)
        return
    quotient = math.trunc(Fraction(a, b)) if b else 0
    expected = {
        **{"+": a + b, "-": a - b, "*": a * b, "/": quotient, "%": a - b * quotient},
        **{"&": a & b, "|": a | b, "^": a ^ b},
    }[operator]
    if not -(1 << 63) <= expected < 1 << 64:
        with pytest.raises(SourceError, match="does not fit in 64 bits"):
            bits_of("mov_u64", text)
    else:
        assert bits_of("mov_u64", text) == expected % (1 << 64)


@given(st.floats(-1e100, 1e100), st.floats(-1e100, 1e100), st.sampled_from("+-*"))
def test_float_arithmetic_is_that_of_f64(a: float, b: float, operator: str) -> None:
    expected = {"+": a + b, "-": a - b, "*": a * b}[operator]
    bits = bits_of("mov_u64", f"({a!r} {operator} {b!r})")
    assert bits == struct.unpack("<Q", struct.pack("<d", expected))[0]


def test_constants_may_use_those_above_them() -> None:
    constants = ".const N = 4\n.const M = N*N\n.const HALF = M/2.0\n"
    assert bits_of("mov_u32", "(M+N)", constants) == 20
    assert bits_of("mov_u32", "HALF", constants) == 0x4100_0000
    assert bits_of("mov_u32", "-N", constants) == 0xFFFF_FFFC


def test_a_constant_keeps_its_bit_pattern() -> None:
    assert bits_of("mov_u32", "QUIET", ".const QUIET = 0f7fa00001\n") == 0x7FA0_0001


@pytest.mark.parametrize("text", ["1e309", "9" * 500, f"0x{'f' * 17}", "(1e200*1e200)"])
def test_a_number_beyond_64_bits_is_an_error(text: str) -> None:
    with pytest.raises(SourceError):
        bits_of("mov_u64", text)


@pytest.mark.parametrize(
    "text",
    [
        "(" * 5_000 + "1" + ")" * 5_000,
        "-" * 5_000 + "1",
        f"({'1+' * 5_000}1)",
        f"({'1<<63|' * 100}1)",
        "~" * 300 + "1",
    ],
    ids=["parentheses", "signs", "terms", "shifts", "complements"],
)
def test_an_expression_that_is_too_long_is_an_error_not_a_crash(text: str) -> None:
    with pytest.raises(SourceError):
        bits_of("mov_u64", text)


def test_an_expression_may_be_deep_within_its_limit() -> None:
    assert bits_of("mov_u32", "(" * 100 + "1" + ")" * 100) == 1


def test_a_tiny_literal_with_a_huge_exponent_ends_at_once() -> None:
    assert bits_of("mov_u32", "1e-999999999") == 0
