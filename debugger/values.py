"""Bits as values, and values as bits, by type; formats in which values are shown."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..isa.errors import UsageError, did_you_mean
from ..isa.types import TYPES, Kind, Type

Array = np.ndarray
Value = int | float | bool

LETTERS = {"u": "unsigned", "s": "signed", "f": "float", "x": "hexadecimal", "b": "binary"}
"""Formats of one letter, at the width of what is shown."""

_PLAIN = {1: "u8", 2: "u16", 4: "u32", 8: "u64"}


def type_of(fmt: str, size: int) -> Type:
    """Return the type that a format reads `size` bytes as. Raises UsageError.

    A format is a letter of `LETTERS` or the name of a type, as `f32`.
    """
    if fmt in ("u", "x", "b"):
        return TYPES[_PLAIN[size]]
    name = f"{fmt}{8 * size}" if fmt in ("s", "f") else fmt
    found = TYPES.get(name)
    if found is None or (fmt == "b1" and size != 1):
        if fmt == "f":
            raise UsageError(f"there is no float of {8 * size} bits", code="SIM532")
        known = (*LETTERS, *TYPES)
        raise UsageError(
            f"unknown format {fmt!r}; there are {', '.join(known)}",
            code="SIM532",
            hint=did_you_mean(fmt, known),
        )
    return found


def decode(bits: int, type_: Type) -> Value:
    """Return the value that `type_` reads from bits."""
    if type_.kind is Kind.BOOL:
        return bool(bits)
    raw = (bits & (1 << 8 * type_.size) - 1).to_bytes(type_.size, "little")
    return np.frombuffer(raw, type_.numpy)[0].item()


def encode(value: Value, type_: Type) -> bytes:
    """Return a value as little-endian bytes of `type_`. Raises UsageError if it does not fit."""
    if type_.kind is Kind.BOOL:
        if value in (0, 1):
            return bytes([int(value)])
        raise UsageError(f"{value} is not a bit: 0 or 1", code="SIM532")
    if type_.is_float:
        with np.errstate(over="ignore"):
            return np.array([value], type_.numpy).tobytes()
    if isinstance(value, float) and not value.is_integer():
        raise UsageError(
            f"{value} is not a whole number, and {type_} holds whole numbers",
            code="SIM532",
            hint="name a float with .f, as `set $s3.f = 1.5`",
        )
    number, bits = int(value), type_.bits
    if not -(1 << bits - 1) <= number < 1 << bits:
        raise UsageError(f"{number} does not fit into {type_} ({bits} bits)", code="SIM532")
    return (number & (1 << bits) - 1).to_bytes(type_.size, "little")


def shown_value(value: Value, fmt: str = "", size: int = 8) -> str:
    """Return a value as text; `size` is its bytes, for floats, hexadecimal and binary."""
    if isinstance(value, float):
        with np.errstate(over="ignore"):
            text = str(np.float32(value) if size == 4 else np.float64(value))
        return text.removesuffix(".0")
    if fmt == "x":
        return f"0x{int(value) & (1 << 8 * size) - 1:0{2 * size}x}"
    if fmt == "b":
        return f"0b{int(value) & (1 << 8 * size) - 1:b}"
    return str(int(value))


def register_size(register: str) -> int:
    """Return the bytes of a register: 4 for `$s`, 8 for `$d`, 1 for `$c`."""
    return {"s": 4, "d": 8, "c": 1}[register[1]]


def readings(bits: int, register: str) -> list[str]:
    """Return a register as hexadecimal, unsigned, signed and float; one word for `$c`."""
    if register[1] == "c":
        return ["true" if bits else "false"]
    size = register_size(register)
    return [shown_value(decode(bits, type_of(f, size)), f, size) for f in "xusf"]


def elements(content: Array, type_: Type) -> Any:
    """Return bytes as an array of a type's elements; the odd bytes at the end are left out."""
    whole = len(content) // type_.size * type_.size
    return content[:whole].view(type_.numpy)


def shown_element(value: Any, fmt: str, size: int) -> str:
    """Return an element of an array as text."""
    return shown_value(value.item(), fmt, size)
