"""Evaluates the lists of isa/functions.py on NumPy arrays, independently of the engines.

A value is an array of the type that its step's row says: bool, uint32, int32 or float32.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simtlab.isa.functions import Function, Step
from simtlab.isa.types import Kind, Type

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


def evaluate(function: Function, x: Array, *, dead: int | None = None) -> Array:
    """The function of a float32 array.

    With `dead`, guarded steps get these bits where their guard is false: what an engine that
    skips them may leave there.
    """
    values: dict[str, Array] = {"x": x}
    with np.errstate(all="ignore"):
        for step in function.steps:
            args = []
            for operand, arg in zip(step.row.srcs, step.args, strict=True):
                dtype = _dtype(operand.type)
                value = np.uint32([arg]) if isinstance(arg, int) else values[arg]
                args.append(value if value.dtype == dtype else value.view(dtype))
            value = _apply(step, args)
            if dead is not None and step.guard is not None:
                value = _replace(value, values[step.guard], dead)
            values[step.dst] = value
    return values[function.result]


def _replace(value: Array, keep: Array, dead: int) -> Array:
    if value.dtype.kind == "b":
        return np.where(keep, value, bool(dead & 1))
    return np.where(keep, value.view(np.uint32), np.uint32(dead)).view(value.dtype)


def kinds(function: Function) -> set[Kind]:
    """The kinds of values that the list computes."""
    return {step.row.dst.type.kind for step in function.steps if step.row.dst and step.row.dst.type}
