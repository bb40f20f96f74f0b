"""Evaluates the lists of isa/functions.py on NumPy arrays, independently of the engines.

A value is an array of the type that its step's row says: bool, uint32, int32 or float32.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simtlab.isa.functions import Function, Step
from simtlab.isa.types import Type

Array = NDArray[Any]


def round_to_odd_sum(a: Array, b: Array) -> Array:
    """a + b in float64, the last bit made odd where the sum is inexact.

    A second rounding to float32 is then correct: f64 has more than 2 * 24 + 2 bits.
    """
    s = a + b
    bb = s - a
    err = (a - (s - bb)) + (b - bb)
    bits = s.view(np.int64)
    inexact = (err != 0) & np.isfinite(s) & (bits & 1 == 0)
    # one ulp towards err: away from zero where err has the sign of s
    step = np.where(np.signbit(err) == np.signbit(s), 1, -1)
    return np.where(inexact, bits + step, bits).view(np.float64)


def fma(a: Array, b: Array, c: Array) -> Array:
    """a * b + c of float32 arrays, rounded once."""
    product = a.astype(np.float64) * b.astype(np.float64)
    return round_to_odd_sum(product, c.astype(np.float64)).astype(np.float32)


def _minimum(a: Array, b: Array) -> Array:
    return np.where(np.isnan(a) | (b < a), b, a)


_OPS: dict[str, Callable[..., Array]] = {
    "mov": lambda a: a,
    "select": lambda c, a, b: np.where(c, a, b),
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "mad": lambda a, b, c: a * b + c,
    "mulhi": lambda a, b: ((a.astype(np.uint64) * b) >> np.uint64(32)).astype(np.uint32),
    "fma": fma,
    "min": _minimum,
    "abs": np.abs,
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "shl": lambda a, b: a << (b & np.uint32(31)),
    "shr": lambda a, b: a >> (b & np.uint32(31)).astype(a.dtype),
    "cmp_eq": lambda a, b: a == b,
    "cmp_ne": lambda a, b: a != b,
    "cmp_lt": lambda a, b: a < b,
    "cmp_gt": lambda a, b: a > b,
    "cmp_ge": lambda a, b: a >= b,
}


def _dtype(type_: Type | None) -> np.dtype[Any]:
    assert type_ is not None
    return np.dtype(type_.numpy)


def _apply(step: Step, args: list[Array]) -> Array:
    row = step.row
    assert row.dst is not None
    if row.stem == "cvt":
        return args[0].astype(_dtype(row.dst.type))
    return _OPS[row.stem](*args)


def evaluate(
    function: Function, x: Array, *, dead: int | None = None, nan: int | None = None
) -> Array:
    """The function of a float32 array.

    With `dead`, guarded steps get these bits where their guard is false: what an engine that
    skips them may leave there. With `nan`, NaNs from arithmetic get these bits: what an engine
    that makes NaNs canonical late may have there.
    """
    values: dict[str, Array] = {"x": x}
    with np.errstate(all="ignore"):
        for step in function.steps:
            args = []
            for operand, arg in zip(step.row.srcs, step.args, strict=True):
                dtype = _dtype(operand.type)
                value = np.array([arg], np.uint32) if isinstance(arg, int) else values[arg]
                args.append(value if value.dtype == dtype else value.view(dtype))
            value = _apply(step, args)
            if dead is not None and step.guard is not None:
                value = _replace(value, values[step.guard], dead)
            if nan is not None and value.dtype.kind == "f":
                value = np.where(np.isnan(value), np.uint32(nan).view(np.float32), value)
            values[step.dst] = value
    return values[function.result]


def _replace(value: Array, keep: Array, dead: int) -> Array:
    if value.dtype.kind == "b":
        return np.where(keep, value, bool(dead & 1))
    return np.where(keep, value.view(np.uint32), np.uint32(dead)).view(value.dtype)


REFERENCE: dict[str, Callable[[Array], Array]] = {
    "sin": np.sin,
    "cos": np.cos,
    "exp2": np.exp2,
    "log2": np.log2,
}


def ulp_error(got: Array, want: Array) -> Array:
    """|got - want| in units of the last place that an f32 near `want` (float64) has.

    An infinity counts as 2^128. Where `want` is NaN or beyond 2^128 the error is 0 if `got` is
    the same NaN or infinity, else infinite.
    """
    with np.errstate(all="ignore"):
        _, exponent = np.frexp(want)
        ulp = np.ldexp(1.0, np.maximum(exponent - 24, -149))
        value = np.where(np.isinf(got), np.copysign(2.0**128, got), got.astype(np.float64))
        error = np.abs(value - want) / ulp
        special = np.isnan(want) | (np.abs(want) >= 2.0**128)
        same = (np.isnan(got) & np.isnan(want)) | (got.astype(np.float64) == np.sign(want) * np.inf)
        return np.where(special, np.where(same, 0, np.inf), np.where(np.isnan(got), np.inf, error))
