"""Fused multiply-add for references: NumPy has none."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

_LOW = (1 << 29) - 1
_HALF = 1 << 28


def fma32(a: ArrayLike, b: ArrayLike, c: ArrayLike) -> np.ndarray:
    """a * b + c in f32, rounded once, for operands that are exact in f32 and normal results.

    The product of two f32 is exact in f64. The sum is rounded to f64 and then to f32, and that is
    wrong only where the f64 sum lies exactly half-way between two f32, although the true sum does
    not: those few are moved one f64 step towards the true sum first.
    """
    product = np.multiply(a, b, dtype=np.float64)
    addend = np.asarray(c, np.float64)
    total = np.atleast_1d(product + addend)
    halfway = (total.view(np.int64) & _LOW) == _HALF
    if halfway.any():
        p, q, s = (np.broadcast_to(v, total.shape)[halfway] for v in (product, addend, total))
        share = s - p
        error = (p - (s - share)) + (q - share)
        towards = np.where(error == 0, s, np.copysign(np.inf, error))
        total[halfway] = np.nextafter(s, towards)
    return total.astype(np.float32).reshape(np.broadcast_shapes(product.shape, addend.shape))
