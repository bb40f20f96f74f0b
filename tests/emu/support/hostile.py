"""Unexpected values, for the tests of every public function."""

from __future__ import annotations

import datetime
import decimal
import fractions
from collections.abc import Callable
from typing import Any

import numpy as np

from simtlab import SimtError


class Mute:
    """An object that cannot be shown."""

    def __repr__(self) -> str:
        raise RuntimeError("no repr")


class Broken:
    """An object that fails where NumPy asks it for an array."""

    def __array__(self, *arguments: object, **options: object) -> np.ndarray:
        raise RuntimeError("no array")


VALUES: dict[str, Any] = {
    "none": None,
    "lone-surrogate": "\ud800",
    "true": True,
    "numpy-bool": np.bool_(True),
    "zero": 0,
    "minus": -1,
    "2^31": 1 << 31,
    "2^63": 1 << 63,
    "2^64": 1 << 64,
    "2^128": 1 << 128,
    "10^39": 10**39,
    "-10^39": -(10**39),
    "10^5000": 10**5000,
    "float": 1.5,
    "nan": float("nan"),
    "inf": float("-inf"),
    "1e300": 1e300,
    "longdouble": np.longdouble("1e400"),
    "complex": 1j,
    "decimal": decimal.Decimal("1e400"),
    "fraction": fractions.Fraction(1, 3),
    "timedelta64": np.timedelta64(3),
    "datetime64": np.datetime64("2020-01-01"),
    "timedelta": datetime.timedelta(3),
    "empty-text": "",
    "text": "nonsense",
    "long-text": "x" * (1 << 20),
    "nul": "a\0b",
    "surrogate": "\udcff",
    "bytes": b"bytes",
    "empty-bytes": b"",
    "list": [1, 2],
    "empty-list": [],
    "ragged": [[1], [1, 2]],
    "long-list": [1] * 100_000,
    "nested": [[[[[[[[[[]]]]]]]]]],
    "tuple": (1, 2, 3, 4, 5),
    "empty-tuple": (),
    "dict": {1: 2},
    "set": {1},
    "object": object(),
    "broken": Broken(),
    "type": int,
    "function": len,
    "0-d": np.array(3),
    "0-d-float": np.array(1.5),
    "0-d-object": np.array(None),
    "array": np.arange(5),
    "2-d": np.zeros((2, 2)),
    "empty-array": np.zeros(0, np.float32),
    "float32": np.zeros(64, np.float32),
    "big-endian": np.zeros(64, ">f4"),
    "object-array": np.array([None] * 4),
    "text-array": np.array(["a"]),
    "structured": np.zeros(4, [("a", "f4"), ("b", "i8")]),
    "dates": np.zeros(4, "M8[s]"),
    "matrix": np.matrix([[1, 2], [3, 4]]),
    "masked": np.ma.masked_array([1.0, 2.0], [True, False]),
    "nan-array": np.full(3, np.nan),
}


def each_value(check: Callable[[Any], object]) -> None:
    """Check every value; a failure names its value."""
    for name, value in VALUES.items():
        try:
            check(value)
        except BaseException as failure:
            failure.add_note(f"the value is {name}")
            raise


def refused_or_done(call: Callable[[Any], object], value: Any) -> SimtError | None:
    """Make a call, which may succeed; an error is one of ours, short, and says what it got."""
    try:
        call(value)
    except SimtError as found:
        error = found
    else:
        return None
    text = str(error)
    assert error.first.message
    assert len(text) < 2000, text
    for foreign in ("Traceback", "ctypes", "argument of type", "object has no attribute"):
        assert foreign not in text
    return error


def must_refuse(call: Callable[[Any], object], value: Any) -> SimtError:
    """Make a call that cannot succeed."""
    error = refused_or_done(call, value)
    assert error is not None
    return error
