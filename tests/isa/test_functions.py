from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from simtlab.isa.functions import ARGUMENT, FUNCTIONS, Function
from simtlab.isa.table import BY_NAME, Flags, Unit
from simtlab.isa.types import B1, F32, TYPES

from .support import functions_exact as exact
from .support.functions_numpy import REFERENCE, Array, evaluate, fma, ulp_error

PAGE = Path(__file__).parents[2] / "docs" / "functions.md"

every_function = pytest.mark.parametrize("function", FUNCTIONS.values(), ids=list(FUNCTIONS))


def f32(bits: Array | list[int]) -> Array:
    return np.asarray(bits, np.uint32).view(np.float32)


def corners() -> Array:
    """Values at which something changes, each with its neighbours, of both signs."""
    exponents = np.arange(256, dtype=np.int64) << 23
    places = [1, 1.5, 0.5, 2**0.5, 0.5**0.5, 1 / 3, 131072, 128, 126, 127, 149, 150, 151, 3e38]
    multiples = np.pi / 2 * np.arange(1, 200)
    halves = np.arange(0, 152, 0.5)
    values = np.concatenate([places, multiples, halves]).astype(np.float32).view(np.uint32)
    centres = np.concatenate([exponents, exponents | 0x400000, values.astype(np.int64)])
    near = np.unique((centres[:, None] + np.arange(-4, 5)).ravel() & 0x7FFF_FFFF)
    return f32(np.concatenate([near, near | 0x8000_0000]).astype(np.uint32))


def sample(count: int, seed: int = 0) -> Array:
    """`count` bit patterns spread evenly over all, from a start that the seed chooses."""
    start = np.random.default_rng(seed).integers((1 << 32) // count)
    return f32((np.linspace(0, 1 << 32, count, endpoint=False) + start).astype(np.uint32))


def check(function: Function, x: Array) -> None:
    with np.errstate(all="ignore"):
        want = REFERENCE[function.name](x.astype(np.float64))
    error = ulp_error(evaluate(function, x), want)
    worst = int(np.argmax(error))
    assert error[worst] <= function.max_ulp, f"{function.name}({x[worst]!r})"


# ------------------------------------------------------------------------------------- the lists


def test_there_is_a_list_for_each_complex_instruction():
    rows = [row for row in BY_NAME.values() if row.unit is Unit.COMPLEX]
    assert {row.stem for row in rows} == set(FUNCTIONS)
    assert all(row.type is F32 for row in rows)


@every_function
def test_steps_use_earlier_names_of_their_class_once_defined(function: Function):
    types = {ARGUMENT: F32}
    for step in function.steps:
        for operand, arg in zip(step.row.srcs, step.args, strict=True):
            assert operand.type is not None
            if isinstance(arg, str):
                assert types[arg].reg is operand.type.reg
            else:
                assert 0 <= arg < 1 << 32
        assert step.dst not in types
        assert step.row.dst is not None
        assert step.row.dst.type is not None
        types[step.dst] = step.row.dst.type
    assert types[function.result] is F32


@every_function
def test_steps_are_plain_cheap_arithmetic(function: Function):
    allowed = {TYPES[name] for name in ("b1", "u32", "s32", "f32")}
    for step in function.steps:
        row = step.row
        assert row.unit in (Unit.MOVE, Unit.INT, Unit.FLOAT)
        assert not row.flags & (Flags.MAY_TRAP | Flags.CROSS_LANE | Flags.READS_DST)
        assert not row.literals
        assert {row.type, *(o.type for o in row.operands)} <= allowed


@every_function
def test_the_result_is_the_nan_of_arithmetic_or_no_nan(function: Function):
    """So that an engine which makes NaNs canonical late treats it as any float result."""
    last = function.steps[-1].row
    assert last.unit is Unit.FLOAT
    assert last.stem in ("add", "mul", "fma")


@every_function
def test_guarded_values_reach_the_result_through_a_select_on_the_guard_only(function: Function):
    guards: dict[str, str | None] = {}
    types = {ARGUMENT: F32}
    for step in function.steps:
        for place, arg in enumerate(step.args):
            guard = guards.get(arg) if isinstance(arg, str) else None
            if guard is not None and step.guard != guard:
                assert step.row.stem == "select"
                assert (step.args[0], place) == (guard, 1)
        if step.guard is not None:
            assert types[step.guard] is B1
            assert guards[step.guard] is None
        guards[step.dst] = step.guard
        types[step.dst] = step.row.dst.type if step.row.dst and step.row.dst.type else F32
    assert guards[function.result] is None


@every_function
def test_values_left_by_skipped_steps_do_not_matter(function: Function):
    x = np.concatenate([corners(), sample(20_000)])
    want = evaluate(function, x).view(np.uint32)
    for dead in (0, 0xFFFF_FFFF, 0x7FC0_0001, 0x3F80_0000):
        np.testing.assert_array_equal(evaluate(function, x, dead=dead).view(np.uint32), want)


@every_function
def test_the_bits_of_a_nan_do_not_matter(function: Function):
    x = np.concatenate([corners(), sample(20_000)])
    want = evaluate(function, x)
    for nan in (0x7FC0_0000, 0xFFFF_FFFF, 0x7F80_0001, 0xFFC0_0000):
        np.testing.assert_array_equal(evaluate(function, x, nan=nan), want)


@every_function
def test_the_page_states_the_steps_and_the_bound(function: Function):
    always = sum(step.guard is None for step in function.steps)
    guarded = len(function.steps) - always
    row = rf"\| {function.name} \| {always} \| {guarded} \| {function.max_ulp} \|"
    assert re.search(row, PAGE.read_text())


# ----------------------------------------------------------------------------------------- values


@every_function
def test_error_at_corners(function: Function):
    check(function, corners())


@every_function
def test_error_on_a_sample_of_all_arguments(function: Function):
    check(function, sample(200_000, seed=1))


@every_function
def test_error_where_kernels_use_it(function: Function):
    rng = np.random.default_rng(2)
    x = [rng.uniform(-1, 1, 50_000), rng.uniform(-200, 200, 50_000), rng.uniform(0.9, 1.1, 50_000)]
    check(function, np.concatenate(x).astype(np.float32))


@pytest.mark.slow
@every_function
def test_error_on_a_64th_of_all_arguments(function: Function):
    for block in range(64):
        check(function, sample(1 << 20, seed=100 + block))


SPECIAL = {
    "sin": {0x0: 0x0, 0x8000_0000: 0x8000_0000, 0x1: 0x1, 0x8000_0001: 0x8000_0001},
    "cos": {0x0: 0x3F80_0000, 0x8000_0000: 0x3F80_0000, 0x1: 0x3F80_0000},
    "exp2": {
        0x0: 0x3F80_0000,
        0x8000_0000: 0x3F80_0000,
        0x1: 0x3F80_0000,
        0x7F80_0000: 0x7F80_0000,
        0x7F7F_FFFF: 0x7F80_0000,
        0xFF80_0000: 0x0,
        0xFF7F_FFFF: 0x0,
        0x4300_0000: 0x7F80_0000,  # 128
        0xC315_0000: 0x1,  # -149
        0xC316_0000: 0x0,  # -150: a tie, to even
        0xC315_FFFF: 0x1,
    },
    "log2": {
        0x0: 0xFF80_0000,
        0x8000_0000: 0xFF80_0000,
        0x3F80_0000: 0x0,
        0x7F80_0000: 0x7F80_0000,
        0x1: 0xC315_0000,
        0x0080_0000: 0xC2FC_0000,  # 2^-126
    },
}
NAN_FROM = {
    "sin": [0x7F80_0000, 0xFF80_0000],
    "cos": [0x7F80_0000, 0xFF80_0000],
    "exp2": [],
    "log2": [0xFF80_0000, 0xBF80_0000, 0x8000_0001, 0xFF7F_FFFF],
}


@every_function
def test_special_values(function: Function):
    x, want = zip(*SPECIAL[function.name].items(), strict=True)
    got = evaluate(function, f32(list(x))).view(np.uint32)
    assert [f"{b:08x}" for b in got] == [f"{b:08x}" for b in want]


@every_function
def test_nan_results(function: Function):
    x = [*NAN_FROM[function.name], 0x7FC0_0000, 0xFFC0_0000, 0x7F80_0001, 0xFFFF_FFFF]
    assert np.isnan(evaluate(function, f32(x))).all()


def test_powers_of_two_are_exact_both_ways():
    n = np.arange(-149, 128).astype(np.float32)
    power = np.ldexp(np.float32(1), n.astype(np.int32))
    np.testing.assert_array_equal(evaluate(FUNCTIONS["exp2"], n), power)
    np.testing.assert_array_equal(evaluate(FUNCTIONS["log2"], power), n)


def test_sin_is_odd_and_cos_is_even():
    x = np.concatenate([corners(), sample(50_000, seed=3)])
    x = x[np.isfinite(x)]
    for name, sign in (("sin", -1), ("cos", 1)):
        there, back = evaluate(FUNCTIONS[name], x), evaluate(FUNCTIONS[name], -x)
        np.testing.assert_array_equal(back, there * np.float32(sign))


@pytest.mark.parametrize("name", ["sin", "cos"])
def test_error_nearest_to_multiples_of_half_pi(name: str):
    x = np.array(sorted({v for e in range(-24, 104) for v in exact.hardest(e)}))
    got = evaluate(FUNCTIONS[name], x.astype(np.float32))
    for value, result in zip(x.tolist(), got.tolist(), strict=True):
        want = getattr(exact, name)(value)
        (reference,) = REFERENCE[name](np.array([value]))
        assert abs(Fraction(float(reference)) - want) <= abs(want) / (1 << 50)
        error = ulp_error(np.array([result], np.float32), np.array([float(want)]))
        assert error[0] <= FUNCTIONS[name].max_ulp, value


def test_the_evaluator_rounds_fma_once():
    one, tiny = 0x3F80_0000, 0x3380_0000  # 1 and 2^-24
    # 1 + 2^-24 is a tie; what lies far below decides it, and is lost by a sum in f64 alone
    a, b = f32([one + 1, one + 1, 0x0D80_0000]), f32([tiny, tiny, 0x0D80_0000])
    c = f32([one, one + 1, tiny | 0x0080_0000])
    for got, *operands in zip(fma(a, b, c), a, b, c, strict=True):
        p, q, r = (Fraction(float(v)) for v in operands)
        value = p * q + r
        below, above = np.nextafter(got, np.float32(-9)), np.nextafter(got, np.float32(9))
        distance = abs(Fraction(float(got)) - value)
        assert distance <= min(abs(Fraction(float(n)) - value) for n in (below, above))
