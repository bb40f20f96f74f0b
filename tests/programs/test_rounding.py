"""The references' fused multiply-add against exact fractions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from simtlab.programs.rounding import fma32


def exact(a: float, b: float, c: float) -> np.float32:
    """a * b + c rounded once, by rounding a fraction to 24 bits."""
    value = Fraction(a) * Fraction(b) + Fraction(c)
    if value == 0:
        return np.float32(0)
    exponent = 0
    while abs(value) >= Fraction(2) ** (exponent + 24):
        exponent += 1
    while abs(value) < Fraction(2) ** (exponent + 23):
        exponent -= 1
    unit = Fraction(2) ** exponent
    return np.float32(float(round(value / unit) * unit))


@pytest.mark.parametrize("seed", range(3))
def test_random_operands_are_rounded_once(seed: int) -> None:
    rng = np.random.default_rng(seed)
    a, b, c = (rng.standard_normal(300).astype(np.float32) for _ in range(3))
    want = [exact(*map(float, abc)) for abc in zip(a, b, c, strict=True)]
    np.testing.assert_array_equal(fma32(a, b, c), np.array(want))


def test_double_rounding_is_avoided() -> None:
    """c's unit is 2, and the product is just below or above 1: f64 sees exactly half a unit."""
    c = np.arange(1 << 24, (1 << 24) + 400, 2).astype(np.float32)
    a = np.float32(1 + 2.0**-23)
    b = np.float32(1 - 2.0**-23)
    want = np.array([exact(float(a), float(b), float(v)) for v in c])
    np.testing.assert_array_equal(fma32(a, b, c), want)
    naive = (np.float64(a) * np.float64(b) + c.astype(np.float64)).astype(np.float32)
    assert (naive != want).any(), "these operands are meant to trip plain f64 arithmetic"


def test_the_result_has_the_broadcast_shape() -> None:
    assert fma32(2.0, np.ones((3, 4), np.float32), 1.0).shape == (3, 4)
    assert fma32(2.0, 3.0, 4.0).shape == ()
