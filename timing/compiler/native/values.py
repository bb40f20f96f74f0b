"""Values of engine code in LLVM IR: 64-bit integers, truth values, and pointers to records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np


@dataclass(frozen=True)
class Kind:
    """What a value is: its LLVM type, and its name in messages."""

    llvm: str
    text: str


INT = Kind("i64", "a number")
TRUTH = Kind("i1", "a number")
NOTHING = Kind("i64", "nothing")


@dataclass(frozen=True, eq=False)
class Rows(Kind):
    """A pointer to a record; `fields` maps a name to (byte offset, bits)."""

    name: str
    fields: Mapping[str, tuple[int, int]]


def rows(name: str, fields: Mapping[str, tuple[int, int]]) -> Rows:
    """Return the kind of a table's records."""
    if name == "S":
        return Rows("ptr", "the state", name, fields)
    article = "an" if name[0] in "aeiou" else "a"
    return Rows("ptr", f"{article} {name}", name, fields)


class Value(NamedTuple):
    """An operand in IR, without its type: `%t7` or a constant."""

    text: str
    kind: Kind


def fits(number: int) -> bool:
    """Return whether a number is one of 64 bits with a sign."""
    return -(1 << 63) <= number < 1 << 63


def constant(number: int) -> Value:
    """Return a number that `fits`."""
    return Value(str(number), INT)


def is_constant(value: Value) -> bool:
    """Return whether a number is known now."""
    return not value.text.startswith("%")


def place_of(name: str) -> str:
    """Return the address of a local name."""
    return f'%"v.{name}"'


def layout_of(dtype: np.dtype) -> dict[str, tuple[int, int]]:
    """Return name -> (byte offset, bits) of the fields of a record."""
    assert dtype.fields is not None
    return {name: (spec[1], spec[0].itemsize * 8) for name, spec in dtype.fields.items()}


def layout_of_header(fields: Mapping[str, int]) -> dict[str, tuple[int, int]]:
    """Return the same of the state, whose fields are words; `fields`: name -> word."""
    return {name: (8 * word, 64) for name, word in fields.items()}
