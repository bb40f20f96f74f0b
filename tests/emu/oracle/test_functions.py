"""sin, cos, exp2 and log2 of the oracle: special values, and the error against Python's math."""

import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from simtlab.emu.oracle.alu import OPERATIONS
from simtlab.emu.oracle.formats import BINARY32
from simtlab.isa.functions import FUNCTIONS
from simtlab.isa.types import F32

INF, NAN, MINUS, ONE = 0x7F80_0000, 0x7FC0_0000, 0x8000_0000, 0x3F80_0000

SPECIAL = [
    ("sin", 0, 0),
    ("sin", MINUS, MINUS),
    ("sin", INF, NAN),
    ("sin", 0x7FA0_0001, NAN),
    ("cos", 0, ONE),
    ("cos", MINUS | INF, NAN),
    ("exp2", 0, ONE),
    ("exp2", INF, INF),
    ("exp2", MINUS | INF, 0),
    ("exp2", NAN, NAN),
    ("exp2", 0x4300_0000, INF),  # 2^128
    ("exp2", 0xC315_0000, 1),  # 2^-149
    ("log2", ONE, 0),
    ("log2", 0, MINUS | INF),
    ("log2", MINUS, MINUS | INF),
    ("log2", MINUS | ONE, NAN),
    ("log2", INF, INF),
    ("log2", 1, 0xC315_0000),
]


@pytest.mark.parametrize(("stem", "x", "expected"), SPECIAL)
def test_special_values(stem, x, expected):
    assert OPERATIONS[f"{stem}_f32"](x) == expected


EXACT = {"sin": math.sin, "cos": math.cos, "exp2": lambda x: 2.0**x, "log2": math.log2}


@given(st.sampled_from(sorted(EXACT)), st.integers(0, (1 << 32) - 1))
@example("sin", 0x7F7F_FFFF)
@example("cos", 0x4780_0000)
@example("log2", 0x3F7F_FFFF)
def test_the_error_stays_below_the_bound_of_the_list(stem, x):
    value = BINARY32.value(x)
    if not math.isfinite(value) or (stem == "exp2" and abs(value) > 148):
        return
    if stem == "log2" and value <= 0:
        return
    exact = EXACT[stem](value)
    result = BINARY32.value(OPERATIONS[f"{stem}_f32"](x))
    if math.isinf(result):
        assert exact > BINARY32.value(INF - 1)
        return
    last_place = math.ldexp(1.0, max(math.frexp(exact)[1] - 24, -149))
    assert abs(result - exact) <= FUNCTIONS[stem].max_ulp * last_place


@given(st.sampled_from(sorted(FUNCTIONS)), st.integers(0, (1 << 32) - 1))
@example("sin", ONE)
@example("sin", 0x4800_0000)
def test_a_guarded_step_does_not_matter_where_its_guard_is_false(stem, x):
    values = {"x": x}
    for step in FUNCTIONS[stem].steps:
        operands = [values[a] if isinstance(a, str) else a for a in step.args]
        values[step.dst] = OPERATIONS[step.name](*operands)
    assert values[FUNCTIONS[stem].result] == OPERATIONS[f"{stem}_f32"](x)


def test_every_function_is_one_of_f32():
    assert {f"{stem}_{F32}" for stem in FUNCTIONS} <= set(OPERATIONS)
